"""Context of a form: the figures and people that its action is about, before anything is filled in."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from backoffice.days import caught_up_cage_and_count_books
from backoffice.forms.request_and_action_wording import (
    ANSWERS,
    ActionPlace,
    SummaryLine,
    day_lines,
    level_parameters,
    named_hit_lines,
    pieces_in_words,
    request_lines,
    value_text,
)
from backoffice.forms.request_and_action_wording import setting as in_words
from backoffice.people.roles_in_event_log import logged_roles
from backoffice.tables import limits_and_posts_lookup
from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import code_words as listed
from backoffice.wording.code_to_word_translation import word
from events.rules.chip_sums_by_denomination import worth
from events.settings.settings_from_environment import settings
from projections.floor.models import InstalledTable
from projections.progressives.models import Progressive, ProgressiveLevel

Known = Mapping[str, Any]


def context_of(place: ActionPlace, action: str, known_values: Known) -> tuple[SummaryLine, ...]:
    """Return the lines beside the form of an action, as far as its address names its subject."""
    if action in ANSWERS:
        return request_lines(place, action, {"request": known_values["request"]}) if known_values.get("request") else ()
    return tuple(_CONTEXT[action](place, known_values)) if action in _CONTEXT else ()


def _request(place: ActionPlace, known_values: Known) -> Iterator[SummaryLine]:
    request = caught_up_cage_and_count_books.books().slips.requests.get(str(known_values.get("request") or ""))
    if request is not None:
        yield SummaryLine(_("table"), request.table)
        yield SummaryLine(_("slip"), _("fill") if request.kind == "fill" else _("credit"))
        yield from _chips(place, request.chips)


def _slip(place: ActionPlace, known_values: Known, kind: str = "") -> Iterator[SummaryLine]:
    kind = kind or str(known_values.get("kind") or "")
    for slip in caught_up_cage_and_count_books.books().slips.open.values():
        if str(slip.number) == str(known_values.get("slip")) and kind in ("", slip.kind):
            yield SummaryLine(_("slip"), f"{word(slip.kind)} {slip.number}")
            yield SummaryLine(_("table"), slip.table)
            yield from _chips(place, slip.chips)
            return


def _chips(place: ActionPlace, chips: Mapping[int, int]) -> Iterator[SummaryLine]:
    yield SummaryLine(_("amount"), formats.amount(worth(dict(chips)), place.currency))
    yield SummaryLine(_("chips"), pieces_in_words(chips, place.currency))


def _parameters(place: ActionPlace, _known_values: Known) -> Iterator[SummaryLine]:
    """The current values of every level, and of the progressive."""
    for level in _levels(place):
        labels = {
            "seed_minor": _("seed"),
            "cap_minor": _("cap"),
            "feed_millionths": _("contribution rate"),
            "reserve_millionths": _("reserve rate"),
        }
        for name, value in level_parameters(level).items():
            yield SummaryLine(f"{word(level.level)}, {labels[name]}", value_text(name, value, place.currency))
    row = Progressive.objects.filter(progressive=place.name).first()
    if row is not None:
        yield SummaryLine(_("house fee"), value_text("withhold_millionths", row.withhold_millionths, place.currency))


def _meters(place: ActionPlace, _known_values: Known) -> Iterator[SummaryLine]:
    for level in _levels(place):
        yield SummaryLine(_("%s meter") % word(level.level), value_text("micro", level.meter_micro, place.currency))


def _levels(place: ActionPlace) -> list[ProgressiveLevel]:
    return list(ProgressiveLevel.objects.filter(progressive=place.name).order_by("rank"))


def _posts(place: ActionPlace, _known_values: Known) -> Iterator[SummaryLine]:
    for post in ("dealer", "inspector", "boxman", "stickman"):
        if person := limits_and_posts_lookup.holder(place.stream, post):
            yield SummaryLine(word(post), person, is_person=True)


def _limits(place: ActionPlace, _known_values: Known) -> Iterator[SummaryLine]:
    posted = limits_and_posts_lookup.limits(place.stream)
    if posted:
        yield SummaryLine(
            _("current minimum"), value_text("minimum_minor", posted.get("minimum_minor"), place.currency)
        )
        for bet, most in dict(posted.get("maxima_minor") or {}).items():
            yield SummaryLine(_("current maximum, %s") % word(bet), value_text("minimum_minor", most, place.currency))


def _roles(_place: ActionPlace, known_values: Known) -> Iterator[SummaryLine]:
    if person := str(known_values.get("person") or ""):
        yield SummaryLine(_("person"), person, is_person=True)
        yield SummaryLine(
            _("current roles"),
            listed(logged_roles(settings().property_, person)) or _("no roles"),
        )


def _table(place: ActionPlace, _known_values: Known) -> Iterator[SummaryLine]:
    row = InstalledTable.objects.filter(table=place.name).first()
    if row is not None:
        values = {"table": row.table, "game": word(row.game), "pit": row.pit}
        yield SummaryLine(_("table"), _("%(table)s, %(game)s, pit %(pit)s") % values)


def _setting(place: ActionPlace, known_values: Known) -> Iterator[SummaryLine]:
    name = str(known_values.get("setting") or "")
    if name:
        value = getattr(caught_up_cage_and_count_books.books().settings, name, None)
        yield SummaryLine(word(name), in_words(name, value, place.currency))


_CONTEXT: dict[str, Callable[[ActionPlace, Known], Iterable[SummaryLine]]] = {
    "slip.issue": _request,
    "slip.void": _slip,
    "fill.receive": lambda place, known_values: _slip(place, known_values, "fill"),
    "credit.send": lambda place, known_values: _slip(place, known_values, "credit"),
    "credit.receive": lambda place, known_values: _slip(place, known_values, "credit"),
    "hit.authorise": named_hit_lines,
    "hit.void": named_hit_lines,
    "jackpot.pay": named_hit_lines,
    "parameters.change": _parameters,
    "meter.adjust": _meters,
    "meter.read": _meters,
    "staff.assign": _posts,
    "staff.leave": _posts,
    "limits.post": _limits,
    "role.grant": _roles,
    "role.revoke": _roles,
    "discrepancy.explain": lambda place, known_values: day_lines("discrepancy.explain", place, known_values),
    "day.override": lambda place, known_values: day_lines("day.override", place, known_values),
    "session.open": _table,
    "setting.change": _setting,
}
