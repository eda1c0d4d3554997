"""The roles of a house and the departments they belong to."""

from typing import Literal

Role = Literal[
    "dealer",
    "inspector",
    "pit boss",
    "cage",
    "count",
    "accountant",
    "progressive manager",
    "surveillance",
    "security",
    "auditor",
    "administrator",
    "system",
]

DEPARTMENT: dict[str, str] = {
    "dealer": "pit",
    "inspector": "pit",
    "pit boss": "pit",
    "cage": "cage",
    "count": "accounting",
    "accountant": "accounting",
    "progressive manager": "progressives",
    "surveillance": "surveillance",
    "security": "security",
}
