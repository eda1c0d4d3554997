"""Every field that people fill in has a word of its own, and nothing on a form speaks of the interface."""

from collections.abc import Iterator

import msgspec
import pytest

from backoffice.forms.action_form_from_struct import form_of
from backoffice.surveillance.search.field_conditions import base
from backoffice.wording import field_labels
from events import catalogue
from events.streams import stream_kind_declaration
from tools.documents.action_forms_page import of_people

ACTIONS = sorted({action for kind in stream_kind_declaration.declared().values() for action in of_people(kind)})


def texts(action: str) -> Iterator[str]:
    form = form_of(catalogue.action_types()[action])(currency="EUR")
    yield form.meaning
    for field in form.fields.values():
        yield str(field.label)
        yield str(field.help_text)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_form_speaks_as_people_do(action: str) -> None:
    shape = catalogue.action_types()[action]
    unknown = [
        field.encode_name
        for field in msgspec.structs.fields(shape)
        if not field_labels.LABELS.keys() & {f"{action} {field.encode_name}", field.encode_name}
    ]
    assert unknown == []
    assert [text for text in texts(action) if "_" in text or "`" in text or "null" in text] == []


def test_no_label_is_left_of_a_field_that_is_gone() -> None:
    events = {base(type_): shape for type_, shape in catalogue.event_types().items()}
    shapes = {**events, **catalogue.action_types()}
    fields = {type_: {field.encode_name for field in msgspec.structs.fields(shape)} for type_, shape in shapes.items()}
    in_rows = {"before_minor", "decisions", "levels", "meter_micro"}  # of notices, tested results and levels
    declared = {name.rpartition(" ")[::2] for name in (*field_labels.LABELS, *field_labels.HELPS)}
    assert {name for type_, name in declared if not type_} - set().union(*fields.values()) - in_rows == set()
    assert [(type_, name) for type_, name in declared if type_ and name not in fields[type_]] == []
