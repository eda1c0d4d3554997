"""Position of each projection, and its quarantined and waiting events."""

from django.db import models


class ReadModelRow(models.Model):
    """A row of a read model, by the text that names its subject; a docstring gives the form of `id`."""

    id = models.TextField(primary_key=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.id


class Reader(models.Model):
    """Place of one projection in the store's order; it moves in the transaction that writes the read models.

    `offset` is a hint for Kafka, valid for that `incarnation` of the topic only. `generation` increases when another
    process than the runner changed the projection: a rebuild was switched in, or quarantined events were replayed.
    `event` (its id) and `digest` are of the event at `position`, which identifies this store's history.
    """

    projection = models.TextField(primary_key=True)
    property = models.TextField(default="")
    version = models.IntegerField()
    generation = models.IntegerField(default=1)
    position = models.BigIntegerField(default=0)
    digest = models.TextField(default="")
    event = models.TextField(default="")
    incarnation = models.TextField(default="")
    offset = models.BigIntegerField(default=-1)

    def __str__(self) -> str:
        return f"{self.projection} at {self.position}"


class PoisonedEvent(ReadModelRow):
    """An event that this projection could not decode or apply, with its error; its stream waits behind it.

    The id is PROJECTION/POSITION.
    """

    projection = models.TextField()
    position = models.BigIntegerField()
    stream = models.TextField()
    type = models.TextField()
    error = models.TextField()
    raw = models.BinaryField()

    class Meta:
        indexes = [models.Index("projection", "position", name="poisoned_order")]

    def __str__(self) -> str:
        return f"{self.projection}: {self.type} at {self.position}: {self.error}"


class WaitingEvent(ReadModelRow):
    """An event that waits until a quarantined one of its stream is replayed. The id is PROJECTION/POSITION."""

    projection = models.TextField()
    position = models.BigIntegerField()
    stream = models.TextField()
    type = models.TextField()
    raw = models.BinaryField()

    class Meta:
        indexes = [models.Index("projection", "position", name="waiting_order")]

    def __str__(self) -> str:
        return f"{self.projection}: {self.type} at {self.position}"
