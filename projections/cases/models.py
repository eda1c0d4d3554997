"""Events of cases. No log, search or alert has them."""

from django.db import models

from projections.engine.models import ReadModelRow


class CaseEvent(ReadModelRow):
    """An event in a case's stream. The id is STREAM@VERSION, `raw` the event's own bytes as text."""

    case = models.TextField()
    version = models.BigIntegerField()
    position = models.BigIntegerField()
    type = models.TextField()
    raw = models.TextField()

    class Meta:
        indexes = (
            models.Index("case", "version", name="caseevent_case"),
            models.Index("position", name="caseevent_position"),
        )
