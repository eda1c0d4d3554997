"""The log of attempts: each has a row before anything is sent, and its result afterwards."""

from datetime import datetime

from backoffice.models import Delivery, DeliveryAttempt


def begin(delivery: Delivery, moment: datetime, next_try_at: datetime) -> DeliveryAttempt:
    """Write down that an attempt begins. Without a result afterwards the sender was killed in it."""
    subscription = delivery.subscription
    return DeliveryAttempt.objects.create(
        delivery=delivery,
        at=moment,
        kind="folder" if subscription.folder else "webhook" if subscription.webhook else "mail",
        destination=subscription.folder or subscription.webhook,
        next_try_at=next_try_at,
        requested_by=delivery.requested_by,
    )


def end(attempt: DeliveryAttempt, state: str, result: str) -> None:
    """Write down how an attempt ended: the state of its delivery, and a short code without any content."""
    changes = {"state": state, "result": result[:80]} | ({} if state == "waiting" else {"next_try_at": None})
    DeliveryAttempt.objects.filter(id=attempt.id).update(**changes)
