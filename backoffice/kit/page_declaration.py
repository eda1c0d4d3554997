"""Declaration of a page. `site_from_page_declarations.py` derives its addresses, menu entry and API from it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from msgspec import inspect as types

from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.reader_and_read_rule_types import NOBODY, Reader, ReadRule
from events import catalogue
from events.people import authority
from events.streams.stream_kind_declaration import Target

if TYPE_CHECKING:
    from backoffice.kit.visit_request_and_rendering import Visit


Words: TypeAlias = "str | Promise"  # translated when they are shown
Schema: TypeAlias = dict[str, Any]


class QueryParameters(Protocol):
    """A query string, as Django reads it."""

    def get(self, name: str, /) -> str | None: ...
    def getlist(self, name: str, /) -> list[str]: ...


class PageRequest(msgspec.Struct, frozen=True):
    """The request of a page: the parts of its path, its query string, and its reader. `drawn`: the answer is for
    people, with charts; otherwise for a program."""

    places: Mapping[str, Any]
    parameters: QueryParameters
    drawn: bool = True
    reader: Reader = NOBODY

    def text(self, name: str, at_most: int = 120) -> str:
        """Return a parameter of the query string; "" for none."""
        return (self.parameters.get(name) or "")[:at_most]


class IssuedPaper(Protocol):
    """The entry of a file in the list of issued documents."""

    @property
    def kind(self) -> str: ...
    @property
    def about(self) -> str: ...
    def record(self, person: str, /) -> None:
        """Record that this person gets it. Raises Retry; the person then gets nothing."""


class DownloadFile(msgspec.Struct, frozen=True):
    """A file as an answer: its bytes, their media type, its file name.

    `paper`: its entry in the list of issued documents.
    """

    content: bytes
    kind: str
    name: str
    paper: IssuedPaper | None = None


class CsvSheet(msgspec.Struct, frozen=True):
    """A page as a sheet of a spreadsheet: its title, its subject, a note with its time, and its lines.

    `name`: the file name, if it differs from the page's.
    """

    title: Words
    of: tuple[str, str]
    columns: Sequence[str]
    lines: Iterable[Sequence[object]]
    note: tuple[object, ...] = ()
    name: str = ""


class MenuEntry(msgspec.Struct, frozen=True):
    """A page's entry in the menu; `g` and its key lead there, and `help` is its text in the help of the keyboard.

    `count` names the address that answers with how much waits there.
    """

    words: Words
    key: str
    help: Words
    count: str = ""


class LiveUpdate(msgspec.Struct, frozen=True):
    """The part of a page that updates itself: requested every few seconds, answered 204 if nothing is new."""

    template: str
    path: str = ""  # where not at PATH/live


class Endpoint(msgspec.Struct, frozen=True):
    """Figures for programs, below /api/v1/: the type of the answer and the query string that it takes."""

    name: str
    path: str
    answer: type[msgspec.Struct]
    meaning: str
    query: Callable[[PageRequest], Any] | None = None  # None: the page's own
    view: Callable[[HttpRequest], HttpResponseBase] | None = None  # answers without a query
    parameters: Mapping[str, Schema] = {}
    open_to: ReadRule | None = None  # None: the page's own
    looks: AccessLogRule | None = None  # None: the rule of the page

    @property
    def lists(self) -> frozenset[str]:
        """Return the parameters that take several values."""
        return frozenset(name for name, schema in self.parameters.items() if schema.get("type") == "array")


class Format(msgspec.Struct, frozen=True):
    """Another form of a page, at PATH/suffix: a PDF, the JSON that was hashed.

    `is_kept`: a long one is made by a background job (`file_download_or_background_job.py`); not where each copy
    differs. `is_shared`: it is the same for all readers in the same roles, and does not name its reader.
    """

    suffix: str
    write: Callable[[PageRequest], DownloadFile]
    is_kept: bool = True
    is_shared: bool = False


class PageAddress(msgspec.Struct, frozen=True):
    """An address of a page with a view of its own: a part that loads later, a redirection, an export.

    `does`: it takes forms. `open_to`: its readers, where they differ from the page's.
    """

    name: str
    path: str
    view: Callable[["Visit"], HttpResponseBase]
    does: bool = False
    open_to: ReadRule | None = None
    looks: AccessLogRule | None = None


# A value with or without its words, or a heading with the choices below it.
Choice = str | tuple[str, str] | tuple[str, tuple[tuple[str, str], ...]]


class PendingRequest(msgspec.Struct, frozen=True):
    """A request that waits for approval: its action, its person, and the data of the action."""

    action: str
    person: str
    data: Mapping[str, Any]


class Stage(msgspec.Struct, frozen=True):
    """The target of a page's actions: the stream's name, its gaming day and currency.

    It has the choices of its fields ("level", or of one action's: "drop.remove witness"), and the denominations of
    counted fields ("chips"). `title`: its name for people, if the address has only an id. `proposals`: the initial
    values of an action's fields.
    """

    name: str = ""
    gaming_day: str | None = None
    currency: str = ""
    choices: Mapping[str, Sequence[Choice]] = {}
    pieces: Mapping[str, Sequence[int]] = {}
    title: str = ""
    proposals: Mapping[str, Mapping[str, Any]] = {}  # by action: the initial values of its fields
    requests: Mapping[str, PendingRequest] = {}  # by id, where no read model has their content

    def choices_of(self, action: str) -> dict[str, Sequence[Choice]]:
        """Return the choices of an action's fields, by field."""
        general = {name: offered for name, offered in self.choices.items() if " " not in name}
        own = {name.removeprefix(f"{action} "): offered for name, offered in self.choices.items() if " " in name}
        return general | {name: offered for name, offered in own.items() if " " not in name}


class Act(msgspec.Struct, frozen=True):
    """An action that people take from a page: a button, with the form that is made of the action's Struct.

    The rules of the deciders give the authority. `names`: the field that names a stream that this action makes.
    `is_tried`: the desk is asked for the effect first. For a blind count it is not, and the form is shown as filled in.
    `fixed` are read-only fields, where the address fills them in. `says` are words for the result, by the types of the
    events; `leads` is the next page, if not the page before. `asks` returns whether an action that is not tried needs
    an approval.
    """

    kind: str
    type: str
    title: Words
    names: str = ""
    corrects: bool = False  # it names the event that it puts right
    choices: Mapping[str, Sequence[str]] = {}
    is_offered: bool = True  # as a button of the page; else only from where it is about something
    is_tried: bool = True
    fixed: tuple[str, ...] = ()
    says: Mapping[str, Words] = {}
    leads: Callable[[Sequence[Mapping[str, Any]]], str] | None = None
    asks: Callable[[Any], bool] | None = None

    @property
    def open_to(self) -> ReadRule:
        """Return the rule by which the action may be sent."""
        return ReadRule(authority.may(self.kind, self.type))

    @property
    def lists(self) -> frozenset[str]:
        """Return the fields that take several texts. An address may repeat them."""
        fields = types.type_info(catalogue.action_types()[self.type]).fields  # type: ignore[attr-defined]  # a Struct's
        return frozenset(field.encode_name for field in fields if _is_list(field.type))

    def target(self, stage: Stage, data: object) -> Target:
        """The stream that it goes to."""
        return Target(self.kind, getattr(data, self.names) if self.names else stage.name, stage.gaming_day)


def _is_list(kind: types.Type) -> bool:
    kinds = kind.types if isinstance(kind, types.UnionType) else (kind,)
    lists = (each for each in kinds if isinstance(each, types.VarTupleType))
    return any(isinstance(each.item_type, types.StrType | types.LiteralType) for each in lists)


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page. Either `query` finds its content, or `view` answers by itself.

    The content is named `shown_as` in the template; `add_context` adds to it. An empty result is `Unknown`: 404 on the
    page, a problem in the interface. `open_to` are the readers of every form of it. It has no default: the house does
    not start with a page without it. `looks` means that views are recorded in the access log; downloads always are.
    """

    name: str
    path: str
    title: Words
    open_to: ReadRule
    template: str = ""
    query: Callable[[PageRequest], Any] | None = None
    shown_as: str = "shown"
    add_context: Callable[["Visit", Any], dict[str, Any]] | None = None
    view: Callable[["Visit"], HttpResponseBase] | None = None
    menu: MenuEntry | None = None
    under: str = ""  # the page whose menu entry it belongs to; itself for a page of the menu
    follows: LiveUpdate | None = None
    listens: bool = False  # to the live process
    endpoint: Endpoint | None = None
    sheet: Callable[[PageRequest, Any], CsvSheet] | None = None
    sheet_is_shared: bool = False  # the same for all readers in the same roles
    formats: tuple[Format, ...] = ()
    also: tuple[PageAddress, ...] = ()
    acts: tuple[Act, ...] = ()
    stage: Callable[[PageRequest], Stage] = lambda request: Stage()
    looks: AccessLogRule | None = None

    @property
    def says_its_age(self) -> bool:
        """Return whether the page shows the age of its figures; a page with live figures alone (a sign) need not."""
        return self.follows is not None or not self.listens

    @property
    def lists(self) -> frozenset[str]:
        """Return the parameters of its addresses that take several values: those of its endpoint."""
        return self.endpoint.lists if self.endpoint else frozenset()

    @property
    def place(self) -> str:
        """The page whose entry in the menu is marked while this one is open."""
        return self.name if self.menu else self.under


def approval_acts(kind: str) -> tuple[Act, ...]:
    """Return the answers to a request that waits for approval; buttons accompanies the request."""
    return (
        Act(kind, "approval.give", _("Approve request"), is_offered=False),
        Act(kind, "approval.decline", _("Decline request"), is_offered=False),
        Act(kind, "approval.withdraw", _("Withdraw request"), is_offered=False),
    )
