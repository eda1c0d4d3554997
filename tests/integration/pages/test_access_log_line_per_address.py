"""Every address that shows people or events adds one line to the access log: reader, address, subject and size.

The addresses and their contents come from the resolver, so that new addresses are tested too.
"""

import re
from io import StringIO
from urllib.parse import unquote

import pytest
from django.core.management import call_command
from django.test import Client

from backoffice.access.models import Look
from backoffice.access.personal_data_access_log import COMPLETION, EVENT, EXPORTED, KINDS, PERSON
from backoffice.kit.access_log_rules import readable, readable_query
from backoffice.kit.reader_and_read_rule_types import ReadRule
from backoffice.people import badge_and_key_authentication
from tests.support.houses.evening_with_everything import MISPAY_ALERT
from tests.support.houses.small_house import DAY, House
from tests.support.pages.addresses import READ, READS
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db

PLAYERS = ("g-1", "g-2", "g-3", "g-7", "g-8")
STAFF = ("sven", "anna", "adam", "dora", "ines", "paul")
# Who is on duty now, and who did what of the day in hand, for those who work with them: these are looked at all day,
# come anew every few seconds, and are shown although the access log does not answer. No player stands there.
AT_WORK = re.compile(
    r"(/api/v1)?/(tables|floor|pit|cage|count-room|days)\b.*|/|/(api/v1/)?(hold|progressives/?|house|places|integrity)"
    r"|/progressives/[^/]+/(liability|what-if|sign).*"
)


def page_content(client: Client, address: str) -> str:
    """Return the content of an address, without the page around it."""
    answer = client.get(address)
    content = b"".join(answer) if answer.streaming else answer.content
    assert answer.status_code < 500, address
    text = content.decode("utf-8", "replace") if answer.status_code < 300 else ""
    return re.sub(r"<(header|style|script|nav).*?</\1>", "", text, flags=re.DOTALL)


def ids_in(text: str, ids: tuple[str, ...]) -> list[str]:
    return [id_ for id_ in ids if re.search(rf"(?<![\w/-]){id_}(?![\w-])", text)]


def reader_of(house: House, rule: ReadRule) -> str:
    if rule.known or "auditor" in rule.roles:
        return "olga"
    house.grant("rita", min(rule.roles))
    return "rita"


def lines(after: int = 0) -> list[Look]:
    return [*Look.objects.filter(number__gt=after).order_by("number")]


def test_every_address_that_shows_people_leaves_one_line(evening_house: House) -> None:
    tried = 0
    for address, rule in READ:
        person = reader_of(evening_house, rule)
        client, before = signed_in(Client(), person), Look.objects.count()
        text = page_content(client, address)
        left = [line for line in lines(before) if line.kind != EXPORTED]
        players, staff = ids_in(text, PLAYERS), ids_in(text, STAFF)
        if not left:
            is_part = address.rpartition("/")[0] in {line.what for line in lines() if line.person == person}
            assert is_part or not players, (address, players)
            assert is_part or not staff or AT_WORK.fullmatch(address), (address, staff)
            continue
        (line,) = left
        tried += 1
        assert (line.person, line.source, line.what) == (person, "127.0.0.1", address)
        assert line.kind in KINDS
    print(f"{len(READ)} addresses tried, {tried} leave a line")
    assert tried > 30


def test_by_a_badge_likewise(evening_house: House) -> None:
    headers = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('olga')}"}
    for address, rule in READS:
        if address.startswith("/api/v1/") and not rule.public:
            before = Look.objects.count()
            text = Client().get(address, headers=headers).content.decode()
            left = lines(before)
            assert len(left) == bool(left), address
            assert left or not ids_in(text, PLAYERS), address
            assert all(line.person == "olga" for line in left)


def test_the_whole_log_cannot_be_walked_unseen(client: Client, evening_house: House) -> None:
    for position in range(1, 8):
        client.get(f"/events/{position}", headers={"HX-Request": "true"} if position % 2 else {})
    client.get("/events/999999")
    assert [(line.kind, line.what, line.entry_count) for line in lines()] == [
        (EVENT, f"/events/{position}", 1) for position in range(1, 8)
    ]


