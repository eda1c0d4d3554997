"""`./manage.py settle` as a program: for each line, valid or not, one line of answer."""

import io
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from backoffice.management.commands import settle
from events.games import cases

ROOT = Path(__file__).parents[3]
SAMPLES = sorted((ROOT / "tests" / "data" / "cases").glob("*.jsonl"))
SPIN: dict[str, Any] = {
    "id": "s",
    "ruleset": "roulette-french",
    "given": {"kind": "spin", "number": 7, "bets": [{"id": "a", "type": "straight", "numbers": [7], "stake": 10}]},
    "expect": {"colour": "red", "net": 350},
}


class BinaryTextStream:
    """Standard input or output: text around bytes."""

    def __init__(self, content: bytes = b"") -> None:
        self.buffer = io.BytesIO(content)

    @property
    def lines(self) -> list[str]:
        return self.buffer.getvalue().decode().splitlines()


def run(monkeypatch: pytest.MonkeyPatch, content: bytes, *arguments: str) -> list[str]:
    out = BinaryTextStream()
    monkeypatch.setattr(sys, "stdin", BinaryTextStream(content))
    monkeypatch.setattr(sys, "stdout", out)
    call_command("settle", *arguments)
    return out.lines


def as_line(case: dict[str, Any]) -> bytes:
    return json.dumps(case).encode() + b"\n"


def test_one_line_in_one_line_out(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = run(monkeypatch, as_line(SPIN))
    answer = json.loads(line)
    assert (answer["id"], answer["result"]["net"]) == ("s", 350)
    assert answer.keys() == {"id", "result"}


@pytest.mark.parametrize(
    "bad", [b"nonsense\n", b"\n", b"[]\n", b"7\n", b"\xff\xfe\n", b'{"id":\n', b'{"a":' * 5000 + b"\n", b"null\n"]
)
def test_a_bad_line_does_not_stop_the_rest(monkeypatch: pytest.MonkeyPatch, bad: bytes) -> None:
    first, second, third = map(json.loads, run(monkeypatch, as_line(SPIN) + bad + as_line(SPIN)))
    assert first == third
    assert second["id"] is None
    assert second["result"]["error"]


def test_what_a_rule_forbids_is_an_error_with_its_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    bets = [{"id": "a", "type": "split", "numbers": [3, 4], "stake": 10}]
    (line,) = run(monkeypatch, as_line({**SPIN, "given": {**SPIN["given"], "bets": bets}}))
    assert "[roulette-french P.7]" in json.loads(line)["result"]["error"]


def test_the_last_line_may_end_the_file_and_the_first_may_have_a_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run(monkeypatch, b"\xef\xbb\xbf" + as_line(SPIN) + as_line(SPIN).rstrip())
    assert [json.loads(line)["id"] for line in lines] == ["s", "s"]


def test_a_line_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle, "MAX_LINE", 400)
    long = as_line({**SPIN, "tags": ["x" * 2000]})
    first, second = map(json.loads, run(monkeypatch, long + as_line(SPIN)))
    assert first["result"]["error"]
    assert second["result"]["net"] == 350


def test_a_fault_of_ours_is_an_answer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "answer_line", lambda line: 1 / 0)
    (line,) = run(monkeypatch, as_line(SPIN))
    assert json.loads(line) == {
        "id": "s",
        "result": {"error": "cannot be settled: ZeroDivisionError('division by zero')"},
    }


def test_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_bytes(as_line(SPIN))
    assert len(run(monkeypatch, as_line(SPIN), str(file), "-", str(file))) == 3
    with pytest.raises(CommandError, match="No such file") as error:
        run(monkeypatch, b"", str(tmp_path / "nothing"))
    assert error.value.returncode == 2


def test_explained_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(run(monkeypatch, as_line(SPIN) + b"x\n", "--explain"))
    assert text.startswith("s: roulette-french spin\n  result {")
    assert "a straight win, profit 350, returned 10: roulette-french B [002 §4] straight 35:1" in text
    assert "(no id): no ruleset" in text


def test_explained_for_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = run(monkeypatch, as_line(SPIN), "--explain", "--json")
    answer = json.loads(line)
    assert answer["result"]["net"] == 350
    assert any("002 §4" in why for why in answer["why"])


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_the_samples_are_as_expected(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("settle", str(file), "--expect")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"{len(file.read_text().splitlines())} answers compared, 0 differ")


def test_what_is_not_as_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_bytes(
        as_line({**SPIN, "expect": {"net": 351, "colour": "red"}}) + as_line({**SPIN, "expect": {"error": "no"}})
    )
    with pytest.raises(CommandError) as error:
        call_command("settle", str(file), "--expect")
    assert error.value.returncode == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "s: net: expected 351, found 350",
        "s: expected to be refused, but it was answered",
    ]
    assert "2 answers compared, 2 differ" in printed.err


def test_nothing_to_compare(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    with pytest.raises(CommandError, match="No line has"):
        call_command("settle", str(tmp_path / "empty"), "--expect")


def program(tmp_path: Path, *arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "PITLEDGER_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "backoffice.settings"}
    return subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "settle", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        **options,
    )


def test_2500_cases_take_seconds(tmp_path: Path) -> None:
    lines = b"".join(file.read_bytes() for file in SAMPLES)
    many = lines * (2_500 // lines.count(b"\n") + 1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with program(tmp_path) as running:
        out, errors = running.communicate(many, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (running.returncode, errors) == (0, b"")
    assert out.count(b"\n") == many.count(b"\n") >= 2_500
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 30  # about 2 s of a processor


def test_answers_come_while_lines_go_on(tmp_path: Path) -> None:
    with program(tmp_path) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for _ in range(3):
            running.stdin.write(as_line(SPIN))
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["id"] == "s"
        running.stdin.close()
        assert running.wait(timeout=30) == 0


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    with program(tmp_path, *map(str, SAMPLES)) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        errors = running.stderr.read()
        running.wait(timeout=30)
    assert b"Traceback" not in errors
