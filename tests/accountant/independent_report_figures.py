"""A second accountant: a separate program sums every figure of a gaming day's report from exported events.

It shares no code with the system. It reads lines of JSON, reads all of them again for each question, and adds up. The
figures are those of these clauses: NY 5315.1, MD .02 for the tray, NJ 1.21 to 1.23 for counts, WA 620 for boxes. Other
tests check the journal's remaining accounts.
"""

import json

from tests.accountant.event_effects_on_tray import CLOSES, Json, Seen, tray, worth
from tests.accountant.expected_cage_content import ExpectedCage, on_the_way, slip_in_report, slips
from tests.accountant.expected_discrepancies import Finding
from tests.accountant.expected_progressive_pools import MICRO, decimal, pools
from tests.accountant.expected_table_days import ExpectedTableDay, day_of_shifts

EXPLAINED = "discrepancy.explained.v1"


class Accountant:
    """The report of a day as of a position, from the lines of a property."""

    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self.all: list[Seen] = [(position, json.loads(line)) for position, line in lines]
        self.discrepancies = self._recalculated()

    def _recalculated(self) -> dict[str, Json]:
        """Return every discrepancy by its event's id, as the earlier events give it."""
        recorded = [event for _, event in self.all if event["type"] == "discrepancy.found.v1"]
        findings = Finding(self.all).lines
        assert len(recorded) == len(findings), f"{len(recorded)} were recorded, {len(findings)} there are"
        for event, (day, line) in zip(recorded, findings, strict=True):
            assert (event["data"]["gaming_day"], event["data"]["kind"]) == (day, line["kind"]), event
        return {event["id"]: line for event, (_, line) in zip(recorded, findings, strict=True)}

    def report(self, day: str, position: int) -> Json:
        """The canonical figures without the journal."""
        closed = self._events_of("day.closed.v1", day, position)
        events, amended = self._basis(day, position)
        last = [*closed, *amended][-1]["data"] if closed else {"position": position}
        return {
            "day": day,
            "as_of": last["position"],
            "restatement": len(amended),
            **ExpectedDay(events, day, self.discrepancies).figures(),
        }

    def accounts(self, day: str, position: int) -> dict[str, str]:
        """Return the accounts of the journal. After the close, return none: its later entries have another date."""
        if any(at <= position and event["type"] == "day.closed.v1" for at, event in self.all):
            return {}
        return ExpectedDay(self._basis(day, position)[0], day, self.discrepancies).accounts()

    def failing(self, day: str, position: int) -> set[str]:
        """Return the items of the checklist that fail."""
        return ExpectedDay(self._basis(day, position)[0], day, self.discrepancies).failing()

    def _basis(self, day: str, position: int) -> tuple[list[Seen], list[Json]]:
        """Return the events of the report, and the amendments."""
        closed = self._events_of("day.closed.v1", day, position)
        amended = self._events_of("day.amended.v1", day, position)
        until = closed[0]["data"]["position"] if closed else position
        named_events = {event for amendment in amended for event in amendment["data"]["events"]}
        return [(at, event) for at, event in self.all if at <= until or identity(event) in named_events], amended

    def _events_of(self, kind: str, day: str, position: int) -> list[Json]:
        return [
            event
            for at, event in self.all
            if at <= position and event["type"] == kind and event["data"]["gaming_day"] == day
        ]


def identity(event: Json) -> str:
    """Return the id by which people name an event."""
    return str(event["id"])


