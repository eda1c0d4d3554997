"""Requests in words: each setting before and after. For forms before sending, and for approvers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from backoffice.days import action_effects, caught_up_cage_and_count_books
from backoffice.forms.approval_requests_and_approvers import agreeing
from backoffice.kit.page_declaration import PendingRequest
from backoffice.people.roles_in_event_log import logged_roles
from backoffice.tables import bet_lookup_for_corrections, limits_and_posts_lookup
from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import code_words, word
from backoffice.wording.code_to_word_translation import value as coded
from backoffice.wording.field_labels import label
from events.errors import Invalid
from events.people.approval_request_lifecycle import ApprovalRequested
from events.rules.chip_sums_by_denomination import taken_away, total_pieces
from events.settings.settings_from_environment import settings
from events.streams import stream_kind_declaration
from events.tables.actions.round_action_structs import CorrectSettlement
from events.tables.settlement_corrections import profit_of
from projections.floor.models import InstalledTable
from projections.matters.models import ApprovalRequest, Variance
from projections.progressives.models import MICRO, Hit, Progressive, ProgressiveLevel

Values = Mapping[str, Any]
ANSWERS = ("approval.give", "approval.decline", "approval.withdraw")
PIECES = ("chips", "cash", "opener", "closer", "chips_in", "chips_out")  # fields in which pieces are counted


class SummaryLine(msgspec.Struct, frozen=True):
    """One line of a summary: its present value ("": not shown here), and its future value."""

    label: str
    after: str
    before: str = ""
    is_person: bool = False  # both are a person's id, or the word for nobody


class Wording(msgspec.Struct, frozen=True):
    """Lines of an action, and its outcome."""

    lines: tuple[SummaryLine, ...]
    outcome: str
    is_asked: bool


class ActionPlace(msgspec.Struct, frozen=True):
    """A stream: the name of its kind, its own name, its currency, its gaming day where it has one.

    `requests` are those that wait, by id, where no read model has their content.
    """

    kind: str
    name: str
    currency: str
    gaming_day: str = ""
    requests: Mapping[str, PendingRequest] = {}

    @property
    def stream(self) -> str:
        """Return its name among all streams."""
        return stream_kind_declaration.kind_by_name(self.kind).stream(settings().property_, self.name, self.gaming_day)


def effect_wording(
    place: ActionPlace, action: str, data: Values, events: Sequence[str], people: list[tuple[str, str]]
) -> Wording:
    """Return the wording of an action of these people (person, role), by the types of its events."""
    lines = request_lines(place, action, data)
    if ApprovalRequested.TYPE not in events:
        return Wording(lines, _("Takes effect at once. Recorded permanently."), is_asked=False)
    roles = code_words(agreeing(action, dict(data), people, None).roles)
    return Wording(lines, _("Needs one approval from: %s.") % roles, is_asked=True)


def request_lines(place: ActionPlace, action: str, data: Values) -> tuple[SummaryLine, ...]:
    """Return the lines of a request, each with its present value as far as the read models have it."""
    if action in ANSWERS and (row := _request(place, str(data["request"]))) is not None:
        requested = request_lines(place, row.action, row.data)
        reason = [SummaryLine(label("reason"), str(data["reason"]))] if data.get("reason") else []
        return (
            SummaryLine(_("requested by"), row.person, is_person=True),
            SummaryLine(_("action"), word(row.action)),
            *requested,
            *reason,
        )
    if action in _WHOLE:
        return _WHOLE[action](place, data)
    now = _NOW[action](place, data) if action in _NOW else {}
    further = _LINES_BY_ACTION[action](place, data) if action in _LINES_BY_ACTION else day_lines(action, place, data)
    changed = (
        SummaryLine(field_label, *_pair(place, name, value, now), is_person=name == "person")
        for field_label, name, value in _labelled_values(action, data)
    )
    return (*changed, *further)


def action_lines(action: str, data: Values, currency: str) -> tuple[SummaryLine, ...]:
    """Return the lines of an action without present values: no query."""
    return tuple(
        SummaryLine(field_label, value_text(name, value, currency))
        for field_label, name, value in _labelled_values(action, data)
    )


def _labelled_values(action: str, data: Values) -> Iterator[tuple[str, str, Any]]:
    """Yield label, field and value of each entry. Rows are entries one by one."""
    for name, value in data.items():
        if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
            yield from ((f"{label(name, action)} {number}", name, [row]) for number, row in enumerate(value, 1))
        elif value != ():
            yield label(name, action), name, value


def _pair(place: ActionPlace, name: str, value: Any, now: Values) -> tuple[str, str]:
    before = now.get(name, _SAME)
    same = before is _SAME or before == value
    return value_text(name, value, place.currency), "" if same else value_text(name, before, place.currency)


_SAME = object()


def value_text(name: str, value: Any, currency: str) -> str:
    """Return a value of this field as people write it."""
    if value is None or value == "":
        return _("no cap") if name == "cap_minor" else _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if name in PIECES and isinstance(value, dict):
        return pieces_in_words(value, currency)
    if isinstance(value, dict):
        return ", ".join(_part(name, key, part, currency) for key, part in value.items()) or _("none")
    if isinstance(value, list | tuple):
        return "; ".join(value_text(name, element, currency) for element in value) or _("none")
    if isinstance(value, str):
        return coded(name, value)
    return _scalar(name.rpartition("_")[2], value, currency)


def pieces_in_words(pieces: Mapping[Any, int], currency: str) -> str:
    """Return counted chips or notes in words: "40 × 5.00, 10 × 1.00, total 210.00 EUR"."""
    by_value = sorted(((int(piece), number) for piece, number in pieces.items() if number), reverse=True)
    each = [f"{formats.number(number)} × {formats.money(piece, currency)}" for piece, number in by_value]
    total = formats.amount(sum(piece * number for piece, number in by_value), currency)
    return ", ".join([*each, _("total %s") % total]) if each else _("none")


def setting(name: str, value: Any, currency: str) -> str:
    """The value of a setting of the house as people write it."""
    return _scalar(name.rpartition("_")[2], value, currency)


def _part(name: str, key: Any, value: Any, currency: str) -> str:
    """Return one entry of a mapping in words, by a unit of its own ("seed_minor") or of all."""
    is_own = label(str(key)) != str(key).replace("_", " ")
    return f"{label(str(key))}: {value_text(str(key) if is_own else name, value, currency)}"


def _scalar(unit: str, value: Any, currency: str) -> str:
    if not isinstance(value, int):
        return str(value)
    if unit == "minor":
        return formats.amount(value, currency)
    if unit == "micro":
        return formats.with_currency(formats.micro(value, currency), currency)
    return formats.percent(value) if unit == "millionths" else str(value)


# --- present values ---------------------------------------------------------------------------------------------------


def _level(place: ActionPlace, data: Values) -> ProgressiveLevel | None:
    return ProgressiveLevel.objects.filter(progressive=place.name, level=data.get("level")).first()


def _parameters(place: ActionPlace, data: Values) -> Values:
    level, whole = _level(place, data), Progressive.objects.filter(progressive=place.name).first()
    if level is None or whole is None:
        return {}
    return {**level_parameters(level), "withhold_millionths": whole.withhold_millionths}


def level_parameters(level: ProgressiveLevel) -> Values:
    """Return the current parameters of a level, as `parameters.change` names them."""
    return {
        "seed_minor": level.seed_micro // MICRO,
        "cap_minor": None if level.cap_micro is None else level.cap_micro // MICRO,
        "feed_millionths": level.feed_millionths,
        "reserve_millionths": level.reserve_millionths,
    }


def _installed(place: ActionPlace, data: Values) -> Values:
    row = InstalledTable.objects.filter(table=data["table"]).first()
    return {} if row is None else {name: getattr(row, name) for name in _INSTALLED}


_INSTALLED = ("pit", "game", "ruleset", "currency", "progressive")


def _meter(place: ActionPlace, data: Values) -> Sequence[SummaryLine]:
    level = _level(place, data)
    if level is None:
        return ()
    after = level.meter_micro + data["amount_minor"] * MICRO
    then, now = (value_text("micro", micro, place.currency) for micro in (after, level.meter_micro))
    return (SummaryLine(_("meter"), then, now),)


def named_hit_lines(place: ActionPlace, data: Values) -> Sequence[SummaryLine]:
    """Return the lines of the hit that the data name; none for an unknown hit."""
    hit = Hit.objects.filter(hit=data.get("hit") or "", stream__endswith=f"/progressives/{place.name}").first()
    return () if hit is None else hit_lines(hit, place.currency)


def hit_lines(hit: Hit, currency: str) -> tuple[SummaryLine, ...]:
    """Return the lines of a hit: level, place, player and share."""
    where = _("%(table)s, round %(round)d, box %(box)d") % {"table": hit.table, "round": hit.round, "box": hit.box}
    return (
        SummaryLine(_("level"), word(hit.level)),
        SummaryLine(pgettext("where it is", "place"), f"{where}, {hit.gaming_day}"),
        SummaryLine(_("player"), hit.player),
        SummaryLine(_("share"), value_text("share_minor", hit.share_minor, currency)),
    )


def _case(place: ActionPlace, data: Values) -> Sequence[SummaryLine]:
    row = Variance.objects.filter(case=data["case"], stream__endswith=f"/progressives/{place.name}").first()
    if row is None:
        return ()
    figures = {_("the sign showed"): row.read_minor, _("calculated"): row.shown_minor}
    figures[_("variance")] = row.variance_minor
    return [SummaryLine(name, value_text("minor", value, place.currency)) for name, value in figures.items()]


def _setting(place: ActionPlace, data: Values) -> tuple[SummaryLine, ...]:
    """Return the present value of a setting."""
    name = str(data["setting"])
    now = getattr(caught_up_cage_and_count_books.books().settings, name, None)
    then, before = (setting(name, value, place.currency) for value in (data["value"], now))
    return (SummaryLine(word(name), then, before),)


def _chips(place: ActionPlace, data: Values) -> Sequence[SummaryLine]:
    """Yield the issued chips, before and after."""
    now = caught_up_cage_and_count_books.books().house.chips
    change = {int(piece): number for piece, number in data["chips"].items()}
    then = total_pieces(now, change) if data["way"] == "brought in" else taken_away(now, change)
    return (
        SummaryLine(
            _("chips of the house"), pieces_in_words(then, place.currency), pieces_in_words(now, place.currency)
        ),
    )


def _asked_of_the_cage(place: ActionPlace, data: Values) -> Sequence[SummaryLine]:
    """Return the table's request."""
    request = caught_up_cage_and_count_books.books().slips.requests.get(str(data["request"]))
    if request is None:
        return ()
    return (
        SummaryLine(_("table"), request.table),
        SummaryLine(_("action"), _("fill") if request.kind == "fill" else _("credit")),
        SummaryLine(_("chips"), pieces_in_words(request.chips, place.currency)),
    )


