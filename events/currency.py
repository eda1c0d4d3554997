"""The rule of the one currency: a property has one, and what is installed, opened or issued is in it.

Which one it is: `events/house/currency.py`.
"""

from events.errors import Refused

DEFAULT = "EUR"  # where nothing is set, installed or opened
CLAUSE = "house currency"


def require(currency: str, bound_to: str) -> None:
    """Raise Refused for another currency than the one that the property is bound to ("": none yet)."""
    if bound_to and currency != bound_to:
        why = f"The property's currency is {bound_to}, not {currency}. Use {bound_to}."
        raise Refused(CLAUSE, why, field="data.currency")
