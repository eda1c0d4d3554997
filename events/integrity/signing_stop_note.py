"""Note why no integrity head can be signed, for every container of the house."""

import msgspec

from events.settings.settings_from_environment import settings
from events.store.named_notes_shared_by_processes import Notes

NOTE = "signer"


class SignerRefusal(msgspec.Struct, frozen=True):
    """Why the signer stopped, with the command that ends it; "" while it signs."""

    why: str = ""


def note_refusal(why: str) -> None:
    """Write the reason into the access log's database; "" when a head was signed again. Raises Retry."""
    Notes(settings().access).write(NOTE, msgspec.json.encode(SignerRefusal(why)))


def signer_refusal() -> str:
    """Return why no head can be signed; "" where nothing is in the way. Raises Retry."""
    try:
        return msgspec.json.decode(Notes(settings().access).read(NOTE) or b"{}", type=SignerRefusal).why
    except msgspec.MsgspecError:
        return ""
