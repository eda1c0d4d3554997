"""`./manage.py people`: list and add people, roles, badges and terminals."""

import argparse
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import msgspec
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from backoffice.access.personal_data_access_log import PERSON, from_terminal
from backoffice.management.house_command import HouseCommand
from backoffice.models import Device, Display, Person
from backoffice.people import (
    badge_and_key_authentication,
    display_keys,
    password_setup_links,
    staff_change_access_log_line,
    staff_list_and_name_lookup,
)
from events.desk.command_and_answer_structs import Answer
from events.desk.command_and_answer_structs import Command as DeskCommand
from events.envelope import Action, Who
from events.errors import Invalid
from events.people.approval_request_lifecycle import ApprovalRequested
from events.people.role_grant_decider import ROLES, read
from events.settings.setting_declarations import PREFIX
from events.settings.settings_from_environment import settings
from events.store import open_store
from events.store.guard_trigger_check import prepare
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target

if TYPE_CHECKING:
    from events.desk.desk import Desk

FORBIDDEN = 403


class Command(HouseCommand):
    help = "List and add people and terminals; grant and revoke roles, badges and device keys."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
        listed = commands.add_parser("list", help="list people with their roles, and terminals")
        listed.add_argument("--json", action="store_true", help="print JSON")
        add = commands.add_parser("add", help="grant a role; a new person gets a badge, which is shown once")
        add.add_argument("person", help="an opaque id; it is stored in events permanently, so it is not a name")
        add.add_argument("--role", required=True, choices=sorted(ROLES), metavar="ROLE", help=", ".join(sorted(ROLES)))
        add.add_argument("--name", default="", help="name for the directory only; it can be erased")
        remove = commands.add_parser("remove", help="revoke a role")
        remove.add_argument("person")
        remove.add_argument("--role", required=True, choices=sorted(ROLES), metavar="ROLE")
        enrol = commands.add_parser("enrol", help="print a link to set a password, valid once; also after a loss")
        enrol.add_argument("person")
        badge = commands.add_parser("badge", help="issue a new badge; old badges of the person are revoked")
        badge.add_argument("person")
        terminal = commands.add_parser(
            "terminal", help="issue a new key for a terminal at a table; its old keys are revoked"
        )
        terminal.add_argument("device")
        terminal.add_argument("--table", required=True)
        display = commands.add_parser("display", help="print a link that turns a screen into a display, valid once")
        display.add_argument("display")
        revoke = commands.add_parser("revoke", help="revoke all badges of a person, all keys of a device, or a display")
        revoke.add_argument("--person")
        revoke.add_argument("--device")
        revoke.add_argument("--display")
        for parser_ in (add, remove, enrol, badge, terminal, display, revoke):
            parser_.add_argument(
                "--by", default="installer", help="the administrator who runs the command (not for the first person)"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] != "list":  # a badge is shown once: its table must be there before anything happens
            call_command("migrate", interactive=False, verbosity=0)
        if options.get("person"):
            options["person"] = normalize("NFC", options["person"])
        try:
            getattr(self, f"_{options['what']}")(options)
        except Invalid as error:
            if error.field.startswith(PREFIX):  # a setting of the house, not the typed text
                raise
            raise CommandError(error.message[:1].upper() + error.message[1:]) from error

    def _list(self, options: dict[str, Any]) -> None:
        names = dict(Person.objects.values_list("id", "name"))
        from_terminal(PERSON, "people list", self.stderr.write, count=len(names))
        roles = self._roles()
        if options["json"]:
            self.write_json(_people_as_json(names, roles))
            return
        for person in sorted(names.keys() | roles.keys()):
            held = ", ".join(sorted(roles.get(person, ()))) or "no role"
            self.stdout.write(f"{person:<12} {held:<24} {names.get(person, '')}")
        for device in Device.objects.order_by("id"):
            self.stdout.write(f"{device.id:<12} terminal at {device.table}")
        for display in Display.objects.order_by("id"):
            self.stdout.write(f"{display.id:<12} display{'' if display.key else ', without a key'}")
        if not names and not roles:
            self.stdout.write("No people yet. Run `./manage.py people add ID --role administrator`.")

    def _add(self, options: dict[str, Any]) -> None:
        if self._change("role.grant", options):
            self.stdout.write(f"{options['person']} now has the role {options['role']}.")
        else:
            self.stdout.write(
                f"Sent for approval. When surveillance approves it in the inbox, {options['person']} has the role."
            )
        if not Person.objects.filter(id=options["person"]).exists():
            self._show("badge", badge_and_key_authentication.issue_badge(options["person"], options["name"]))
            staff_change_access_log_line.record_staff_change(options["by"], "badge", options["person"])

    def _remove(self, options: dict[str, Any]) -> None:
        self._change("role.revoke", options)
        self.stdout.write(f"{options['person']} no longer has the role {options['role']}.")

    def _enrol(self, options: dict[str, Any]) -> None:
        person = options["person"]
        self._must_be_known(person)
        code = password_setup_links.invite(person, options["by"])
        staff_change_access_log_line.record_staff_change(options["by"], "enrol", person)
        self.stdout.write(
            f"Open this within {password_setup_links.VALID_FOR.days} days, it works once:\n"
            f"{settings().link}{reverse('enrol')}#{code}"
        )

    def _badge(self, options: dict[str, Any]) -> None:
        self._must_be_known(options["person"])
        if staff_list_and_name_lookup.is_shut(options["person"]):
            raise CommandError(f"The account of {options['person']} is disabled. `people enrol` enables it again.")
        badge_and_key_authentication.revoke(person=options["person"])
        self._show("badge", badge_and_key_authentication.issue_badge(options["person"]))
        staff_change_access_log_line.record_staff_change(options["by"], "badge", options["person"])

    def _must_be_known(self, person: str) -> None:
        if person not in self._roles() and not Person.objects.filter(id=person).exists():
            raise CommandError(f"No person has the id {person!r}. `people add` creates one with a role and a badge.")

    def _terminal(self, options: dict[str, Any]) -> None:
        self._must_be_installed(options["table"])
        badge_and_key_authentication.revoke(device=options["device"])
        self._show("key", badge_and_key_authentication.issue_device_key(options["device"], options["table"]))
        staff_change_access_log_line.record_staff_change(options["by"], "terminal", options["device"])

    def _display(self, options: dict[str, Any]) -> None:
        code = display_keys.invite(options["display"], options["by"])
        staff_change_access_log_line.record_staff_change(options["by"], "display", options["display"])
        self.stdout.write(
            f"Open this on the screen within {display_keys.VALID_FOR.days} days, it works once:\n"
            f"{settings().link}{reverse('display')}#{code}"
        )

    def _must_be_installed(self, table: str) -> None:
        with self._desk() as desk:
            tables = sorted(desk.streams.cache.property_state("floor").tables)
        if table not in tables:
            there = f"there are: {', '.join(tables)}" if tables else "there is none yet"
            raise CommandError(f"there is no table {table!r:.40}; {there} (`table.install` brings one)")

    def _revoke(self, options: dict[str, Any]) -> None:
        if [options["person"], options["device"], options["display"]].count(None) != 2:
            raise CommandError("Name one of --person, --device and --display.", returncode=2)
        if options["display"] is not None:
            count = display_keys.revoke(options["display"])
        else:
            count = badge_and_key_authentication.revoke(person=options["person"], device=options["device"])
        staff_change_access_log_line.record_staff_change(
            options["by"], "revoke", options["person"] or options["device"] or options["display"]
        )
        self.stdout.write(f"{count} revoked.")

    def _show(self, what: str, key: str) -> None:
        self.stdout.write(f"The {what}, shown this once and kept as a hash only:\n{key}")

    def _change(self, kind: str, options: dict[str, Any]) -> bool:
        """Send the change; return True if it is done, False if it waits for an approval."""
        data = {"person": options["person"], "role": options["role"]}
        action = Action(type=kind, key=f"people:{uuid.uuid4()}", data=msgspec.Raw(msgspec.json.encode(data)))
        with self._desk() as desk:
            # A person who runs commands here holds the house's keys in hand: that is more than a second factor.
            who = Who(person=options["by"], roles=frozenset(), factor_s=0)
            reply = desk.do(DeskCommand(Target("people"), (action,), who))[0]
        if isinstance(reply, Problem):
            by = f" Name that person with --by: {options['by']} is not in such a role."
            raise CommandError(reply.detail + (by if reply.status == FORBIDDEN else ""))
        assert isinstance(reply, Answer)
        return bool(msgspec.json.decode(reply.events[-1].event)["type"] != ApprovalRequested.TYPE)

    def _roles(self) -> dict[str, frozenset[str]]:
        with closing(open_store(settings().store)) as store:
            prepare(store)
            return dict(read(store, settings().property_).roles)

    @contextmanager
    def _desk(self) -> "Iterator[Desk]":
        from events.desk.desk import Desk  # here: a list needs no decider

        with closing(open_store(settings().store)) as store:
            prepare(store)
            with closing(Desk(store, settings().property_)) as desk:
                yield desk


def _people_as_json(names: Mapping[str, str], roles: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """The list, for a program."""
    people = sorted(names.keys() | roles.keys())
    return {
        "people": [
            {"id": person, "name": names.get(person, ""), "roles": sorted(roles.get(person, ()))} for person in people
        ],
        "terminals": list(Device.objects.order_by("id").values("id", "table")),
    }
