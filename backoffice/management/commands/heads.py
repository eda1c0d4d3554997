"""`./manage.py heads`: show the integrity heads, or continue them after a restore."""

from contextlib import closing
from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser
from django.db import Error

from backoffice.management.house_command import HouseCommand
from backoffice.people import session_store
from backoffice.running import embedded_kafka_broker_process
from events.errors import Conflict, PitledgerError, Retry
from events.integrity.head_signing import last_head
from events.integrity.signed_head_format import decode
from events.integrity.signed_head_stores import Heads, open_heads
from events.relay import witness_delivery as outside
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.signing.last_signed_head_file import GivenUpHeads, LastHead, NewKey
from events.store import open_store


class HeadsState(msgspec.Struct, frozen=True):
    """The store's last head, the signer's, the heads that were given up in favour of backups, and the witness."""

    store: LastHead | None
    signer: LastHead | None
    given_up: list[GivenUpHeads]
    witness: outside.Standing | None = None

    @property
    def goes_on(self) -> bool:
        """Return whether the signer continues from the store's heads."""
        last = self.signer
        return last is None or (self.store is not None and self.store.number >= last.number)


class Command(HouseCommand):
    """Reads only, but for --accept-restored and --new-key."""

    help = (
        "Show the last integrity head in the event store, the last one of this machine's signer, and the last "
        "contact with the witness (PITLEDGER_WITNESS). The signer continues only from its own last head. It stops "
        "if heads were removed, or if the store comes from an older backup. After a restore that people have "
        "decided, --accept-restored N lets it continue. N is the last head in the restored store, 0 for none. The "
        "decision is recorded beside the key. If the key is lost, --new-key N continues from head N with the key "
        "that is here now. The old key stays trusted for its own heads. Publish the new key. Exit code 1: the "
        "signer would stop, or N is not the store's last head. Exit code 2: something cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--accept-restored", type=int, metavar="N", help="continue from head N of the restored store"
        )
        parser.add_argument(
            "--new-key", type=int, metavar="N", help="continue from head N with the key that is here now"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        heads = open_heads(settings().store)
        try:
            if options["accept_restored"] is not None or options["new_key"] is not None:
                house_signing_key.must_be_here()
            if options["accept_restored"] is not None:
                self._accept(heads, options["accept_restored"])
            if options["new_key"] is not None:
                _change_key(heads, options["new_key"])
            self._say(_heads_state(heads), as_json=options["json"])
        except Conflict as error:
            raise CommandError(str(error), returncode=1) from error
        except (PitledgerError, OSError) as error:
            raise CommandError(str(error), returncode=2) from error
        finally:
            heads.close()

    def _accept(self, heads: Heads, number: int) -> None:
        from events.relay.integrity_heads_topic import (
            left_behind,  # here: a command that only shows heads loads no Kafka client
        )

        last, now = _last_stored_head(heads, number), _present_time()
        try:
            elsewhere = left_behind(
                heads, embedded_kafka_broker_process.bootstrap(), settings().property_, now, house_signing_key.trusted()
            )
        except Retry as error:
            self.stderr.write(f"The heads on Kafka could not be read: {error}")
            elsewhere = None
        house_signing_key.memory().accept(settings().property_, last, now, elsewhere)
        try:
            session_store.end_all()
        except Error as error:
            self.stderr.write(f"Sessions could not be ended: {error}")

    def _say(self, heads_state: HeadsState, *, as_json: bool) -> None:
        if as_json:
            self.write_json(heads_state)
        else:
            self.stdout.write(f"in the event store: {_head_line(heads_state.store)}")
            self.stdout.write(f"by this machine's signer: {_head_line(heads_state.signer)}")
            for entry in heads_state.given_up:
                self.stdout.write(f"abandoned on {entry.time}: heads {entry.last_kept + 1} to {entry.last.number}")
            self.stdout.write(_witnessed(heads_state.witness))
        if not heads_state.goes_on:
            raise CommandError(
                "The signer cannot continue from these heads. Run `verify`, then see docs/howto/backup.md."
            )


def _last_stored_head(heads: Heads, number: int) -> LastHead | None:
    """The store's last head, which has this number. Raises Conflict."""
    last = _heads_state(heads).store
    if number != (last.number if last else 0):
        there = f"its last is {last.number}" if last else "it holds none"
        raise Conflict(f"the store does not end with head {number}: {there}")
    return last


def _present_time() -> str:
    with closing(open_store(settings().store)) as store:
        return store.clock()


def _change_key(heads: Heads, number: int) -> None:
    """Change to the present key from this head on. Heads signed by the former key stay valid."""
    last, raw = _last_stored_head(heads, number), heads.last()
    if last is None or raw is None:
        raise Conflict("there is no head yet: the key that is here signs the first")
    former, key = decode(raw).key, house_signing_key.signer().public
    if former == key:
        raise Conflict(f"head {number} was signed by the key that is here")
    house_signing_key.keep_former(former, number)
    house_signing_key.memory().change_key(
        settings().property_, last, NewKey(after=number, former=former, key=key, time=_present_time())
    )


def _heads_state(heads: Heads) -> HeadsState:
    memory, property_ = house_signing_key.memory(), settings().property_
    raw = heads.last()
    return HeadsState(
        store=last_head(decode(raw)) if raw else None,
        signer=memory.last(property_),
        given_up=list(memory.given_up(property_)),
        witness=outside.last_contact(settings().witness),
    )


def _witnessed(witness: outside.Standing | None) -> str:
    if witness is None:
        return "witness: none is named (PITLEDGER_WITNESS)"
    reached = f"last reached {witness.reached}, with head {witness.last}" if witness.reached else "never reached"
    return f"witness {witness.where}: {reached}" + (f"; tried {witness.tried}: {witness.why}" if witness.why else "")


def _head_line(last: LastHead | None) -> str:
    return f"head {last.number} over {last.size:,} events up to position {last.position:,}" if last else "none"