def _of_bet(bet: bet_lookup_for_corrections.SettledBet) -> Iterator[SummaryLine]:
    yield SummaryLine(_("bet"), f"{word(bet.wager)} ({bet.bet})")
    yield SummaryLine(pgettext("where it is", "place"), bet.where)
    if bet.player:
        yield SummaryLine(_("player"), bet.player)


def _settlement(place: ActionPlace, data: Values) -> tuple[SummaryLine, ...]:
    """Return the stake, the player's win and the unpaid amount, as the round settled it and as corrected."""
    bet = bet_lookup_for_corrections.settled_bet(place.stream, data["settled_in"], str(data["bet"]))
    if bet is None:
        return action_lines(CorrectSettlement.TYPE, data, place.currency)
    reason = SummaryLine(label("reason"), str(data["reason"]))
    try:
        profit = profit_of(bet.stake_minor, bet.profit_minor, msgspec.convert(data, CorrectSettlement))
    except Invalid as invalid:
        return (*_of_bet(bet), SummaryLine(label("profit_minor"), invalid.message), reason)
    figures = {
        label("stake_minor"): (bet.stake_minor, data["amount_minor"]),
        label("profit_minor"): (bet.profit_minor, profit),
        _("due to the player"): (max(0, bet.profit_minor), max(0, profit)),
        _("still to pay"): (max(0, bet.profit_minor) - bet.paid_minor, max(0, profit) - bet.paid_minor),
    }
    return (*_of_bet(bet), *(_figure(place, name, *pair) for name, pair in figures.items()), reason)


