"""Every possible fact, in every state of its stream.

The fact is recorded, with an irregularity if asking for it is refused. Two accountants then have every figure exact,
and the journal keeps its identities. The state from a replay equals the live state, and the table continues. Refused
facts are on the list of `events/controls/refused_fact_reasons.py`, or cannot be read.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events import catalogue
from events.accounting import table_days_fold as accounts
from events.accounting.report import canonical_report_bytes, day_reports
from events.accounting.report.property_ledger_fold import Ledger, accounting_event
from events.controls import refused_fact_reasons
from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.desk.stream_cache import Cache
from events.envelope import Action, Who
from events.errors import Unknown
from events.people import authority
from events.people.approval_request_lifecycle import ANSWERING, ApprovalRequested
from events.store import everything
from events.store.in_memory_store import MemoryStore
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables import gaming_day_stream_for_action
from tests.accountant.independent_report_figures import Accountant
from tests.support.houses.houses_by_state import DATA, NEXT, OPENER, built, forked, requests, states
from tests.support.houses.small_house import DAY, PEOPLE, PROPERTY, House, events_of
from tests.support.records.journals import holds

STATES = {f"{where}: {name}": (where, build) for where, name, build in states()}
WHERE = {"cage": ("cage", ""), "days": ("days", "")}
IRREGULAR = {"irregularity.recorded.v1", "irregularity.found.v1"}
# Of the kinds of streams in which something happens, the actions that people decide: none of them can have happened.
DECISIONS = {"day.close", "day.override", "day.amend", "discrepancy.explain"}
UNREADABLE = {400}  # malformed: a bet of another game, a place that the layout has not
# Streams in which people decide, and nothing happens that the system does not do itself.
DECIDED = ("people", "floor", "devices", "house", "progressives", "alerts", "surveillance", "draws", "cases")
tried: Counter[str] = Counter()


def actions(kind: str) -> list[str]:
    """Return the action types of a kind of stream, without the answers to requests."""
    actions_of_rules = {name.partition(",")[0] for name in stream_kind_declaration.kind_by_name(kind).rules}
    return sorted(actions_of_rules - {answer.TYPE for answer in ANSWERING})


def test_every_action_has_something_to_say() -> None:
    happening = {name for kind in ("tables", "cage", "days") for name in actions(kind)} - DECISIONS - {"slip.issue"}
    assert happening == set(DATA)
    others = (
        set(catalogue.action_types()) - happening - DECISIONS - {"slip.issue"} - {shape.TYPE for shape in ANSWERING}
    )
    assert others == {name for kind in DECIDED for name in actions(kind)}


@pytest.mark.parametrize("state", STATES)
def test_a_fact_is_recorded_or_on_the_list(state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))  # the keys of blind counts
    where, build = STATES[state]
    kind, name = WHERE.get(where, ("tables", where))
    store = built(build)
    cells = [(action, data) for action in actions(kind) for data in data_to_try(action, store)]
    failed = [f"{action} {data}: {why}" for action, data in cells if (why := wrong(store, kind, name, action, data))]
    tried.update(dict.fromkeys([state], len(cells)))
    assert not failed, "\n".join(failed)


def test_the_number_of_facts_that_are_tried(capsys: pytest.CaptureFixture[str]) -> None:
    """The last test of the file prints the number of attempts."""
    with capsys.disabled():
        print(f"\n{tried.total():,} facts in {len(tried)} states")


def data_to_try(action: str, store: MemoryStore) -> tuple[dict[str, Any], ...]:
    if action == "slip.issue":
        house = forked(store)
        keys = requests(house)
        house.desk.close()
        return tuple({"request": key, "runner": "sid"} for key in (*keys[-1:], "nobody's"))
    return DATA.get(action, ())


def wrong(store: MemoryStore, kind: str, name: str, action: str, data: dict[str, Any]) -> str:
    """Return the fault of a fact, tried in a house of its own, or "" for a correct fact."""
    asking_house, house = forked(store), forked(store)
    try:
        allowed = tell(asking_house, kind, name, action, data, "ask")
        before = house.store.position()
        reply = tell(house, kind, name, action, data, "fact")
        if isinstance(reply, Problem):
            assert house.store.position() == before
            return "" if is_listed(action, reply) else f"{reply.status} {reply.detail}"
        return recorded(house, kind, name, reply, is_allowed=isinstance(allowed, Answer))
    except AssertionError as error:
        return f"{type(error).__name__}: {str(error)[:600]}"
    finally:
        asking_house.desk.close()
        house.desk.close()


def tell(house: House, kind: str, name: str, action: str, data: dict[str, Any], intent: str) -> Any:
    """Send a fact as a permitted person. Other people approve it if its day is closed."""
    person = next(person for person, role in PEOPLE.items() if role in authority.may(kind, action))
    person = "carl" if action == "count.verify" else person
    corrects = f"{PROPERTY}/tables/{name}/{DAY}@3" if action == "bet.correct" else None
    sent = msgspec.structs.replace(house.action(action, _intent=intent, **data), corrects=corrects)
    [reply] = sent_to(house, kind, name, person, sent)
    if isinstance(reply, Problem):
        return reply
    for event in events_of([reply]):
        if intent == "fact" and isinstance(event.data, ApprovalRequested):
            return agreed(house, kind, name, person, event.data)
    return reply


def sent_to(house: House, kind: str, name: str, person: str, action: Action) -> list[Reply]:
    target = Target(kind, name, DAY if kind == "days" else None)
    return house.desk.do(Command(target, (action,), Who(person=person, roles=frozenset(), factor_s=0)))


def agreed(house: House, kind: str, name: str, person: str, request: ApprovalRequested) -> Any:
    give = [name for name in ("ines", "paul", "sven", "anna") if name != person]
    for other in give:
        answer = house.action("approval.give", request=request.request, content=request.content)
        [reply] = sent_to(house, kind, name, other, answer)
        if isinstance(reply, Answer) and len(reply.events) > 1:
            return reply
    raise AssertionError(f"{request.action} waits for ever")


def is_listed(action: str, problem: Problem) -> bool:
    """Tell whether a refusal is on the list, or the fact is unreadable or names a missing count."""
    names_nothing = problem.status == 404 and action.startswith("count.")
    return problem.status in UNREADABLE or names_nothing or problem.code in refused_fact_reasons.CODES


def recorded(house: House, kind: str, name: str, reply: Answer, *, is_allowed: bool) -> str:
    events = events_of([reply])
    if not is_allowed and not any(event.type in IRREGULAR for event in events):
        return f"no irregularity: {[event.type for event in events]}"
    return inexact(house) or reread(house) or stuck(house, kind, name)


def inexact(house: House) -> str:
    """Return the figures that are no longer exact."""
    ledger = Ledger()
    for stored_event in everything(house.store):
        if (fact := accounting_event(stored_event, PROPERTY)) is not None:
            ledger.take(fact)
    holds(ledger)
    rests = [line for day in (DAY, NEXT) for line in _nonzero_rests(ledger, day)]
    return f"rest {rests}" if any(rests) else "\n".join(_differing(house))


def _nonzero_rests(ledger: Ledger, day: str) -> Iterator[int | None]:
    for table in accounts.of_gaming_day(ledger.tables, day):
        yield from (shift.parts.rest_minor for shift in table.shifts)


def _differing(house: House) -> Iterator[str]:
    """Compare the report with the second accountant's."""
    last = house.store.position()
    theirs = Accountant(
        [(stored_event.position, stored_event.raw.decode()) for stored_event in everything(house.store)]
    )
    for day in (DAY, NEXT):
        try:
            ours = json.loads(canonical_report_bytes.encode(day_reports.make(house.store, PROPERTY, day, last).figures))
        except Unknown:
            continue
        other = theirs.report(day, last)
        mine = {name: ours[name] for name in ours if name not in ("layout", "journal")}
        yield from (f"{day} {name}: {mine[name]} / {other[name]}" for name in mine if mine[name] != other[name])


