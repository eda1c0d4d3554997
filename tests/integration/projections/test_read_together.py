"""One query over several read models returns the rows of separate queries, on either database."""

from django.db import connections
from django.test.utils import CaptureQueriesContext

from projections.combined_query import read_together
from projections.progressives.models import Hit, Lock, ProgressiveLevel


def _rows(using: str) -> None:
    text = {"hits": "[]", "level": "mega", "stream": "s"}
    amounts = dict.fromkeys(("revision", "share_minor", "amount_minor", "house_minor", "seed_micro"), 2**62)
    for place, name in enumerate(("b", 'a "quoted" one', "Μέγα\n")):
        fields = {"group": name, "as_of": 9 - place, "meter_micro": -place, "from_reserve_micro": 0}
        Lock.objects.using(using).create(id=name, is_standing=place != 1, **text, **amounts, **fields)
    Hit.objects.using(using).create(id="s/h", stream="s", hit="h", is_late=True)


def test_they_are_the_same_in_the_same_order(using: str) -> None:
    _rows(using)
    locks = Lock.objects.using(using).order_by("as_of")
    wanted = (locks, Hit.objects.using(using).filter(stream="s"), locks.filter(is_standing=True)[:1])
    with CaptureQueriesContext(connections[using]) as captured:
        results = read_together(*wanted)
    assert len(captured) == 1
    for rows, expected in zip(results, wanted, strict=True):
        assert [{**vars(row), "_state": 0} for row in rows] == [{**vars(row), "_state": 0} for row in expected]
    assert results[0][1].is_standing is False
    assert results[1][0].is_late is True


def test_what_can_find_nothing_asks_nothing(using: str) -> None:
    nothing = Lock.objects.using(using).filter(id__in=[])
    with CaptureQueriesContext(connections[using]) as captured:
        assert read_together(nothing, nothing) == [[], []]
    assert len(captured) == 0
    _rows(using)
    none_yet = ProgressiveLevel.objects.using(using).all()
    assert [len(rows) for rows in read_together(nothing, none_yet, Hit.objects.using(using).all())] == [0, 0, 1]
