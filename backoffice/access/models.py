"""The tables of the access log: refusals, issued documents, and views of personal data, each with the person."""

from django.db import models
from django.utils import timezone


class GivenOut(models.Model):
    """A certificate or a report that left the house. In the order of the ids, and never deleted.

    `about`: the hit, the day. `digest`: the SHA-256 of its content, as printed on it. `key`: the public key that signed
    the head behind it, "" without a head. The content computed again as of `position` is the same.
    """

    at = models.DateTimeField(default=timezone.now)
    person = models.CharField(max_length=64, blank=True)
    kind = models.CharField(max_length=40)
    about = models.CharField(max_length=200)
    position = models.BigIntegerField()
    digest = models.CharField(max_length=64, db_index=True)
    key = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.kind} of {self.about}"


class Access(models.Model):
    """A line of the access log: a refused request, with its sender. In the order of the ids.

    `count`: the number of requests, where they are counted together.
    """

    at = models.DateTimeField(default=timezone.now)
    person = models.CharField(max_length=64, blank=True)
    device = models.CharField(max_length=64, blank=True)
    what = models.CharField(max_length=200)
    outcome = models.CharField(max_length=300)
    count = models.PositiveIntegerField(default=1)

    class Meta:
        indexes = [models.Index(fields=["at"], name="access_at")]

    def __str__(self) -> str:
        return f"{self.person} {self.what}: {self.outcome}"


class Look(models.Model):
    """A view of people's data: a line of a chain (`backoffice/access/personal_data_access_log.py`). It never changes.

    `source`: the address, or the user of the terminal. `what`: the address with its query, or the command.
    `entry_count`: the number of entries in the answer, null where they are not counted. `digest`: SHA-256 over the
    line and the digest before it.
    """

    number = models.PositiveBigIntegerField(primary_key=True)
    at = models.DateTimeField()
    person = models.CharField(max_length=64, blank=True)
    device = models.CharField(max_length=64, blank=True)
    source = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=20)
    what = models.CharField(max_length=2000)
    entry_count = models.BigIntegerField(null=True, db_column="found")
    digest = models.CharField(max_length=64)

    class Meta:
        indexes = [
            models.Index(fields=["person", "number"], name="look_person"),
            models.Index(fields=["kind", "number"], name="look_kind"),
            models.Index(fields=["at"], name="look_at"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.person} {self.kind} {self.what}"
