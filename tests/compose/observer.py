"""A house in containers as monitoring and its administrator see it: `/healthz`, `/metrics`, the page System."""

import re
import time
from html import unescape
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.compose.conftest import Compose
from tests.support.pages.sign_in import FACTORS, PASSWORD, code

PORTS = {"pages": 8002, "web": 8000, "live": 8001}  # inside the network of the containers
ADMINISTRATOR = "adam"
PATIENCE_S = 60.0


class Observer:
    """A monitoring program with the house's token. It can ask each container that serves."""

    def __init__(self, compose: Compose) -> None:
        self._compose = compose
        self._headers = {"Host": "localhost", "Authorization": f"Bearer {compose.secret('observer_token')}"}

    def health(self, part: str = "web") -> dict[str, Any]:
        """Return what `/healthz` of a part answers."""
        answer: dict[str, Any] = self._get(part, "/healthz").json()
        return answer

    def problems(self, part: str = "web") -> set[str]:
        """Return each part or server that `/healthz` names, with its state: `relay silent`."""
        return {f"{problem['part']} {problem['state']}" for problem in self.health(part).get("problems", ())}

    def metrics(self, part: str = "web") -> dict[str, float]:
        """Return each gauge of one scrape by its name and its label: `pitledger_part_up relay`."""
        families = text_string_to_metric_families(self._get(part, "/metrics").text)
        samples = (sample for family in families if family.type == "gauge" for sample in family.samples)
        return {" ".join([sample.name, *sample.labels.values()]): sample.value for sample in samples}

    def _get(self, part: str, path: str) -> httpx.Response:
        address = f"http://{self._compose.address_of(part)}:{PORTS[part]}{path}"
        return httpx.get(address, headers=self._headers, timeout=PATIENCE_S, trust_env=False)


class Administrator:
    """The administrator's browser, signed in by the pages themselves: a link, a password, an authenticator app."""

    def __init__(self, compose: Compose) -> None:
        self._compose = compose
        self._client = httpx.Client(timeout=PATIENCE_S, trust_env=False)
        link = compose.manage("web", "people", "enrol", ADMINISTRATOR, "--by", ADMINISTRATOR).split()[-1]
        self._get("/enrol")
        self._post("/enrol", code=link.partition("#")[2], password=PASSWORD, again=PASSWORD)
        form = self._get(f"{FACTORS}/totp/activate/").text
        field = re.search(r'<input[^>]*id="authenticator_secret"[^>]*>', form)
        assert field is not None, form
        self._post(f"{FACTORS}/totp/activate/", code=code(re.findall(r'value="(\w+)"', field[0])[0]))

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def page(self, path: str) -> str:
        """Return the words of a page, one space between them."""
        answer = self._get(path)
        assert answer.status_code == 200, (answer.status_code, answer.headers, answer.text[:2_000])
        body = re.sub(r"(?s)<(script|style).*?</\1>", " ", answer.text)
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())

    def _address(self, path: str) -> str:
        """Return the address of a page now: a container that was started again may have another port."""
        return f"{self._compose.address().replace('127.0.0.1', 'localhost')}{path}"

    def _get(self, path: str) -> httpx.Response:
        return self._client.get(self._address(path))

    def _post(self, path: str, **fields: str) -> None:
        fields["csrfmiddlewaretoken"] = next(
            value for name, value in self._client.cookies.items() if name.endswith("csrftoken")
        )
        address = self._address(path)
        answer = self._client.post(address, data=fields, headers={"Referer": address})
        assert answer.status_code == 302, (answer.status_code, answer.text[:2_000])


def await_well(observer: Observer, seconds: float) -> None:
    """Return once `/healthz` says "ok"; fail with its last answer after that number of seconds."""
    until = time.monotonic() + seconds
    while (answer := observer.health()) != {"status": "ok"}:
        assert time.monotonic() < until, answer
        time.sleep(1.0)
