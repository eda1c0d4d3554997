"""Alerts for those who investigate them, irregularities for those who lead the tables."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from django.db.models import Count, Min
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from backoffice.forms.request_and_action_wording import ActionPlace, SummaryLine
from backoffice.inbox.matter import Matter, place_of
from backoffice.kit.due_action_and_link_structs import PageLink
from backoffice.tables.open_and_cleared_irregularities import cleared
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.error_code_sentences import irregularity_sentence
from backoffice.wording.stream_currencies import Places
from events.house.alert_rules import RULES, WORDS
from events.people import authority
from events.roles import SUPERVISORS
from projections.alerts.models import Alert
from projections.floor.models import Irregularity

SHOWN = 50
ASSIGNED_SHOWN = 500  # of all people together


def alert_matters(places: Places, in_force: Mapping[str, frozenset[str]]) -> Iterator[Matter]:
    """Return the alerts and irregularities of the whole house. Six queries at most.

    `places` are its currencies by place, `in_force` the roles of all people.
    """
    yield from _unassigned_alerts_matter()
    yield from _assigned_alert_matters(places, in_force)
    yield from _irregularity_matters(places)


def _unassigned_alerts_matter() -> Iterator[Matter]:
    """Yield one matter for the unassigned alerts; the alert wall lists them."""
    rows = Alert.objects.filter(status="open").values("severity")
    rows = rows.annotate(n=Count("id"), first=Min("raised_at_position"), since=Min("raised"))
    counts = {row["severity"]: row for row in rows}
    if not counts:
        return
    count = sum(row["n"] for row in counts.values())
    title = ngettext("%(n)d unassigned alert", "%(n)d unassigned alerts", count)
    yield Matter(
        kind="alerts",
        state="red" if "high" in counts else "amber",
        title=title % {"n": count},
        place=ActionPlace("alerts", "", ""),
        position=min(row["first"] for row in counts.values()),
        time=datetime.fromisoformat(min(row["since"] for row in counts.values())),
        roles=frozenset(authority.may("alerts", "alert.assign")),
        further_lines=tuple(
            SummaryLine(_(WORDS[severity]), str(counts[severity]["n"]))
            for severity in ("high", "medium", "low")
            if severity in counts
        ),
        links=(PageLink(_("Open alerts"), "alerts", beyond="?status=open"),),
    )


def _assigned_alert_matters(places: Places, in_force: Mapping[str, frozenset[str]]) -> Iterator[Matter]:
    """Yield assigned alerts, each for its person; for all investigators where that person is no longer one."""
    lookers = frozenset(authority.may("alerts", "alert.clear"))
    for row in Alert.objects.filter(status="assigned").order_by("-raised_at_position")[:ASSIGNED_SHOWN]:
        is_theirs = not lookers.isdisjoint(in_force.get(row.assigned, ()))
        title = _(RULES[row.name].title) if row.name in RULES else row.name
        yield Matter(
            kind="alerts",
            state="red" if row.severity == "high" else "amber",
            title=_("Alert: %s") % title,
            place=place_of(places, row.stream),
            position=row.raised_at_position,
            time=datetime.fromisoformat(row.raised),
            roles=lookers,
            assignee=row.assigned if is_theirs else "",
            further_lines=()
            if is_theirs
            else (SummaryLine(_("previously assigned to"), row.assigned, is_person=True),),
            links=(PageLink(_("Open alert"), "alert", {"alert": row.id}),),
        )


def _irregularity_matters(places: Places) -> Iterator[Matter]:
    """Yield irregularities of the latest gaming day, until surveillance has cleared the alert of each."""
    day = Irregularity.objects.order_by("-gaming_day").values_list("gaming_day", flat=True)[:1]
    rows = list(Irregularity.objects.filter(gaming_day__in=day).order_by("-position")[:SHOWN])
    over = cleared(rows)
    for row in rows:
        if row.position in over:
            continue
        place = place_of(places, row.stream)
        yield Matter(
            kind="irregularities",
            state="amber",
            title=f"{word(row.kind, 'kind')}: {irregularity_sentence(row, place.currency)}",
            place=place,
            position=row.position,
            time=datetime.fromisoformat(row.time),
            roles=frozenset(SUPERVISORS if _is_at_table(row) else ("accountant",)),
            further_lines=(
                SummaryLine(_("clause"), row.clause),
                SummaryLine(_("settled"), _("when Surveillance closes the alert")),
            ),
            links=_table_links(row) if _is_at_table(row) else (),
        )


def _is_at_table(row: Irregularity) -> bool:
    return row.stream.split("/")[1] == "tables"


def _table_links(row: Irregularity) -> tuple[PageLink, ...]:
    places: dict[str, str | int] = {"name": row.table, "gaming_day": row.gaming_day}
    return (PageLink(_("Open table"), "table", places, f"#irregular-{row.position}"),)