def _figure(place: ActionPlace, name: str, before: int, after: int) -> SummaryLine:
    now, then = (formats.amount(amount, place.currency) for amount in (before, after))
    return SummaryLine(name, then, "" if now == then else now)


def _payment(place: ActionPlace, data: Values) -> Iterator[SummaryLine]:
    """Yield the amount due for the bet, and the amount paid with this action."""
    bet = bet_lookup_for_corrections.settled_bet(place.stream, data["won_in"], str(data["bet"]))
    if bet is None:
        return
    due, after = max(0, bet.profit_minor), bet.paid_minor + data["amount_minor"]
    yield from list(_of_bet(bet))[1:]
    yield SummaryLine(_("due to the player"), formats.amount(due, place.currency))
    yield _figure(place, _("paid"), bet.paid_minor, after)
    yield _figure(place, _("still to pay"), due - bet.paid_minor, due - after)


def _round(place: ActionPlace, data: Values) -> Iterator[SummaryLine]:
    """Yield the stakes and payments of a round; voiding it takes no payment back."""
    laid = bet_lookup_for_corrections.round_amounts(place.stream, data["round"])
    if laid:
        yield SummaryLine(_("bets corrected"), str(laid["bets"]))
        yield SummaryLine(_("stakes"), formats.amount(laid["stakes_minor"], place.currency))
        yield SummaryLine(_("paid and kept by the players"), formats.amount(laid["paid_minor"], place.currency))


