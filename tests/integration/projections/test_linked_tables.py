"""Tables that were linked to a progressive which was not there, or of another currency: people see it in the books."""

from events.tables.event_types.progressive import DealCompleted, HitDeclared, ProgressiveArmed, ProgressiveStake
from events.tables.event_types.session import SessionOpened
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent
from projections.figures_of_all_read_models_with_digest import books
from projections.invariants import findings
from projections.matters.models import Misfit
from projections.progressives.models import Hit
from projections.registry import projectors
from tests.integration.projections.test_matters import GIVEN, LOW
from tests.support.houses.sample_event_streams import History, SampleTableDay
from tests.support.records import progressive_timeline_recorder

BET = ProgressiveStake(box=1, player="g-1", stake_minor=LOW, bet="b1")


def played(table: SampleTableDay, progressive: str) -> None:
    """A round armed at the table, with a hit in it."""
    table.round += 1
    table.say(ProgressiveArmed, bets=(BET,), amount_minor=LOW, progressive=progressive)
    table.say(HitDeclared, hit=f"{progressive}-1", level="mega", box=1, player="g-1", progressive=progressive)
    table.say(DealCompleted, progressive=progressive)


def project(history: History, using: str) -> None:
    applier = Applier(projectors(["accounts", "progressives"], WriteTarget(using)), history.property)
    applier.load()
    applier.apply(history.events)


def test_what_was_armed_for_a_progressive_that_is_not_there_is_told(using: str) -> None:
    history = progressive_timeline_recorder.Recorder(GIVEN).history
    played(SampleTableDay(history, "BJ3", ruleset="blackjack-trilux").open(progressive="blazin"), "blazin")
    project(history, using)
    misfits = list(Misfit.objects.using(using).order_by("position").values_list("type", "clause", "message"))
    why = "There is no progressive blazin, or it is not open. Open it before the table is linked."
    assert misfits == [(kind, "house link", why) for kind in ("progressive.armed.v1", "hit.declared.v1")]
    assert {finding.invariant for finding in findings(using)} >= {"a table feeds a progressive that is open"}
    assert [row["progressive"] for row in books(using=using)["matters"]["misfits"]] == ["blazin", "blazin"]
    assert not Hit.objects.using(using).exists()
    assert not PoisonedEvent.objects.using(using).exists()


def test_what_was_armed_before_the_opening_is_told(using: str) -> None:
    history = History()
    table = SampleTableDay(history, "BJ3", ruleset="blackjack-trilux").open(
        progressive=progressive_timeline_recorder.NAME
    )
    played(table, progressive_timeline_recorder.NAME)
    opening = progressive_timeline_recorder.Recorder(GIVEN).history.events[0]
    history.put(opening.stream, opening.type, opening.raw)
    project(history, using)
    assert Misfit.objects.using(using).count() == 2
    invariants = [finding.invariant for finding in findings(using)]
    assert invariants.count("a table feeds a progressive that is open") == 2
    assert "what is refused is told" not in invariants


def test_a_table_that_feeds_a_progressive_of_another_currency_is_told(using: str) -> None:
    history = progressive_timeline_recorder.Recorder(GIVEN).history
    table = SampleTableDay(history, "BJ4", ruleset="blackjack-trilux")
    opened = {"game": "blackjack", "currency": "JPY", "opener": {100: 1}, "amount_minor": 100}
    table.say(SessionOpened, **opened, progressive=progressive_timeline_recorder.NAME)
    played(table, progressive_timeline_recorder.NAME)
    project(history, using)
    messages = [str(finding) for finding in findings(using)]
    expected = (
        f"{history.property}/tables/BJ4/2026-11-20: it plays in JPY and feeds {progressive_timeline_recorder.STREAM}"
    )
    assert any(expected in message or "it plays in JPY and feeds" in message for message in messages), messages
