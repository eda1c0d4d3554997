"""How a hit's amount arose, on paper (NM 15.1.24.19: every contribution since the last jackpot up to the hit)."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial

from django.utils.translation import gettext as _
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Paragraph, Spacer

from backoffice.pages.pdf.paper import HEADING, SMALL, WORDS, Stamp, paper, rows, text
from backoffice.queries.hit import MICRO, HitSum, Line
from backoffice.templatetags.pitledger import plain
from backoffice.writing import micro, percent
from events.progressives.award import Deed

LINES_MAX = 3_000  # more than these are summed by table: the certificate has them all
NOBODY = "opened on this machine, not logged in"  # the pages listen on loopback only, and nobody logs in yet


def hit_pdf(found: HitSum, user: str = NOBODY) -> bytes:
    """The report. The same award, read at the same position, is the same file."""
    why = found.award.explanation
    period = _("period: from event %(first)s (%(from)s) to event %(last)s (%(to)s), UTC") % {
        "first": f"{why.opening_at:,}",
        "from": _at(found.opened),
        "last": f"{why.lock.at:,}",
        "to": _at(found.ended),
    }
    title = _("How the %(level)s of %(name)s arose: %(hit)s") % {
        "level": why.level,
        "name": found.award.progressive,
        "hit": why.hit,
    }
    stamp = Stamp(title, period, user, found.position, found.digest)
    story = [*_who(found), *_sum(found), *_shares(found), *_tables(found), *_lines(found), *_deeds(found.deeds)]
    return paper(stamp, story)


def _who(found: HitSum) -> list[Flowable]:
    award, why = found.award, found.award.explanation
    where = _(
        "Table %(table)s, gaming day %(day)s, round %(round)d, box %(box)d, player %(player)s, dealer %(dealer)s."
    )
    rules = _("Policy %(policy)s version %(v)d, parameters version %(p)d; amounts in %(currency)s; status %(status)s.")
    return [
        Paragraph(
            text(
                where
                % {
                    "table": award.table,
                    "day": award.gaming_day,
                    "round": award.round,
                    "box": award.box,
                    "player": award.player,
                    "dealer": award.dealer,
                }
            ),
            WORDS,
        ),
        Paragraph(
            text(
                rules
                % {
                    "policy": why.policy,
                    "v": why.policy_version,
                    "p": why.parameters_version,
                    "currency": award.currency,
                    "status": why.status,
                }
            ),
            WORDS,
        ),
        Spacer(1, 2 * mm),
    ]


def _sum(found: HitSum) -> list[Flowable]:
    why, exact = found.award.explanation, _exact(found.award.currency)
    opening = _("left by the previous lock") if why.previous else _("at the opening")
    body = [[opening, f"{why.opening_at:,}", exact(found.opening_micro)]]
    body.append([_("+ fed, rounds: %(n)s") % {"n": f"{_fed(found):,}"}, "", exact(found.fed_micro)])
    if found.corrected_micro:
        body.append([_("+ corrections"), "", exact(found.corrected_micro)])
    body.append([_("= the meter at the hit"), f"{why.lock.at:,}", exact(found.meter_micro)])
    if found.cap_micro is not None:
        body.append([_("the cap in force"), "", exact(found.cap_micro)])
    body += [
        [_("given by the meter"), "", exact(found.amount_minor * MICRO)],
        [_("given by the house"), "", exact(found.house_minor * MICRO)],
        [_("cannot be shared: it stays on the meter"), "", exact(found.remainder_micro)],
        [_("+ the seed, %(part)s of it from the reserve") % {"part": exact(found.from_reserve_micro)}, "",
         exact(found.seed_micro)],
        [_("= the meter after it"), "", exact(found.after_micro)],
    ]  # fmt: skip
    proved = _("The lines add up, to the last fraction.") if found.adds_up else _("THE LINES DO NOT ADD UP.")
    head = [_("The sum"), _("Event"), _("Amount")]
    return [rows(head, body, (100, 30, 44), 1), Spacer(1, 1 * mm), Paragraph(text(proved), SMALL)]


def _shares(found: HitSum) -> list[Flowable]:
    money = _exact(found.award.currency)
    body = [
        [one.player, one.hit, f"{one.table}, {one.gaming_day}, {one.round}", one.status, money(one.share_minor * MICRO)]
        for one in found.shares
    ]
    head = [_("Player"), _("Hit"), _("Table, day, round"), _("Status"), _("Share")]
    shared = [] if len(body) == 1 else [Paragraph(text(_together(found)), WORDS)]
    return [Paragraph(_("Shares"), HEADING), *shared, rows(head, body, (28, 50, 42, 24, 30), 4)]


def _together(found: HitSum) -> str:
    """How several winners share: "2 winners share this lock, 250.18 each: 500.36 by the meter, 0.00 by the house"."""
    money = _exact(found.award.currency)
    words = _("%(n)d winners share this lock, %(each)s each: %(meter)s by the meter, %(house)s by the house.")
    parts = {"each": found.share_minor, "meter": found.amount_minor, "house": found.house_minor}
    return words % {"n": len(found.shares), **{name: money(minor * MICRO) for name, minor in parts.items()}}


def _tables(found: HitSum) -> list[Flowable]:
    money = _exact(found.award.currency)
    body = [
        [one.table, one.gaming_day, f"{one.rounds:,}", money(one.stakes_minor * MICRO), money(one.amount_micro)]
        for one in found.tables
    ]
    head = [_("Table"), _("Gaming day"), _("Rounds"), _("Stakes"), _("Fed")]
    return [Paragraph(_("By table"), HEADING), rows(head, body, (40, 40, 24, 35, 35), 2)]


def _lines(found: HitSum) -> list[Flowable]:
    heading = Paragraph(_("Line by line"), HEADING)
    if len(found.lines) > LINES_MAX:
        words = _("%(n)s lines, too many for paper: ./manage.py explain %(hit)s --export FILE proves each of them.")
        return [
            heading,
            Paragraph(text(words % {"n": f"{len(found.lines):,}", "hit": found.award.explanation.hit}), SMALL),
        ]
    money = _exact(found.award.currency)
    body = [
        [f"{one.at:,}", *_said(one, money), money(one.amount_micro), money(one.running_micro)] for one in found.lines
    ]
    head = [_("Event"), _("From"), _("Stakes"), _("Rate"), _("Fed"), _("Meter")]
    return [heading, rows(head, body, (22, 56, 24, 16, 26, 30), 2)]


def _said(line: Line, money: Callable[[int], str]) -> tuple[str, str, str]:
    if line.kind == "corrected":
        return _("corrected: %(why)s") % {"why": line.reason}, "", ""
    where = _("%(t)s, %(d)s, round %(r)d") % {"t": line.table, "d": line.gaming_day, "r": line.round}
    return where, money(line.stakes_minor * MICRO), percent(line.rate_millionths)


def _deeds(deeds: Sequence[Deed]) -> list[Flowable]:
    body = [
        [
            f"{one.position:,}",
            one.time[:19].replace("T", " "),
            f"{plain(one.type)}\n{one.hit}" if one.hit else plain(one.type),
            f"{one.actor} ({one.role})",
            "\n".join(f"{person} ({role})" for person, role in one.approvals),
            one.slip or "",
        ]
        for one in deeds
    ]
    head = [_("Event"), _("Time, UTC"), _("What"), _("By"), _("Agreed by"), _("Slip")]
    return [Paragraph(_("Who did what"), HEADING), rows(head, body, (18, 31, 32, 38, 38, 17), 6)]


def _fed(found: HitSum) -> int:
    return sum(line.kind == "fed" for line in found.lines)


def _at(moment: datetime | None) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}" if moment else "?"


def _exact(currency: str) -> Callable[[int], str]:
    """Writes millionths of a minor unit without losing any: "1,234.50", "1,234.505"."""
    return partial(micro, currency=currency)
