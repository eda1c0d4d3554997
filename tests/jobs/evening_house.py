"""The house of the jobs: an evening with something left to do, its pages, and read models that follow by themselves."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from allauth.account.internal.flows import login
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.contrib import auth
from django.contrib.sessions.models import Session
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import Person
from backoffice.people.session_store import SessionStore
from events.envelope import Action
from events.store import open_store
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.registry import projectors
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import PROPERTY, House
from tests.support.pages.sign_in import PASSWORD, session_of
from tests.support.processes.scratch_databases import as_default, read_models
from tests.support.processes.web_process import LiveProcess, Web

EVERY_S = 0.1


def left_to_do(house: House) -> None:
    """Play the evening, and leave work to do: a Minor without authorisation, an undeclared Minor, an unsettled bet."""
    act = house.action
    evening_with_everything.play(house)
    evening_with_everything.finish_blackjack(house)
    bet = act("bet.place", bet="b-9", wager="red", amount_minor=2_000, player="g-1", seat=1, on_zero="half")
    house.ok("tables", "FR2", "dora", bet)
    house.open_table("BJ2")
    start = [act("round.open"), *(_bet(house, wager) for wager in ("main", "blazing7s")), act("bets.close")]
    dealt = [act("card.deal", to="box", box=1, card="7D"), act("card.deal", to="dealer", card="7H")]
    dealt += [act("card.deal", to="box", box=1, card="7H"), act("deal.complete"), act("hand.stand", box=1)]
    rest = [act("card.deal", to="dealer", card="TC"), act("round.end")]
    house.ok("tables", "BJ2", "dora", *start, act("progressive.arm"), *dealt, *rest)


def _bet(house: House, wager: str) -> Action:
    return house.action("bet.place", bet=wager, wager=wager, amount_minor=1_000, player="g-31", box=1)


class EveningHouse:
    """One thread with the house's databases: it fills them, signs people in, and updates the read models."""

    def __init__(self, blocker: DjangoDbBlocker) -> None:
        self._blocker, self._thread, self._stack = blocker, ThreadPoolExecutor(1), ExitStack()
        self._over = threading.Event()

    def fill(self, folder: Path) -> None:
        """For a `Web`."""
        self._thread.submit(self._fill, folder).result()
        self._following = threading.Thread(target=self._follow, daemon=True)
        self._following.start()

    def secret_of(self, person: str) -> str:
        """Set a known password for a person, and return the secret of their new authenticator app."""
        return self._thread.submit(self._let_in, person).result()

    def session_of(self, person: str) -> str:
        """Return the session key of a person who has just signed in with password and app."""
        return self._thread.submit(self._session_of, person).result()

    def older(self, person: str, seconds: float) -> None:
        """Age a person's sign-in by this number of seconds."""
        self._thread.submit(self._older, person, seconds).result()

    def make_idle(self, person: str) -> None:
        """Make a person idle for long."""
        self._thread.submit(self._make_idle, person).result()

    def stop(self) -> None:
        """Follow no longer: the house's folder is about to go."""
        self._over.set()
        self._following.join()

    def close(self) -> None:
        self._thread.submit(self._stack.close).result()
        self._thread.shutdown()

    def _fill(self, folder: Path) -> None:
        self._stack.enter_context(self._blocker.unblock())
        house = House(open_store(f"sqlite:///{folder}/events.sqlite3"))
        self._stack.callback(house.close)
        left_to_do(house)
        self._alias = self._stack.enter_context(read_models(f"sqlite:///{folder}/read.sqlite3"))
        self._store, self._applier = house.store, Applier(projectors(target=WriteTarget(self._alias)), PROPERTY)
        self._applier.load()
        self._apply()

    def _follow(self) -> None:
        while not self._over.wait(EVERY_S):
            self._thread.submit(self._apply).result()

    def _apply(self) -> None:
        self._applier.apply(self._store.after(self._applier.position, 1_000_000))

    def _let_in(self, person: str) -> str:
        secret: str = totp.generate_totp_secret()
        with as_default(self._alias):
            user, _new = Person.objects.get_or_create(id=person)
            if not user.has_usable_password() or not user.password:  # another one would end their sessions
                user.set_password(PASSWORD)
                user.save()
            Authenticator.objects.filter(user=user).delete()
            totp.TOTP.activate(user, secret)
        return secret

    def _session_of(self, person: str) -> str:
        if not Authenticator.objects.using(self._alias).filter(user=person).exists():
            self._let_in(person)
        return session_of(person, self._alias)

    def _older(self, person: str, seconds: float) -> None:
        for session in self._sessions_of(person):
            shown = session[login.AUTHENTICATION_METHODS_SESSION_KEY]
            session[login.AUTHENTICATION_METHODS_SESSION_KEY] = [
                {**method, "at": method["at"] - seconds} for method in shown
            ]

    def _make_idle(self, person: str) -> None:
        for session in self._sessions_of(person):
            session["seen_at"] = 0.0

    def _sessions_of(self, person: str) -> Iterator[dict[str, Any]]:
        """Yield the data of each session of a person, and save its changes."""
        for session in Session.objects.using(self._alias):
            values = SessionStore().decode(session.session_data)
            if values.get(auth.SESSION_KEY) == person:
                yield values
                session.session_data = SessionStore().encode(values)
                session.save(using=self._alias)


@contextmanager
def going_on(blocker: DjangoDbBlocker) -> Iterator[tuple[EveningHouse, Web]]:
    """The house with its pages and its live process."""
    night = EveningHouse(blocker)
    try:
        with Web(night.fill, blocker) as web, LiveProcess(web):
            try:
                yield night, web
            finally:
                night.stop()
    finally:
        night.close()
