"""Actions of every type, made from their JSON Schemas: valid ones, nearly valid ones, hostile ones.

`python -m tests.support.tables.generated_actions --seed N --actions N` sends any number of actions through the API and
reads every event into read models. These are on SQLite, or with `--database URL` on an empty PostgreSQL database. It
then renders every page and prints the results. The suite does the same with a few thousand actions, on both. The same
seed makes the same actions.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from events import catalogue, fields
from events.envelope import Action
from events.people import authority
from events.people.approval_request_lifecycle import ApprovalRequested
from events.roles import AuthorityRule
from events.streams import stream_kind_declaration
from tests.support.houses.small_house import DAY, PEOPLE, PROPERTY, House

if TYPE_CHECKING:
    from django.test import Client

Schema = dict[str, Any]
ANSWER_S = 30.0  # a single action takes a millisecond; machines differ
SENTINEL = "@@HERE@@"
TABLES = ("FR1", "BJ1", "BJ2", "BA1", "CR1")
OTHERS = (("BA1", "baccarat", "baccarat"), ("CR1", "craps", "craps-gr"))

# After which a table, or a person, does little more: seldom, so that much is seen.
ENDINGS = frozenset({"session.close", "session.void", "table.install", "role.revoke", "round.void"})

# What a pattern's texts look like, and what a field holds in a house that is at play: so that some are accepted.
BY_PATTERN: dict[str, tuple[str, ...]] = {
    fields.LINE_PATTERN: ("g-1", "Ólafur Þór", "Νίκος", "客 7", "x" * 60, "a/b'c\"<d>&e", "{0} %s"),
    fields.NOTE_PATTERN: ("", "as seen", "x" * 500),
    fields.TABLE_PATTERN: (*TABLES, "T-9"),
    fields.SLUG_PATTERN: ("blazing", "mega", "minor", "a b.c_d"),
    fields.HASH_PATTERN: ("0" * 64, "f" * 64),
    "^[0-9a-f]{16}$(?!\\n)": ("0" * 16, "f" * 16),
    "^[0-9a-f]{32}$(?!\\n)": ("0" * 32, "f" * 32),
}
PLAUSIBLE: dict[str, tuple[Any, ...]] = {
    "bet": ("b1", "b2", "b3", "b4"),
    "player": ("g-1", "g-2", "g-3"),
    "person": (*PEOPLE, "nina"),
    "role": (*sorted(set(PEOPLE.values())), "security"),
    "seat": (1, 2, 3),
    "box": (1, 2, 3),
    "hand": (0,),
    "round": (1, 2, 3),
    "gaming_day": (DAY, "2026-11-19", "2026-11-21"),
    "amount_minor": (500, 1_000, 2_500, 5_000),
    "unit_minor": (500, 1_200),
    "minimum_minor": (500,),
    "level": ("mega", "major", "minor"),
    "hit": (f"BJ1-{DAY}-1-1", f"BJ2-{DAY}-1-2"),
    "post": ("dealer", "inspector", "boxman", "stickman", "second dealer"),
    "read_minor": (5_000_000, 800_000, 120_000),
    "card": ("7D", "7H", "7S", "KC", "5H"),
    "to": ("box", "dealer", "player", "banker"),
    "places": ([0, 1],),
    "case": (f"{PROPERTY}/progressives/blazing@3",),
    "number": (4, 6, 8),
    "numbers": ([17], [17, 20], [1, 2, 3]),
    "shoe": ("s1", "s2"),
    "ruleset": ("roulette-french", "blackjack-trilux", "craps-gr", "baccarat", "blazing7s@1"),
    "game": ("roulette", "blackjack", "craps", "baccarat"),
    "progressive": ("blazing",),
    "currency": ("EUR", "JPY"),
    "slip": (1, 2, 3, 4, 5, 6, 7, 8, 9),
    "chips": ({"100": 5}, {"500": 20, "2500": 1}),
    "opener": ({"100": 1_000, "500": 1_000},),
    "chips_out": ({"500": 5}, {"500": 10}),
    "chips_in": ({"2500": 1}, {"500": 10}),
    "colours_minor": (0, 500),
    "drop_box": ("box-1", "box-2", "box-3"),
    "next_shift": ("evening", "night", "late"),
    "witness": (*PEOPLE,),
    "maxima_minor": ({}, {"straight": 50_000}),
    "minima_minor": ({},),
}

WAGERS: dict[str, tuple[str, ...]] = {
    "FR1": ("straight", "red", "split"),
    "BJ1": ("main", "main", "progressive", "trilux"),
    "BJ2": ("main", "main", "progressive", "trilux"),
    "BA1": ("player", "banker", "tie"),
    "CR1": ("pass", "dont_pass", "field", "come"),
}
_CARDS = ("round.open", *["bet.place"] * 4, "bets.close", "progressive.arm", *["card.deal"] * 8, "deal.complete")
_COUP = ("shoe.burn", "round.open", *["bet.place"] * 3, "bets.close", *["card.deal"] * 6, "payment.make", "round.end")
_DICE = ("dice.put", "round.open", "shooter.appoint", "dice.choose", "bet.place", "dice.offer", *["dice.roll"] * 4)
# What is done one after the other, so that rounds are played now and then.
ORDER: dict[str, tuple[str, ...]] = {
    "FR1": ("round.open", *["bet.place"] * 3, "ball.launch", "bets.close", "ball.land", "payment.make", "round.end"),
    "BJ1": (*_CARDS, "hit.declare", *["hand.stand"] * 4, "card.deal", "payment.make", "round.end"),
    "BJ2": (*_CARDS, "hand.split", "hand.double", *["hand.stand"] * 4, "card.deal", "round.end"),
    "BA1": _COUP,
    "CR1": (*_DICE, "payment.make", "round.end"),
}

# JSON in place of a value: what programs, and people who mean harm, send.
HOSTILE: tuple[bytes, ...] = (
    b'"a\\u0000b"', b'"\\ud800"', b'"\xff\xfe"', b'"a\\u202eb"', b'"a\\u2028b"', b'"a\\u0085"', b'" "', b'""',
    b'"a\\n"',
    b"NaN", b"Infinity", b"-Infinity", b"-0", b"1e400", b"1e3", b"1.0", b"-1", b"0", b"01", b"+1", b"0x10",
    b"10000000000000000000", b"1" + b"0" * 25, b"9" * 5_000, b"-" + b"9" * 400,
    b"null", b"true", b"[]", b"{}", b"[[[[]]]]", b"[" * 20_000, b'{"a":' * 5_000, b'["' + b"x" * 100_000 + b'"]',
    b'"' + b"x" * 100_000 + b'"', b'"' + b"\\u00e9" * 20_000 + b'"',
    "\"٢٠٢٦-١١-٢٠\"".encode(), b'"2026-02-30"', b'"2026-11-20\\n"', b'"9999-99-99"', b'"2126-11-20"',
    b'"2026-11-20T24:00:00Z"', b'"2026-11-20T23:59:60Z"', b'"0000-01-01T00:00:00Z"', b'"2026-11-20T10:00:00"',
    b'{"10000000000000000000":1}', b'{"1":1,"1":2}', b'{"-1":1}', b'{"0":1}', b'{"1e2":1}', b'{"1000000000":1000000}',
    b'{"100":-1}', b'{"100":10000000}', b"{" + b",".join(b'"%d":1' % n for n in range(1, 3_000)) + b"}",
    b"[" + b",".join([b"1"] * 5_000) + b"]", b'"<script>alert(1)</script>"', b"\"'; DROP TABLE events; --\"",
    b'"../../../etc/passwd"', b'"%00"', b'"\\ufeffa"', b"tru", b'"', b"",
)  # fmt: skip


def _suits(schema: Schema, value: Any) -> bool:
    """Return whether a plausible value belongs to this field, and not to another with the same name."""
    if isinstance(value, list) and schema.get("type") == "array":
        items = schema.get("items") or {}
        return isinstance(value[0], int) == (items.get("type") == "integer")
    return value in schema.get("enum", [value]) and schema.get("pattern") != fields.TIME_PATTERN


class Generator:
    """Generator of request bodies. `requests` has the requests that await approval, as (stream, request, content)."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.requests: list[tuple[str, str, str]] = []
        self.made = 0
        self._table = ""
        self._done = dict.fromkeys(ORDER, 0)
        self._types = sorted(catalogue.action_types())
        self._schemas = {name: msgspec.json.schema(shape) for name, shape in catalogue.action_types().items()}

    def body(self, kind: str) -> tuple[str, bytes]:
        """An action of this type as it comes over the wire, and how it was made."""
        how = self.random.choices(("valid", "nearly valid", "hostile"), (5, 3, 2))[0]
        whole = self._schemas[kind]
        self.made += 1
        action = {"type": kind, "key": f"gen-{self.made}", "data": self._value(whole, whole, "")}
        self._own_fields(action)
        if how == "nearly valid":
            self._spoil(action)
        encoded = msgspec.json.encode(action)
        if how == "hostile":
            encoded = self._poisoned(action)
        return how, encoded

    # --- valid ---

    def _own_fields(self, action: dict[str, Any]) -> None:
        chance = self.random.random
        if chance() < 0.3:
            action["intent"] = self.random.choice(("ask", "fact", "check"))
        if chance() < 0.2:
            action["time"] = "2026-11-20T23:00:01.5Z"
        if chance() < 0.1:
            action["device_seq"] = self.random.choice((0, 1, 2**53))
        if chance() < 0.1:
            action["round"] = self.random.choice((0, 1, 2))
        if chance() < 0.05:
            action["corrects"] = f"{PROPERTY}/tables/FR1/{DAY}@3"

    def _value(self, schema: Schema, whole: Schema, name: str) -> Any:
        if name == "wager" and self._table and self.random.random() < 0.9:
            return self.random.choice(WAGERS[self._table])
        if name in PLAUSIBLE and _suits(schema, PLAUSIBLE[name][0]) and self.random.random() < 0.8:
            return deepcopy(self.random.choice(PLAUSIBLE[name]))  # which may be spoilt
        while "$ref" in schema:
            schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
        if "anyOf" in schema:
            return self._value(self.random.choice(schema["anyOf"]), whole, name)
        if "enum" in schema or "const" in schema:
            return self.random.choice(schema.get("enum") or [schema["const"]])
        return getattr(self, f"_{schema['type']}")(schema, whole)

    def _object(self, schema: Schema, whole: Schema) -> dict[str, Any]:
        if "properties" in schema:
            required = schema.get("required", [])
            wanted = [name for name in schema["properties"] if name in required or self.random.random() < 0.3]
            return {name: self._value(schema["properties"][name], whole, name) for name in wanted}
        keys = schema.get("propertyNames", {"type": "integer", "minimum": 1, "maximum": fields.DENOMINATION_MAX})
        members = [
            str(self._value({"type": "string", **keys}, whole, "wager")) for _ in range(self.random.randrange(4))
        ]
        if "propertyNames" not in schema:
            members = [str(self.random.choice((1, 100, 500, fields.DENOMINATION_MAX))) for _ in members]
        return {member: self._value(schema["additionalProperties"], whole, "") for member in members}

    def _array(self, schema: Schema, whole: Schema) -> list[Any]:
        if "prefixItems" in schema:
            return [self._value(item, whole, "") for item in schema["prefixItems"]]
        least, most = schema.get("minItems", 0), min(schema.get("maxItems", 3), 4)
        return [self._value(schema["items"], whole, "") for _ in range(self.random.randint(least, max(least, most)))]

    def _integer(self, schema: Schema, whole: Schema) -> int:
        low, high = schema["minimum"], schema["maximum"]
        return self.random.choice((low, high, min(low + 1, high), self.random.randint(low, min(high, low + 100))))

    def _string(self, schema: Schema, whole: Schema) -> str:
        pattern = schema["pattern"]
        if pattern == fields.DAY_ALONE_PATTERN:
            return self.random.choice((DAY, "2024-02-29", "1999-12-31"))
        if pattern == fields.TIME_PATTERN:
            return f"{DAY}T20:15:00.000Z"
        if pattern in BY_PATTERN:
            text = self.random.choice(BY_PATTERN[pattern])
            return text[: schema.get("maxLength", len(text))]
        if pattern.startswith("^[A23"):
            return self.random.choice("A23456789TJQK") + self.random.choice("CDHS")
        return "2026"  # a year

    def _boolean(self, schema: Schema, whole: Schema) -> bool:
        return self.random.random() < 0.5

    def _null(self, schema: Schema, whole: Schema) -> None:
        return None

    # --- nearly valid, and hostile ---

    def _spoil(self, action: dict[str, Any]) -> None:
        """One field is off by a little."""
        holder, name = self.random.choice(list(_places(action)))
        value = holder[name]
        match self.random.randrange(6):
            case 0 if isinstance(holder, dict):
                del holder[name]
            case 1 if isinstance(holder, dict):
                holder[f"{name}x"] = value
            case 2 if isinstance(value, int):
                holder[name] = str(value)
            case 3 if isinstance(value, str):
                holder[name] = f"{value}{self.random.choice((chr(10), ' ', chr(0), chr(0x202E), 'é' * 300))}"
            case 4 if isinstance(value, int):
                holder[name] = self.random.choice((value - 1, -value - 1, 10**12 + 1, 2**63, 10**25))
            case _:
                holder[name] = [value]

    def _poisoned(self, action: dict[str, Any]) -> bytes:
        holder, name = self.random.choice(list(_places(action)))
        holder[name] = SENTINEL
        encoded = msgspec.json.encode(action)
        if self.random.random() < 0.1:  # the same field twice
            return encoded[:-1].replace(f'"{SENTINEL}"'.encode(), b'"x"') + b',"key":"gen-twice","data":{"a":1}}'
        return encoded.replace(f'"{SENTINEL}"'.encode(), self.random.choice(HOSTILE))

    # --- whose, and where ---

    def next(self) -> tuple[str, str, str, str, bytes]:
        """Return the way of generation, the stream's kind and name, the person, and the body."""
        kind, stream, name = self._what()
        self._table = name if stream == "tables" else ""
        how, body = self.body(kind)
        if kind.startswith("approval.") and self.requests:
            return self._answer(kind)
        return how, stream, name, self._person(authority.matrix().get(kind)), body

    def _what(self) -> tuple[str, str, str]:
        """The next of a table's round, or anything."""
        table = self.random.choice(TABLES)
        if self.random.random() < 0.5:
            self._done[table] += 1
            return ORDER[table][self._done[table] % len(ORDER[table])], "tables", table
        kind = self.random.choice(self._types)
        if kind in ENDINGS and self.random.random() < 0.95:
            kind = self.random.choice(self._types)
        takers = [
            action_kind.name for action_kind in stream_kind_declaration.declared().values() if kind in action_kind.rules
        ]
        stream = takers[0] if takers else self.random.choice(("tables", "progressives", "floor", "people"))
        return kind, stream, {"tables": table, "progressives": "blazing"}.get(stream, "")

    def _answer(self, kind: str) -> tuple[str, str, str, str, bytes]:
        """Return an answer to a request, from one of its approvers or from another person."""
        subject, request, content = self.random.choice(self.requests[-20:])
        data = {"request": request} | ({"content": content} if kind == "approval.give" else {"reason": "no"})
        body = msgspec.json.encode({"type": kind, "key": f"gen-{self.made}", "data": data})
        _, stream, *name = subject.split("/")
        return "valid", stream, name[0] if name else "", self.random.choice([*PEOPLE, "adam"]), body

    def _person(self, rule: AuthorityRule | None) -> str:
        able = [person for person, role in (*PEOPLE.items(), ("adam", "administrator")) if rule and role in rule.ask]
        return self.random.choice(able if able and self.random.random() < 0.9 else [*PEOPLE, "nobody"])


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a tree that holds a value, as (list or dict, index or key)."""
    names = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in names:
        yield value, name
        yield from _places(value[name])


def action_of(body: bytes) -> Action:
    """The action of a body."""
    return msgspec.json.decode(body, type=Action)


def house_at_play(house: House) -> None:
    """Tables of every game, open, beside those that were opened for an evening before."""
    for table, game, ruleset in OTHERS:
        house.install(table, game, ruleset)
    for table in TABLES:
        if not house.store.head(f"{PROPERTY}/tables/{table}/{DAY}").version:
            house.open_table(table)
    for post, person in (("boxman", "ines"), ("stickman", "sid")):
        house.send("tables", "CR1", "ines", house.action("staff.assign", post=post, person=person))


class ActionOutcomes(msgspec.Struct):
    """Counts of the results, by the way an action was made and its outcome: stored, checked or a problem's status."""

    answers: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter)
    stored: Counter[str] = msgspec.field(default_factory=Counter)
    slowest_s: float = 0.0
    events: int = 0


