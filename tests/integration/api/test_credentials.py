"""Credentials are remembered for a second, and read again all at once before it is over."""

import hashlib

import pytest
from pytest_django import DjangoAssertNumQueries

from backoffice.models import Credential
from backoffice.people import badge_and_key_authentication
from backoffice.people.badge_and_key_authentication import READ_AGAIN_SECONDS, REMEMBERED_SECONDS, CredentialCache
from tests.support.clocks.settable_clocks import SettableSeconds

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock() -> SettableSeconds:
    return SettableSeconds()


@pytest.fixture
def memory(clock: SettableSeconds) -> CredentialCache:
    return CredentialCache(clock)


def digests(count: int) -> list[str]:
    """Return the digests of new keys, each of a terminal at a table of its own."""
    keys = [
        badge_and_key_authentication.issue_device_key(f"terminal-{number}", f"FR{number}") for number in range(count)
    ]
    return [hashlib.sha256(key.encode()).hexdigest() for key in keys]


def test_a_lookup_is_remembered(memory: CredentialCache, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    (digest,) = digests(1)
    with django_assert_num_queries(1):
        lookups = [memory.find(digest) for _ in range(3)]
    assert {(lookup.person, lookup.device, lookup.table) for lookup in lookups if lookup} == {
        (None, "terminal-0", "FR0")
    }


def test_what_is_in_use_is_read_again_in_one_query(
    memory: CredentialCache, clock: SettableSeconds, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    used = digests(8)
    for digest in used:
        memory.find(digest)
    for _ in range(3):
        clock.now += READ_AGAIN_SECONDS + 0.01
        with django_assert_num_queries(1):
            assert all(memory.find(digest) for digest in used)


def test_a_key_revoked_elsewhere_is_dead_within_a_second_however_often_it_is_used(
    memory: CredentialCache, clock: SettableSeconds
) -> None:
    (digest,) = digests(1)
    assert memory.find(digest)
    Credential.objects.filter(digest=digest).update(revoked_at="2026-11-21T00:00:00Z")
    revoked_at = clock.now
    while memory.find(digest):
        clock.now += 0.1
    assert clock.now - revoked_at <= REMEMBERED_SECONDS


def test_a_key_that_rested_is_looked_up_anew(memory: CredentialCache, clock: SettableSeconds) -> None:
    rested, used = digests(2)
    assert memory.find(rested)
    Credential.objects.filter(digest=rested).update(revoked_at="2026-11-21T00:00:00Z")
    for _ in range(4):
        clock.now += READ_AGAIN_SECONDS
        assert memory.find(used)
    assert memory.find(rested) is None


def test_a_key_that_nobody_has_is_asked_for_once_a_second(
    memory: CredentialCache, clock: SettableSeconds, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        assert [memory.find("0" * 64) for _ in range(5)] == [None] * 5
    clock.now += REMEMBERED_SECONDS + 0.01
    with django_assert_num_queries(1):
        assert memory.find("0" * 64) is None
