"""Cameras by table: the setting, its CSV file, and the time at which a recording expires."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from events.errors import Invalid
from events.house import cameras_by_table_setting, settings


def test_a_table_has_its_cameras() -> None:
    text = "BJ1: C101, PTZ 7; FR1: C110"
    assert settings.valid_value({}, "cameras", text) == text
    assert cameras_by_table_setting.of_table(text, "BJ1") == ("C101", "PTZ 7")
    assert cameras_by_table_setting.of_table(text, "CR1") == ()
    assert cameras_by_table_setting.parse(
        cameras_by_table_setting.encode(cameras_by_table_setting.parse(text))
    ) == cameras_by_table_setting.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        *("BJ1", "BJ1:", ": C1", "BJ 1: C1", "BJ1: C1; BJ1: C2", "BJ1: C1, C1", "BJ1: a/b", "BJ1: <b>"),
        "BJ1: " + ", ".join(f"C{n}" for n in range(21)),
        "; ".join(f"T{n}: C1" for n in range(501)),
    ],
)
def test_a_setting_that_names_no_cameras_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        settings.valid_value({}, "cameras", text)


def test_recordings_of_events_are_kept_no_shorter() -> None:
    with pytest.raises(Invalid, match="kept for fewer days"):
        settings.valid_value({}, "video_days", 31)
    assert settings.valid_value({"video_event_days": 40}, "video_days", 31) == 31


def test_a_recording_expires_by_its_end() -> None:
    assert cameras_by_table_setting.expiry("2026-11-20T20:00:00.000Z", 7) == "2026-11-27T20:00:00.000Z"


@pytest.mark.parametrize("beyond", ["", ",,"], ids=["plain", "with the empty cells of a spreadsheet"])
def test_a_file_is_read(tmp_path: Path, beyond: str) -> None:
    file, out = tmp_path / "cameras.csv", StringIO()
    lines = ("\ufeffTable,Camera", "FR1,C110", "BJ1,C101", "BJ1,C102", "," if beyond else "")
    file.write_text("".join(f"{line}{beyond}\n" for line in lines), encoding="utf-8")
    call_command("import", "cameras", str(file), stdout=out, stderr=StringIO())
    action = json.loads(out.getvalue())
    assert action["data"] == {"setting": "cameras", "value": "BJ1: C101, C102; FR1: C110"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("table,month\nBJ1,1\n", "columns"),
        ("", "columns"),
        ("table,camera\nBJ1,C1\nBJ1,\n", "Line 3"),
        ("table,camera\nBJ1,C1,more\n", "Line 2"),
        ("table,camera\nBJ1,C1\nBJ1,C1\n", "occurs twice"),
        ("table,camera,table\nBJ1,C1,BJ2\n", "columns"),
        ('table,camera\n"BJ1,C1\n', "unexpected end of data"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, content: str, words: str) -> None:
    file = tmp_path / "cameras.csv"
    file.write_text(content)
    with pytest.raises(CommandError, match=words) as refusal:
        call_command("import", "cameras", str(file), stdout=StringIO(), stderr=StringIO())
    assert refusal.value.returncode == 2
