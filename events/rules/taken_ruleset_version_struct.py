"""The numbers of a ruleset, by an event's name and digest of it."""

from typing import TypeAlias

import msgspec

# The rulesets that there were before versions were stamped on events: all of them were in their first.
FIRST = frozenset(
    {
        "baccarat",
        "baccarat-no-commission",
        "blackjack-trilux",
        "blazing7s",
        "craps-by",
        "craps-gr",
        "roulette-american",
        "roulette-french",
    }
)


class TakenRuleset(msgspec.Struct, frozen=True, gc=False):
    """The data of a ruleset, as recorded when it was taken (`events/rules/ruleset_adoption_and_recording.py`).

    Without a digest: the data that this version was released with. Without a version: a casino's own ruleset, named by
    an event that was stored before its data was recorded.
    """

    name: str
    version: str = ""
    digest: str = ""

    @property
    def stamp(self) -> str:
        """Return it in the form of every event: "roulette-french@1"."""
        return f"{self.name}@{self.version}" if self.version else self.name

    def __str__(self) -> str:
        return self.stamp


Numbers: TypeAlias = str | TakenRuleset  # a name alone is the file of today


def taken_ruleset(ruleset: str, digest: str = "") -> TakenRuleset:
    """Return the ruleset version that an event names."""
    name, _, version = ruleset.partition("@")
    return TakenRuleset(name, version or ("1" if name in FIRST else ""), digest)
