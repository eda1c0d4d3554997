"""The second person at a count or a removal. Both answer for it."""

from events.error_codes import coded
from events.errors import Refused
from events.roles import DEALING, Roles
from events.tables.table_session_state_structs import TableCase

COUNTING: Roles = (*DEALING, "security", "cage", "accountant", "count")
COUNT = "house count (NJ 1.21)"
SECURITY: Roles = ("security",)


def require_witness(case: TableCase, witness: str, clause: str) -> None:
    """Require a second person at work in the house. A count by one person is forbidden; as a fact, it is recorded
    so."""
    if witness == case.who.person:
        case.forbid("alone", Refused(clause, coded("witness-is-the-same", witness=witness), field="data.witness"))
    elif not case.roles_of(witness) & {*COUNTING}:
        case.forbid(
            "no witness",
            Refused(
                clause, coded("witness-not-of-counting", witness=witness, roles=sorted(COUNTING)), field="data.witness"
            ),
        )


def require_security(case: TableCase, witness: str | None, clause: str) -> None:
    """Two people, one of them of security."""
    if witness is None or witness == case.who.person:
        return case.forbid("alone", Refused(clause, coded("witness-needed"), field="data.witness"))
    if not (case.who.roles | case.roles_of(witness)) & {*SECURITY}:
        case.forbid("no security", Refused(clause, coded("security-needed"), field="data.witness"))
    return None
