"""Results of people: a row for each round and player, and their sums by hour.

Every sum is made of the rows of rounds. So the results of a period are sums of hours, and each opens to its rounds.
"""

from typing import ClassVar

from django.db import models


class Result(models.Model):
    """Columns that rounds and hours have in common. Amounts in minor units; `theory_micro` in millionths.

    `player` is "" in the row of the whole table, which has the bets of all players decided together. A round belongs to
    the people on duty when it was opened, and to the hour in which it was opened (`hour`: its beginning in UTC).

    `win_minor` is the recorded win. `decided_minor`, `theory_micro`, `variance` and `third` (central moments) are of
    its decisions: without commissions, and vouchers count as stakes. `mispays` are players' rounds whose payments
    differ from the winnings due. `seconds` is the time of the `timed` rounds, `seconds_squared` the sum of its squares.
    """

    SUMMED: ClassVar[tuple[str, ...]] = (
        *("rounds", "ended", "voids", "bets", "staked_minor", "handle_minor", "win_minor", "mispay_minor", "mispays"),
        *("misdeals", "corrections", "irregularities", "timed", "seconds", "seconds_squared", "decisions"),
        *("decided_minor", "theory_micro", "variance", "third"),
    )

    stream = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    game = models.TextField()
    currency = models.TextField()
    hour = models.TextField()
    dealer = models.TextField()
    inspector = models.TextField()
    player = models.TextField()
    rounds = models.BigIntegerField()
    ended = models.BigIntegerField()
    voids = models.BigIntegerField()
    bets = models.BigIntegerField()
    staked_minor = models.BigIntegerField()
    handle_minor = models.BigIntegerField()
    win_minor = models.BigIntegerField()
    mispay_minor = models.BigIntegerField()
    mispays = models.BigIntegerField()
    misdeals = models.BigIntegerField()
    corrections = models.BigIntegerField()
    irregularities = models.BigIntegerField()
    timed = models.BigIntegerField()
    seconds = models.BigIntegerField()
    seconds_squared = models.BigIntegerField()
    decisions = models.BigIntegerField()
    decided_minor = models.BigIntegerField()
    theory_micro = models.BigIntegerField()
    variance = models.FloatField()
    third = models.FloatField()
    basis = models.TextField()  # the loosest of its decisions; "" without one

    class Meta:
        abstract = True


class RoundResult(Result):
    """One round, of the table or of one of its players. The id is SESSION#ROUND#PLAYER."""

    id = models.TextField(primary_key=True)
    round = models.BigIntegerField()
    position = models.BigIntegerField()  # of its opening
    began = models.TextField()

    class Meta:
        indexes = [
            models.Index("dealer", "player", "gaming_day", "position", name="roundresult_dealer"),
            models.Index("player", "gaming_day", "position", name="roundresult_player"),
            models.Index("stream", name="roundresult_stream"),
        ]

    def __str__(self) -> str:
        return self.id


class HourResult(Result):
    """Sums of the rounds of one hour at a table under the same people. The id has the session, the hour, the people."""

    id = models.TextField(primary_key=True)

    class Meta:
        indexes = [
            models.Index("dealer", "player", "gaming_day", name="hourresult_dealer"),
            models.Index("player", "gaming_day", "game", name="hourresult_player"),
            models.Index("stream", name="hourresult_stream"),
        ]

    def __str__(self) -> str:
        return self.id
