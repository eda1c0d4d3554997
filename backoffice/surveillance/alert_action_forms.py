"""Actions on alerts: the forms of their pages."""

from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from backoffice.kit.page_declaration import Act, PageRequest, Stage
from backoffice.kit.reader_roles_and_access_rules import Reader
from backoffice.people.people_choices import _in_roles
from backoffice.surveillance import people_barred_from_alert_decision
from events.house.alert_rules import RULES
from events.roles import WATCH
from projections.alerts.models import Alert

OF_AN_ALERT = (
    Act("alerts", "alert.acknowledge", _("Acknowledge alert")),
    Act("alerts", "alert.assign", _("Assign alert")),
    Act("alerts", "alert.note", _("Add note")),
    Act("alerts", "alert.clear", _("Close alert")),
    Act("alerts", "alert.reopen", _("Reopen alert")),
)


def people_who_watch(reader: Reader) -> tuple[tuple[str, str], ...]:
    """Return the people of surveillance, who can investigate alerts, by id and with the name for readers who may know
    names."""
    return tuple(_in_roles(WATCH, reader))


def at_alert(request: PageRequest) -> Stage:
    """Return the alert of this id; any person of surveillance whom it does not concern can investigate it."""
    key = request.places["alert"]
    names = Alert.objects.filter(id=key).values_list("name", flat=True)
    title = "".join(capfirst(gettext(RULES[name].title)) for name in names if name in RULES)
    subjects = people_barred_from_alert_decision.of_alerts([key]).get(key, frozenset())
    people = [choice for choice in _in_roles(WATCH, request.reader) if choice[0] not in subjects]
    return Stage(key, choices={"person": people}, title=title)
