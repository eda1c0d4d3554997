"""The event log shows the events of the cage and the count room, and no read model quarantines one."""

from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from projections.alerts.models import Alert
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.eventlog.models import EventWord
from projections.floor.models import Irregularity
from projections.registry import projectors
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.processes.scratch_databases import new_file, read_models


def test_every_event_of_a_cage_is_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    house = Cashiers()
    house.grant("carl", "count")
    change = house.action("setting.change", setting="zone", value="Europe/Athens")
    house.agreed("house", "", ("anna", "cage"), change)
    house.issue()
    house.at_table("fill.receive", slip=1, chips={"500": 99})
    house.issue("credit")
    house.at_table("credit.send", slip=1, chips={"500": 99})
    house.void("credit", 1)
    house.at_table("session.close", closer={})
    house.ok("tables", "FR1", "cora", house.action("drop.remove", drop_box="b-1"))
    for person, kind in (("cora", "count.enter"), ("carl", "count.verify")):
        house.ok("days", "", person, house.action(kind, table="FR1", drop_box="b-1", cash={"500": 1}))
    for _again in range(2):
        house.cage("marker.redeem", _intent="fact", marker="m-1", player="p", amount_minor=500)
    with django_db_blocker.unblock(), read_models(new_file(tmp_path)) as alias:
        applier = Applier(projectors(target=WriteTarget(alias)), PROPERTY)
        applier.load()
        assert applier.apply(house.store.after(0, 1_000_000)).poisoned == 0
        [irregular] = Irregularity.objects.using(alias).all()
        assert (irregular.kind, irregular.gaming_day, irregular.clearer) == ("marker twice", DAY, "accountant")
        [alert] = Alert.objects.using(alias).filter(name="irregularity")
        assert (alert.person, alert.gaming_day) == ("p", DAY)
        for query in ("has:irregularity", 'irregularity:"marker twice"'):
            positions = [event.position for event in all_matches(search(query, alias), newest=False)]
            assert positions == [irregular.position - 1, irregular.position], "the marker, and what was found of it"
        assert EventWord.objects.using(alias).filter(position=irregular.position, word="kind:marker twice").exists()
    house.close()
