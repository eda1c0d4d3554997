"""Alerts, and the states of the watches."""

from django.db import models

from projections.engine.models import ReadModelRow


class Alert(ReadModelRow):
    """An alert for surveillance. The id is the hash of name, identifying events and `once`.

    `events` are the ids of its proofs as a JSON list, the raising one last. `data` are its details as JSON, amounts in
    minor units. `table` is empty for an alert without a table. `rule_version` is that of the rule in force then. Times
    have the form of the events.
    """

    name = models.TextField()
    severity = models.TextField()
    rule_version = models.IntegerField(default=1)
    raised_at_position = models.BigIntegerField()
    raised = models.TextField()
    stream = models.TextField()
    gaming_day = models.TextField(default="")
    table = models.TextField(default="")
    round = models.BigIntegerField(null=True)
    person = models.TextField(default="")
    events = models.TextField()
    data = models.TextField(default="{}")
    status = models.TextField(default="open")  # open, assigned, cleared
    assigned = models.TextField(default="")
    disposition = models.TextField(default="")
    notes = models.IntegerField(default=0)
    last_position = models.BigIntegerField(default=0)  # of the last action on it

    class Meta:
        indexes = [
            models.Index("raised_at_position", name="alert_position"),
            models.Index("status", "raised_at_position", name="alert_status"),
            models.Index("name", "raised_at_position", name="alert_name"),
            models.Index("gaming_day", "raised_at_position", name="alert_day"),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.id}"


class WatchState(ReadModelRow):
    """State of a watch. The id is WATCH:KEY, `state` the watch's own Struct as JSON."""

    state = models.TextField(default="")
