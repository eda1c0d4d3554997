"""Tables on the floor, their rounds, and the irregularities that a person must clear."""

from django.db import models

from projections.engine.models import ReadModelRow


class InstalledTable(ReadModelRow):
    """A table as last installed: its game from the next session on. The id is STREAM/TABLE."""

    table = models.TextField()
    pit = models.TextField()
    game = models.TextField()
    ruleset = models.TextField()
    currency = models.TextField()
    progressive = models.TextField(default="")
    position = models.BigIntegerField()


class PlayedRound(ReadModelRow):
    """A round so far. The id is SESSION#ROUND, times have the form of the events, amounts are in minor units.

    `result` is the result of the wheel or the dealer's cards, in short. `due_minor` is due by the rules, `paid_minor`
    was paid *in* this round, `returned_minor` are stakes returned unsettled. `win_minor` is its recorded win.
    """

    stream = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    round = models.BigIntegerField()
    position = models.BigIntegerField()
    began = models.TextField()
    ended = models.TextField(default="")
    state = models.TextField(default="in play")  # in play, ended, voided
    result = models.TextField(default="")
    colour = models.TextField(default="")
    players = models.TextField(default="[]")  # JSON list, in the order of their first bets; null: no one's
    bets = models.BigIntegerField(default=0)
    hits = models.BigIntegerField(default=0)
    stakes_minor = models.BigIntegerField(default=0)
    due_minor = models.BigIntegerField(default=0)
    paid_minor = models.BigIntegerField(default=0)
    returned_minor = models.BigIntegerField(default=0)
    win_minor = models.BigIntegerField(default=0)

    class Meta:
        indexes = [models.Index("stream", "position", name="round_stream")]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"


class Irregularity(ReadModelRow):
    """A fact that a rule forbids or that does not fit. The id is the event's.

    `clearer` is the role that must clear it, `action` the action for that, "" where no action of the house does it.
    `code` and `params` (JSON) make the sentence in the reader's language; "" in events of earlier versions.
    """

    stream = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    round = models.BigIntegerField(null=True)
    position = models.BigIntegerField()
    time = models.TextField()
    kind = models.TextField()
    clause = models.TextField()
    detail = models.TextField()
    code = models.TextField(default="", db_default="")
    params = models.TextField(default="", db_default="")
    clearer = models.TextField()
    action = models.TextField(default="")

    class Meta:
        indexes = [models.Index("stream", "position", name="irregularity_stream")]

    def __str__(self) -> str:
        return f"{self.id}: {self.kind}"
