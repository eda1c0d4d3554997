"""Approve, decline or withdraw a request: the same three actions for every kind of stream."""

from django.utils.translation import gettext_lazy as _

from backoffice.kit.page_declaration import Act


def _answers(kind: str) -> tuple[Act, ...]:
    """Return the answers to a request that waits for approval; buttons accompanies the request."""
    return (
        Act(kind, "approval.give", _("Approve request"), is_offered=False),
        Act(kind, "approval.decline", _("Decline request"), is_offered=False),
        Act(kind, "approval.withdraw", _("Withdraw request"), is_offered=False),
    )
