"""Recorded rulesets: the data of each when a table or a progressive took it, as an event of the floor.

It is recorded once for a name and version, and a table that takes it later uses that data. A file with other content
under the same name and version is refused. Otherwise an event could mean either of the two.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

from events.envelope import EventData
from events.error_codes import coded, text_of
from events.errors import Invalid, PitledgerError, Refused, Unknown
from events.rules import loading_and_pinning_rulesets
from events.rules.game_declaration_and_registry import game_by_name, game_of
from events.rules.loading_and_pinning_rulesets import Data
from events.rules.taken_ruleset_version_struct import TakenRuleset

CLAUSE = "house ruleset"


class RulesetRecorded(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The numbers that are played by from here on under `ruleset`, "name@version".

    `digest` is the SHA-256 of `data` as canonical JSON: keys sorted, no white space. A session's opening names it.
    """

    TYPE: ClassVar[str] = "ruleset.recorded.v1"
    ruleset: str
    digest: str
    data: dict[str, Any]


Recorded: TypeAlias = Mapping[str, RulesetRecorded]  # by name@version


def take(recorded_rulesets: Recorded, game: str, ruleset: str) -> tuple[TakenRuleset, list[EventData]]:
    """Return the ruleset taken by a name, or by "name@version", and the event that records its data the first time.

    Raises Invalid for an unreadable one, or one of another game. Raises Refused where the same name and version has
    other data.
    """
    data = _offered_data(recorded_rulesets, game, ruleset)
    name = ruleset.partition("@")[0]
    taken_ruleset = TakenRuleset(name, str(data.get("version", "")), loading_and_pinning_rulesets.cache_ruleset(data))
    _must_be_playable(game, taken_ruleset)
    before = _digest_before(recorded_rulesets, taken_ruleset.stamp)
    if before not in ("", taken_ruleset.digest):
        message = coded("ruleset-changed", ruleset=taken_ruleset.stamp, before=before, digest=taken_ruleset.digest)
        raise Refused(CLAUSE, message)
    if taken_ruleset.stamp in recorded_rulesets:
        return taken_ruleset, []
    return taken_ruleset, [RulesetRecorded(ruleset=taken_ruleset.stamp, digest=taken_ruleset.digest, data=data)]


def _offered_data(recorded_rulesets: Recorded, game: str, ruleset: str) -> Data:
    """Return the file's data; of a version that no file has any more, the recorded data."""
    try:
        if game_of(ruleset) == game:
            return loading_and_pinning_rulesets.of_today(ruleset)
    except Unknown:
        if ruleset in recorded_rulesets:
            return recorded_rulesets[ruleset].data
    except Invalid as error:
        raise Invalid("data.ruleset", coded("ruleset-invalid", why=text_of(error))) from error
    raise Invalid(
        "data.ruleset",
        coded(
            "ruleset-not-of-game", game=game, ruleset=ruleset, rulesets=list(loading_and_pinning_rulesets.of_game(game))
        ),
    )


def _must_be_playable(game: str, taken: TakenRuleset) -> None:
    """Check the ruleset now, and only now: a taken ruleset is played permanently."""
    try:
        game_by_name(game).rules(taken)
    except PitledgerError as error:
        raise Invalid("data.ruleset", coded("ruleset-invalid", why=text_of(error))) from error
    if not loading_and_pinning_rulesets.is_plain(taken.version):
        raise Invalid("data.ruleset", coded("ruleset-version-format", version=taken.version, ruleset=taken.name))


def _digest_before(recorded: Recorded, stamp: str) -> str:
    """Return the present digest of the name and version: recorded here, or released by us."""
    if stamp in recorded:
        return recorded[stamp].digest
    try:
        return loading_and_pinning_rulesets.cache_ruleset(loading_and_pinning_rulesets.released(stamp))
    except Unknown:
        return ""
