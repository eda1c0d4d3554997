"""`./manage.py people`: who works here, in which roles, with which badges; and the tables' terminals."""

import argparse
import uuid
from typing import Any

import msgspec
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from backoffice.api import credentials
from backoffice.models import Device, Person
from events.commands import Command as DeskCommand
from events.desk import Desk
from events.envelope import Action, Who
from events.kinds import Target
from events.people import ROLES
from events.problems import Problem
from events.settings import settings
from events.store import open_store
from events.store.guards import prepare

FORBIDDEN = 403


class Command(BaseCommand):
    help = "Lists people and terminals, adds them, gives and revokes roles, badges and device keys."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        what = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
        what.add_parser("list", help="people with their roles, and terminals")
        add = what.add_parser("add", help="give somebody a role; a new person gets a badge, shown once")
        add.add_argument("person", help="an opaque id, which stands in events for ever: no name")
        add.add_argument("--role", required=True, choices=sorted(ROLES), metavar="ROLE", help=", ".join(sorted(ROLES)))
        add.add_argument("--name", default="", help="kept in the directory only, can be erased")
        remove = what.add_parser("remove", help="take a role from somebody")
        remove.add_argument("person")
        remove.add_argument("--role", required=True, choices=sorted(ROLES), metavar="ROLE")
        for parser_ in (add, remove):
            parser_.add_argument("--by", default="installer", help="the administrator who does it (not for the first)")
        badge = what.add_parser("badge", help="a new badge for somebody; the old ones are revoked")
        badge.add_argument("person")
        terminal = what.add_parser("terminal", help="a new key for a table's terminal; the old ones are revoked")
        terminal.add_argument("device")
        terminal.add_argument("--table", required=True)
        revoke = what.add_parser("revoke", help="revoke all badges of a person, or all keys of a device")
        revoke.add_argument("--person")
        revoke.add_argument("--device")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] != "list":  # a badge is shown once: its table must be there before anything happens
            call_command("migrate", interactive=False, verbosity=0)
        getattr(self, f"_{options['what']}")(options)

    def _list(self, options: dict[str, Any]) -> None:
        names = dict(Person.objects.values_list("id", "name"))
        roles = self._roles()
        for person in sorted(names.keys() | roles.keys()):
            held = ", ".join(sorted(roles.get(person, ()))) or "no role"
            self.stdout.write(f"{person:<12} {held:<24} {names.get(person, '')}")
        for device in Device.objects.order_by("id"):
            self.stdout.write(f"{device.id:<12} terminal at {device.table}")
        if not names and not roles:
            self.stdout.write("Nobody yet: ./manage.py people add ID --role administrator")

    def _add(self, options: dict[str, Any]) -> None:
        self._change("role.grant", options)
        self.stdout.write(f"{options['person']} is in the role {options['role']}.")
        if not Person.objects.filter(id=options["person"]).exists():
            self._show("badge", credentials.issue_badge(options["person"], options["name"]))

    def _remove(self, options: dict[str, Any]) -> None:
        self._change("role.revoke", options)
        self.stdout.write(f"{options['person']} is in the role {options['role']} no more.")

    def _badge(self, options: dict[str, Any]) -> None:
        person = options["person"]
        if person not in self._roles() and not Person.objects.filter(id=person).exists():
            raise CommandError(f"there is nobody {person!r}: `people add` gives a role and the first badge")
        credentials.revoke(person=options["person"])
        self._show("badge", credentials.issue_badge(options["person"]))

    def _terminal(self, options: dict[str, Any]) -> None:
        credentials.revoke(device=options["device"])
        self._show("key", credentials.issue_device_key(options["device"], options["table"]))

    def _revoke(self, options: dict[str, Any]) -> None:
        if (options["person"] is None) == (options["device"] is None):
            raise CommandError("name either --person or --device", returncode=2)
        count = credentials.revoke(person=options["person"], device=options["device"])
        self.stdout.write(f"{count} revoked.")

    def _show(self, what: str, key: str) -> None:
        self.stdout.write(f"The {what}, shown this once and kept as a hash only:\n{key}")

    def _change(self, kind: str, options: dict[str, Any]) -> None:
        data = {"person": options["person"], "role": options["role"]}
        action = Action(type=kind, key=f"people:{uuid.uuid4()}", data=msgspec.Raw(msgspec.json.encode(data)))
        desk = self._desk()
        try:
            who = Who(person=options["by"], roles=frozenset())
            reply = desk.do(DeskCommand(Target("people"), (action,), who))[0]
        finally:
            desk.close()
            desk.store.close()
        if isinstance(reply, Problem):
            how = f": name one by --by ({options['by']} is none)" if reply.status == FORBIDDEN else ""
            raise CommandError(f"{reply.detail}{how}")

    def _roles(self) -> dict[str, frozenset[str]]:
        desk = self._desk()
        try:
            return dict(desk.streams.cache.only("people").roles)
        finally:
            desk.close()
            desk.store.close()

    def _desk(self) -> Desk:
        store = open_store(settings().store)
        prepare(store)
        return Desk(store, settings().property_)
