"""Decisions about a baccarat shoe: load, burn, ruling of the manager, cut card (P.3-P.6, I.3)."""

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Refused
from events.games.baccarat import action_refusal_checks, table_procedure_and_limit_rules
from events.games.baccarat import rules as baccarat
from events.games.baccarat.action_structs import BurnCards, RuleShoe
from events.games.baccarat.event_types import CardsBurnt, ShoeRuled
from events.tables.actions.card_action_structs import LoadShoe, ReachCutCard
from events.tables.event_types.shoe_and_dealt_cards import CutCardReached, ShoeLoaded
from events.tables.table_session_state_structs import Events, GamePlay, Session, TableCase

Ruling = Literal["new_cards", "free_round", "go_on"]


class CoupPlay(GamePlay, frozen=True, kw_only=True, tag="baccarat"):
    """The shoe with the count of each card and its opening, the cards of the round, and the next cards."""

    shoe: str | None = None
    packs: int = 0
    seen: Mapping[str, int] = {}
    cut: bool = False
    burnt: bool = False
    free_rounds: int = 0
    wanted: bool = False
    ruling: Ruling | None = None
    free: bool = False
    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()
    next_cards: tuple[str, ...] = msgspec.field(name="kept", default=())
    personal: Mapping[str, tuple[int, int]] = {}

    def carried(self) -> "CoupPlay":
        """Return the shoe with its opening, its ruling and the limits, without cards of a round."""
        return replace(self, wanted=False, free=False, player=(), banker=())


def coup_of(session: Session) -> CoupPlay:
    """Return the baccarat state of the table."""
    return session.play if isinstance(session.play, CoupPlay) else CoupPlay()


def rules_of(session: Session) -> baccarat.BaccaratRules:
    """Return the baccarat rules of the table's ruleset."""
    return baccarat.rules(session.plays)


# --- the shoe -------------------------------------------------------------------------------------------------


def load_shoe(case: TableCase, data: LoadShoe) -> Events:
    """Load a shoe that was shuffled and sealed before, or shuffled at the table (P.3, P.4)."""
    case.phase("idle")
    try:
        action_refusal_checks.check_shoe(
            rules_of(case.session), data.packs, sealed=data.seal is not None, seal_whole=data.seal_whole
        )
    except Refused as refused:
        case.forbid("shoe", refused)
    prepared: Literal["ahead", "table"] = "ahead" if data.seal is not None and data.seal_whole else "table"
    return [ShoeLoaded(**case.session.where(), shoe=data.shoe, packs=data.packs, seal=data.seal, prepared=prepared)]


def shoe_loaded(session: Session, event: ShoeLoaded) -> Session:
    """Apply a new shoe; personal limits stay."""
    return replace(session, play=CoupPlay(shoe=event.shoe, packs=event.packs, personal=coup_of(session).personal))


def burn(case: TableCase, data: BurnCards) -> Events:
    """Burn the first card face up, then as many face down as its value (P.5)."""
    case.phase("idle")
    coup = with_shoe(case.session)
    try:
        action_refusal_checks.check_burn(rules_of(case.session), cards_out=bool(coup.seen))
    except Refused as refused:
        case.forbid("burn", refused)
    check_in_shoe(case, coup, data.card)
    face_down = table_procedure_and_limit_rules.burn(data.card).face_down
    return [CardsBurnt(**case.session.where(), card=data.card, face_down=face_down)]


def cards_burnt(session: Session, event: CardsBurnt) -> Session:
    """Apply the burn: the shoe is open, and its first card is counted."""
    coup = coup_of(session)
    return replace(session, play=replace(coup, burnt=True, seen=seen(coup, event.card)))


def seen(coup: CoupPlay, card: str) -> Mapping[str, int]:
    """Return the counts of the shoe's cards with one more."""
    return {**coup.seen, card: coup.seen.get(card, 0) + 1}


def with_shoe(session: Session) -> CoupPlay:
    """Return the state of a table with a shoe. Raises Refused without one."""
    coup = coup_of(session)
    if coup.shoe is None:
        raise Refused("house shoe", coded("shoe-not-loaded"))
    return coup


def check_in_shoe(case: TableCase, coup: CoupPlay, card: str) -> None:
    """Refuse a card that came as often as the shoe has packs; a fact gets an irregularity."""
    if coup.seen.get(card, 0) >= coup.packs:
        message = coded("card-not-in-shoe", card=card, times=coup.packs)
        case.forbid("card not in the shoe", Refused("house shoe", message, source="001 1.3"))


def rule_shoe(case: TableCase, data: RuleShoe) -> Events:
    """Record the manager's ruling on a shoe without a burn or free rounds (I.3)."""
    case.phase("idle")
    coup = with_shoe(case.session)
    if table_procedure_and_limit_rules.opening(
        rules_of(case.session), burnt=coup.burnt, free_rounds=coup.free_rounds
    ).bets:
        raise Refused(f"{case.session.ruleset} I.3", coded("shoe-opened-already"), source="001 3.3")
    return [ShoeRuled(**case.session.where(), ruling=data.ruling)]


def shoe_ruled(session: Session, event: ShoeRuled) -> Session:
    """Apply the ruling: new cards, a free round, or the shoe as it is."""
    coup = coup_of(session)
    if event.ruling == "new_cards":
        return replace(session, play=CoupPlay(personal=coup.personal))
    return replace(session, play=replace(coup, ruling=event.ruling))


def reach_cut_card(case: TableCase, data: ReachCutCard) -> Events:
    """Record the cut card: the dealer finishes the round, then shuffles (P.6)."""
    case.phase("no_more_bets", "dealing", "settled")
    return [CutCardReached(**case.session.where())]
