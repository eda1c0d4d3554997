"""The proof of a gaming day: equal as exported; every change of the file is noticed and named."""

import functools
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.accounting.report import canonical_report_bytes, checklist_system_state_source, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.desk.command_and_answer_structs import Command
from events.envelope import Who
from events.errors import Retry
from events.integrity import day_proof as of_day
from events.integrity.day_proof import proof
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import Head, sign
from events.integrity.signed_head_stores import MemoryHeads
from events.integrity.tree_rebuilt_at_signed_head import head_as_json, head_of
from events.signing import house_signing_key
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import DAY, PROPERTY, events_of
from tests.support.houses.worked_day import WorkedDay
from tools import verify_day as offline

Json = dict[str, Any]
LINES = list[bytes]


class PublishedWorkedDay:
    """The worked day: open as it stood before its close, and closed; a head of long before, and one after each."""

    def __init__(self, folder: Path) -> None:
        self.house, self.heads, self.by = WorkedDay(), MemoryHeads(), house_signing_key.signer(folder)
        checklist_system_state_source.register_source(
            self.house.store, lambda: SystemState(readers={}, head=10**9, aside={})
        )
        now, self.house.store.clock = self.house.store.clock, lambda: "2026-11-17T12:00:00.000Z"
        self.head()
        self.house.store.clock = now
        self.house.play()
        self.head()
        self.open, self.whole_open = self.export(), self.export(is_whole=True)
        self._close()
        self.head()
        self.closed, self.whole = self.export(), self.export(is_whole=True)

    def _close(self) -> None:
        anna = Who(person="anna", roles=frozenset(), factor_s=0)
        close = self.house.action("day.close")
        assert events_of(self.house.desk.do(Command(Target("days", "", DAY), (close,), anna)))

    def head(self) -> None:
        make_head(self.house.store, self.heads, PROPERTY, self.by)

    def export(self, **how: Any) -> LINES:
        store = self.house.store
        return [*proof(store, self.heads, PROPERTY, DAY, store.position(), **how).lines(store)]

    def verify(self, lines: LINES) -> Json:
        return offline.verify(lines, [self.by.public])


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublishedWorkedDay]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PITLEDGER_DATA", str(tmp_path_factory.mktemp("data")))
        built = PublishedWorkedDay(tmp_path_factory.mktemp("keys"))
        yield built
        built.house.close()


# --- as exported ------------------------------------------------------------------------------------------------------


def test_a_closed_day_is_proved_whole(day: PublishedWorkedDay) -> None:
    report, made = day.verify(day.closed), day_reports.make(day.house.store, PROPERTY, DAY, day.house.store.position())
    assert (report["status"], report["digest"]) == ("closed", made.digest)
    assert report["figures"] == json.loads(canonical_report_bytes.encode(made.figures))
    assert report["figures"]["tables"][0]["day"]["inventory_win_minor"] == 50_500
    floats = "cage/chips_minor/expected_minor"
    assert report["not_recomputed"] == [floats, "chips", "progressives"], "a first float may have left the cage"
    assert report["shown"] < report["listed"], "what the cage and the house did before stays closed"


def test_an_open_day_holds_what_its_events_make_and_nothing_else(day: PublishedWorkedDay) -> None:
    report = day.verify(day.open)
    assert (report["status"], report["not_recomputed"]) == ("open", [])
    assert report["figures"]["journal"] == {
        "Assets:Chips:Tables:FR1": "16305.00",
        "Income:Tables:FR1": "-650.00",
        "Liabilities:Winnings:FR1": "0.00",
    }
    assert not {"cage", "chips", "progressives"} & report["figures"].keys()


def test_a_whole_file_sums_the_cage_and_finds_all_chips(day: PublishedWorkedDay) -> None:
    closed_report, still_open = day.verify(day.whole), day.verify(day.whole_open)
    assert (closed_report["not_recomputed"], still_open["not_recomputed"]) == (["progressives"], [])
    for either in (closed_report, still_open):
        assert either["figures"]["cage"]["cash_minor"] == {"expected_minor": 5_420_000, "counted_minor": 5_420_000}
        assert either["figures"]["chips"]["tables_minor"] == 1_630_500
        assert either["figures"]["chips"]["transit_minor"] == 0
    assert closed_report["figures"]["chips"] == still_open["figures"]["chips"]


def test_a_file_of_the_first_form_is_read_and_made_again(day: PublishedWorkedDay) -> None:
    for how in ({}, {"is_whole": True}):
        lines = day.export(form=1, **how)
        assert json.loads(lines[0])["type"] == "pitledger.day.v1"
        assert day.verify(lines)["not_recomputed"] == ["cage", "chips", "progressives"]
        assert b'"cage.cashed_out.v1"' not in b"".join(line for line in lines if len(json.loads(line)) == 4)


