"""Drop, win, hold and handle named apart; three rules, each with its own figures; earlier months, from a file."""

import json
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from backoffice.access.models import Look
from backoffice.access.personal_data_access_log import PERSON
from events import catalogue
from events.accounting.event_with_position import AccountingEvent
from events.errors import Invalid
from events.hold import hold_entries_fold
from events.hold.drop_win_hold_handle_sums import (
    Amounts,
    HoldEntry,
    entries_by_name,
    of_months,
    to_date,
    total_amounts,
    year_of,
)
from events.hold.hold_entries_fold import HandleBooks
from events.hold.regulatory_hold_limit_findings import KS, MD, OH, findings
from events.house import settings
from events.house.setting_and_chip_structs import SettingChanged
from events.money import past_monthly_drop_win_file
from events.store import open_store
from events.tables.event_types.rounds import BetPlaced, BetSettled, SettlementVoided
from tests.support.houses.sample_event_streams import PROPERTY, History, SampleTableDay, keep


def facts(history: History) -> list[AccountingEvent]:
    read = ((stored_event, catalogue.decode(stored_event.type, stored_event.raw)) for stored_event in history.events)
    return [
        AccountingEvent(stored.position, stored.stream, event.actor, event.data, event.id) for stored, event in read
    ]


def evening(day: str = "2026-11-20", name: str = "R1") -> History:
    """300.00 bought in and counted, 40.00 laid: 30.00 lost and 10.00 won."""
    history = History()
    table = SampleTableDay(history, name, day).open({100: 1000})
    table.buy_in(30_000)
    for _ in range(3):
        table.bet(1000, -1000)
    table.bet(1000, 1000, player="g-2")
    table.close({100: 720}, 72_000)
    table.count(30_000)
    return history


def line(entries: list[HoldEntry], by: Any, name: str, day: str = "2026-11-20") -> Any:
    return next(line_ for line_ in to_date(entries, by, day) if line_.name == name)


def test_hold_is_of_the_drop_and_win_by_handle_of_what_was_laid() -> None:
    figures = line(hold_entries_fold.fold(facts(evening()), "EUR").entries(), "table", "R1")
    assert figures.day == figures.month == figures.year == figures.shifts["day"]
    assert (figures.day.drop_minor, figures.day.win_minor, figures.day.hold) == (30_000, 2_000, Fraction(1, 15))
    assert (figures.day.handle_minor, figures.day.event_win_minor) == (4_000, 2_000)
    assert figures.day.win_by_handle == Fraction(1, 2)
    assert not figures.day.is_estimated


def test_tables_add_up_to_their_game_and_pit() -> None:
    both = [
        *hold_entries_fold.fold(facts(evening()), "EUR").entries(),
        *hold_entries_fold.fold(facts(evening(name="R2")), "EUR").entries(),
    ]
    for by, name in (("game", "roulette"), ("pit", "main")):
        figures = line(both, by, name)
        assert (figures.day.drop_minor, figures.day.win_minor, figures.day.handle_minor) == (60_000, 4_000, 8_000)


def test_a_dealer_a_bet_and_a_player_have_a_handle_and_no_drop() -> None:
    entries = hold_entries_fold.fold(facts(evening()), "EUR").entries()
    for by, name, handle, win in (("bet", "roulette red", 4000, 2000), ("player", "g-2", 1000, -1000)):
        figures = line(entries, by, name).day
        assert (figures.handle_minor, figures.event_win_minor) == (handle, win)
        assert (figures.drop_minor, figures.win_minor, figures.hold) == (None, None, None)


def test_a_commission_that_was_paid_with_the_bet_is_won_and_what_stays_up_is_not_decided() -> None:
    history = History()
    table = SampleTableDay(history).open()
    table.round = 1
    who = {"bet": "b1", "wager": "buy", "player": "g-1"}
    table.say(BetPlaced, amount_minor=1000, commission_minor=50, **who)
    won = {"amount_minor": 1000, "profit_minor": 2000, "commission_minor": 50}
    table.say(BetSettled, **won, outcome="win", remaining_minor=1000, **who)
    table.say(SettlementVoided, **won, remaining_minor=1000, **who)
    table.say(BetSettled, amount_minor=1000, outcome="lose", profit_minor=-1000, **who)
    handle = HandleBooks()
    for fact in facts(history):
        handle.take(fact.data)
    (of_bet,) = (entry.amounts for entry in handle.entries() if entry.of.get("bet"))
    assert (of_bet.handle_minor, of_bet.event_win_minor) == (1000, 1050)


