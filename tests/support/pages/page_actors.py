"""People who act from the pages, for tests: signed in, at the forms, with the desk and the read models behind them."""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import msgspec
from django.forms import DecimalField, IntegerField
from django.http import QueryDict
from django.test import Client

from backoffice.forms.action_form_from_struct import ActionForm, form_of
from backoffice.installation.dependency_injection import installation
from backoffice.people import signed_in_person_action_sender
from events import catalogue
from events.envelope import Action, digest
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.sign_in import signed_in

NUMBERS = (DecimalField, IntegerField)
_WRONG = re.compile(r'(?s)<ul class="errorlist".*?</ul>|<p class="banner bad".*?</p>')


class InProcessDoor:
    """The API in this process, to which the pages post. The read models are updated at once."""

    def __init__(self, house: House) -> None:
        self.house, self.sent = house, 0

    def post(self, path: str, content: bytes, headers: dict[str, str]) -> httpx.Response:
        """Post to the API, with the signature of httpx."""
        self.sent += 1
        answer = Client().post(path, content, "application/json", headers=headers)
        evening_with_everything.project(self.house)
        return httpx.Response(answer.status_code, content=answer.content, headers=dict(answer.headers))


@contextmanager
def open_door(house: House) -> Iterator[InProcessDoor]:
    """The way from the pages to the desk of this house."""
    captured: Any = InProcessDoor(house)
    with installation().replaced(signed_in_person_action_sender.door, captured):
        yield captured


def at(person: str) -> Client:
    """Return the browser of a person who has just signed in."""
    return signed_in(Client(), person)


def filled_in(page: Any) -> dict[str, str]:
    """Return the fields that a browser would send from the form of a page."""
    form: ActionForm = page.context["form"]
    hidden: dict[str, str] = page.context["hidden"]
    values = {name: form[name].value() for name in form.fields}
    return hidden | {name: str(value) for name, value in values.items() if value is not None}


def preview_of(client: Client, url: str, **entered: str) -> tuple[Any, dict[str, str]]:
    """Fill in a form and preview it. Return the preview and the sent fields."""
    first = client.get(url)
    assert first.status_code == 200, complaints(first)
    sent = filled_in(first) | entered
    return client.post(url.partition("?")[0], sent), sent


def done(client: Client, url: str, **entered: str) -> tuple[Any, dict[str, str]]:
    """Fill in a form, preview it and send it. Return the answer and the sent fields."""
    preview, sent = preview_of(client, url, **entered)
    assert preview.status_code == 200, complaints(preview)
    sent = {**sent, "form-step": "send"}
    return client.post(url.partition("?")[0], sent), sent


def complaints(page: Any) -> str:
    """Return the error messages of a page."""
    text = page.content.decode()
    return f"{page.status_code}: " + re.sub(r"\s+", " ", " | ".join(_WRONG.findall(text))) or text[:300]


def offered(person: str, url: str, kind: str) -> list[tuple[str, Action]]:
    """Return the actions of this kind that a page offers to a person, each with its address and its known data."""
    actions = []
    for number, form in enumerate(forms(at(person).get(url).content.decode(), kind)):
        path, _, query = form.partition("?")
        fields = form_of(catalogue.action_types()[kind])(currency="EUR").fields
        known = {name: str(text) for name, text in QueryDict(query).items() if name in fields}
        data = {name: int(text) if isinstance(fields[name], NUMBERS) else text for name, text in known.items()}
        action = Action(
            type=kind,
            key=f"{person}:{number}:{digest(query.encode()).hex()[:20]}",
            data=msgspec.Raw(msgspec.json.encode(data)),
        )
        actions.append((path.partition("/do/")[0], action))
    return actions


def forms(page: str, action: str) -> list[str]:
    """The addresses of forms of this action on a page."""
    return [html.unescape(address) for address in re.findall(rf'href="([^"]*/do/{re.escape(action)}[^"]*)"', page)]
