"""One more money event, as docs/howto/add-an-event.md adds one: a fee in chips for a bet on the layout.

Each change below belongs in one file of the product. No other file changes.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from events.envelope import ActionData
from events.errors import Refused
from events.fields import Money, Name
from events.roles import DEALING, rules_for_actions
from events.runtime import cache_until_declarations_change
from events.tables import displayed_names, main_table_decider, moved_amount_declarations, roles
from events.tables.actions import buyins_fills_credits_drop as actions
from events.tables.event_types import money as event_types
from events.tables.event_types.session import Seated
from events.tables.moved_amount_declarations import MovedAmount, Term
from events.tables.table_session_state_structs import Events, Session, TableCase


class TakeFee(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Take a fee for a bet on the layout."""

    TYPE: ClassVar[str] = "fee.take"
    bet: Name
    amount_minor: Money


class FeeTaken(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A player paid a fee for a bet, in chips that went into the tray."""

    TYPE: ClassVar[str] = "fee.taken.v1"
    bet: str
    wager: str


def take_fee(case: TableCase, data: Any) -> Events:
    """Record a fee for a bet. The bet must be on the layout."""
    bet = case.session.bets.get(data.bet)
    if bet is None:
        raise Refused("house bet", f"no bet {data.bet} lies on the layout", field="data.bet")
    about: Any = {"bet": bet.id, "wager": bet.wager, "player": bet.player, "seat": bet.seat, "box": bet.box}
    return [FeeTaken(**case.session.where(), **about, amount_minor=data.amount_minor)]


def fee_taken(table: Session, event: Any) -> Session:
    return replace(table, float_minor=table.float_minor + event.amount_minor, is_moved=True)


def _change_actions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(actions, "TakeFee", TakeFee, raising=False)


def _change_types(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(event_types, "FeeTaken", FeeTaken, raising=False)


def _change_decider(patch: pytest.MonkeyPatch) -> None:
    tables: Any = main_table_decider  # which merges those of buyin_and_drop_decider.py
    patch.setitem(tables._HANDLERS, TakeFee, take_fee)
    patch.setitem(tables._EVOLVERS, FeeTaken, fee_taken)


def _change_roles(patch: pytest.MonkeyPatch) -> None:
    for action, rule in rules_for_actions(DEALING, TakeFee.TYPE).items():
        patch.setitem(roles.RULES, action, rule)


def _change_amounts(patch: pytest.MonkeyPatch) -> None:
    declared: Any = moved_amount_declarations.MOVES
    patch.setitem(declared, FeeTaken, (MovedAmount("commission", (Term("amount_minor"),)),))


def _change_words(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(displayed_names.WORDS, "fee.taken", "fee taken")
    patch.setitem(displayed_names.WORDS, "fee.take", "take a fee")


CHANGES: Mapping[str, Callable[[pytest.MonkeyPatch], None]] = {
    "events/tables/actions/buyins_fills_credits_drop.py": _change_actions,
    "events/tables/event_types/money.py": _change_types,
    "events/tables/buyin_and_drop_decider.py": _change_decider,
    "events/tables/roles.py": _change_roles,
    "events/tables/moved_amount_declarations.py": _change_amounts,
    "events/tables/displayed_names.py": _change_words,
}


def install(patch: pytest.MonkeyPatch) -> None:
    """Change the files."""
    for change in CHANGES.values():
        change(patch)
    cache_until_declarations_change.forget()
