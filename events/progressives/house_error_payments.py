"""House payments: people settle errors beyond the meter out of the house's own money (payments are final).

Examples are winners declared after the level was paid, or paid in the wrong order. Others are winners of a round that
did not contribute or ended too long ago. Each place of a round is settled once, by a slip of the same series as
jackpots. The number of a void payment stays used. The meter, its reserve and the fund for them never move.
"""

from collections.abc import Sequence

from events.envelope import EventData
from events.error_codes import coded
from events.errors import Forbidden, Invalid, NotApproved, Refused
from events.progressives import action_structs, event_types, fact_structs, jackpot_hit_facts_in_fold
from events.progressives.approver_department_checks import WATCH, has_two_departments
from events.progressives.decider_base_functions import apply, approvals, known_level, table_and_day
from events.progressives.fold import Fold
from events.progressives.levels_rounds_and_hits_state import HitState
from events.rules.game_declaration_and_registry import ProgressiveHands
from events.tables.armed_round_rebuilt_from_events import ArmedRoundPeople
from events.tables.event_types.progressive import ProgressiveArmed

CLAUSE = "house payment"
TWO_KEYS = "NJ 13:69D-1.52"
Place = tuple[str, str, int, int]  # table, gaming day, round, box


def pay(next_fold: Fold, data: action_structs.PayHouse, by: fact_structs.People) -> list[EventData]:
    """The cage pays, two departments agree; over the limit surveillance is one of them."""
    if not any(person.role == "cage" for person in by):
        raise Forbidden(coded("cage-pays-for-house"))
    level = known_level(next_fold, data.level)
    place, hit_state = _place(next_fold, data)
    before = next_fold.state.house.get(name_of(*place))
    if before is not None and not before.is_void:
        raise Refused(CLAUSE, coded("house-paid-already", year=before.year, slip=before.slip))
    if hit_state is not None:
        _check_hit(next_fold, data, hit_state)
    _check_people(next_fold, data.amount_minor, by, hit_state.dealer if hit_state else "")
    table, day, round_, box = place
    year = data.gaming_day[:4]
    paid = event_types.HousePaid(
        progressive=next_fold.state.opening.progressive,
        level=level.name,
        hit=hit_state.id if hit_state else None,
        table=table,
        gaming_day=day,
        round=round_,
        box=box,
        player=data.player,
        amount_minor=data.amount_minor,
        reason=data.reason,
        slip=next_fold.state.slips.get(year, 0) + 1,
        slip_year=year,
        paid_gaming_day=data.gaming_day,
        tender=data.tender,
        approvals=approvals(by),
    )
    apply(next_fold, paid)
    return [paid]


def void(next_fold: Fold, data: action_structs.VoidHousePayment, by: fact_structs.People) -> list[EventData]:
    """The money is back in the cage, or never left it: cage and another department, and a reason."""
    name = name_by_slip(next_fold, data)
    if name is None:
        raise Refused(CLAUSE, coded("house-slip-unknown", year=data.slip_year, slip=data.slip), field="data.slip")
    paid = next_fold.state.house[name]
    if paid.is_void:
        raise Refused(CLAUSE, coded("house-payment-void", year=data.slip_year, slip=data.slip), field="data.slip")
    if not any(person.role == "cage" for person in by):
        raise Forbidden(coded("cage-takes-back"))
    _check_people(next_fold, paid.amount, by, "")
    table, day, round_, box = place_of(name)
    voided = event_types.HouseVoided(
        progressive=next_fold.state.opening.progressive,
        level=paid.level,
        table=table,
        gaming_day=day,
        round=round_,
        box=box,
        amount_minor=paid.amount,
        slip=paid.slip,
        slip_year=paid.year,
        tender=paid.tender,
        reason=data.reason,
        approvals=approvals(by),
    )
    apply(next_fold, voided)
    return [voided]


def name_by_slip(fold: Fold, data: action_structs.VoidHousePayment) -> str | None:
    """Return the name of the payment with that slip."""
    wanted = (data.slip_year, data.slip)
    return next((name for name, payment in fold.state.house.items() if (payment.year, payment.slip) == wanted), None)


def name_of(table: str, day: str, round_: int, box: int) -> str:
    """Return TABLE/GAMING-DAY#ROUND/BOX: the place that the house pays for, once."""
    return f"{table}/{day}#{round_}/{box}"