def reread(house: House) -> str:
    """Return the streams whose state differs in a new process, or ""."""
    live, fresh = house.desk.streams.cache, Cache(house.store, PROPERTY)
    streams = {stored_event.stream for stored_event in everything(house.store) if "/tables/" in stored_event.stream}
    apart = [stream for stream in streams if live.read_stream(stream).state != fresh.read_stream(stream).state]
    return f"read again {apart} are other states" if apart else ""


def stuck(house: House, kind: str, name: str) -> str:
    """Return the reason why ordinary actions fail at the table, or ""."""
    if kind != "tables" or (state := _state(house, name)) is None or state.status == "new":
        return ""
    steps: list[tuple[str, dict[str, Any]]] = []
    if state.status == "open":
        steps.append(("session.close", {"closer": {"500": 3_000}}))
        if state.phase != "idle":
            steps.insert(0, ("round.end", {"_intent": "fact"}))
        if state.bets and state.phase == "idle":
            return ""
    if state.gaming_day < NEXT:
        steps += [("session.open", {"gaming_day": NEXT, "opener": OPENER})]
        steps += [("limits.post", {"minimum_minor": 500, "maxima_minor": {}})]
    for action, data in steps:
        [reply] = house.send("tables", name, "ines", house.action(action, **data))
        if isinstance(reply, Problem):
            return f"then {action}: {reply.detail}"
    return inexact(house)


def _state(house: House, name: str) -> Any:
    try:
        return gaming_day_stream_for_action.session(house.desk.streams.new_view(), name)[0]
    except Unknown:
        return None
