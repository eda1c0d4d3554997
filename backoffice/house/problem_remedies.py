"""Problems of a running house, and what to do about each."""

import msgspec
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

_WAIT = _("It continues automatically. If this message stays, read its log (docs/reference/logs.md).")
_RESTART = _("Start it again: `./manage.py up`, `docker compose up --detach` or `systemctl start` as this house runs.")
_DO = {
    "missing": _RESTART,
    "stopped": _RESTART,
    "down": _("If it is paused, let it go on. If it ended, read the end of its log. It is started again by itself."),
    "silent": _("If it is paused, let it go on. If it hangs, restart it; no event is lost."),
    "waiting": _WAIT,
    "behind": _("Wait if the number falls. If it grows, look at the part's log, and at the load of its database."),
    "quarantine": _("Correct the cause, then run `./manage.py project --retry-poison` (`docs/howto/poison.md`)."),
}
_OF_SERVERS = {
    "store": _("Start PostgreSQL, or correct PITLEDGER_STORE. Until then no action is taken."),
    "read": _("Start PostgreSQL, or correct PITLEDGER_READ. Actions are taken meanwhile, figures stand still."),
    "kafka": _("Start Kafka, or correct PITLEDGER_KAFKA. Actions are taken meanwhile, figures stand still."),
    "task broker": _("Start Redis, or correct PITLEDGER_CELERY. Meanwhile beat does the tasks itself."),
}
_OTHER = {
    "figures": _("Run the command that it names."),
    "heads": _("Run the command that it names. Until then no head is signed and no gaming day can be closed."),
    "cases": _("Set PITLEDGER_CASE_KEY_FILE to the right file."),
    "disk": _("Make room on this disk, or move the data to a larger one."),
    "clock": _("Set the clocks of all machines by NTP: `timedatectl set-ntp true`."),
}


class Problem(msgspec.Struct, frozen=True):
    """A problem of the house: the part, its state in one word, the reason, and the remedy."""

    part: str
    state: str
    why: str
    do: str


def do_for(part: str, state: str) -> str:
    """Return what to do about a part in this state."""
    return gettext(_OF_SERVERS.get(part) or _OTHER.get(part) or _DO[state])