def place_of(name: str) -> Place:
    """The place of that name."""
    table_day, _, round_box = name.rpartition("#")
    table, _, day = table_day.rpartition("/")
    round_, _, box = round_box.partition("/")
    return table, day, int(round_), int(box)


def _place(next_fold: Fold, data: action_structs.PayHouse) -> tuple[Place, HitState | None]:
    """Return the place that is paid for, and its hit."""
    if data.hit is not None:
        hit_state = next_fold.hit(data.hit)
        if hit_state is None:
            raise Refused(
                CLAUSE,
                coded("hit-not-at-hand", hit=data.hit),
                field="data.hit",
            )
        return (*table_and_day(hit_state.table), int(hit_state.round), int(hit_state.box)), hit_state
    place = must_name_a_place(data)
    valid_hits = [hit for hit in next_fold.state.hits.values() if not hit.void]
    hit_state = next((hit for hit in valid_hits if (*table_and_day(hit.table), hit.round, hit.box) == place), None)
    if hit_state is None and any(
        (*table_and_day(stream), number) == place[:3] for stream, number in next_fold.state.rounds
    ):
        reason = coded("declare-late-instead", round=data.round, box=data.box)
        raise Refused(CLAUSE, reason)
    return place, hit_state


def must_name_a_place(data: action_structs.PayHouse) -> Place:
    """The place that is named, where no hit is. Raises Invalid."""
    if data.table is None or data.table_day is None or data.round is None or data.box is None:
        raise Invalid("data.hit", coded("payment-without-purpose"))
    return data.table, data.table_day, data.round, data.box


def check_round(data: action_structs.PayHouse, armed: ArmedRoundPeople | None, hands: ProgressiveHands) -> None:
    """Check the cards of a round that the fold has forgotten, by the table's stream. Raises Refused."""
    stake = armed.stakes.get(data.box or 0) if armed else None
    if stake is None:
        reason = coded(
            "box-had-no-armed-bet-on-day", box=data.box, round=data.round, table=data.table, day=data.table_day
        )
        raise Refused("blazing7s P.1", reason, source="004 L15")
    if stake.player != data.player:
        raise Refused(CLAUSE, coded("bet-of-another-player", box=data.box, player=stake.player), field="data.player")
    lies = hands.classify(stake.cards, stake.up)
    if lies != data.level:
        raise Refused(
            "blazing7s B",
            coded("cards-made-another-level", box=data.box, lies=lies, level=data.level),
            source="004 L39",
            field="data.level",
        )


def check_progressive(name: str, armed: Sequence[ProgressiveArmed]) -> None:
    """Refuse a player who was linked elsewhere: each progressive knows of its own payments only. Raises Refused."""
    other = next((round_.progressive for round_ in armed if round_.progressive != name), None)
    if other is not None:
        raise Refused(CLAUSE, coded("round-of-another-progressive", round=armed[0].round, progressive=other))


def _check_hit(next_fold: Fold, data: action_structs.PayHouse, hit_state: HitState) -> None:
    """The house pays in addition to the meter, never in its place: the share itself is paid first, or stays due."""
    if (hit_state.player, hit_state.level) != (data.player, data.level):
        raise Refused(
            CLAUSE,
            coded("hit-of-another", hit=hit_state.id, level=hit_state.level, player=hit_state.player),
            field="data.hit",
        )
    status = jackpot_hit_facts_in_fold.status(next_fold.state, hit_state)
    if status != "paid" and (hit_state.void or not hit_state.late):
        paid_first = coded("hit-paid-by-meter", hit=hit_state.id, status=status)
        text = coded("hit-is", hit=hit_state.id, status=status) if hit_state.void else paid_first
        raise Refused(CLAUSE, text, field="data.hit")


def _check_people(next_fold: Fold, amount: int, by: fact_structs.People, dealer: str) -> None:
    """Two departments without the round's dealer, surveillance where it is over the limit. Raises NotApproved."""
    others = tuple(person for person in by if person.name != dealer)
    if not has_two_departments(others):
        raise NotApproved(CLAUSE, coded("cage-and-department-needed"), source=TWO_KEYS)
    is_over = amount * next_fold.state.opening.scale > next_fold.state.opening.surveillance_over
    if is_over and not any(person.role == WATCH for person in others):
        raise NotApproved(CLAUSE, coded("payment-above-limit", role=WATCH), source="OH 3772-10-21")
