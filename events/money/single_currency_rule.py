"""The rule of the one currency: a property has one, for everything installed, opened or issued; its decimals.

The choice of the currency: `events/house/property_currency_lookup.py`.
"""

from msgspec import UnsetType

from events.error_codes import coded
from events.errors import Refused

# Currencies by the digits of their minor unit (ISO 4217), where these are not two. They are fixed here, since a report
# must stay the same when the list changes in later years.
_DIGITS = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG"), 0),
    **dict.fromkeys(("RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys(("CLF", "UYW"), 4),
}
DEFAULT = "EUR"  # where nothing is set, installed or opened
CLAUSE = "house currency"


def chosen(currency: str | UnsetType, bound_to: str) -> str:
    """Return the currency that an action means: the named one; else the property's, or EUR in a property without one.

    Raise Refused for another currency than the one that the property is bound to.
    """
    if isinstance(currency, UnsetType):
        return bound_to or DEFAULT
    require(currency, bound_to)
    return currency


def require(currency: str, bound_to: str) -> None:
    """Raise Refused for another currency than the one that the property is bound to ("": none yet)."""
    if bound_to and currency != bound_to:
        message = coded("currency-of-property", currency=bound_to, named=currency)
        raise Refused(CLAUSE, message, field="data.currency")


def minor_digits(currency: str) -> int:
    """Return how many digits the minor unit of a currency has; 2 where it is not known."""
    return _DIGITS.get(currency, 2)
