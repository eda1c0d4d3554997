"""The computation of a hit's amount, on paper (NM 15.1.24.19: every contribution since the last jackpot up to the
hit)."""

from collections.abc import Callable
from datetime import datetime

from django.utils.translation import gettext as _
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Paragraph, Spacer

from backoffice.hits.amount_calculation import MICRO, HitSum, MeterLine, TableDayLines, folds
from backoffice.printing.report_layout import (
    CARDS,
    HEADING,
    SMALL,
    WORDS,
    PrintCopy,
    Stamp,
    paper,
    rows,
    signatures,
    text,
)
from backoffice.wording.code_to_word_translation import status, word
from backoffice.wording.formats import micro, moment_text, number, percent
from events.progressives.award_report import Deed

LINES_MAX = 3_000  # more than these are summed by table: the certificate has them all


def hit_pdf(hit_sum: HitSum, print_copy: PrintCopy) -> bytes:
    """Return the report: the events with the people of each decision, then the calculation.

    The same award, printed by the same person at the same moment, is the same file.
    """
    why = hit_sum.award.explanation
    period = _("Period: event %(first)s (%(from)s) to event %(last)s (%(to)s)") % {
        "first": number(why.opening_at),
        "from": _at(hit_sum.opened),
        "last": number(why.lock.at),
        "to": _at(hit_sum.ended),
    }
    title = _("Award calculation, %(level)s of %(name)s: %(hit)s") % {
        "level": word(why.level),
        "name": hit_sum.award.progressive,
        "hit": why.hit,
    }
    stamp = Stamp(title, period, print_copy.words, hit_sum.position, hit_sum.digest)
    story = [*_people_paragraphs(hit_sum, print_copy), *_cards(hit_sum), *_action_table(hit_sum, print_copy)]
    sums = [*_sum(hit_sum), *_shares(hit_sum), *_tables(hit_sum), *_meter_tables(hit_sum)]
    return paper(stamp, [*story, *sums, signatures([_("Pit boss"), _("Surveillance"), _("Accounting")])])


