"""Root causes: the first fault of each kind, without those that follow from it.

One changed event causes many differences: the next event's link, every later head, each later sum, and the copies of
other holders. Chains find the broken link, and heads the position up to which the log is as signed. The copies (the
topic, the event log) find the events that differ. Together they name the event; alone, each comes as near as it can.
"""

from collections.abc import Sequence

import msgspec

from events.integrity.heads_consistency import Finding, Kind
from events.store.stream_chain_verification import ChainFinding as Link

ITS_OWN = {"foreign", "out of order", "doubled"}


class CopyDifference(msgspec.Struct, frozen=True):
    """A position at which a copy differs from the store: `event` as the copy names it, or the store does.

    `kind` names the copy; `way`: "lost" (the store lacks it), "left out" (the copy does), "another"; or an error of the
    copy alone (ITS_OWN).
    """

    kind: Kind
    way: str
    position: int
    event: str
    message: str


class StoreFindings(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of one reading of the store. `vouched`: the position up to which a valid head reaches.

    `failing`: the invalid heads, and those that cover more events than the store has, by size. `fed`: differences of
    heads' sums. `keys`: findings about action keys.
    """

    end: int
    vouched: int
    links: Sequence[Link]
    failing: Sequence[Finding]
    cut_off: Sequence[Finding]
    fed: Sequence[Finding]
    sums: Sequence[Finding]
    keys: Sequence[Finding]


def first_findings(gathered: StoreFindings, differences: Sequence[CopyDifference]) -> list[Finding]:
    """The findings, each the first of its kind; in the order of the store, those without a position in front."""
    elsewhere = {difference.position for difference in differences if difference.way not in ITS_OWN}
    wrong = [_of_link(link, gathered.vouched, elsewhere) for link in gathered.links]
    stores, copies = _by_whose_fault(gathered, differences, {finding.position for finding in wrong})
    events = _first_of_stream([*wrong, *stores])
    if not events and (first := (*gathered.failing, *gathered.cut_off)[:1]):
        count = len(gathered.failing) + len(gathered.cut_off)
        events = [msgspec.structs.replace(first[0], further_findings=count - 1)]
    begin = min((finding.position for finding in events), default=gathered.end + 2)  # after the next one
    later_findings = (*_first_of_stream(gathered.sums), *gathered.fed[:1], *_first_of_stream(gathered.keys))
    follow = [finding for finding in later_findings if finding.position < begin]
    return sorted([*events, *follow, *copies], key=lambda finding: finding.position)


def _of_link(link: Link, vouched: int, elsewhere: set[int]) -> Finding:
    """A broken link's wrong end."""
    other = link.other
    if other is not None and (link.position <= vouched < other.position or _is_reported(other, link, elsewhere)):
        link = other
    return Finding("chain", link.position, f"{link.event} {_link_text(link)}", link.event)


def _is_reported(other: Link, link: Link, elsewhere: set[int]) -> bool:
    return other.position in elsewhere and link.position not in elsewhere


def _link_text(link: Link) -> str:
    return link.message.removeprefix(f"{link.event} ")


def _by_whose_fault(
    gathered: StoreFindings, differences: Sequence[CopyDifference], broken: set[int]
) -> tuple[list[Finding], list[Finding]]:
    """Return the differences that are the store's: behind the vouched position, and confirmed by a head or a chain, or
    by two copies that agree. The others are the copy's; of each copy the first."""
    first_failing = min((finding.position for finding in (*gathered.failing, *gathered.cut_off)), default=None)
    places = {(difference.position, difference.kind) for difference in differences if difference.way not in ITS_OWN}
    agreeing = {place for place, _ in places if sum(place == other for other, _ in places) > 1}
    stores, by_copy = list[Finding](), dict[Kind, list[Finding]]()
    for difference in differences:
        finding = Finding(
            difference.kind,
            difference.position,
            f"{difference.event} at {difference.position} {difference.message}",
            difference.event,
        )
        is_seen = first_failing is not None or difference.position in broken or difference.position in agreeing
        if difference.position > gathered.vouched and is_seen and difference.way not in ITS_OWN:
            kind: Kind = "cut off" if difference.way == "lost" and difference.position > gathered.end else "rewritten"
            stores.append(msgspec.structs.replace(finding, kind=kind))
        else:
            by_copy.setdefault(difference.kind, []).append(finding)
    return stores, [
        msgspec.structs.replace(copy_findings[0], further_findings=len(copy_findings) - 1)
        for copy_findings in by_copy.values()
    ]


def _first_of_stream(findings: Sequence[Finding]) -> list[Finding]:
    """Return the first finding of each stream. Later differences follow from it; a lost tail is one finding."""
    by_stream: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: finding.position):
        name = "" if finding.kind == "cut off" else finding.event.rpartition("@")[0]
        by_stream.setdefault(name, []).append(finding)
    return [
        msgspec.structs.replace(
            stream_findings[0], further_findings=len({finding.position for finding in stream_findings}) - 1
        )
        for stream_findings in by_stream.values()
    ]
