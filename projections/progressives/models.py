"""Progressives: meters, contributions, hits, locks, envy.

"micro" amounts are millionths of a minor unit: exact integers, since rates are integer millionths of a stake.
"""

from django.db import models

from projections.engine.models import ReadModelRow

MICRO = 1_000_000


class Progressive(ReadModelRow):
    """A progressive at its opening. The id is its stream; `envy` is JSON: level -> [low stake, high stake]."""

    progressive = models.TextField()
    ruleset = models.TextField()
    currency = models.TextField()
    policy = models.TextField()
    stake_low_minor = models.BigIntegerField()
    stake_high_minor = models.BigIntegerField()
    envy = models.TextField()
    envy_to_winner = models.BooleanField()
    withhold_millionths = models.BigIntegerField()
    surveillance_over_minor = models.BigIntegerField(default=0)
    position = models.BigIntegerField(default=0)  # where it was opened


class ProgressiveLevel(ReadModelRow):
    """Meter of one level. Always `meter = start + seeds + fed + adjusted - locked`, all in micro but `locked_minor`.

    The id is STREAM/LEVEL. Feed and reserve rates in millionths of a stake.
    """

    stream = models.TextField()
    progressive = models.TextField()
    level = models.TextField()
    rank = models.IntegerField()  # order of the levels as they were opened
    start_micro = models.BigIntegerField()
    meter_micro = models.BigIntegerField()
    fed_micro = models.BigIntegerField(default=0)
    seeds_micro = models.BigIntegerField(default=0)
    adjusted_micro = models.BigIntegerField(default=0)
    locked_minor = models.BigIntegerField(default=0)
    house_minor = models.BigIntegerField(default=0)
    locks = models.BigIntegerField(default=0)  # that stand
    paid_minor = models.BigIntegerField(default=0)  # shares paid
    reserve_start_micro = models.BigIntegerField()
    reserve_micro = models.BigIntegerField()
    reserve_fed_micro = models.BigIntegerField(default=0)
    seed_micro = models.BigIntegerField()
    cap_micro = models.BigIntegerField(null=True)
    feed_millionths = models.BigIntegerField()
    reserve_millionths = models.BigIntegerField()

    @property
    def shown_minor(self) -> int:
        """Return the displayed amount: the meter or its cap, rounded down to whole minor units."""
        top = self.meter_micro if self.cap_micro is None else min(self.meter_micro, self.cap_micro)
        return top // MICRO

    @property
    def overflow_micro(self) -> int:
        """Return the part of the meter above the cap."""
        return 0 if self.cap_micro is None else max(0, self.meter_micro - self.cap_micro)


class ProgressiveParameters(ReadModelRow):
    """Rates of a level from a position on; a round feeds at those when it was armed. The id is EVENT-ID/LEVEL."""

    level_id = models.TextField()
    position = models.BigIntegerField()
    feed_millionths = models.BigIntegerField()
    reserve_millionths = models.BigIntegerField()

    class Meta:
        indexes = [models.Index("level_id", "position", name="parameters_order")]


class ArmedRound(ReadModelRow):
    """Players in a progressive's round: `bets` is JSON, [[box, player, stake_minor], ...].

    A round that may not be (another stake than the two there are) is "refused": it fed nothing.
    The id is SESSION#ROUND.
    """

    stream = models.TextField()
    session = models.TextField()
    round = models.BigIntegerField()
    position = models.BigIntegerField()
    status = models.TextField()  # armed, dealt, over, void, refused
    dealer = models.TextField(default="")
    bets = models.TextField()

    class Meta:
        indexes = [models.Index("stream", "position", name="armed_stream")]

    @property
    def dealt(self) -> bool:
        """Return whether its initial deal is complete, or it was declared void."""
        return self.status in ("dealt", "over", "void")

    @property
    def over(self) -> bool:
        """Return whether it has ended, or was declared void."""
        return self.status in ("over", "void")

    @property
    def void(self) -> bool:
        """Return whether it was declared void."""
        return self.status == "void"


class ArmedTable(models.Model):
    """A table's gaming day at its progressive: which round is armed and not over, and the last that was armed."""

    session = models.TextField(primary_key=True)
    open_round = models.BigIntegerField(null=True)
    last_round = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.session


class ProgressiveTable(ReadModelRow):
    """Contribution of one table's gaming day to one level. The id is SESSION-STREAM|PROGRESSIVE-STREAM/LEVEL."""

    session = models.TextField()
    level_id = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    rounds = models.BigIntegerField(default=0)
    stakes_minor = models.BigIntegerField(default=0)
    fed_micro = models.BigIntegerField(default=0)
    reserve_fed_micro = models.BigIntegerField(default=0)

    class Meta:
        indexes = [
            models.Index("level_id", "session", name="contribution_level"),
            models.Index("session", name="contribution_session"),
        ]


class Hit(ReadModelRow):
    """A declared hit. Place and player come from the table's stream, the outcome from the progressive's.

    `share_minor` is None while it is pending or void. The id is STREAM/HIT.
    """

    stream = models.TextField()
    hit = models.TextField()
    level = models.TextField(default="")
    status = models.TextField(default="pending")  # pending, locked, authorised, paid, void, refused
    share_minor = models.BigIntegerField(null=True)
    approved = models.TextField(default="[]")  # JSON list: the shares for which it was authorised, now or once
    slip = models.TextField(default="")
    is_late = models.BooleanField(default=False)
    session = models.TextField(default="")
    table = models.TextField(default="")
    gaming_day = models.TextField(default="")
    round = models.BigIntegerField(default=0)
    box = models.BigIntegerField(default=0)
    player = models.TextField(default="")
    dealer = models.TextField(default="")
    position = models.BigIntegerField(default=0)
    since = models.BigIntegerField(default=0)  # position of the event that gave it this status

    class Meta:
        indexes = [
            models.Index("stream", "position", name="hit_stream"),
            models.Index("session", "round", name="hit_round"),
            models.Index("status", "stream", name="hit_status"),
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.status}"


class Lock(ReadModelRow):
    """The lock of a group of hits by its last revision; `is_standing` is False after its withdrawal.

    The meter gives `amount_minor`, the house `house_minor`; shares = amount + house. The id is STREAM/GROUP.
    """

    stream = models.TextField()
    level = models.TextField()
    group = models.TextField()
    revision = models.BigIntegerField()
    is_standing = models.BooleanField()
    as_of = models.BigIntegerField()
    hits = models.TextField()  # JSON list, in order of position
    share_minor = models.BigIntegerField()
    amount_minor = models.BigIntegerField()
    house_minor = models.BigIntegerField()
    meter_micro = models.BigIntegerField()
    seed_micro = models.BigIntegerField()
    from_reserve_micro = models.BigIntegerField()
    position = models.BigIntegerField(default=0)  # of the last event about it

    class Meta:
        indexes = [models.Index("stream", "level", "as_of", name="lock_level")]

    def __str__(self) -> str:
        return f"{self.id} revision {self.revision}"


class Envy(ReadModelRow):
    """The fixed sum that a player gets because another person at his table hit. The id is STREAM/HIT/PLAYER."""

    stream = models.TextField()
    hit = models.TextField()
    player = models.TextField()
    amount_minor = models.BigIntegerField()
    slip = models.TextField()

    class Meta:
        indexes = [models.Index("stream", "hit", name="envy_hit")]
