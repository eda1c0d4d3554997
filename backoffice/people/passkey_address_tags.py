"""Template tags for passkeys: they belong to the name of the house's first address."""

from typing import Any

from django import template

from backoffice.people.house_address_of_request import passkey_address

register = template.Library()


@register.simple_tag(takes_context=True)
def address_of_passkeys(context: dict[str, Any]) -> str:
    """The address at which a browser uses the house's passkeys; "" where the page's own address will do."""
    return passkey_address(context["request"])
