"""A person has a post of a table in play, and the role for it is revoked: raised from the revocation on.

Once a person and session, as for the posts themselves (`staffing_violations.py`).
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.alerts.roles_and_settings_in_force import property_of, roles_of
from events.alerts.staffing_violations import (
    MEANS,
    NAME,
    NO_ROLE,
    ON_POSTS,
    Post,
    Posts,
    SessionPosts,
    Sessions,
    Staff,
    lacks_role,
    once_key,
)
from events.envelope import EventData
from events.people.role_grant_decider import RoleRevoked
from events.tables.event_types.rounds import RoundOpened
from events.tables.event_types.session import SessionClosed, SessionRolled, StaffAssigned, StaffLeft


class PostWatch(Watch):
    """One state a property: a revocation concerns every table at which the person has a post."""

    name = ON_POSTS
    state = Sessions

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {
            StaffAssigned: self._assigned,
            StaffLeft: self._left,
            RoundOpened: self._opened,
            RoleRevoked: self._revoked,
            **dict.fromkeys((SessionClosed, SessionRolled), self._closed),
        }

    def key(self, event: WatchedEvent) -> str:
        return property_of(event)

    def _assigned(self, state: Sessions, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        assigned: StaffAssigned = event.data
        session = state.sessions.setdefault(event.stream, SessionPosts())
        session.posts[MEANS.get(assigned.post, assigned.post)] = Post(assigned.person, event.id)
        return ()

    def _left(self, state: Sessions, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        session = state.sessions.get(event.stream)
        if session is None or session.posts.pop(MEANS.get(event.data.post, event.data.post), None) is None:
            return None
        return ()

    def _opened(self, state: Sessions, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        session = state.sessions.setdefault(event.stream, SessionPosts())
        if session.is_in_play:
            return None
        session.is_in_play = True
        return ()

    def _closed(self, state: Sessions, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        return None if state.sessions.pop(event.stream, None) is None else ()

    def _revoked(self, state: Sessions, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        person, held = event.data.person, roles_of(context, event, event.data.person)
        alerts = [*_without_role(state, event, context, person, held)]
        for alert in alerts:
            state.sessions[alert.stream].raised.append(person)
        return [alert.raised for alert in alerts] or None


class _SessionAlert(msgspec.Struct, frozen=True):
    """An alert, and the session that it is about."""

    stream: str
    raised: RaisedAlert


def _without_role(
    state: Sessions, event: WatchedEvent, context: RuleContext, person: str, held: frozenset[str]
) -> Iterator[_SessionAlert]:
    for stream, session in state.sessions.items():
        lacking = [post for name, post in session.posts.items() if post.person == person and lacks_role(name, held)]
        if not session.is_in_play or not lacking or person in session.raised:
            continue
        key = once_key(NO_ROLE, person)
        posts: Posts = context.state(Staff.name, stream)
        if key not in posts.raised:
            yield _SessionAlert(stream, _raised(event, stream, key, person, [post.event for post in lacking]))


def _raised(event: WatchedEvent, stream: str, key: str, person: str, posts: Sequence[str]) -> RaisedAlert:
    _property, _tables, table, gaming_day = stream.split("/", 3)
    alert = raised(NAME, event, *posts, once=key, person=person, reason=NO_ROLE)
    return msgspec.structs.replace(alert, table=table, gaming_day=gaming_day)
