"""The devices of a table, on a page below the pit's: pair, confirm, revoke, and decide on a lost device's entries."""

import base64
import io
from http import HTTPStatus
from typing import Any

import msgspec
import qrcode
import qrcode.image.svg
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.kit.page_declaration import Act, Page, PageAddress, PageRequest, Stage
from backoffice.kit.reader_and_read_rule_types import roles
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.models import TableDevice
from backoffice.table_screen import held_entry_acceptance_and_rejection, pairing, screen_people_queue_and_layout
from backoffice.table_screen.screen_people_queue_and_layout import RefusedShown, WaitingEntry
from backoffice.wording.copy_row_into_page_struct import struct_from
from backoffice.wording.error_code_sentences import error_sentence
from events.error_codes import coded
from events.errors import PitledgerError, Unknown
from events.floor.device_and_entry_decider import USES
from projections.floor.models import InstalledTable

_T = gettext_lazy
WHO = roles("inspector", "pit boss", "surveillance", "security")
PAIR = Act("devices", "device.pair", _T("Confirm device"), is_offered=False, fixed=("device", "table", "use", "key"))
REVOKE = Act("devices", "device.revoke", _T("Revoke device"), is_offered=False, fixed=("device",))
REJECT = Act(
    "devices", "device.reject_entry", _T("Reject entry"), is_offered=False, fixed=("device", "entry", "digest")
)


class DeviceRow(msgspec.Struct, frozen=True):
    """A device of the table, with the addresses of its possible actions."""

    device: str
    name: str
    use: str
    state: str
    digits: str
    made_by: str
    made_at: Any
    seen_at: Any
    used_again: int
    clock_behind_s: float
    confirm_url: str
    revoke_url: str


class WaitingRow(msgspec.Struct, frozen=True):
    """An entry that waits, with the address of its rejection."""

    entry: WaitingEntry
    reject_url: str


class TableDevices(msgspec.Struct, frozen=True):
    """The devices of a table, the entries that wait for a decision, and the refused entries."""

    table: str
    uses: tuple[str, ...]
    devices: tuple[DeviceRow, ...]
    waiting: tuple[WaitingRow, ...]
    refused: tuple[RefusedShown, ...]


def _devices(request: PageRequest) -> TableDevices:
    table = _on_the_floor(request.places["name"])
    rows = TableDevice.objects.filter(table=table).order_by("-made_at")
    device_rows = [_row(device) for device in rows]
    return TableDevices(
        table,
        USES,
        tuple(row for row in device_rows if row.state not in ("open", "expired", "refused")),
        tuple(_waiting_row(table, entry) for entry in screen_people_queue_and_layout.waiting_entries(table)),
        tuple(screen_people_queue_and_layout.refused_entries(table)),
    )


def _on_the_floor(name: str) -> str:
    if not InstalledTable.objects.filter(table=name).exists():
        raise Unknown(coded("table-unknown", table=name))
    return name


def _row(device: TableDevice) -> DeviceRow:
    confirm = {"device": device.pk, "table": device.table, "use": device.use, "key": device.fingerprint}
    return struct_from(
        device,
        DeviceRow,
        device=device.pk,
        state=pairing.state_of(device),
        clock_behind_s=device.clock_behind_ms / 1_000,
        confirm_url=_form(device.table, PAIR, confirm),
        revoke_url=_form(device.table, REVOKE, {"device": device.pk}),
    )


def _waiting_row(table: str, entry: WaitingEntry) -> WaitingRow:
    about = {"device": entry.device, "entry": str(entry.seq), "digest": entry.digest}
    return WaitingRow(entry, _form(table, REJECT, about))


def _form(table: str, act: Act, data: dict[str, str]) -> str:
    return f"{reverse(f'pit-devices-{act.type}', args=[table])}?{urlencode(data)}"


def _may(visit: Visit, _shown: TableDevices) -> dict[str, Any]:
    """Return which actions about devices and entries the reader may send."""
    return {
        "may_pair": PAIR.open_to.admits(visit.reader),
        "may_revoke": REVOKE.open_to.admits(visit.reader),
        "may_decide": REJECT.open_to.admits(visit.reader),
    }


