"""Settings that the house accepts with a warning at the start."""

import pytest

from backoffice.installation.startup_setting_warnings import setting_warnings
from events.settings import settings_from_environment

HOUSE = {"PITLEDGER_ADDRESS": "https://pit.example.org", "PITLEDGER_PROXIES": "proxy"}


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, []),
        (HOUSE, []),
        ({"PITLEDGER_ADDRESS": "http://localhost:8000"}, []),
        ({"PITLEDGER_MAIL_LINK": "https://old.example"}, ["Set PITLEDGER_ADDRESS instead"]),
        (HOUSE | {"PITLEDGER_MAIL_LINK": "https://pit.example.org"}, ["Set PITLEDGER_ADDRESS instead"]),
        ({"PITLEDGER_LIVE_PORT": "9001"}, ["Close the port in firewalls"]),
        ({"PITLEDGER_LIVE_PORT": ""}, []),
        (HOUSE | {"PITLEDGER_PROXIES": ""}, ["PITLEDGER_PROXIES names no proxy"]),
        (HOUSE | {"PITLEDGER_ADDRESS": "https://192.168.1.5"}, ["passkeys belong to a name"]),
    ],
)
def test_each_warning_says_what_to_do(environment: dict[str, str], words: list[str]) -> None:
    warnings = list(setting_warnings(settings_from_environment.read(environment), environment))
    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))
