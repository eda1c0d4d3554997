"""The summary of a case on paper: facts, evidence, notes, bookmarks, custody, and its rounds drawn."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, PageBreak, Paragraph

from backoffice.cases.export.referenced_evidence_events import CollectedEvidence, find_round
from backoffice.cases.export.table_diagram import DrawnPane
from backoffice.printing.report_layout import HEADING, SMALL, WORDS, Stamp, paper, rows, text
from backoffice.surveillance.replay import round_replay_steps as rounds
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.formats import moment_text, number
from events.cases.decrypted_case import CaseFile
from events.errors import Unknown

ROUNDS_MAX = 50  # drawn ones


def summary_pdf(
    file: CaseFile, evidence: CollectedEvidence, person: str, roles: Collection[str], heading: dict[str, Any]
) -> bytes:
    """Return the summary as PDF. The same case at the same position is the same file."""
    position = max((stored.position for stored in evidence.events), default=0)
    title = _("Case %(case)s: %(title)s") % {"case": file.id, "title": file.title}
    period = _("Opened %s") % moment_text(datetime.fromisoformat(file.opened), "full")
    stamp = Stamp(title, period, person, position, heading["export"])
    return paper(stamp, [*_facts(file), *_lists(file, evidence), *_rounds(file, roles)])


def _facts(file: CaseFile) -> list[Flowable]:
    lines = [
        (_("Category"), word(file.category)),
        (_("Severity"), word(file.severity, "severity")),
        (_("Status"), word(file.status)),
        (_("Opened by"), file.opener),
        (_("Occurred"), " – ".join(filter(None, (file.occurred, file.occurred_until)))),
        (_("Reported"), file.reported or ""),
        (_("Subjects"), ", ".join((*file.subjects, *map(word, file.subject_roles)))),
        (_("People"), ", ".join(file.people)),
        (_("Places"), ", ".join(file.places)),
        (_("Disposition"), f"{word(file.disposition)}: {file.reason}" if file.disposition else ""),
    ]
    return [rows(("", ""), [pair for pair in lines if pair[1]], (40, 134), 2)]


def _lists(file: CaseFile, evidence: CollectedEvidence) -> Iterator[Flowable]:
    event_rows = [(number(stored.position), word(stored.type), stored.stream) for stored in evidence.events]
    yield from _list(_("Evidence"), (_("Event"), _("Type"), _("Stream")), event_rows, (24, 60, 90))
    if evidence.missing:
        yield Paragraph(text(_("Not in this export: %s") % ", ".join(evidence.missing)), SMALL)
    notes = [(note.at, note.by, note.note) for note in file.notes]
    yield from _list(_("Notes"), (_("Time"), _("By"), _("Note")), notes, (44, 26, 104))
    videos = [(mark.camera, mark.from_, mark.to, mark.expires or "", mark.note) for mark in file.bookmarks]
    heads = (_("Camera"), _("From"), _("Until"), _("Expires"), _("Note"))
    yield from _list(_("Bookmarks"), heads, videos, (24, 38, 38, 38, 36))
    files = [(attached.name, attached.type, number(attached.size), attached.by) for attached in file.attachments]
    yield from _list(_("Attachments"), (_("Name"), _("Type"), _("Bytes"), _("By")), files, (84, 40, 24, 26))
    hand_overs = [(hand_over.at, hand_over.by, hand_over.to, hand_over.reason) for hand_over in file.hand_overs]
    yield from _list(_("Hand-overs"), (_("Time"), _("By"), _("Recipient"), _("Reason")), hand_overs, (44, 26, 50, 54))


def _list(
    title: str, heads: tuple[str, ...], body: Sequence[tuple[str, ...]], widths: tuple[float, ...]
) -> Iterator[Flowable]:
    if body:
        yield Paragraph(text(title), HEADING)
        yield rows(heads, body, widths, len(heads))


def _rounds(file: CaseFile, roles: Collection[str]) -> Iterator[Flowable]:
    names = [piece.ref for piece in file.evidence if piece.kind == "round"]
    for name in names[:ROUNDS_MAX]:
        try:
            replay = rounds.round_page(find_round(name, roles), None)
        except Unknown:
            continue
        yield PageBreak()
        yield Paragraph(text(_("Round %s") % name), HEADING)
        yield from (DrawnPane(pane, replay.currency, 174 * mm) for pane in (replay.drawn.panes if replay.drawn else ()))
        yield from (
            Paragraph(text(f"{step.number}. {moment_text(step.time, 'full')} {step.actor}: {step.sentence}"), WORDS)
            for step in replay.steps
        )
