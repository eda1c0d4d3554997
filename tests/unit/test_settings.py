"""One parser reads the settings: typed, with defaults, and with one line for each error."""

import re
from pathlib import Path

import pytest

from events.errors import Invalid
from events.settings import setting_declarations, settings_from_environment


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("PITLEDGER_WEB_PORT", "web", "'web' is not a port: a number from 1 to 65535"),
        ("PITLEDGER_WEB_PORT", "80_80", "'80_80' is not a port: a number from 1 to 65535"),
        ("PITLEDGER_LIVE_PORT", "0", "'0' is not a port: a number from 1 to 65535"),
        ("PITLEDGER_SWEEP_S", "often", "'often' is not a number of seconds above 0 and up to a day"),
        ("PITLEDGER_HEAD_S", "nan", "'nan' is not a number of seconds above 0 and up to a day"),
        ("PITLEDGER_WAIT_ALERT_S", "-1", "'-1' is not a number of seconds above 0 and up to a day"),
        ("PITLEDGER_IDLE_S", "24", "'24' is not a number of seconds from 60 up to a day"),
        ("PITLEDGER_FRESH_S", "5", "'5' is not a number of seconds from 30 up to a day"),
        ("PITLEDGER_PARTITIONS", "athens", "'athens' is not a list of partitions: want PROPERTY=NUMBER,..."),
        ("PITLEDGER_TIME_ZONE", "Athens", "'Athens' is not the name of a time zone: want one such as Europe/Athens"),
        ("PITLEDGER_TIME_ZONE", "Europe", "'Europe' is not the name of a time zone: want one such as Europe/Athens"),
        (
            "PITLEDGER_MONEY",
            "1.234.50 €",
            "'1.234.50 €' is not a way to write money: want an example such as `1,234.50 EUR` or `€ 1.234,50`",
        ),
        ("PITLEDGER_LANGUAGE", "Greek", "'Greek' is not a language: want en, el, tr or ru"),
        ("PITLEDGER_SWEEPS", "1", "There is no such setting: did you mean PITLEDGER_SWEEP_S?"),
        ("PITLEDGER_XXXXXXXXXXXX", "", "There is no such setting: docs/reference/settings.md lists all"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(name: str, value: str, why: str) -> None:
    with pytest.raises(Invalid) as refused:
        settings_from_environment.read({name: value})
    assert str(refused.value).startswith(f"{name}: {why}")


def test_what_is_empty_is_not_set(tmp_path: Path) -> None:
    environment = dict.fromkeys(setting_declarations.NAMES, " ") | {"PITLEDGER_DATA": str(tmp_path)}
    assert settings_from_environment.read(environment) == settings_from_environment.read(
        {"PITLEDGER_DATA": str(tmp_path)}
    )


def test_defaults_follow_the_data_folder(tmp_path: Path) -> None:
    settings_ = settings_from_environment.read({"PITLEDGER_DATA": str(tmp_path), "PITLEDGER_WEB_PORT": "8100"})
    assert settings_.data_folder == tmp_path
    assert settings_.store == f"sqlite:///{tmp_path}/events.sqlite3"
    assert settings_.read == f"sqlite:///{tmp_path}/read.sqlite3"
    assert (settings_.clock, settings_.port_of_live(), settings_.port_of_live(9000)) == (
        setting_declarations.MACHINE,
        8101,
        9001,
    )


def test_a_house_that_lives_in_its_own_time_brings_its_clock(tmp_path: Path) -> None:
    (tmp_path / setting_declarations.CLOCK).touch()
    environment = {"PITLEDGER_DATA": str(tmp_path)}
    assert settings_from_environment.read(environment).clock == str(tmp_path / setting_declarations.CLOCK)
    assert (
        settings_from_environment.read(environment | {"PITLEDGER_CLOCK": setting_declarations.MACHINE}).clock
        == setting_declarations.MACHINE
    )


def test_what_is_no_setting_of_a_house_is_let_through() -> None:
    others = setting_declarations.OF_CHILDREN | setting_declarations.OF_COMPOSE | setting_declarations.OF_TESTS
    assert settings_from_environment.read(dict.fromkeys(others, "x")) == settings_from_environment.read({})


def test_every_setting_says_what_it_means() -> None:
    assert [name for name, *_ in setting_declarations.rows()] == list(setting_declarations.NAMES)
    assert all(meaning and default.strip("`") for _, meaning, default in setting_declarations.rows())


def test_nobody_else_reads_a_setting() -> None:
    """Code may look up variables between our own processes, which are not settings. Settings go through the parser."""
    word = r"""["'](PITLEDGER_\w+)["']"""
    looks_up = re.compile(rf"(?:environ(?:\.get\(|\[)|getenv\()\s*{word}|{word} (?:not )?in os\.environ")
    lookups = {
        (str(path.relative_to(settings_from_environment.ROOT)), name)
        for ring in ("events", "projections", "workers", "backoffice", "tools/demo")
        for path in (settings_from_environment.ROOT / ring).rglob("*.py")
        for name in map("".join, looks_up.findall(path.read_text()))
    }
    assert {name for _, name in lookups} <= setting_declarations.OF_CHILDREN, lookups
    assert lookups, "the demo looks for its own word"


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("open/sesame\n")
    address = "postgresql://house@db:5432"
    environment = {
        "PITLEDGER_DB_PASSWORD_FILE": str(path),
        "PITLEDGER_STORE": f"{address}/events",
        "PITLEDGER_READ": "postgresql://house:own@db/read",
    }
    settings_ = settings_from_environment.read(environment)
    assert settings_.store == "postgresql://house:open%2Fsesame@db:5432/events"
    assert settings_.read == "postgresql://house:own@db/read"
    assert settings_.access.startswith("sqlite:///")


def test_a_secret_stands_in_one_place_and_in_a_file_that_can_be_read(tmp_path: Path) -> None:
    path, empty = tmp_path / "key", tmp_path / "empty"
    path.write_text("k")
    empty.touch()
    for name in setting_declarations.SECRETS:
        with pytest.raises(Invalid, match=rf"^{name}: {name} and {name}_FILE are both set. Unset one of them\.$"):
            settings_from_environment.read({name: "x", f"{name}_FILE": str(path)})
        with pytest.raises(Invalid, match=f"^{name}_FILE: .*missing cannot be read"):
            settings_from_environment.read({f"{name}_FILE": str(tmp_path / "missing")})
        with pytest.raises(Invalid, match=f"^{name}_FILE: .*empty is empty"):
            settings_from_environment.read({f"{name}_FILE": str(empty)})


def test_a_wrong_secret_is_not_printed() -> None:
    with pytest.raises(Invalid) as refused:
        settings_from_environment.read({"PITLEDGER_WEBHOOK_KEY": "too-short"})
    assert "too-short" not in str(refused.value)


def test_settings_follow_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    before = settings_from_environment.settings()
    assert settings_from_environment.settings() is before
    monkeypatch.setenv("PITLEDGER_OBSERVERS", "10.20.0.0/16")
    assert settings_from_environment.settings().observers == "10.20.0.0/16"
    monkeypatch.setenv("PITLEDGER_OBSERVERS", "no network")
    for _ in range(2):  # a wrong environment stays wrong
        with pytest.raises(Invalid, match="PITLEDGER_OBSERVERS"):
            settings_from_environment.settings()
    monkeypatch.delenv("PITLEDGER_OBSERVERS")
    assert settings_from_environment.settings() == before