def _post(place: ActionPlace, data: Values) -> tuple[SummaryLine, ...]:
    """Return the post's present and next person."""
    before = limits_and_posts_lookup.holder(place.stream, data["post"])
    return (
        SummaryLine(word(data["post"]), str(data.get("person") or _("no one")), before or _("no one"), is_person=True),
    )


def _roles(data: Values, change: Callable[[set[str], set[str]], set[str]]) -> Sequence[SummaryLine]:
    """All roles of the person, as they are and as they would be."""
    now = logged_roles(settings().property_, data["person"])
    then = change({*now}, {data["role"]})
    return (SummaryLine(_("roles"), code_words(sorted(then)) or _("no roles"), code_words(now) or _("no roles")),)


_NOW: dict[str, Callable[[ActionPlace, Values], Values]] = {
    "bet.correct": lambda place, data: bet_lookup_for_corrections.correctable_fields(place.stream, str(data["bet"])),
    "limit.mark": lambda place, data: limits_and_posts_lookup.personal_limit(
        place.stream, data["player"], data["seat"], data.get("wager")
    ),
    "limits.post": lambda place, _data: limits_and_posts_lookup.limits(place.stream),
    "parameters.change": _parameters,
    "table.install": _installed,
}
_WHOLE: dict[str, Callable[[ActionPlace, Values], tuple[SummaryLine, ...]]] = {
    "setting.change": _setting,
    "settlement.correct": _settlement,
    "staff.assign": _post,
    "staff.leave": _post,
}


def day_lines(action: str, place: ActionPlace, data: Values) -> Iterator[SummaryLine]:
    """Yield the figures that an action of a gaming day changes, before and after."""
    for effect in action_effects.day_effects(action, place.gaming_day, data):
        before = "" if effect.before is None else value_text(effect.unit, effect.before, place.currency)
        yield SummaryLine(effect.label, value_text(effect.unit, effect.after, place.currency), before)


_LINES_BY_ACTION: dict[str, Callable[[ActionPlace, Values], Iterable[SummaryLine]]] = {
    "meter.adjust": _meter,
    "hit.authorise": named_hit_lines,
    "hit.void": named_hit_lines,
    "jackpot.pay": named_hit_lines,
    "payment.report": _payment,
    "round.void": _round,
    "variance.close": _case,
    "chips.issue": _chips,
    "role.grant": lambda _place, data: _roles(data, set.union),
    "role.revoke": lambda _place, data: _roles(data, set.difference),
    "slip.issue": _asked_of_the_cage,
}


def _request(place: ActionPlace, request: str) -> PendingRequest | None:
    """Return the open request of this name at the place."""
    if request in place.requests:
        return place.requests[request]
    middle = f"/{place.kind}/{place.name}" if place.name else f"/{place.kind}"
    requests = ApprovalRequest.objects.filter(request=request, decided_at=None)
    rows = (row for row in requests if middle in row.id)
    return next((PendingRequest(row.action, row.person, msgspec.json.decode(row.input)) for row in rows), None)