@pytest.mark.parametrize(("fields", "chips"), [({"tender": "cash"}, 60), ({}, 100)])
def test_a_payment_of_the_house_comes_back_in_its_tender_or_as_days_of_before_had_it(fields: Json, chips: int) -> None:
    """Two progressives, and slips of the same number."""
    cage, slip = offline.CageContent(is_whole=True), {"slip_year": "2026", "slip": 1}
    cage.take("cage.opened", "", {"gaming_day": DAY, "chips": {"100": 1}, "cash_minor": 90, "marker_minor": 0})
    cage.take("house.paid", "", {"progressive": "mega", "amount_minor": 40, "tender": "cash", **slip})
    cage.take("house.paid", "", {"progressive": "mini", "amount_minor": 40, "tender": "chips", **slip})
    cage.take("house.voided", "", {"progressive": "mega", "amount_minor": 40, **slip, **fields})
    held = cage.figures(DAY, offline.LAYOUT)
    assert held["chips_minor"]["expected_minor"] == chips
    assert held["cash_minor"]["expected_minor"] == 150 - chips


def test_only_a_head_that_covers_the_day_proves_it(day: PublishedWorkedDay) -> None:
    with pytest.raises(Retry):
        proof(day.house.store, MemoryHeads(), PROPERTY, DAY, day.house.store.position())


def test_both_sides_know_the_same_types() -> None:
    theirs = {
        when: {f"{kind}.v1" for kind, (at, _) in offline.RULES.items() if at == when}
        for when in (offline.ALWAYS, offline.CAGE, offline.LATE, offline.PLAY)
    }
    in_cage = {f"{kind}.v1" for kind in offline.FORMS["pitledger.day.v2"]}
    assert theirs == {
        offline.ALWAYS: of_day.ALWAYS,
        offline.LATE: of_day.LATE,
        offline.PLAY: of_day.play(),
        offline.CAGE: of_day.IN_CAGE - of_day.LATE - of_day.play(),
    }
    assert in_cage == of_day.IN_CAGE
    assert not offline.FORMS["pitledger.day.v1"]


# --- whoever was at it ------------------------------------------------------------------------------------------------


def says(day: PublishedWorkedDay, lines: LINES) -> str:
    """Why it is refused."""
    with pytest.raises(offline.DayProofError) as why:
        day.verify(lines)
    return str(why.value)


def at(lines: LINES, kind: str) -> int:
    """The line of the first event of a type that is shown."""
    return next(n for n, line in enumerate(lines) if f',"{kind}",'.encode() in line and len(json.loads(line)) == 4)


def first(lines: LINES, change: Callable[[Json], object]) -> LINES:
    """Return the lines with a changed first line."""
    header = json.loads(lines[0])
    change(header)
    return [offline.written(header) + b"\n", *lines[1:]]


def edited(line: bytes, old: str, new: str, *, is_thorough: bool) -> bytes:
    """An event's line with other bytes; thoroughly: its digest as well."""
    position, kind, digest, text = json.loads(line)
    assert old in text
    text = text.replace(old, new, 1)
    digest = hashlib.sha256(text.encode()).hexdigest() if is_thorough else digest
    return offline.written([position, kind, digest, text]) + b"\n"


@pytest.mark.parametrize("is_thorough", [False, True])
def test_an_event_with_another_amount_is_named(day: PublishedWorkedDay, is_thorough: bool) -> None:
    here = at(day.closed, "payment.made.v1")
    line = edited(day.closed[here], '"amount_minor":132000', '"amount_minor":131000', is_thorough=is_thorough)
    position, kind, _, text = json.loads(line)
    why = says(day, [*day.closed[:here], line, *day.closed[here + 1 :]])
    assert why.startswith(json.loads(text)["id"] if is_thorough else f"position {position}, {kind}: other bytes")


def test_an_event_that_is_left_out_is_named(day: PublishedWorkedDay) -> None:
    here = at(day.closed, "bet.settled.v1")
    id_ = json.loads(json.loads(day.closed[here])[3])["id"]
    assert f"{id_} is missing" in says(day, [*day.closed[:here], *day.closed[here + 1 :]])


def test_an_event_that_is_not_shown_is_named(day: PublishedWorkedDay) -> None:
    for kind in ("bet.settled.v1", "slip.issued.v1", "bet.placed.v1", "day.closed.v1"):
        here = at(day.closed, kind)
        position, _, digest, _ = json.loads(day.closed[here])
        line = offline.written([position, kind, digest]) + b"\n"
        why = says(day, [*day.closed[:here], line, *day.closed[here + 1 :]])
        assert why == f"position {position}, {kind}, is not shown"