def test_ids_that_are_offered_while_somebody_types(client: Client, evening_house: House) -> None:
    ask = "/api/v1/search/completions"
    for typed in ("ta", "table:", "player:", "player:g", "player:g-", "player:g-1", "dealer:d"):
        assert client.get(ask, {"q": typed}).status_code == 200
    assert [(line.kind, line.what, line.entry_count) for line in lines()] == [
        (COMPLETION, f"{ask}?q=player:&shown=g-1,g-2,g-3,g-7,g-8", 5),
        (COMPLETION, f"{ask}?q=dealer:d&shown=dora", 1),
    ]
    before = Look.objects.count()
    for typed in ("player:g", "player:g-7"):
        client.post("/events/complete", {"q": typed, "at": len(typed)})
    (line,) = lines(before)
    assert line.what == "/events/complete?shown=g-1,g-2,g-3,g-7,g-8"


def test_what_follows_by_itself_is_one_look_with_its_page(client: Client, evening_house: House) -> None:
    for page in ("/alerts", "/inbox", "/progressives/blazing", "/progressives/blazing/matters"):
        before = Look.objects.count()
        client.get(page)
        for seen in range(20):
            client.get(f"{page}/live", {"seen": str(seen)})
        assert len(lines(before)) == 1, page
    before = Look.objects.count()
    client.get("/alerts/count")
    client.get("/inbox/count")
    assert lines(before) == []


def test_a_part_alone_leaves_its_line(client: Client, evening_house: House) -> None:
    client.get("/alerts/live")
    client.get("/alerts/live?seen=1")
    assert [line.what for line in lines()] == ["/alerts/live"]


@pytest.mark.parametrize(
    ("address", "readable_so"),
    [
        ("/api/v1/search?q=player%3AP9+table%3AFR1", "/api/v1/search?q=player:P9 table:FR1"),
        ("/api/v1/search?q=%CE%95%CE%BB%CE%AD%CE%BD%CE%B7", "/api/v1/search?q=Ελένη"),
        ("/api/v1/search?q=a%26b%25%2B", "/api/v1/search?q=a%26b%25+"),
        ("/api/v1/search?q=%E2%80%AEx%0A", "/api/v1/search?q=%E2%80%AEx%0A"),
    ],
)
def test_addresses_are_written_as_people_read_them(
    client: Client, evening_house: House, address: str, readable_so: str
) -> None:
    client.get(address)
    assert [line.what for line in lines()] in ([readable_so], [])
    path, _, query = address.partition("?")
    assert f"{readable(path)}?{readable_query(query)}" == readable_so


def test_the_page_shows_older_lines_readable(client: Client, evening_house: House) -> None:
    Look.objects.create(
        number=1, at="2026-11-20T20:00:00Z", person="sven", kind="search", what="/events?table=FR1%2CFR2", digest="x"
    )
    assert "/events?table=FR1,FR2" in unquote(client.get("/integrity/looks").content.decode())
    assert b"%2C" not in client.get("/integrity/looks").content


COMMANDS = [
    (["alerts"], "alerts", "alert"),
    (["alerts", "--json", "--day", DAY], f"alerts --day {DAY}", "alert"),
    (["people", "list"], "people list", PERSON),
    (["cash", DAY], f"cash {DAY}", PERSON),
    (["books"], "books", PERSON),
    (["books", "--json", "--day", DAY], f"books --day {DAY}", PERSON),
    (["hold", "--by", "player"], "hold --by player", PERSON),
    (["search", "player:g-1"], "search player:g-1", "search"),
]


@pytest.mark.parametrize(("words", "what", "kind"), COMMANDS, ids=[command[1] for command in COMMANDS])
def test_commands_that_show_people_leave_one_line(evening_house: House, words: list[str], what: str, kind: str) -> None:
    assert MISPAY_ALERT
    call_command(*words, stdout=StringIO(), stderr=StringIO())
    (line,) = lines()
    assert (line.kind, line.what.partition(" --limit")[0]) == (kind, what)
    assert line.source.startswith("terminal of ")
