"""The export of a case's bookmarks alone, logged first."""

from pathlib import Path

from backoffice.access import personal_data_access_log as access_log
from backoffice.cases.export.bookmark_files import as_csv, as_json
from backoffice.cases.export.case_exporter import Exporter, must_work_on
from events.store import EventStore


def export_bookmarks(store: EventStore, property_: str, case: str, exporter: Exporter, out: Path) -> int:
    """Write the bookmarks of a case to a new file, JSON or CSV by its name; return their number.

    The export is recorded in the access log first. Raises Unknown for a case that the person may not work on.
    """
    file = must_work_on(store, property_, case, exporter)
    what = f"case bookmarks {case}"
    access_log.add(access_log.EXPORT, what, person=exporter.person, source=exporter.source, count=len(file.bookmarks))
    content = as_json(case, file.bookmarks) if out.suffix == ".json" else as_csv(file.bookmarks)
    with out.open("x", encoding="utf-8", newline="") as target:
        target.write(content)
    return len(file.bookmarks)