def _invite(visit: Visit) -> HttpResponse:
    """Show a new code as a picture, and as a link for devices without a camera."""
    table = _on_the_floor(visit.place("name"))
    if visit.request.method != "POST":
        return redirect("pit-devices", table)
    try:
        device, secret = pairing.invite(table, str(visit.request.POST.get("use", "")), visit.reader.person)
    except PitledgerError as error:
        messages.warning(visit.request, error_sentence(error))
        return redirect("pit-devices", table)
    link = visit.request.build_absolute_uri(f"{reverse('table-screen', args=[table])}#{secret}")
    return visit.render(
        "pages/devices/code.html", table=table, device=_row(device), link=link, picture=picture(link), may_pair=True
    )


def _show_waiting_code(visit: Visit) -> HttpResponse:
    """Answer with the part of the code's page that shows the four digits."""
    device = _device(visit)
    may_pair = PAIR.open_to.admits(visit.reader)
    return visit.render("pages/devices/waiting.html", table=device.table, device=_row(device), may_pair=may_pair)


def _refuse(visit: Visit) -> HttpResponse:
    table = _on_the_floor(visit.place("name"))
    if visit.request.method == "POST":
        pairing.refuse(_device(visit))
        messages.success(visit.request, _("Device refused. Make a new code to pair it."))
    return redirect("pit-devices", table)


def _device(visit: Visit) -> TableDevice:
    device = TableDevice.objects.filter(pk=visit.place("device"), table=visit.place("name")).first()
    if device is None:
        raise Unknown(coded("device-not-at-table", device=visit.place("device"), table=visit.place("name")))
    return device


def _accept(visit: Visit) -> HttpResponse:
    """Carry out an entry that waited, as the act of the inspector who accepts it."""
    table = _on_the_floor(visit.place("name"))
    if visit.request.method != "POST":
        return redirect("pit-devices", table)
    row = held_entry_acceptance_and_rejection.waiting_entry(table, visit.place("device"), int(visit.place("entry")))
    answer = held_entry_acceptance_and_rejection.accept(row, visit.reader.person)
    if answer.status == HTTPStatus.OK:
        messages.success(visit.request, _("Entry %(n)s recorded as your own act.") % {"n": row.seq})
    else:
        problem = answer.problem or {}
        sentence = problem.get("message") or problem.get("detail") or _("The house does not answer. Try again.")
        messages.warning(visit.request, sentence)
    return redirect("pit-devices", table)


def picture(link: str) -> str:
    """Return a QR code as the address of a picture."""
    code = qrcode.make(link, image_factory=qrcode.image.svg.SvgPathImage, box_size=16)
    content = io.BytesIO()
    code.save(content)
    return f"data:image/svg+xml;base64,{base64.b64encode(content.getvalue()).decode()}"


DEVICES = Page(
    name="pit-devices",
    path="pit/<str:name>/devices",
    title=_T("Devices"),
    open_to=WHO,
    template="pages/devices.html",
    query=_devices,
    shown_as="at",
    add_context=_may,
    under="pit",
    acts=(PAIR, REVOKE, REJECT),
    stage=lambda request: Stage(title=_on_the_floor(request.places["name"])),
    also=(
        PageAddress("pit-devices-code", "pit/<str:name>/devices/do/code", _invite, does=True, open_to=PAIR.open_to),
        PageAddress("pit-devices-waiting", "pit/<str:name>/devices/<str:device>/waiting", _show_waiting_code),
        PageAddress(
            "pit-devices-refuse",
            "pit/<str:name>/devices/<str:device>/do/refuse",
            _refuse,
            does=True,
            open_to=PAIR.open_to,
        ),
        PageAddress(
            "pit-devices-accept",
            "pit/<str:name>/devices/<str:device>/entries/<int:entry>/do/accept",
            _accept,
            does=True,
            open_to=REJECT.open_to,
        ),
    ),
)
