"""The books, their digest, their invariants, and the commands that show them and the log."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from pytest_django.plugin import DjangoDbBlocker

from backoffice.access.models import Look
from backoffice.days.books_as_terminal_tables import render
from backoffice.management.commands import books as of_books
from events.people.role_grant_decider import RoleGranted
from events.store import open_store
from projections import figures_of_all_read_models_with_digest as books_module
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.eventlog.search_filter_vocabulary import in_log, in_store
from projections.figures_of_all_read_models_with_digest import books, digest
from projections.invariants import findings
from projections.progressives.models import Hit, ProgressiveLevel
from projections.registry import projectors
from projections.tables.models import TableDay
from tests.support.houses.sample_event_streams import History, HistoryStore, SampleTableDay, busy_floor
from tests.support.processes.relays_and_topic_readers import Spun, spin
from tests.support.processes.scratch_databases import as_access_log, new_access_log
from tests.support.records import progressive_timeline_recorder


@pytest.fixture
def history() -> History:
    """A jackpot paid with envy, a table closed and counted, two tables in play."""
    case = next(
        case
        for case in progressive_timeline_recorder.cases()
        if case["expect"]["envy"] and case["expect"]["locks"]["minor"]
    )
    history = progressive_timeline_recorder.Recorder(case["given"]).history
    play_and_close(history)
    list(busy_floor(history, tables=2, rounds=3))
    return history


def play_and_close(history: History) -> None:
    table = SampleTableDay(history, "R9").open({100: 100, 500: 20})
    table.buy_in(5_000)
    table.bet(1_000, -1_000)
    table.bet(500, 500)
    table.close({100: 105, 500: 10}, expected_minor=20_000 - 5_000 + 1_000 - 500)
    table.count(5_000)


def project(using: str, history: History, step: int = 1_000) -> None:
    applier = Applier(projectors(target=WriteTarget(using)), "athens")
    applier.load()
    for first in range(0, len(history.events), step):
        applier.apply(history.events[first : first + step])


def test_a_tables_figures_and_both_its_wins(using: str, history: History) -> None:
    project(using, history)
    [table] = [row for row in books(using=using)["tables"] if row["table"] == "R9"]
    assert (table["status"], table["basis"]) == ("counted", "counted")
    assert (table["event_win_minor"], table["inventory_win_minor"], table["difference_minor"]) == (500, 500, 0)
    assert (table["stakes_minor"], table["lost_minor"], table["due_minor"], table["rounds"]) == (1_500, 1_000, 500, 2)
    totals = books("2026-11-20", using=using)["totals"]
    assert [(row["currency"], row["tables"], row["inventory_win_minor"]) for row in totals][-1] == ("EUR", 3, None)
    assert books("2026-11-19", using=using)["tables"] == []


def test_all_invariants_hold_and_a_changed_figure_is_found(using: str, history: History) -> None:
    project(using, history)
    assert findings(using) == []
    TableDay.objects.using(using).filter(table="R9").update(closer_minor=20_000, lost_minor=900)
    ProgressiveLevel.objects.using(using).filter(level="mega").update(fed_micro=1)
    Hit.objects.using(using).filter(status="paid").update(player="somebody else", share_minor=1)
    broken = {finding.invariant for finding in findings(using)}
    assert broken == {
        "both wins",
        "kinds of bet = table",
        "meter = start + seeds + fed + adjusted - locked",
        "fed = sum of stake x rate",
        "shares + remainder = amount",
        "hits = locks, wins = shares paid",
        "envy = participants",
    }


def test_the_opener_is_the_last_closer_or_an_irregularity_says_why(using: str) -> None:
    history = History()
    play_and_close(history)
    SampleTableDay(history, "R9", "2026-11-21").open({500: 10, 100: 105})
    SampleTableDay(history, "R9", "2026-11-22").open({500: 11, 100: 100})
    project(using, history)
    [finding] = findings(using)
    assert (finding.invariant, finding.subject) == ("opener = last closer", "athens/tables/R9/2026-11-22")
    assert finding.message == 'opener {"500":11,"100":100}, last closer {}, no discrepancy recorded'


def test_an_event_put_aside_is_a_finding(using: str) -> None:
    history = History()
    history.put("athens/tables/R1/2026-11-20", "robot.dealt.v9", b"{}")
    project(using, history)
    assert {finding.invariant for finding in findings(using)} == {"no event is put aside"}


def test_the_digest_is_that_of_the_figures_not_of_positions_and_batches(using: str, history: History) -> None:
    project(using, history, step=5)
    before = books(using=using)
    assert digest(before) == digest(books(using=using))
    shifted = History()
    shifted.append("people", RoleGranted(person="p-1", role="dealer"))
    for event in history.events:
        shifted.events.append(msgspec.structs.replace(event, position=len(shifted.events) + 1))
    with connections[using].cursor() as cursor:
        for model in {model for kind in projectors() for model in kind.models}:
            cursor.execute(f"DELETE FROM {model._meta.db_table}")
        cursor.execute("DELETE FROM projections_reader")
    project(using, shifted)
    assert digest(books(using=using)) == digest(before)
    TableDay.objects.using(using).filter(table="R9").update(paid_minor=501)
    assert digest(books(using=using)) != digest(before)


def test_the_books_cost_a_handful_of_queries(using: str, history: History) -> None:
    list(busy_floor(history, tables=12, rounds=1))
    project(using, history)
    connection = connections[using]
    connection.force_debug_cursor = True
    connection.queries_log.clear()
    list(render(books(using=using)))
    findings(using)
    connection.force_debug_cursor = False
    assert len(connection.queries_log) <= 35, "one or two a read model, however many rows it has"


def test_the_log_is_found_by_any_mix_of_filters_and_so_is_the_store(
    using: str, history: History, tmp_path: Path
) -> None:
    project(using, history)
    expected = [event for event in history.events if event.type == "bet.placed.v1" and "/R1/" in event.stream]
    rows = list(in_log({"type": "bet.placed.v1", "table": "R1"}, using=using))
    assert rows == [(event.position, event.raw) for event in expected]
    assert list(in_log({"player": "g-1", "round": 2, "table": "R1", "type": "bet.placed.v1"}, using=using)) == [rows[1]]
    assert list(in_log({}, after=rows[1][0], until=rows[2][0], using=using))[-1] == rows[2]
    assert list(in_log({"table": "nowhere"}, using=using)) == []
    store: Any = HistoryStore(history)
    assert list(in_store(store, {"type": "bet.placed.v1", "table": "R1"})) == rows
    assert list(in_store(store, {"actor": "p-1", "table": "R1", "round": 2}))[1] == rows[1]
    for ruleset, many in (("roulette-french", True), ("roulette-french@1", True), ("roulette-french@2", False)):
        filters = {"ruleset": ruleset, "table": "R1"}  # of any version, or of one: the first where none was stamped
        assert list(in_log(filters, using=using)) == list(in_store(store, filters))
        assert bool(list(in_store(store, filters))) == many
    opened = open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}")
    opened.create()
    assert list(in_store(opened, {})) == []
    opened.close()


@pytest.fixture
def looks(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """An empty access log."""
    with django_db_blocker.unblock():
        new_access_log(tmp_path)
        with as_access_log(f"sqlite:///{tmp_path / 'access.sqlite3'}"):
            yield


@pytest.fixture
def default_database(using: str, looks: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Make a database Django's default, as commands see it."""
    monkeypatch.setitem(connections.settings, "default", connections.settings[using])
    before = connections["default"]
    connections["default"] = connections[using]
    yield using
    connections["default"] = before


