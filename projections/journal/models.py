"""The journal, event by event: one row an entry, posted once."""

from django.db import models

MICRO = 1_000_000
MICRO_MAX = 10**18  # of the amounts that `micro` has alone


class JournalEntry(models.Model):
    """An amount from the account credited to the one debited, in millionths of a minor unit.

    The id is its event's position and its number among that event's entries: posted again, it is the same row. `dated`
    is the gaming day of the entry, `day` that of its event, `takes_back` the event whose entry it reverses. Of an
    amount beyond MICRO_MAX `minor` has the whole minor units, `micro` only the rest.
    """

    id = models.BigIntegerField(primary_key=True)  # position * 1,000 + number
    position = models.BigIntegerField()
    event = models.TextField()
    rule = models.TextField()
    debit = models.TextField()
    credit = models.TextField()
    micro = models.BigIntegerField()
    currency = models.TextField()
    table = models.TextField()
    shift = models.TextField()
    day = models.TextField()
    dated = models.TextField()
    takes_back = models.TextField()
    minor = models.BigIntegerField(default=0)

    class Meta:
        indexes = [models.Index("dated", "position", name="journal_dated")]

    def __str__(self) -> str:
        return f"{self.event}: {self.debit} from {self.credit}"