def send(house: House, seed: int, count: int) -> ActionOutcomes:
    """Send generated actions through the API. AssertionError, with the body, for an unexpected answer."""
    from backoffice.api import actions as door
    from events.desk.command_and_answer_structs import Answer, Checked
    from events.envelope import Who
    from events.errors import PitledgerError
    from events.streams.problem_details import Problem, problem_of
    from events.streams.stream_kind_declaration import Target

    generator, report = Generator(seed), ActionOutcomes()
    for _ in range(count):
        how, stream, name, person, body = generator.next()
        began = time.perf_counter()
        try:
            command, _single = door.understood(
                body, Target(stream, name), Who(person=person, roles=frozenset(), factor_s=0)
            )
            reply = house.desk.do(command)[0]
        except PitledgerError as error:
            reply = problem_of(error)
        took = time.perf_counter() - began
        report.slowest_s = max(report.slowest_s, took)
        assert took < ANSWER_S, (took, stream, name, person, body[:500])
        if isinstance(reply, Problem):
            assert reply.status in (400, 403, 404, 409, 422), (reply, body[:500])
            assert reply.status not in (400, 422) or reply.field or reply.clause, (reply, body[:500])
            report.answers[how, str(reply.status)] += 1
        elif isinstance(reply, Checked):
            report.answers[how, "checked"] += 1
        else:
            assert isinstance(reply, Answer)
            report.answers[how, "stored"] += 1
            _note(generator, report, reply)
    report.events = house.store.position()
    return report


