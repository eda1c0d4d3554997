"""Actions of a baccarat table only."""

from typing import ClassVar, Literal

from events.envelope import ActionData
from events.fields import Name
from events.tables.actions.card_action_structs import Card


class BurnCards(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Open a new shoe by burning: `card` is its first, shown face up."""

    TYPE: ClassVar[str] = "shoe.burn"
    card: Card


class RuleShoe(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Decide how to continue with a shoe that was not opened."""

    TYPE: ClassVar[str] = "shoe.rule"
    ruling: Literal["new_cards", "free_round", "go_on"]


class GiveHand(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Let a player turn a side's cards; None: the dealer turns them."""

    TYPE: ClassVar[str] = "hand.give"
    side: Literal["player", "banker"]
    player: Name | None = None


class ReduceBets(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Bring the sides' difference inside the limit: show the stakes that would do (`apply` false), or lower them so."""

    TYPE: ClassVar[str] = "bets.reduce"
    apply: bool = True