class ExpectedDay:
    """One gaming day, by these events alone."""

    def __init__(self, events: list[Seen], day: str, discrepancies: dict[str, Json]) -> None:
        self.events, self.day, self.discrepancies = events, day, discrepancies

    def figures(self) -> Json:
        return {
            "currency": self._currency(),
            "tables": [self._table(name) for name in sorted(self.tables_of(self.day))],
            "slips": self._slips(),
            "discrepancies": self._discrepancies(),
            "cage": ExpectedCage(self.events).day_content(self.day),
            "chips": self._chips(),
            "progressives": [pool.report(self.day) for pool in pools(self.events)],
        }

    def accounts(self) -> dict[str, str]:
        """Return the accounts that follow from the figures, while each entry belongs to its own day."""
        report = self.figures()
        tables = [table for table in report["tables"] if table["recorded"]]
        micros = {f"Income:Tables:{table['table']}": -table["day"]["event_win_minor"] * MICRO for table in tables}
        vouchers = sum(table["day"]["buyins"]["promotional_minor"] for table in report["tables"])
        envy = sum(slip["issued_minor"] for slip in report["slips"] if slip["kind"] == "envy")
        micros |= {"Expenses:Promotional": vouchers * MICRO, "Expenses:Envy": envy * MICRO}
        for reason, amount in self._variances().items():
            micros[f"Expenses:Progressive:Adjustments:{reason}"] = amount * MICRO
        for pool in pools(self.events):
            micros |= pool.accounts(self.day)
        return {account: decimal(micro) for account, micro in micros.items() if micro}

    def _variances(self) -> dict[str, int]:
        """Sum the amounts paid on the day because a sign showed too much, by the reason."""
        variances: dict[str, int] = {}
        for _, event in self.events:
            data = event["data"]
            if event["type"] == "variance.closed.v1" and data["way"] == "paid" and data["paid_gaming_day"] == self.day:
                variances[data["reason"]] = variances.get(data["reason"], 0) + data["amount_minor"]
        return variances

    def failing(self) -> set[str]:
        """The items of the checklist that do not hold, of those that hang on figures."""
        figures_, cage = self.figures(), ExpectedCage(self.events).open_for
        tables = {name: [event for _, event in events] for name, events in self.tables_of(self.day).items()}
        wrong = {
            "sessions_closed": any(all(event["type"] not in CLOSES for event in of) for of in tables.values()),
            "boxes_counted": any(self._is_uncounted(name) for name in tables),
            "slips_settled": any(slip["status"] == "open" for slip in figures_["slips"]),
            "discrepancies_explained": any(
                discrepancy["band"] != "recorded" and not discrepancy["explained"]
                for discrepancy in figures_["discrepancies"]
            ),
            "hits_locked": bool(self._hits_that_wait()),
            "variances_closed": self._count("variance.opened.v1") > self._count("variance.closed.v1"),
            "no_rest": any(shift["parts"]["rest_minor"] for table in figures_["tables"] for shift in table["shifts"]),
            "cage_closed": bool(cage) and cage <= self.day,
        }
        return {item for item, is_wrong in wrong.items() if is_wrong}

    def _hits_that_wait(self) -> set[tuple[str, str, int]]:
        """Return the rounds whose hits can still change at the end of the day.

        Their deal is not complete, and they are not void. No other hit can join them in an award.
        """
        declared, over = set(), set()
        for _, event in self.events:
            data = event["data"]
            round_id = (data.get("table"), data.get("gaming_day"), data.get("round"))
            if event["type"] == "hit.declared.v1" and data["gaming_day"] <= self.day:
                declared.add(round_id)
            elif event["type"] in ("deal.completed.v1", "round.voided.v1"):
                over.add(round_id)
        return declared - over

    def _count(self, kind: str) -> int:
        return sum(event["type"] == kind for _, event in self.events)

    def _is_uncounted(self, name: str) -> bool:
        """Tell whether a box was put and not counted. A day without box names has one box after its first buy-in."""
        events, settled = self.tables_of(self.day)[name], self._settled(name)
        table = ExpectedTableDay(events, recorded=True, settled=settled)
        if table.with_boxes:
            return any(box["name"] not in settled for box in table.boxes())
        kinds = {event["type"] for _, event in events}
        return "buyin.made.v1" in kinds and not settled and "drop.counted.v1" not in kinds

    # --- reading ------------------------------------------------------------------------------------------------------

    def tables_of(self, day: str) -> dict[str, list[Seen]]:
        """Return the events of each table's day from its opening. Void days are left out."""
        events_by_table: dict[str, list[Seen]] = {}
        for at, event in self.events:
            _, kind, *name = event["subject"].split("/")
            if kind != "tables" or name[1] != day:
                continue
            if event["type"] == "session.opened.v1":
                events_by_table[name[0]] = []
            elif event["type"] == "session.voided.v1":
                events_by_table.pop(name[0], None)
            if name[0] in events_by_table:
                events_by_table[name[0]].append((at, event))
        return events_by_table

    def _currency(self) -> str:
        """Return the currency: euro, as this house has set no other."""
        opened = sorted(
            (day, table, events[0][1]["data"]["currency"])
            for day in self._days()
            for table, events in self.tables_of(day).items()
        )
        here = [currency for day, _, currency in opened if day == self.day]
        return str((here or [opened[-1][2]])[0]) if opened else "EUR"

    def _days(self) -> list[str]:
        return sorted({event["subject"].split("/")[3] for _, event in self.events if "/tables/" in event["subject"]})

    # --- tables -------------------------------------------------------------------------------------------------------

    def _table(self, name: str) -> Json:
        events = self.tables_of(self.day)[name]
        opened = events[0][1]["data"]
        recorded = opened.get("recorded", True)
        table = ExpectedTableDay(events, recorded=recorded, settled=self._settled(name))
        shifts = [table.shift(number) for number in range(len(table.shifts))]
        about = {"table": name, "game": opened["game"], "pit": opened["pit"], "recorded": recorded}
        return {**about, "shifts": shifts, "day": day_of_shifts(shifts)}

    def _settled(self, table: str) -> dict[str, Json]:
        """Return the last count of each box of the table's day."""
        counts: dict[str, Json] = {}
        for at, event in self.events:
            data = event["data"]
            if event["type"] == "count.settled.v1" and (data["table"], data["gaming_day"]) == (table, self.day):
                first = counts.get(data["drop_box"], {}).get("first_at", at)
                counts[data["drop_box"]] = {**data["found"], "first_at": first}
        return counts

    # --- slips --------------------------------------------------------------------------------------------------------

    def _slips(self) -> list[Json]:
        began = next((at for at, event in self.events if self._is_of_day(event)), 0)
        listed = [(key, slip) for key, slip in slips(self.events).items() if self._is_listed(slip, began)]
        stated = [
            ((kind, year, number, ""), slip_in_report(kind, number, slip)) for (kind, year, number), slip in listed
        ]
        paid = [((slip["kind"], year, slip["number"], name), slip) for year, name, slip in self._papers()]
        return [slip for _, slip in sorted((*stated, *paid), key=lambda pair: pair[0])]

    def _is_of_day(self, event: Json) -> bool:
        kind, *rest = event["subject"].split("/")[1:]
        return kind in ("tables", "cage", "days") and rest[-1] == self.day

    def _is_listed(self, slip: Json, began: int) -> bool:
        """Issued on the day, or still open when it began."""
        if slip["day"] == self.day:
            return True
        return bool(slip["day"] < self.day and (slip["over_at"] is None or slip["over_at"] >= began))

    def _papers(self) -> list[tuple[str, str, Json]]:
        """Slips of progressives, paid on the day."""
        void = {
            (event["data"]["progressive"], event["data"]["slip_year"], event["data"]["slip"])
            for _, event in self.events
            if event["type"] == "house.voided.v1"
        }
        papers = []
        for _, event in self.events:
            data, names = event["data"], {f"{kind}.paid.v1": kind for kind in ("jackpot", "envy", "house")}
            kind = {**names, "variance.closed.v1": "variance"}.get(event["type"])
            if kind is None or data.get("paid_gaming_day") != self.day:
                continue
            is_void = (data["progressive"], data["slip_year"], data["slip"]) in void
            slip = {"kind": kind, "number": data["slip"], "status": "void" if is_void else "received"}
            slip |= {"table": data.get("table"), "issued_minor": data["amount_minor"]}
            slip["received_minor"] = None if is_void else data["amount_minor"]
            papers.append((data["slip_year"], data["progressive"], slip))
        return papers

    # --- discrepancies ------------------------------------------------------------------------------------------------

    def _discrepancies(self) -> list[Json]:
        """Return the discrepancies with recalculated figures, and whether accounting has explained each."""
        explained = [event["data"]["discrepancy"] for _, event in self.events if event["type"] == EXPLAINED]
        ids = [event["id"] for _, event in self.events if self._is_found(event)]
        return [{**self.discrepancies[id_], "explained": id_ in explained} for id_ in ids]

    def _is_found(self, event: Json) -> bool:
        return bool(event["type"] == "discrepancy.found.v1" and event["data"].get("gaming_day") == self.day)

    # --- chips --------------------------------------------------------------------------------------------------------

    def _chips(self) -> Json:
        issued: dict[str, int] = {}
        for _, event in self.events:
            if event["type"] == "chips.issued.v1":
                sign = 1 if event["data"]["way"] == "brought in" else -1
                for value, count in event["data"]["chips"].items():
                    issued[value] = issued.get(value, 0) + sign * count
        there = any(issued.values())
        cage = ExpectedCage(self.events)
        places = {
            "tables_minor": self._trays(),
            "cage_minor": cage.now["chips"] if cage.known else None,
            "transit_minor": sum(on_the_way(key[0], slip) for key, slip in slips(self.events).items()),
        }
        whole = worth(issued) if there else None
        known = whole is not None and None not in places.values()
        players = whole - sum(v for v in places.values() if v is not None) if known and whole is not None else None
        return {"issued_minor": whole, **places, "players_minor": players}

    def _trays(self) -> int:
        last: dict[str, list[Seen]] = {}
        for day in self._days():
            last.update(self.tables_of(day))
        return sum(tray(events) for events in last.values())