def test_a_digest_is_written_one_way_only(day: PublishedWorkedDay) -> None:
    here = next(n for n, line in enumerate(day.closed[1:], 1) if len(json.loads(line)) == 3)
    position, kind, digest = json.loads(day.closed[here])
    line = offline.written([position, kind, digest.upper()]) + b"\n"
    assert says(day, [*day.closed[:here], line, *day.closed[here + 1 :]]) == f"position {position}, {kind}: no digest"

    def shouts(header: Json) -> None:
        header["heads"]["after"]["signature"] = header["heads"]["after"]["signature"].upper()

    assert "is not signed by its key" in says(day, first(day.closed, shouts))


def test_the_end_that_is_cut_off_is_named(day: PublishedWorkedDay) -> None:
    last = json.loads(day.closed[-2])[0]
    assert says(day, day.closed[:-2]).startswith("the file ends at position")
    assert str(last) in says(day, [*day.closed, b'["more"]\n'])


def test_a_head_that_another_key_has_signed(day: PublishedWorkedDay, tmp_path: Path) -> None:
    other = house_signing_key.signer(tmp_path)

    def signs(header: Json) -> None:
        header["heads"]["after"] = head_as_json(sign(Head(**header["heads"]["after"]), other))

    assert "not the house's key" in says(day, first(day.closed, signs))


def test_a_head_from_after_the_day_began_proves_no_beginning(day: PublishedWorkedDay) -> None:
    late = head_as_json(head_of(day.heads, 2))
    why = says(day, first(day.closed, lambda header: header["heads"].update(before=late)))
    assert "may lie behind the day's beginning" in why


def leaves(stated: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every figure."""
    inside = stated.items() if isinstance(stated, dict) else enumerate(stated) if isinstance(stated, list) else None
    if inside is None:
        yield path
    for name, part in inside or ():
        yield from leaves(part, (*path, name))


def other(value: Any) -> Any:
    """Another figure, of the same kind."""
    return not value if isinstance(value, bool) else f"{value}1" if isinstance(value, str) else (value or 0) + 1


@pytest.mark.parametrize("status", ["open", "closed", "whole_open", "whole"])
@pytest.mark.parametrize("is_gone", [False, True])
def test_every_figure_that_is_changed_or_dropped_is_named(day: PublishedWorkedDay, status: str, is_gone: bool) -> None:
    lines: LINES = getattr(day, status)
    header = json.loads(lines[0])
    hidden = {"open": (), "closed": ("cage", "chips", "progressives"), "whole": ("progressives",)}.get(status, ())
    for path in leaves(header["figures"]):
        figures = json.loads(lines[0])["figures"]
        owner = figures
        for name in path[:-1]:
            owner = owner[name]
        if is_gone:
            del owner[path[-1]]
        else:
            owner[path[-1]] = other(owner[path[-1]])
        why = _why(header | {"figures": figures}, day, lines)
        if path[0] in hidden or (path[0] == "journal" and "another account" in why):
            assert status in ("closed", "whole"), "what its events do not make is in no open day's file"
        else:
            assert str(path[-1]) in why


def _why(stated: Json, day: PublishedWorkedDay, lines: LINES) -> str:
    """Return the error about a first line that does not agree with the day of its events."""
    with pytest.raises(offline.DayProofError) as why:
        offline.compare(_read(tuple(lines), day.by.public), stated)
    return str(why.value)


@functools.cache
def _read(lines: tuple[bytes, ...], public: str) -> Any:
    """The day of a file's events; each file is read once."""
    header = json.loads(lines[0])
    read = offline.VerifiedDay(header)
    log = offline.VerifiedLog(iter(lines[1:]), header, offline.check_heads(header, [public]))
    for position, event in log.events():
        read.take(position, event)
    read.finish()
    return read


@settings(max_examples=40)
@given(data=st.data())
def test_lines_that_are_dropped_doubled_moved_or_changed(day: PublishedWorkedDay, data: st.DataObject) -> None:
    lines = [*data.draw(st.sampled_from((day.open, day.closed)))]
    here = data.draw(st.integers(0, len(lines) - 1))
    there = data.draw(st.integers(0, len(lines) - 1))
    how = data.draw(st.sampled_from(("drop", "double", "swap", "byte")))
    if how == "drop":
        del lines[here]
    elif how == "double":
        lines.insert(there, lines[here])
    elif how == "swap" and lines[here] != lines[there]:
        lines[here], lines[there] = lines[there], lines[here]
    else:
        raw = bytearray(lines[here])
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
        lines[here] = bytes(raw)
    assert says(day, lines)
