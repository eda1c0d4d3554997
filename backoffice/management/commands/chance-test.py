"""`./manage.py chance-test`: test closed results against chance, and record the outcome."""

from contextlib import closing
from typing import Any

from backoffice.management.house_command import HouseCommand, exit_code
from events.alerts.overdue_and_luck_event_recorder import count_chips, judge, of_house
from events.settings.settings_from_environment import settings
from events.store import open_store


class Command(HouseCommand):
    """The worker begins it when something was closed."""

    help = (
        "Test results against chance: every closed shift by table, and every closed gaming day by player. Each "
        "test is recorded once as an event (chance.judged), from which the alerts `hold` and `luck` are raised. "
        "Then check that the house does not hold more chips than it has issued. The worker runs this command on a "
        "schedule. Exit code 2: something cannot be read."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with closing(open_store(settings().store)) as store, exit_code(2):
            watchman = of_house(store, settings().property_)
            judged = judge(store, watchman)
            if count_chips(store, watchman):
                self.stdout.write("The house holds more chips than it has issued.")
        self.stdout.write(f"{judged} results tested")