def _people_paragraphs(hit_sum: HitSum, print_copy: PrintCopy) -> list[Flowable]:
    award, why = hit_sum.award, hit_sum.award.explanation
    place_text = _(
        "Table %(table)s, gaming day %(day)s, round %(round)d, box %(box)d, player %(player)s, dealer %(dealer)s."
    )
    rules = _(
        "Tie rule: %(policy)s (version %(v)d), parameters version %(p)d. Amounts in %(currency)s. Status: %(status)s."
    )
    reprint = [Paragraph(text(print_copy.reprint), HEADING)] if print_copy.reprint else []
    return [
        *reprint,
        Paragraph(
            text(
                place_text
                % {
                    "table": award.table,
                    "day": award.gaming_day,
                    "round": award.round,
                    "box": award.box,
                    "player": award.player,
                    "dealer": print_copy.person_text(award.dealer),
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


def _sum(hit_sum: HitSum) -> list[Flowable]:
    why, exact = hit_sum.award.explanation, _exact(hit_sum.award.currency)
    places = [number(position) for position in (why.opening_at, why.lock.at)]
    opening = _("left by the previous award") if why.previous else _("at the opening")
    body = [[opening, places[0], exact(hit_sum.opening_micro)]]
    rounds = sum(line.kind == "fed" for line in hit_sum.lines)
    body.append([_("+ contributions, rounds: %(n)s") % {"n": number(rounds)}, "", exact(hit_sum.fed_micro)])
    if hit_sum.corrected_micro:
        body.append([_("+ corrections"), "", exact(hit_sum.corrected_micro)])
    body.append([_("= meter at the hit"), places[1], exact(hit_sum.meter_micro)])
    if hit_sum.cap_micro is not None:
        body.append([_("cap"), "", exact(hit_sum.cap_micro)])
    body += [
        [_("− paid from the meter"), "", exact(hit_sum.amount_minor * MICRO)],
        [_("paid by the house"), "", exact(hit_sum.house_minor * MICRO)],
        [_("= remainder left on the meter"), "", exact(hit_sum.remainder_micro)],
        [_("+ seed, of which %(part)s from the reserve") % {"part": exact(hit_sum.from_reserve_micro)}, "",
         exact(hit_sum.seed_micro)],
        [_("= meter after the award"), "", exact(hit_sum.after_micro)],
    ]  # fmt: skip
    proved = _("The lines add up exactly.") if hit_sum.adds_up else _("THE LINES DO NOT ADD UP.")
    head = [_("Calculation"), _("Event"), _("Amount")]
    return [
        Paragraph(_("How the award was calculated"), HEADING),
        rows(head, body, (100, 30, 44), 1),
        Spacer(1, 1 * mm),
        Paragraph(text(proved), SMALL),
    ]


def _shares(hit_sum: HitSum) -> list[Flowable]:
    money = _exact(hit_sum.award.currency)
    body = [
        [
            share.player,
            share.hit,
            f"{share.table}, {share.gaming_day}, {share.round}",
            status(share.status),
            money(share.share_minor * MICRO),
        ]
        for share in hit_sum.shares
    ]
    head = [_("Player"), _("Hit"), _("Table, day, round"), _("Status"), _("Share")]
    shared = [] if len(body) == 1 else [Paragraph(text(_shares_of_several_winners(hit_sum)), WORDS)]
    return [Paragraph(_("Shares"), HEADING), *shared, rows(head, body, (28, 50, 42, 24, 30), 4)]


def _shares_of_several_winners(hit_sum: HitSum) -> str:
    """Return the shares of several winners in words: "2 winners share this lock, 250.18 each: 500.36 by the meter,
    0.00 by the house"."""
    money = _exact(hit_sum.award.currency)
    words = _("%(n)d winners share this award, %(each)s each: %(meter)s from the meter, %(house)s from the house.")
    parts = {"each": hit_sum.share_minor, "meter": hit_sum.amount_minor, "house": hit_sum.house_minor}
    return words % {"n": len(hit_sum.shares), **{name: money(minor * MICRO) for name, minor in parts.items()}}


def _tables(hit_sum: HitSum) -> list[Flowable]:
    money = _exact(hit_sum.award.currency)
    body = [
        [
            table.table,
            table.gaming_day,
            number(table.rounds),
            money(table.stakes_minor * MICRO),
            money(table.amount_micro),
        ]
        for table in hit_sum.tables
    ]
    head = [_("Table"), _("Gaming day"), _("Rounds"), _("Progressive stakes"), _("Contributions")]
    return [Paragraph(_("By table"), HEADING), rows(head, body, (40, 40, 24, 35, 35), 2)]


def _meter_tables(hit_sum: HitSum) -> list[Flowable]:
    heading = Paragraph(_("Lines of the calculation"), HEADING)
    if len(hit_sum.lines) > LINES_MAX:
        notice = _("%(n)s lines are too many to print.") % {"n": number(len(hit_sum.lines))}
        return [heading, Paragraph(text(notice), SMALL)]
    return [heading, *(part for fold in folds(hit_sum.lines) for part in _fold(hit_sum.award.currency, fold))]


def _fold(currency: str, fold: TableDayLines) -> list[Flowable]:
    """The lines of one table, with their sum, under its name."""
    money = _exact(currency)
    body = [
        [number(line.at), *_meter_row(line, money), money(line.amount_micro), money(line.running_micro)]
        for line in fold.lines
    ]
    body.append(["", _("total"), money(fold.stakes_minor * MICRO), "", money(fold.amount_micro), ""])
    head = [_("Event"), _("Source"), _("Progressive stakes"), _("Rate"), _("Contributions"), _("Meter")]
    name = f"{fold.table}, {fold.gaming_day}" if fold.table else _("Corrections")
    return [Spacer(1, 2 * mm), Paragraph(text(name), WORDS), rows(head, body, (22, 56, 24, 16, 26, 30), 2)]


def _meter_row(line: MeterLine, money: Callable[[int], str]) -> tuple[str, str, str]:
    if line.kind == "corrected":
        return _("corrected: %(why)s") % {"why": line.reason}, "", ""
    where = _("%(t)s, %(d)s, round %(r)d") % {"t": line.table, "d": line.gaming_day, "r": line.round}
    return where, money(line.stakes_minor * MICRO), percent(line.rate_millionths)


def _cards(hit_sum: HitSum) -> list[Flowable]:
    laid = hit_sum.cards
    if not laid.position:
        return []
    pattern = _("Player: %(box)s. Dealer: %(dealer)s. Event %(at)s.")
    words = pattern % {"box": " ".join(laid.box), "dealer": laid.dealer or "–", "at": number(laid.position)}
    return [Paragraph(_("Cards"), HEADING), Paragraph(text(words), CARDS)]


def _action_table(hit_sum: HitSum, print_copy: PrintCopy) -> list[Flowable]:
    body = [
        [
            number(deed.position),
            _at(datetime.fromisoformat(deed.time)),
            f"{word(deed.type)}\n{deed.hit}" if deed.hit else word(deed.type),
            f"{print_copy.person_text(deed.actor)}\n{word(deed.role)}",
            "\n".join(f"{print_copy.person_text(person)}\n{word(role)}" for person, role in deed.approvals),
            "\n".join((deed.slip or "", *_withheld(deed, hit_sum.award.currency))),
        ]
        for deed in hit_sum.deeds
    ]
    head = [_("Event"), _("Time"), _("Action"), _("By"), _("Approved by"), _("Slip")]
    return [Paragraph(_("History"), HEADING), rows(head, body, (18, 35, 32, 37, 37, 15), 6)]


def _withheld(deed: Deed, currency: str) -> list[str]:
    """Return the amount withheld by law, and the number of the form."""
    texts = []
    if deed.withheld_minor:
        texts = [_("withheld %(amount)s") % {"amount": _exact(currency)(deed.withheld_minor * MICRO)}]
    return [*texts, *([_("form %(number)s") % {"number": deed.form}] if deed.form else [])]


def _at(moment: datetime | None) -> str:
    return moment_text(moment, "full") if moment else "?"


def _exact(currency: str) -> Callable[[int], str]:
    """Writes millionths of a minor unit without losing any: "1,234.50", "1,234.505"."""
    return lambda amount: micro(amount, currency)
