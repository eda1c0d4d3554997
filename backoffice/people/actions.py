"""Actions on people's roles: the forms of their pages."""

from django.utils.translation import gettext_lazy as _

from backoffice.kit.approval_actions import _answers
from backoffice.kit.page import Act
from events.people.people import ROLES

OF_PEOPLE = (
    Act("people", "role.grant", _("Grant role"), choices={"role": sorted(ROLES)}),
    Act("people", "role.revoke", _("Revoke role"), choices={"role": sorted(ROLES)}),
    Act("people", "person.admit", _("Request sign-in link")),
    *_answers("people"),
)
