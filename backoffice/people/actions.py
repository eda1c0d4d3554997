"""Actions on people's roles: the forms of their pages."""

from django.utils.translation import gettext_lazy as _

from backoffice.kit.approval_actions import _answers
from backoffice.kit.page import Act
from events.people.people import ROLES

OF_PEOPLE = (
    Act("people", "role.grant", _("Grant a role"), choices={"role": sorted(ROLES)}),
    Act("people", "role.revoke", _("Revoke a role"), choices={"role": sorted(ROLES)}),
    Act("people", "person.admit", _("Ask for a new link")),
    *_answers("people"),
)
