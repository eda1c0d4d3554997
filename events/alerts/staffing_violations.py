"""Dealers and inspectors: from the first round of a session to its close, by the assigned posts.

Raised once a person, reason and session. Pit boss, count, surveillance and cage need no post.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, action_of, raised
from events.alerts.fact_behind_irregularity import with_fact
from events.alerts.irregularity_event_alerts import OF_STAFF, irregularity_alert
from events.alerts.roles_and_settings_in_force import property_of, roles_of
from events.envelope import EventData
from events.roles import DEALING, SUPERVISORS
from events.tables.event_types.rounds import RoundOpened
from events.tables.event_types.session import (
    IrregularityRecorded,
    SessionClosed,
    SessionRolled,
    StaffAssigned,
    StaffLeft,
    TableEvent,
)

NAME, ON_POSTS = "staff", "on posts"
NO_POST, NO_ROLE, SAME, NO_INSPECTOR = "no post here", "a post without its role", "dealer and inspector", "no inspector"
WITH_POSTS = frozenset(("dealer", "inspector"))
MEANS = {"croupier": "dealer", "boxman": "inspector"}
INSPECTING = ("inspector", "manager")


class Post(msgspec.Struct):
    """The person at a post, and the event that assigned it."""

    person: str
    event: str


class SessionPosts(msgspec.Struct):
    """The posts of a session, whether it is in play, and the people raised here."""

    posts: dict[str, Post] = {}
    is_in_play: bool = False
    raised: list[str] = []


class Sessions(msgspec.Struct):
    """The sessions with posts, by stream."""

    sessions: dict[str, SessionPosts] = {}


class Posts(msgspec.Struct):
    """The posts of a session, the event since which it is in play ("": not in play), and the raised alerts.

    `action` is the last one that changed any of it: its actor is judged by the state before. `left`: the event by which
    the inspector left last.
    """

    posts: dict[str, Post] = {}
    left: str = ""
    since: str = ""
    action: str = ""
    raised: list[str] = []


class Staff(Watch):
    """One state a session."""

    name = "staff"
    state = Posts

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {
            StaffAssigned: self._assigned,
            StaffLeft: self._left,
            RoundOpened: self._opened,
            IrregularityRecorded: self._irregular,
            **dict.fromkeys((SessionClosed, SessionRolled), self._closed),
        }

    def of_actions(self) -> Handler:
        return self._acted

    def key(self, event: WatchedEvent) -> str | None:
        return event.stream if isinstance(event.data, TableEvent) else None

    def _acted(self, state: Posts, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert] | None:
        """Require a post here from every person who acts as dealer or inspector."""
        envelope = event.envelope
        is_in_play = bool(state.since) or isinstance(event.data, RoundOpened)
        if not is_in_play or envelope.actorrole not in WITH_POSTS or action_of(event) == state.action:
            return None
        for post in state.posts.values():
            if post.person == envelope.actor:
                return None
        return [*_once(state, event, NO_POST, envelope.actor)] or None

    def _assigned(self, state: Posts, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        data: StaffAssigned = event.data
        state.action = action_of(event)
        state.posts[MEANS.get(data.post, data.post)] = Post(data.person, event.id)
        return [*_violations(state, event, context)] if state.since else ()

    def _left(self, state: Posts, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        state.action = action_of(event)
        post = MEANS.get(event.data.post, event.data.post)
        if state.posts.pop(post, None) is not None and post == "inspector":
            state.left = event.id
        return ()

    def _opened(self, state: Posts, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        state.action = action_of(event)
        is_first, state.since = not state.since, state.since or event.id
        alerts = [*_violations(state, event, context)] if is_first else []
        if "inspector" not in state.posts:
            alerts += _once(state, event, NO_INSPECTOR, "", facts=(state.left,))
        return alerts

    def _irregular(self, state: Posts, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        """Raise a decider's irregularity: a round without an inspector as such, all others for their actor.

        While the table is not in play it is an irregularity: but for posts that its first round shows to be wrong.
        """
        kind = event.data.kind
        if kind not in OF_STAFF or (kind == "two posts" and _posts_of_one_person(state) is not None):
            return None
        if not state.since:
            return (irregularity_alert(event, context),)
        if kind == "staff" and "inspector" not in state.posts:
            alerts = _once(state, event, NO_INSPECTOR, "", facts=(state.left,))
        else:
            alerts = _once(state, event, event.data.detail, event.envelope.actor)
        return [with_fact(alert, event, context) for alert in alerts]

    def _closed(self, state: Posts, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        state.posts, state.since, state.raised, state.left, state.action = {}, "", [], "", action_of(event)
        return ()


def _violations(state: Posts, event: WatchedEvent, context: RuleContext) -> Iterator[RaisedAlert]:
    """Yield the alerts of the posts as they are assigned."""
    for name, post in state.posts.items():
        if lacks_role(name, roles_of(context, event, post.person)) and not was_revoked(context, event, post.person):
            yield from _once(state, event, NO_ROLE, post.person, post.event)
    if (both := _posts_of_one_person(state)) is not None:
        yield from _once(state, event, SAME, both[0].person, *(post.event for post in both))


def _posts_of_one_person(state: Posts) -> tuple[Post, Post] | None:
    """The posts of dealer and inspector, where one person has both."""
    dealer, inspector = state.posts.get("dealer"), state.posts.get("inspector")
    if dealer is None or inspector is None or dealer.person != inspector.person:
        return None
    return dealer, inspector


def _once(
    state: Posts, event: WatchedEvent, reason: str, person: str, *proofs: str, facts: tuple[str, ...] = ()
) -> Iterator[RaisedAlert]:
    key = once_key(reason, person)
    if key not in state.raised:
        state.raised = [*state.raised, key]
        about: dict[str, Any] = {"person": person or None, "reason": reason, "dealer": event.data.dealer}
        yield replace(raised(NAME, event, *proofs, once=key, **about), facts=facts)


def once_key(reason: str, person: str) -> str:
    """Return the key under which an alert is raised once in a session."""
    return f"{reason}/{person}"


def lacks_role(post: str, roles: frozenset[str]) -> bool:
    """Return whether a person in these roles may not have the post."""
    return roles.isdisjoint(SUPERVISORS if post in INSPECTING else DEALING)


def was_revoked(context: RuleContext, event: WatchedEvent, person: str) -> bool:
    """Return whether the person was raised in this session already, when the role was revoked."""
    sessions: Sessions = context.state(ON_POSTS, property_of(event))
    session = sessions.sessions.get(event.stream)
    return session is not None and person in session.raised