def command(*words: str) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


class ClosedHistory(HistoryStore):
    """The store that these read models were made of, as `books --check` opens it."""

    def close(self) -> None: ...


def test_commands_show_books_and_log(default_database: str, history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    project(default_database, history)
    monkeypatch.setattr(of_books, "open_store", lambda _url: ClosedHistory(history))
    text = command("books")
    assert "The two wins, and what explains their difference" in text
    assert "Envy" in text
    assert msgspec.json.decode(command("books", "--json")) == books(using=default_database)
    assert command("books", "--digest").strip() == digest(books(using=default_database))
    assert command("books", "--check") == "Every invariant holds.\n"
    lines = command("events", "--table", "R9", "--type", "bet.settled.v1").splitlines()
    assert [msgspec.json.decode(line)["data"]["profit_minor"] for line in lines] == [-1_000, 500]
    line = command("events", "--after", "3", "--limit", "1", "--positions")
    assert line == f"4\t{history.events[3].raw.decode()}\n"
    looked = Look.objects.order_by("number").values_list("kind", "what", "entry_count")
    assert list(looked) == [
        ("person", "books", None),
        ("person", "books", None),
        ("export", "events --type bet.settled.v1 --table R9", None),
        ("exported", "events --type bet.settled.v1 --table R9", 2),
        ("export", "events --after 3 --limit 1", None),
        ("exported", "events --after 3 --limit 1", 1),
    ]
    TableDay.objects.using(default_database).filter(table="R9").update(closer_minor=20_000, lost_minor=0)
    with pytest.raises(CommandError, match="invariants are broken"):
        command("books", "--check")


def test_commands_refuse_what_does_not_exist(
    default_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    with pytest.raises(CommandError, match=r"There is no projection nothing\."):
        command("project", "nothing")
    with pytest.raises(CommandError, match="invalid choice"):
        command("rebuild", "nothing")
    with pytest.raises(CommandError, match="--follow and --from-store cannot"):
        command("events", "--follow", "--from-store")


def command_output(*words: str) -> tuple[str, str]:
    """Return a command's standard output and its standard error."""
    out, error = io.StringIO(), io.StringIO()
    call_command(*words, stdout=out, stderr=error)
    return out.getvalue(), error.getvalue()


def refusal(*words: str) -> tuple[int, str]:
    """Return the exit code and the message of a command."""
    with pytest.raises(CommandError) as ended:
        command_output(*words)
    return ended.value.returncode, str(ended.value)


def test_an_event_type_that_there_is_not_is_answered_with_where_they_stand(
    default_database: str, history: History
) -> None:
    project(default_database, history)
    code, text = refusal("events", "--type", "bet.placed.v1", "no.such")
    assert code == 2
    assert text == "there is no event type 'no.such'; docs/events/README.md lists them"


def test_an_event_of_an_unknown_type_is_found_where_it_is_stored(
    looks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers quarantine such an event."""
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    store = open_store()
    store.create()
    spin(store, 1)
    store.close()
    out, error = command_output("events", "--from-store", "--type", Spun.TYPE)
    assert (msgspec.json.decode(out)["type"], error) == (Spun.TYPE, "")
    assert refusal("events", "--from-store", "--type", "no.such")[0] == 2


def test_events_that_nothing_matches_say_what_there_is(
    default_database: str, history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(default_database, history)
    last = history.events[-1].position
    assert command_output("events", "--table", "X99") == (
        "",
        f"no event matches; the log goes up to position {last:,}; table: R1, R2, R9, T1\n",
    )
    _, error = command_output("events", "--gaming-day", "2020-01-01", "--table", "R9")
    assert error.endswith("; table: R1, R2, R9, T1; gaming day: 2026-11-20\n")
    assert command_output("events", "--limit", "0") == ("", "")
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    store = open_store()
    store.create()
    store.close()
    assert command_output("events", "--from-store") == ("", "no event matches; the store goes up to position 0\n")


@pytest.mark.parametrize("day", ["foo", "2026-02-30", "20261120", "2026-W47-5"])
@pytest.mark.parametrize("words", [("books", "--day"), ("events", "--gaming-day"), ("whatif", "--day")])
def test_what_is_no_gaming_day_is_a_call_not_understood(words: tuple[str, str], day: str) -> None:
    code, text = refusal(*words, day)
    assert text.endswith(f"{day!r} is no gaming day: write it as 2026-11-20")
    assert code in (1, 2)  # called from Python; from a shell argparse itself ends with 2


def test_books_of_a_day_without_play_say_which_days_there_are(default_database: str, history: History) -> None:
    assert refusal("books", "--day", "2020-01-01") == (
        1,
        "Nothing was played on 2020-01-01; the books are empty",
    )
    project(default_database, history)
    for options in ((), ("--json",), ("--digest",)):
        code, text = refusal("books", "--day", "2020-01-01", *options)
        assert (code, text) == (1, "Nothing was played on 2020-01-01; the books hold: 2026-11-20")
    assert msgspec.json.decode(command("books", "--day", "2026-11-20", "--json"))["tables"]


def test_poison_is_retried_and_projections_rebuilt_by_command(
    default_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History()
    history.put("athens/tables/R1/2026-11-20", "robot.dealt.v9", b"{}")
    for name in ("project", "rebuild"):
        where = f"backoffice.management.commands.{name}.open_store"
        monkeypatch.setattr(where, lambda: HistoryStore(history))
    project(default_database, history)
    with pytest.raises(CommandError, match="6 events are still quarantined"):
        command("project", "--retry-poison")
    rebuilt = msgspec.json.decode(command("rebuild", "all", "--json", "--approve"))
    assert [done["name"] for done in rebuilt] == [
        "eventlog",
        "tables",
        "progressives",
        "floor",
        "accounts",
        "alerts",
        "cases",
    ]
    assert books_module.books(using=default_database)["tables"] == []
