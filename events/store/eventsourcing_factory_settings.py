"""Settings of the eventsourcing library's factory that both backends have."""

from eventsourcing.utils import Environment

NAME = "pitledger"  # the tables are pitledger_events, pitledger_keys, pitledger_snapshots


def factory_environment(module: str, recorder: type, **settings: str) -> Environment:
    """Return the settings of the library's factory in this module. `settings`: those of the backend alone."""
    return Environment(
        NAME,
        {
            "PERSISTENCE_MODULE": module,
            "APPLICATION_RECORDER_TOPIC": f"{recorder.__module__}:{recorder.__qualname__}",
            "ORIGINATOR_ID_TYPE": "text",
            "CREATE_TABLE": "n",
            **settings,
        },
    )
