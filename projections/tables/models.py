"""Tables by gaming day: the money of the tray and the box on one side, bets and payments on the other.

The read model `accounts` writes `TableDay`, with the shifts of the day; the read model `tables` writes `WagerDay`.
"""

from django.db import models

from projections.engine.models import ReadModelRow


class TableDay(ReadModelRow):
    """Gaming day of one table. Amounts in minor units; None: not known yet. The id is the session's stream.

    `kept_millionths` (of a minor unit): commissions already deducted from the winnings due. `corrections`: voided
    settlements and corrected bets; `corrected_minor` is their change of the recorded win.

    `rolled_from` and `rolled_into`: the gaming days before and after it where the table played on. `carried_in_minor`
    and `carried_out_minor` were on the layout then, and are stakes of the later of the two days.

    `found_minor`: found beyond the expected amount by counts before the last one; the closer has it, too. A day that is
    not `recorded` is counted only: its bets are unknown.

    `beyond_record_minor` is the content of the counted boxes beyond the recorded buy-ins in cash and markers.
    `by_count_room`: two people have counted one of them there.

    `state` is the same day by shift (`projections.accounts.table_days.TableState` as JSON), empty for a void day.
    `counted_at` is the position of its last count of any kind, `counted_before` of the one before.
    """

    property = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    game = models.TextField(default="")
    pit = models.TextField(default="")
    ruleset = models.TextField(default="")
    currency = models.TextField(default="")
    progressive = models.TextField(default="")
    status = models.TextField(default="new")  # new, open, closed, counted, void
    opener_minor = models.BigIntegerField(default=0)
    opener_chips = models.TextField(default="{}")
    closer_minor = models.BigIntegerField(null=True)
    closer_chips = models.TextField(default="{}")
    expected_minor = models.BigIntegerField(null=True)
    buyins_cash_minor = models.BigIntegerField(default=0)
    buyins_marker_minor = models.BigIntegerField(default=0)
    buyins_promotional_minor = models.BigIntegerField(default=0)
    fills_minor = models.BigIntegerField(default=0)
    credits_minor = models.BigIntegerField(default=0)
    drop_minor = models.BigIntegerField(null=True)
    drop_promotional_minor = models.BigIntegerField(null=True)
    stakes_minor = models.BigIntegerField(default=0)
    resolved_minor = models.BigIntegerField(default=0)
    lost_minor = models.BigIntegerField(default=0)
    due_minor = models.BigIntegerField(default=0)
    commission_minor = models.BigIntegerField(default=0)
    paid_minor = models.BigIntegerField(default=0)
    rounded_millionths = models.BigIntegerField(default=0)
    kept_millionths = models.BigIntegerField(default=0)
    progressive_stakes_minor = models.BigIntegerField(default=0)
    rounds = models.BigIntegerField(default=0)
    rounds_voided = models.BigIntegerField(default=0)
    bets = models.BigIntegerField(default=0)
    irregularities = models.BigIntegerField(default=0)
    corrections = models.BigIntegerField(default=0)
    corrected_minor = models.BigIntegerField(default=0)
    rolled_from = models.TextField(default="")
    rolled_into = models.TextField(default="")
    carried_in_minor = models.BigIntegerField(default=0)
    carried_out_minor = models.BigIntegerField(default=0)
    found_minor = models.BigIntegerField(default=0)
    recorded = models.BooleanField(default=True)
    beyond_record_minor = models.BigIntegerField(default=0)
    by_count_room = models.BooleanField(default=False)
    counted_at = models.BigIntegerField(default=0)
    counted_before = models.BigIntegerField(default=0)
    state = models.TextField(default="")

    class Meta:
        indexes = [
            models.Index("gaming_day", "table", name="tableday_day"),
            models.Index("table", "gaming_day", name="tableday_table"),
        ]


class WagerDay(ReadModelRow):
    """One kind of bet at one table's gaming day, for the comparison of hold with theory.

    `bets` were laid, with any result. `handle_minor` are the decided stakes. Stakes in prison or left on the layout
    count at their decision, a returned stake never. The id is STREAM/WAGER.
    """

    stream = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    ruleset = models.TextField()
    wager = models.TextField()
    bets = models.BigIntegerField(default=0)
    handle_minor = models.BigIntegerField(default=0)
    lost_minor = models.BigIntegerField(default=0)
    due_minor = models.BigIntegerField(default=0)
    commission_minor = models.BigIntegerField(default=0)
    paid_minor = models.BigIntegerField(default=0)
    kept_millionths = models.BigIntegerField(default=0)

    class Meta:
        indexes = [models.Index("gaming_day", "stream", name="wagerday_day")]
