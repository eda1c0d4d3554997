"""How a hit's amount arose, on paper (NM 15.1.24.19: every contribution since the last jackpot up to the hit)."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.utils.translation import gettext as _
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Paragraph, Spacer

from backoffice.pages.pdf.paper import CARDS, HEADING, SMALL, WORDS, Printed, Stamp, paper, rows, signatures, text
from backoffice.queries.hit import MICRO, Fold, HitSum, Line, folds
from backoffice.queries.words import word
from backoffice.templatetags.pitledger import status
from backoffice.writing import at, micro, number, percent
from events.progressives.award import Deed

LINES_MAX = 3_000  # more than these are summed by table: the certificate has them all


def hit_pdf(found: HitSum, printed: Printed) -> bytes:
    """The report: what happened and who did what, then the sum. The same award, printed by the same at the same moment,
    is the same file."""
    why = found.award.explanation
    period = _("period: from event %(first)s (%(from)s) to event %(last)s (%(to)s)") % {
        "first": number(why.opening_at),
        "from": _at(found.opened),
        "last": number(why.lock.at),
        "to": _at(found.ended),
    }
    title = _("How the %(level)s of %(name)s arose: %(hit)s") % {
        "level": word(why.level),
        "name": found.award.progressive,
        "hit": why.hit,
    }
    stamp = Stamp(title, period, printed.words, found.position, found.digest)
    happened = [*_who(found, printed), *_cards(found), *_deeds(found, printed)]
    sums = [*_sum(found), *_shares(found), *_tables(found), *_lines(found)]
    return paper(stamp, [*happened, *sums, signatures([_("Pit boss"), _("Surveillance"), _("Accounting")])])


def _who(found: HitSum, printed: Printed) -> list[Flowable]:
    award, why = found.award, found.award.explanation
    where = _(
        "Table %(table)s, gaming day %(day)s, round %(round)d, box %(box)d, player %(player)s, dealer %(dealer)s."
    )
    rules = _("Policy %(policy)s version %(v)d, parameters version %(p)d; amounts in %(currency)s; status %(status)s.")
    again = [Paragraph(text(printed.reprint), HEADING)] if printed.reprint else []
    return [
        *again,
        Paragraph(
            text(
                where
                % {
                    "table": award.table,
                    "day": award.gaming_day,
                    "round": award.round,
                    "box": award.box,
                    "player": award.player,
                    "dealer": printed.named(award.dealer),
                }
            ),
            WORDS,
        ),
        Paragraph(
            text(
                rules
                % {
                    "policy": word(why.policy, "policy"),
                    "v": why.policy_version,
                    "p": why.parameters_version,
                    "currency": award.currency,
                    "status": status(why.status),
                }
            ),
            WORDS,
        ),
        Spacer(1, 2 * mm),
    ]


def _sum(found: HitSum) -> list[Flowable]:
    why, exact = found.award.explanation, _exact(found.award.currency)
    places = [number(one) for one in (why.opening_at, why.lock.at)]
    opening = _("left by the previous lock") if why.previous else _("at the opening")
    body = [[opening, places[0], exact(found.opening_micro)]]
    body.append([_("+ fed, rounds: %(n)s") % {"n": number(_fed(found))}, "", exact(found.fed_micro)])
    if found.corrected_micro:
        body.append([_("+ corrections"), "", exact(found.corrected_micro)])
    body.append([_("= the meter at the hit"), places[1], exact(found.meter_micro)])
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
    return [
        Paragraph(_("How the amount arose"), HEADING),
        rows(head, body, (100, 30, 44), 1),
        Spacer(1, 1 * mm),
        Paragraph(text(proved), SMALL),
    ]


def _shares(found: HitSum) -> list[Flowable]:
    money = _exact(found.award.currency)
    body = [
        [
            one.player,
            one.hit,
            f"{one.table}, {one.gaming_day}, {one.round}",
            status(one.status),
            money(one.share_minor * MICRO),
        ]
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
        [one.table, one.gaming_day, number(one.rounds), money(one.stakes_minor * MICRO), money(one.amount_micro)]
        for one in found.tables
    ]
    head = [_("Table"), _("Gaming day"), _("Rounds"), _("Stakes"), _("Fed")]
    return [Paragraph(_("By table"), HEADING), rows(head, body, (40, 40, 24, 35, 35), 2)]


def _lines(found: HitSum) -> list[Flowable]:
    heading = Paragraph(_("Line by line"), HEADING)
    if len(found.lines) > LINES_MAX:
        words = _("%(n)s lines, too many for paper: ./manage.py explain %(hit)s --export FILE proves each of them.")
        said = words % {"n": number(len(found.lines)), "hit": found.award.explanation.hit}
        return [heading, Paragraph(text(said), SMALL)]
    return [heading, *(part for fold in folds(found.lines) for part in _fold(found.award.currency, fold))]


def _fold(currency: str, fold: Fold) -> list[Flowable]:
    """The lines of one table, with their sum, under its name."""
    money = _exact(currency)
    body = [
        [number(one.at), *_said(one, money), money(one.amount_micro), money(one.running_micro)] for one in fold.lines
    ]
    body.append(["", _("in all"), money(fold.stakes_minor * MICRO), "", money(fold.amount_micro), ""])
    head = [_("Event"), _("From"), _("Stakes"), _("Rate"), _("Fed"), _("Meter")]
    name = f"{fold.table}, {fold.gaming_day}" if fold.table else _("Corrections")
    return [Spacer(1, 2 * mm), Paragraph(text(name), WORDS), rows(head, body, (22, 56, 24, 16, 26, 30), 2)]


def _said(line: Line, money: Callable[[int], str]) -> tuple[str, str, str]:
    if line.kind == "corrected":
        return _("corrected: %(why)s") % {"why": line.reason}, "", ""
    where = _("%(t)s, %(d)s, round %(r)d") % {"t": line.table, "d": line.gaming_day, "r": line.round}
    return where, money(line.stakes_minor * MICRO), percent(line.rate_millionths)


def _cards(found: HitSum) -> list[Flowable]:
    laid = found.cards
    if not laid.position:
        return []
    said = _("%(box)s before the dealer's %(dealer)s, event %(at)s")
    words = said % {"box": " ".join(laid.box), "dealer": laid.dealer or "–", "at": number(laid.position)}
    return [Paragraph(_("The cards"), HEADING), Paragraph(text(words), CARDS)]


def _deeds(found: HitSum, printed: Printed) -> list[Flowable]:
    body = [
        [
            number(one.position),
            _at(datetime.fromisoformat(one.time)),
            f"{word(one.type)}\n{one.hit}" if one.hit else word(one.type),
            f"{printed.named(one.actor)}\n{word(one.role)}",
            "\n".join(f"{printed.named(person)}\n{word(role)}" for person, role in one.approvals),
            "\n".join((one.slip or "", *_withheld(one, found.award.currency))),
        ]
        for one in found.deeds
    ]
    head = [_("Event"), _("Time"), _("What"), _("By"), _("Agreed by"), _("Slip")]
    return [Paragraph(_("Who did what"), HEADING), rows(head, body, (18, 35, 32, 37, 37, 15), 6)]


def _withheld(one: Deed, currency: str) -> list[str]:
    """What the law keeps of it, and on which form."""
    kept = []
    if one.withheld_minor:
        kept = [_("withheld %(amount)s") % {"amount": _exact(currency)(one.withheld_minor * MICRO)}]
    return [*kept, *([_("form %(number)s") % {"number": one.form}] if one.form else [])]


def _fed(found: HitSum) -> int:
    return sum(line.kind == "fed" for line in found.lines)


def _at(moment: datetime | None) -> str:
    return at(moment, "full") if moment else "?"


def _exact(currency: str) -> Callable[[int], str]:
    """Writes millionths of a minor unit without losing any: "1,234.50", "1,234.505"."""
    return partial(micro, currency=currency)
