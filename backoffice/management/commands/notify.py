"""`./manage.py notify`: send notifications of waiting items."""

from typing import Any

from backoffice.inbox.mail_and_webhook_notifier import send_notifications
from backoffice.management.house_command import HouseCommand
from events.settings.settings_from_environment import settings


class Command(HouseCommand):
    """The worker does it every PITLEDGER_TELL_S seconds."""

    help = (
        "Send notifications of waiting items: by e-mail (PITLEDGER_MAIL) to people who asked for it on their page, "
        "and to the webhook (PITLEDGER_WEBHOOK). Each item is sent once to each. Then send the deliveries of "
        "subscriptions, also to the webhooks of PITLEDGER_DESTINATIONS. The worker runs this command "
        "every PITLEDGER_TELL_S seconds."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings().tells:
            self.stdout.write("Nothing is sent: set PITLEDGER_MAIL, PITLEDGER_WEBHOOK or PITLEDGER_DESTINATIONS.")
            return
        from backoffice.deliveries.due_delivery_creation_and_sending import (
            deliver,  # here: `completion` loads every command
        )
        from backoffice.deliveries.video_system_bookmark_sender import push_bookmarks

        done = send_notifications()
        self.stdout.write(f"{done.mails} notifications by e-mail, {done.posted} to the webhook.")
        self.stdout.write(f"{deliver()} deliveries to subscribers.")
        self.stdout.write(f"{push_bookmarks()} bookmarks to video systems.")
