"""`./manage.py judge`: hold what was closed against chance, and say it in the log."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from events.alerts.system_recorder import count_chips, judge, of_house
from events.errors import PitledgerError
from events.settings.settings import settings
from events.store import open_store


class Command(BaseCommand):
    """The worker begins it when something was closed."""

    help = (
        "Hold against chance what came of every shift that was closed at a table, and of every gaming day that was "
        "closed by player, and say it in the log, each once (chance.judged); the alerts hold and luck rest on it. Then "
        "look whether more chips lie in the house than it has issued. The worker does it by itself. Exit code: 0; 2 "
        "for what cannot be read."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        store = open_store(settings().store)
        try:
            watchman = of_house(store, settings().property_)
            judged = judge(store, watchman)
            if count_chips(store, watchman):
                self.stdout.write("more chips lie in the house than it has issued")
        except PitledgerError as error:
            raise CommandError(str(error), returncode=2) from error
        finally:
            store.close()
        self.stdout.write(f"{judged} judged")
