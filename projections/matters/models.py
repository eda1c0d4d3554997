"""Tasks for people at a progressive: requests, readings, variances, waiting levels, misfits, notices.

People are JSON lists of (person, role). A position of None: not yet.
"""

from django.db import models

from projections.engine.models import ReadModelRow


class ApprovalRequest(ReadModelRow):
    """A request of one person that others must approve. The id is STREAM/REQUEST, of the requested stream.

    A late hit is requested at its table: `session` is then the table's stream, `stream` still the progressive's.
    `input` is the action's data as JSON, `content` the SHA-256 that an approver names. `people` are the requester and
    the approvers, one for each role in force. `decided_by` is the key of the approval that sufficed. `ended`: it was
    "declined", "withdrawn" or has "lapsed" at `decided_at` (`reason`, by `ended_by`); `until`: it expires then.
    """

    stream = models.TextField()
    request = models.TextField()
    action = models.TextField()
    input = models.TextField()
    content = models.TextField()
    person = models.TextField()
    people = models.TextField()
    position = models.BigIntegerField()
    spoken_at = models.TextField(default="[]")  # JSON: the positions of the agreements
    decided_at = models.BigIntegerField(null=True)
    decided_by = models.TextField(default="")
    until = models.TextField(default="")
    ended = models.TextField(default="")
    ended_by = models.TextField(default="")
    reason = models.TextField(default="")
    session = models.TextField(default="")

    class Meta:
        indexes = [models.Index("stream", "decided_at", name="request_stream")]


class Reading(ReadModelRow):
    """A reading of a sign ("reading") or an increment test ("test"): the found and the expected amount (SD 24.02).

    The id is the event's. The found amount of a test is the rise of the sign.
    """

    stream = models.TextField()
    level = models.TextField()
    kind = models.TextField()
    position = models.BigIntegerField()
    found_minor = models.BigIntegerField()
    expected_micro = models.BigIntegerField()
    is_good = models.BooleanField()
    people = models.TextField()

    class Meta:
        indexes = [models.Index("stream", "position", name="reading_stream")]


class Variance(ReadModelRow):
    """A reading that was off by more than the limit: a case until it is paid, added or read again. STREAM/CASE."""

    stream = models.TextField()
    case = models.TextField()
    level = models.TextField()
    position = models.BigIntegerField()
    read_minor = models.BigIntegerField()
    shown_minor = models.BigIntegerField()
    variance_minor = models.BigIntegerField()
    limit_minor = models.BigIntegerField()
    closed_at = models.BigIntegerField(null=True)
    way = models.TextField(default="")  # paid, added, misread
    reason = models.TextField(default="")
    player = models.TextField(default="")
    slip = models.TextField(default="")
    people = models.TextField(default="[]")

    class Meta:
        indexes = [models.Index("stream", "closed_at", name="variance_stream")]


class LevelWait(ReadModelRow):
    """An alert that a level's locks wait for the undealt round of a hit. The id is STREAM/HIT.

    `cleared_by`: the deal was completed ("dealt"), the round or the hit was declared void ("round void", "hit void").
    """

    stream = models.TextField()
    hit = models.TextField()
    level = models.TextField()
    session = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    round = models.BigIntegerField()
    since = models.BigIntegerField()  # position of the hit that waits
    position = models.BigIntegerField()
    cleared_at = models.BigIntegerField(null=True)
    cleared_by = models.TextField(default="")

    class Meta:
        indexes = [models.Index("stream", "cleared_at", name="wait_stream")]


class Misfit(ReadModelRow):
    """A fact of a table that may not be: it moved nothing at the progressive `stream`. The id is the event's."""

    stream = models.TextField()
    position = models.BigIntegerField()
    type = models.TextField()
    clause = models.TextField()
    message = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    round = models.BigIntegerField()

    class Meta:
        indexes = [models.Index("stream", "position", name="misfit_stream")]

    def __str__(self) -> str:
        return f"{self.id}: {self.clause}"


class Notice(ReadModelRow):
    """Notice to accounting: a change of parameters or a corrected meter (NJ 13:69D-1.52). The id is the event's.

    `changes` is JSON, [[name, before, after], ...], in the units of the names. An approval by accounting is a notice
    too (`accounting_person`). Otherwise it waits until a person of accounting has read it (`read_by`).
    """

    stream = models.TextField()
    level = models.TextField()
    kind = models.TextField()  # parameters, correction
    position = models.BigIntegerField()
    version = models.BigIntegerField(null=True)  # of the level's parameters
    changes = models.TextField()
    reason = models.TextField(default="")
    people = models.TextField()
    request = models.TextField(default="")
    accounting_person = models.TextField(default="", db_column="told")  # the person of accounting who agreed
    read_at = models.BigIntegerField(null=True)
    read_by = models.TextField(default="")

    class Meta:
        indexes = [models.Index("stream", "position", name="notice_stream")]


class MissedHit(ReadModelRow):
    """Cards that make an undeclared hit, by the table's day: SESSION#ROUND/BOX.

    `shown_minor` is the level's display when the deal was complete. It is cleared when a person declares it late, when
    its round is void, or when the house pays for it (`cleared_by`).
    """

    stream = models.TextField()
    session = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    round = models.BigIntegerField()
    box = models.BigIntegerField()
    player = models.TextField()
    level = models.TextField()
    shown_minor = models.BigIntegerField(null=True)
    position = models.BigIntegerField()
    cleared_at = models.BigIntegerField(null=True)
    cleared_by = models.TextField(default="")

    class Meta:
        indexes = [models.Index("stream", "cleared_at", name="missed_stream")]


class HousePayment(ReadModelRow):
    """Payment of the house outside a meter, for a box of a table's round. The id is STREAM/YEAR-SLIP."""

    stream = models.TextField()
    level = models.TextField()
    hit = models.TextField(default="")
    table = models.TextField()
    gaming_day = models.TextField()
    round = models.BigIntegerField()
    box = models.BigIntegerField()
    player = models.TextField()
    amount_minor = models.BigIntegerField()
    slip = models.TextField()
    paid_gaming_day = models.TextField()
    tender = models.TextField()
    reason = models.TextField()
    people = models.TextField()
    position = models.BigIntegerField()
    void_at = models.BigIntegerField(null=True)
    void_reason = models.TextField(default="")

    class Meta:
        indexes = [models.Index("stream", "position", name="house_stream")]
