"""The event log: every event once, by position, with its search fields and its bytes."""

from typing import Self

from django.db import models
from django.db.models import Q


def _maybe() -> "models.TextField[str | None, str | None]":
    """Return a column for text that not every event has. NULL, since the indexes leave out missing values."""
    return models.TextField(null=True)


# Filters with an index of their own, by position; events without a value take no room in it. An index costs 2 us an
# event. A filter that most events pass (pit, seat) is answered by reading the positions in order.
INDEXED = (
    "table",
    "gaming_day",
    "shift",
    "dealer",
    "inspector",
    "player",
    "amount_minor",
    "correlation",
    "causation",
    "actor",
    "round",
    "box",
    "corrects",
    "tender",
    "ruleset",
    "wager",
    "outcome",
    "due_minor",
)
# The value of nearly every event in this column. The index has the other values only, so it costs little.
FREQUENT = {"actorrole": "dealer"}
# Pairs of frequent filters that people use together: the index of the first contains the second.
PAIRS = (("player", "type"),)
# The types of payments to a person. Their amounts have an index of their own, because stakes are far more frequent.
PAID = ("payment.made.v1", "jackpot.paid.v1", "envy.paid.v1")
WORDS_MAX = 4_096  # different words of an event


class EventLogQuerySet(models.QuerySet["EventLog"]):
    """Pages of the log are keyset pages: `after` a position, or `before` one, never an offset."""

    def named(self, event_id: str) -> Self:
        """Return the event with this id (`STREAM@VERSION`), or nothing."""
        stream, _, version = event_id.rpartition("@")
        return self.filter(stream=stream, version=int(version)) if version.isdecimal() else self.none()

    def after(self, position: int) -> Self:
        """Return the events after a position, oldest first."""
        return self.filter(position__gt=position).order_by("position")

    def before(self, position: int) -> Self:
        """Return the events before a position, newest first."""
        return self.filter(position__lt=position).order_by("-position")


class EventLog(models.Model):
    """One event. `amount_minor` is None for an event without money, `due_minor` for one without an amount due;
    `raw` are the store's own bytes."""

    position = models.BigIntegerField(primary_key=True)
    stream = models.TextField()
    version = models.BigIntegerField()
    type = models.TextField()
    time = models.DateTimeField()
    recordedat = models.DateTimeField()
    pit = _maybe()
    table = _maybe()
    gaming_day = _maybe()
    shift = _maybe()
    round = models.BigIntegerField(null=True)
    dealer = _maybe()
    inspector = _maybe()
    seat = models.BigIntegerField(null=True)
    box = models.BigIntegerField(null=True)
    player = _maybe()
    amount_minor = models.BigIntegerField(null=True)
    tender = _maybe()
    ruleset = _maybe()
    corrects = _maybe()
    wager = _maybe()
    outcome = _maybe()
    due_minor = models.BigIntegerField(null=True)
    actor = models.TextField()
    actorrole = models.TextField()
    device = _maybe()
    correlation = _maybe()
    causation = _maybe()
    raw = models.BinaryField()

    objects = EventLogQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index("stream", "version", "position", name="log_stream"),
            models.Index("type", "position", name="log_type"),
            models.Index("time", "position", name="log_time"),
            *(
                models.Index(name, "position", name=f"log_{name}", condition=Q((f"{name}__isnull", False)))
                for name in INDEXED
            ),
            *(
                models.Index(
                    name,
                    "position",
                    name=f"log_{name}",
                    condition=Q((f"{name}__isnull", False)) & ~Q((name, usual)),
                )
                for name, usual in FREQUENT.items()
            ),
            *(
                models.Index(
                    *names, "position", name=f"log_{'_'.join(names)}", condition=Q((f"{names[0]}__isnull", False))
                )
                for names in PAIRS
            ),
            models.Index(
                "amount_minor", "position", name="log_paid", condition=Q(amount_minor__isnull=False, type__in=PAID)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.event_id} {self.type}"

    @property
    def event_id(self) -> str:
        """Return the event's name everywhere, `STREAM@VERSION`."""
        return f"{self.stream}@{self.version}"


class EventWord(models.Model):
    """A word of an event: of text written by people, of the code of an irregularity, and that code itself.

    The code has the form `kind:CODE`. Words are folded, as in a search.
    """

    number = models.BigIntegerField(primary_key=True)  # the position times WORDS_MAX, plus the number of the word
    word = models.TextField()
    position = models.BigIntegerField()

    class Meta:
        indexes = [models.Index("word", "position", name="word_order")]

    def __str__(self) -> str:
        return f"{self.word} at {self.position}"