def test_what_is_not_counted_is_an_estimate_and_a_shift_that_runs_is_not_there() -> None:
    history = History()
    table = SampleTableDay(history).open({100: 1000})
    table.buy_in(30_000)
    assert to_date(hold_entries_fold.fold(facts(history), "EUR").entries(), "table", "2026-11-20") == []
    table.close({100: 700}, 70_000)
    assert line(hold_entries_fold.fold(facts(history), "EUR").entries(), "table", "R1").day.is_estimated


# --- rules ------------------------------------------------------------------------------------------------------------


def month(name: str, hold: int, drop: int = 10_000) -> HoldEntry:
    """A month of the table with so much per cent held."""
    amounts = Amounts(drop_minor=drop, win_minor=drop * hold // 100)
    return HoldEntry(day=f"{name}-01", shift="", of={"table": "R1"}, amounts=amounts, is_month=True)


def shift(day: str, drop: int, win: int) -> HoldEntry:
    amounts = Amounts(drop_minor=drop, win_minor=win)
    return HoldEntry(day=day, shift="day", of={"table": "R1"}, amounts=amounts)


def findings_by_rule(entries: list[HoldEntry], day: str = "2026-11-20") -> dict[str, Any]:
    return {finding.rule: finding for finding in findings("R1", entries, day)}


YEAR = [
    month(f"2025-{number:02}", hold) for number, hold in enumerate((18, 22, 19, 21, 20, 20, 18, 22, 19, 21, 20, 20), 1)
]


@pytest.mark.parametrize(
    ("win", "says"), [(2_300, "within"), (2_301, "outside"), (1_700, "within"), (1_699, "outside")]
)
def test_over_three_points_from_the_base_level_is_outside(win: int, says: str) -> None:
    finding = findings_by_rule([*YEAR, shift("2026-11-20", 10_000, win)])[KS]
    assert (finding.hold, finding.against, finding.says) == (Fraction(win, 10_000), Fraction(1, 5), says)
    assert (finding.low, finding.high) == (Fraction(17, 100), Fraction(23, 100))


def test_thirty_days_are_held_against_the_lifetime() -> None:
    """The thirty-first day before is of the lifetime alone."""
    old, now = shift("2026-10-21", 90_000, 18_000), shift("2026-10-22", 10_000, 2_500)
    finding = findings_by_rule([old, now])[OH]
    assert (finding.period, finding.hold) == ("2026-10-22 to 2026-11-20", Fraction(1, 4))
    assert (finding.against, finding.says) == (Fraction(20_500, 100_000), "outside")
    assert findings_by_rule([old, shift("2026-10-22", 10_000, 2_400)])[OH].says == "within"


def test_a_month_is_held_against_the_spread_of_last_year_s_months() -> None:
    """Twenty per cent, give or take: months of 18, 19, 20, 21 and 22 have a deviation of 1.348 points."""
    finding = findings_by_rule([*YEAR, shift("2026-11-03", 10_000, 2_000)])[MD]
    assert finding.against == Fraction(1, 5)
    assert float(finding.high - finding.against) == pytest.approx(1.96 * (20 / 11) ** 0.5 / 100, rel=1e-4)
    assert finding.says == "within"
    assert findings_by_rule([*YEAR, shift("2026-11-03", 10_000, 2_270)])[MD].says == "outside"


def test_what_cannot_be_said_says_what_it_lacks() -> None:
    alone = findings_by_rule([shift("2026-11-20", 10_000, 2_000)])
    assert [alone[rule].says for rule in (KS, OH, MD)] == ["not known"] * 3
    assert alone[KS].lacks == "a hold to compare with"
    assert alone[OH].lacks == "a drop and a win of before 2026-10-22", "a period is not compared with itself"
    few = findings_by_rule([month("2025-12", 20), shift("2026-11-20", 10_000, 2_000)])
    assert few[MD].lacks == "1 months of last year: 6 are needed"
    assert findings_by_rule([*YEAR])[KS].lacks == "a drop and a win of the period"


def test_a_business_year_begins_when_the_house_says() -> None:
    assert year_of("2026-03-31", 4) == "2025-04-01"
    assert year_of("2026-04-01", 4) == "2026-04-01"


def test_one_that_is_not_known_makes_the_sum_not_known() -> None:
    assert total_amounts([Amounts(win_minor=5), Amounts(win_minor=None)]).win_minor is None


# --- months of before -------------------------------------------------------------------------------------------------

FILE = "table,month,drop,win\nR1,2025-11,123456.00,24001.5\nR1,2025-12,100000,-250.25\n"


def test_months_of_a_file_are_a_setting_of_the_house_and_back() -> None:
    months = past_monthly_drop_win_file.read(FILE, "EUR")
    assert [(month.table, month.month, month.drop_minor, month.win_minor) for month in months] == [
        ("R1", "2025-11", 12_345_600, 2_400_150),
        ("R1", "2025-12", 10_000_000, -25_025),
    ]
    text = past_monthly_drop_win_file.months_text(months, "EUR")
    assert text == "table R1 2025-11 123456.00 24001.50; table R1 2025-12 100000.00 -250.25"
    assert past_monthly_drop_win_file.months_from_setting(text, "EUR") == months
    assert settings.valid_value({}, "hold_history", text) == text
    games = past_monthly_drop_win_file.read("game,month,drop,win\nroulette,2025-11,1,1\n", "EUR")
    assert (
        past_monthly_drop_win_file.months_from_setting(past_monthly_drop_win_file.months_text(games, "EUR"), "EUR")
        == games
    )


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("table,month,drop\nR1,2025-11,1\n", "heading"),
        ("month,drop,win\n2025-11,1,1\n", "heading"),
        ("table,table,month,drop,win\nR1,R2,2025-11,1,1\n", "heading"),
        ("table,month,drop,win,Drop\nR1,2025-11,1,1,2\n", "heading"),
        ("table,month,drop,win\n", "file"),
        ("table,month,drop,win\nR1,2025-13,1,1\n", "line 2: month"),
        ("table,month,drop,win\nR1,2025-11,1,234.00,1\n", "line 2"),
        ('table,month,drop,win\nR1,2025-11,"1,234.00",1\n', "line 2: drop"),
        ("table,month,drop,win\nR1,2025-11,-1,1\n", "line 2: drop"),
        ("table,month,drop,win\nR1,2025-11,1,0.005\n", "line 2: win"),
        ("table,month,drop,win\nR1,2025-11,1\n", "line 2: win"),
        ("table,month,drop,win\nR1,2025-11,1,1\nR1,2025-11,2,2\n", "line 3"),
        ("table,game,month,drop,win\nR1,roulette,2025-11,1,1\n", "line 2"),
        ("table,month,drop,win\nR 1;x,2025-11,1,1\n", "line 2: table"),
        ("table,month,drop,win\nR1,2025-11,1,1\nr1,2025-12,1,1\n", "line 3: table"),
        ("game,month,drop,win\nroulette,2025-11,1,1\nRoulette,2025-12,1,1\n", "line 3: game"),
        ("table,month,drop,win\nR-1O,2025-11,1,1\nR-10,2025-12,1,1\n", "line 3: table"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_line(text: str, where: str) -> None:
    with pytest.raises(Invalid) as refused:
        past_monthly_drop_win_file.read(text, "EUR")
    assert str(refused.value).startswith(where)


def test_a_stored_setting_with_ids_that_look_alike_is_still_read() -> None:
    stored = "table R1 2025-11 1.00 1.00; table r1 2025-11 1.00 1.00"
    assert [month.table for month in past_monthly_drop_win_file.months_from_setting(stored, "EUR")] == ["R1", "r1"]


def test_a_setting_that_is_no_month_is_refused() -> None:
    with pytest.raises(Invalid, match=r"table R1 2025-11"):
        settings.valid_value({}, "hold_history", "R1 2025-11 5 5")


def test_imported_months_are_limits_on_the_first_day_and_yield_to_events() -> None:
    history = History()
    rows = [f"table R1 2025-{number:02} 1000.00 200.00" for number in range(1, 13)]
    value = "; ".join([*rows, "table R1 2026-11 1000.00 900.00"])
    history.append("house", SettingChanged(setting="hold_history", value=value, before="", approvals=()))
    entries = hold_entries_fold.fold([*facts(history), *facts(evening())], "EUR")
    by_rule = {
        finding.rule: finding
        for finding in findings("R1", entries_by_name(entries.entries(), "table")["R1"], "2026-11-20")
    }
    assert (by_rule[KS].hold, by_rule[KS].against, by_rule[KS].says) == (Fraction(1, 15), Fraction(1, 5), "outside")
    assert [
        month.month for month in of_months(past_monthly_drop_win_file.months_from_setting(value, "EUR"), "2026-11-20")
    ][-1] == "2025-12"


def test_a_table_s_months_are_its_game_s_unless_the_game_has_its_own() -> None:
    names = {"R1": {"table": "R1", "game": "roulette", "pit": "main"}}
    rows = past_monthly_drop_win_file.months_from_setting(
        "table R1 2025-11 100.00 20.00; table R1 2025-12 100.00 20.00; game roulette 2025-12 9.00 1.00", "EUR"
    )
    entries = of_months(rows, "2026-11-20", names)
    assert total_amounts(entry.amounts for entry in entries_by_name(entries, "game")["roulette"]).drop_minor == 10_900
    assert total_amounts(entry.amounts for entry in entries_by_name(entries, "pit")["main"]).drop_minor == 20_000
    assert total_amounts(entry.amounts for entry in entries_by_name(entries, "table")["R1"]).drop_minor == 20_000


# --- commands ---------------------------------------------------------------------------------------------------------


def run(*words: Any) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_the_command_shows_hold_rules_and_luck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    store = open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}")
    store.create()
    keep(store, evening())
    store.close()
    report = json.loads(run("hold", "--json"))
    day = report["lines"][0]["periods"]["day"]
    assert (day["hold"], day["win_by_handle"], day["handle_minor"]) == ("1/15", "1/2", 4000)
    assert {rule["rule"] for rule in report["rules"]} == {KS, OH, MD}
    assert (report["luck"][0]["win_minor"], report["luck"][0]["tail"]["how"]) == (2000, "exact")
    assert "win by handle" in run("hold")
    assert "roulette red" in run("hold", "--by", "bet")
    assert not Look.objects.exists()
    assert "g-2" in run("hold", "--by", "player")
    assert [(look.kind, look.what, look.entry_count) for look in Look.objects.all()] == [
        (PERSON, "hold --by player", 2)
    ]


def test_import_prints_the_action_that_two_people_take(tmp_path: Path) -> None:
    file = tmp_path / "history.csv"
    file.write_text(FILE)
    action = json.loads(run("import", "history", file))
    assert (action["type"], action["data"]["setting"]) == ("setting.change", "hold_history")
    assert settings.valid_value({}, "hold_history", action["data"]["value"]) == past_monthly_drop_win_file.months_text(
        past_monthly_drop_win_file.read(FILE, "EUR"), "EUR"
    )
    again = json.loads(run("import", "history", file))
    assert (again["data"], again["key"] == action["key"]) == (action["data"], False), "what was set between is replaced"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"nothing", "The columns are table or game, month, drop, win, not nothing"),
        (b"game;month;drop;win\nroulette;2025-11;1,00;1,00\n", "Put commas between them"),
        (b"game,month,drop,win\n\nroulette,2025-11,1.001,1\n", "line 3: drop"),
        (b"game,month,drop,win\nRoulette,2025-11,1,1\n", "no game Roulette: it is one of baccarat, blackjack"),
        (b"table,month,drop,win\nR1,2099-11,1,1\n", "2099-11 is in the future"),
        (b"table,month,drop,win\nR\xe9,2025-11,1,1\n", "not UTF-8 text"),
    ],
)
def test_a_file_that_would_be_no_limit_is_not_imported(content: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "history.csv").write_bytes(content)
    with pytest.raises(CommandError, match=why):
        run("import", "history", tmp_path / "history.csv")
    with pytest.raises(CommandError, match="No such file"):
        run("import", "history", tmp_path / "histroy.csv")
