"""Reports of closed days as files in a named folder: PDF and XLSX, each once, also where the sender is killed.

A row with the digest is written before the file has its name. So a later attempt knows its own file, and no other file
is replaced. Each file is listed as issued, and leaves a line in the access log, before it is written.
"""

import hashlib
from collections.abc import Iterator, Sequence

import msgspec
from django.utils import translation

from backoffice.access import issued_documents
from backoffice.access import personal_data_access_log as access_log
from backoffice.days.day_report_from_rows import last_report
from backoffice.days.reports import master_report_files, report_files
from backoffice.days.reports.catalogue import BY_NAME
from backoffice.deliveries.destinations_configuration_file import destinations
from backoffice.deliveries.folder_file_writer import Folder, open_folder, problem_of
from backoffice.deliveries.news_sources_for_subscribers import ALL, MASTER
from backoffice.freshness.freshness import freshness
from backoffice.kit.page_declaration import DownloadFile
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.models import DeliveredFile, Delivery, Person
from backoffice.people.staff_list_and_name_lookup import names_for
from backoffice.wording.reader_language_choice import language_for
from events.errors import PitledgerError
from events.runtime import clock
from projections.accounts.models import DayReport


class ReportFile(msgspec.Struct, frozen=True):
    """A file to be written: a report of a closed day, its restatement, and the form."""

    report: str
    day: str
    restatement: int
    suffix: str

    @property
    def name(self) -> str:
        """Return the name of the file: that of the page's download, with the number of a restatement."""
        report = "report" if self.report == MASTER else self.report
        restated = f"-restatement-{self.restatement}" if self.restatement else ""
        return f"pitledger-{report}-{self.day}{restated}.{self.suffix}"

    @property
    def address(self) -> str:
        """Return the address of the same file on the pages, for the access log."""
        part = "" if self.report == MASTER else f"/reports/{self.report}"
        return f"/days/{self.day}{part}/report.{self.suffix}"


def write_reports(delivery: Delivery, reader: Reader) -> str:
    """Write the files of a delivery that are not in the folder yet. Return why some are missing, or ""."""
    path = destinations().folders.get(delivery.subscription.folder)
    if path is None:
        return "no such destination"
    person = Person.objects.get(id=reader.person)
    try:
        with open_folder(path) as folder, translation.override(language_for(person.language)):
            folder.delete_unfinished()
            problems = [_write(folder, file, delivery, reader) for file in due_files(delivery, reader)]
    except OSError as error:
        return problem_of(error)
    return next(filter(None, problems), "")


def due_files(delivery: Delivery, reader: Reader) -> Iterator[ReportFile]:
    """Yield the files of a delivery: of each day that was closed or restated in it, as the day is now."""
    closed = DayReport.objects.filter(position__gt=delivery.after, position__lte=delivery.upto)
    for day in sorted(set(closed.values_list("gaming_day", flat=True))):
        numbers = DayReport.objects.filter(gaming_day=day).order_by("-number").values_list("number", flat=True)
        for report in reports_of(delivery.subscription.choice, reader):
            yield from (ReportFile(report, day, numbers[0], suffix) for suffix in report_files.WORDS)


def reports_of(choice: str, reader: Reader) -> Sequence[str]:
    """Return the names of the reports of a choice that the reader may read."""
    if choice != ALL:
        return [choice]
    return [MASTER, *(name for name, report in BY_NAME.items() if report.open_to.admits(reader))]


def _write(folder: Folder, file: ReportFile, delivery: Delivery, reader: Reader) -> str:
    """Write a file; return why not, or ""."""
    try:
        if (present := folder.digest(file.name)) is not None:
            return _recognise(file, delivery, present)
        row, content = _prepare(file, delivery, reader)
        target = f"{file.address} > folder {row.folder}"
        access_log.add(access_log.EXPORT, target, person=reader.person, source="subscription")
        folder.write(file.name, content)
    except OSError as error:
        return problem_of(error)
    except PitledgerError:
        return "report not ready"
    DeliveredFile.objects.filter(id=row.id).update(is_written=True)
    return ""


def _recognise(file: ReportFile, delivery: Delivery, digest: str) -> str:
    """Return "" for a file that a delivery wrote, also one that was killed afterwards."""
    rows = DeliveredFile.objects.filter(folder=delivery.subscription.folder, name=file.name, digest=digest)
    return "" if rows.update(is_written=True) else "name taken"


def _prepare(file: ReportFile, delivery: Delivery, reader: Reader) -> tuple[DeliveredFile, bytes]:
    """Return the row and the content of a file, once it is listed as issued."""
    folder = delivery.subscription.folder
    earlier = DeliveredFile.objects.filter(delivery=delivery, name=file.name, is_written=False).order_by("id").first()
    report_file = _file_content(file, reader, earlier.copy if earlier else 0)
    paper = report_file.paper
    issued = issued_documents.copies(paper.kind, paper.about) if paper else 0
    copy = earlier.copy if earlier else issued + 1 if paper else 0
    digest = hashlib.sha256(report_file.content).hexdigest()
    row = DeliveredFile.objects.create(
        delivery=delivery, folder=folder, name=file.name, digest=digest, copy=copy, at=clock.moment()
    )
    if paper is not None and issued < copy:
        paper.record(reader.person)
    return row, report_file.content


def _file_content(file: ReportFile, reader: Reader, copy: int) -> DownloadFile:
    if file.report != MASTER:
        return report_files.report_file(report_files.prepare_report(file.report, file.day, reader), file.suffix, copy)
    figures = last_report(file.day, reader.roles)
    position = freshness().position
    return master_report_files.report_file(file.suffix, figures, position, reader.person, names_for(reader), copy)
