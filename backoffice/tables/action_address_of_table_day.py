"""The address of a table's gaming day in the action interface."""


def table_address(session: str) -> tuple[str, str]:
    """Return the address at which a table's day takes actions, also after its close."""
    _, _, table, day = session.split("/")
    return f"tables/{table}", f"gaming_day={day}"
