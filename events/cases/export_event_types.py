"""Exports of a case, and their hand-over: what a case's own events say of the archives that left the house."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from events.cases.event_types import CaseEvent
from events.envelope import ActionData
from events.fields import Text

ExportId = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$(?!\n)")]


class ExportContent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The encrypted part of an export's event. `events`: those of the evidence; `source`: where it was asked for."""

    export: str
    manifest: str
    events: int
    files: int
    source: str = ""


class CaseExported(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A case is exported. `manifest`: the SHA-256 of the archive's manifest, by which an outsider verifies it."""

    TYPE: ClassVar[str] = "case.exported.v1"
    manifest: str


class HandOverExport(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record that an export is handed over: to whom, and why."""

    TYPE: ClassVar[str] = "case.hand_over"
    export: ExportId
    to: Text
    reason: Text


class CaseHandedOver(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """An export of a case is handed over."""

    TYPE: ClassVar[str] = "case.handed_over.v1"
