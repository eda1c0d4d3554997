"""Tax withheld from a payout: from a share and from each envy bonus, by the settings of that moment.

It moves no meter: the amount locked, authorised, paid and printed is the gross, and the cage pays out the net. A payout
over the bound is taxed whole. A fraction of a minor unit is not withheld (docs/adr/0071).
"""

from collections.abc import Sequence

from msgspec.structs import replace

from events.envelope import EventData
from events.error_codes import coded
from events.errors import Refused
from events.house.settings import HouseSettings
from events.progressives.action_structs import PayJackpot
from events.progressives.event_types import EnvyPaid, JackpotPaid

CLAUSE = "house tax"


def tax_withheld(gross_minor: int, settings: HouseSettings) -> int:
    """Return the tax withheld from a payout."""
    return gross_minor * settings.tax_millionths // 10**6 if gross_minor > settings.tax_over_minor else 0


def withhold(decided: Sequence[EventData], data: PayJackpot, settings: HouseSettings) -> list[EventData]:
    """Return the decided events with the withheld tax and the form. Raises Refused for another entered sum, or for a
    form of a player who gets nothing."""
    forms = {form.player: form.form for form in data.envy_forms}
    if strange := sorted(forms.keys() - {event.player for event in decided if isinstance(event, EnvyPaid)}):
        raise Refused(CLAUSE, coded("tax-form-not-needed", player=strange[0]), field="data.envy_forms")
    return [_withheld(event, data, forms, settings) for event in decided]


def _withheld(event: EventData, data: PayJackpot, forms: dict[str, str], settings: HouseSettings) -> EventData:
    if isinstance(event, JackpotPaid):
        due = tax_withheld(event.amount_minor, settings)
        _must_be_due(data.withheld_minor, due)
        return replace(event, withheld_minor=due, form=data.form or "")
    if isinstance(event, EnvyPaid):
        return replace(
            event, withheld_minor=tax_withheld(event.amount_minor, settings), form=forms.get(event.player, "")
        )
    return event


def _must_be_due(entered_minor: int | None, due: int) -> None:
    if entered_minor is not None and entered_minor != due:
        raise Refused(
            CLAUSE,
            coded("withheld-amount-differs", due=due, entered=entered_minor),
            field="data.withheld_minor",
        )
