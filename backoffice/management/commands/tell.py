"""`./manage.py tell`: tell whoever asked for it that something waits for them."""

from typing import Any

from django.core.management.base import BaseCommand

from backoffice.inbox.mails import tell
from events.settings.settings import settings


class Command(BaseCommand):
    """The worker does it every PITLEDGER_TELL_S seconds."""

    help = (
        "Tell by mail (PITLEDGER_MAIL) whoever asked for it on their own page, and the installation's webhook "
        "(PITLEDGER_WEBHOOK), that something waits: each of each matter once. The worker does it every "
        "PITLEDGER_TELL_S seconds."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings().tells:
            self.stdout.write("Nobody is told: PITLEDGER_MAIL and PITLEDGER_WEBHOOK are not set.")
            return
        done = tell()
        self.stdout.write(f"{done.mails} told by mail, the webhook took {done.posted}.")
