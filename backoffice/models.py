"""Directory, devices, access log: names and credentials. Events know opaque ids only, and no rebuild touches these."""

from django.db import models
from django.utils import timezone


class Person(models.Model):
    """Somebody who works in the house. The id is in the events for ever, the name can be erased."""

    id = models.CharField(max_length=64, primary_key=True)
    name = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return self.name or self.id


class Credential(models.Model):
    """A person's badge or a device's key, as a hash; it can be revoked and never read again."""

    digest = models.CharField(max_length=64, primary_key=True)
    person = models.ForeignKey(Person, null=True, blank=True, on_delete=models.CASCADE)
    device = models.ForeignKey("Device", null=True, blank=True, on_delete=models.CASCADE)
    made_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"credential of {self.person_id or self.device_id}"


class Device(models.Model):
    """A terminal, bound to a table."""

    id = models.CharField(max_length=64, primary_key=True)
    table = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.id} at {self.table}"


class Access(models.Model):
    """A line of the access log: who asked for what and was refused, or looked at something."""

    at = models.DateTimeField(default=timezone.now)
    person = models.CharField(max_length=64, blank=True)
    device = models.CharField(max_length=64, blank=True)
    what = models.CharField(max_length=200)
    outcome = models.CharField(max_length=300)

    class Meta:
        indexes = [models.Index(fields=["at"])]

    def __str__(self) -> str:
        return f"{self.person} {self.what}: {self.outcome}"