def _note(generator: Generator, report: ActionOutcomes, reply: Any) -> None:
    for recorded in reply.events:
        raw = bytes(recorded.event)
        event = catalogue.decode(msgspec.json.decode(raw)["type"], raw)  # what is stored can be read
        report.stored[event.type] += 1
        if isinstance(event.data, ApprovalRequested):
            generator.requests.append((event.subject, event.data.request, event.data.content))


def addresses(house: House) -> Iterator[str]:
    """Yield the address of every page, export and answer that shows stored events."""
    from projections.progressives.models import Hit
    from projections.tables.models import TableDay

    yield from ("/", "/floor/live", "/progressives/", "/notices", "/notices.csv", "/events", "/events/total")
    yield from ("/events/export.jsonl", "/healthz", "/api/v1/tables", "/api/v1/progressives", "/api/v1/position")
    for table, day in TableDay.objects.values_list("table", "gaming_day"):
        yield from (
            f"/tables/{table}",
            f"/tables/{table}/{day}",
            f"/tables/{table}/{day}/live",
            f"/api/v1/tables/{table}/{day}",
        )
    for part in ("", "/live", "/matters", "/matters/live", "/sign"):
        yield f"/progressives/blazing{part}"
    yield "/api/v1/progressives/blazing"
    for hit, status in Hit.objects.values_list("hit", "status"):
        papers = ("/pdf", "/json") if status in ("locked", "authorised", "paid") else ()  # of what has a share
        yield from (f"/progressives/blazing/hits/{hit}{part}" for part in ("", *papers))
    last = house.store.position()
    for position in range(1, last + 1, max(1, last // 400)):
        yield f"/events/{position}"
    for after in range(0, last, 100):
        yield f"/events?after={after}"
        yield f"/api/v1/events?after={after}"


def render(client: "Client", house: House) -> int:
    """Ask for all of them; how many there were. AssertionError for one that is not answered with 200."""
    count = 0
    for address in addresses(house):
        response = client.get(address, follow=True)
        body = response.getvalue()  # a stream's, too
        assert response.status_code == 200, (address, response.status_code, body[:500])
        count += 1
    return count


def main(arguments: list[str] | None = None) -> int:
    """One long run; figures on stdout."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.support.tables.generated_actions", description="Actions of every type, valid and hostile."
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--actions", type=int, default=20_000)
    parser.add_argument("--database", metavar="URL", help="an empty database for the read models; default: SQLite")
    options = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from django.test import Client

    from tests.support.houses import evening_with_everything
    from tests.support.houses.small_house import serving
    from tests.support.pages.sign_in import signed_in
    from tests.support.processes.scratch_databases import access_log, as_access_log, as_default, read_models

    house = House()
    house_at_play(house)
    began = time.perf_counter()
    report = send(house, options.seed, options.actions)
    with (
        tempfile.TemporaryDirectory() as folder,
        read_models(options.database or f"sqlite:///{Path(folder) / 'read.sqlite3'}") as alias,
    ):
        evening_with_everything.project(house, alias)
        access = f"sqlite:///{Path(folder) / 'access.sqlite3'}"
        access_log(access)
        with serving(house), as_default(alias), as_access_log(access):
            pages = render(signed_in(Client(), "olga"), house)
        from projections.engine.models import PoisonedEvent

        aside = PoisonedEvent.objects.using(alias).count()
    house.close()
    for (how, outcome), count in sorted(report.answers.items()):
        print(f"{how:13} {outcome:8} {count:8,}")
    print(f"{options.actions:,} actions, {report.events:,} events of {len(report.stored)} types")
    print(f"{aside} put aside, {pages:,} pages")
    unseen = sorted(set(catalogue.event_types()) - report.stored.keys())
    print(f"never stored: {', '.join(unseen)}")
    print(f"the slowest took {report.slowest_s * 1_000:.0f} ms, all {time.perf_counter() - began:.0f} s")
    return 1 if aside else 0


if __name__ == "__main__":
    sys.exit(main())
