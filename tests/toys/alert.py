"""An alert of the tests' own, across streams, complete in one file: a person has a post at two tables at once."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import models

from events.tables.event_types.session import SessionClosed, StaffAssigned
from events.tables.event_types.session import TableEvent as AtTable
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Composed, Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.engine.worker_task_sending_after_batch import WorkerTask, task

NAME = "two posts"
LOOK = "toy.look_at_alert"


class StaffPost(models.Model):
    """The table where a person has a post, and the event since then. The id is the person."""

    id = models.TextField(primary_key=True)
    table = models.TextField()
    event = models.TextField()

    class Meta:
        app_label = "two_posts"

    def __str__(self) -> str:
        return f"{self.id} at {self.table}"


class TwoPostsAlert(models.Model):
    """An alert. Its id is the hash of its name and its proofs, so a rebuild gives the same id."""

    id = models.TextField(primary_key=True)
    name = models.TextField()
    person = models.TextField()
    raised_at = models.BigIntegerField()  # the position of its last proof
    events = models.TextField()  # the ids of its proofs, a line each, the raising one last

    class Meta:
        app_label = "two_posts"

    def __str__(self) -> str:
        return f"{self.name}: {self.person}"


class StaffPosts(ProjectorPart):
    """Knows who is where, of all tables, and raises the alert."""

    def __init__(self, target: WriteTarget) -> None:
        self._posts = RowCache(target, StaffPost)
        self._alerts = RowCache(target, TwoPostsAlert)
        self.woken: set[WorkerTask] = set()
        super().__init__(self._posts, self._alerts)

    def handlers(self) -> Mapping[Any, Handler]:
        return {StaffAssigned: self._assigned, SessionClosed: self._closed}

    def load(self, events: Sequence[Event]) -> None:
        """Load the posts of all people in the batch, with one query."""
        self._posts.load(person for event in events for person in _about(event.data))

    def forget(self) -> None:
        self.woken.clear()

    def _assigned(self, event: Event, data: StaffAssigned) -> None:
        post = self._posts.change(data.person, lambda: StaffPost(id=data.person, table="", event=""))
        if post.table not in ("", data.table):
            self._raise(data.person, event, post.event)
        post.table, post.event = data.table, event.id

    def _closed(self, _event: Event, data: SessionClosed) -> None:
        """Free the people of the closed table for another table."""
        for person in _about(data):
            post = self._posts.get(person)
            if post is not None and post.table == data.table:
                self._posts.change(person, StaffPost).table = ""

    def _raise(self, person: str, event: Event, before: str) -> None:
        proofs = "\n".join((before, event.id))
        key = hashlib.sha256(f"{NAME}\n{proofs}".encode()).hexdigest()
        new = TwoPostsAlert(id=key, name=NAME, person=person, raised_at=event.position, events=proofs)
        self._alerts.change(key, lambda: new)
        self.woken.add(task(LOOK, alert=key))


def _about(data: AtTable) -> set[str]:
    """Return the people of an event."""
    person = data.person if isinstance(data, StaffAssigned) else None
    return {name for name in (person, data.dealer, data.inspector) if name}


class TwoPosts(Composed):
    """The read model: its name, its version, its tables, its parts."""

    name = "two posts"
    version = 1
    models = (StaffPost, TwoPostsAlert)

    def parts(self, target: WriteTarget) -> Iterable[ProjectorPart]:
        self._posts = StaffPosts(target)
        return (self._posts,)

    def tasks(self) -> set[WorkerTask]:
        woken, self._posts.woken = self._posts.woken, set()
        return woken
