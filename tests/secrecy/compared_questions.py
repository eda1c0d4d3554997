"""The cells of the comparison: a person, a question, and whether the person could see the case before."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from tests.secrecy.house_with_and_without_case import (
    EVERYONE,
    SECRETS,
    SUBJECTS,
    Asker,
    ComparableAnswer,
    Question,
    of_the_case,
    reads,
    without_heads,
    world,
)


class Cell(msgspec.Struct, frozen=True):
    """A person with a question."""

    person: str
    question: Question


def cells() -> list[Cell]:
    """Return every question, asked by everyone but the opener."""
    questions = [*reads(), *of_the_case()]
    return [Cell(person, question) for person in SUBJECTS for question in questions]


def drawn(number: int, seed: int) -> list[Cell]:
    """Return some of the cells, the same for the same seed, in their order."""
    every = cells()
    picked = sorted(random.Random(seed).sample(range(len(every)), number))
    return [every[index] for index in picked]


class Leak(msgspec.Struct, frozen=True):
    """A cell that is answered otherwise where the case exists."""

    cell: Cell
    without: ComparableAnswer
    with_case: ComparableAnswer

    def __str__(self) -> str:
        question = self.cell.question
        words = [f"{self.cell.person} at {question.address} {question.action or question.form or ''}:"]
        words += [f"{self.without.status} became {self.with_case.status}"]
        words += [f"- {line[:200]}" for line in _missing(self.without, self.with_case)]
        words += [f"+ {line[:200]}" for line in _missing(self.with_case, self.without)]
        return "\n".join(words)


def _missing(some: ComparableAnswer, other: ComparableAnswer) -> list[str]:
    lines = {*other.content.splitlines(), *map(str, other.headers)}
    return [line for line in (*some.content.splitlines(), *map(str, some.headers)) if line not in lines][:8]


def compare(every: Sequence[Cell], folder: Path, monkeypatch: pytest.MonkeyPatch, *, is_later: bool) -> list[Leak]:
    """Return the leaks. With `is_later` everyone reads the case first, and is added as a subject then."""
    answers, heads = [], list[int]()
    for has_case in (False, True):
        with world(folder / f"{'with' if has_case else 'without'}", monkeypatch) as house:
            if has_case:
                house.open_case(() if is_later else SUBJECTS)
            askers = {person: Asker(person) for person in EVERYONE}
            if is_later:
                _warm(every, askers)
            house.wait()
            heads.append(house.head)
            if has_case and is_later:
                house.add_subjects()
            house.wait()
            answers.append([askers[cell.person].ask(cell.question) for cell in every])
            heads.append(house.head)
    pairs = [tuple(without_heads(answer, *heads) for answer in pair) for pair in zip(*answers, strict=True)]
    return [Leak(cell, *pair) for cell, pair in zip(every, pairs, strict=True) if pair[0] != pair[1]]


def _warm(every: Sequence[Cell], askers: dict[str, Asker]) -> None:
    """Ask all questions without effects, so that caches are filled."""
    for cell in every:
        if cell.question.action is None and cell.question.form is None and cell.question.file is None:
            askers[cell.person].ask(cell.question)


def secrets_in(leaks: Sequence[Leak]) -> Iterator[str]:
    """Yield the texts of the case that are in an answer."""
    return (secret for leak in leaks for secret in SECRETS if secret in leak.with_case.content)
