"""Sentences of events that were stored before errors had codes: their amounts in the currency's digits."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import word

# Every sentence of those events that names amounts; "#" is one.
SENTENCES = (
    "# is due on * *, not #",
    "# is still due on * *",
    "the maximum here is #",
    "the table's minimum is #, the stake #",
    "the table's maximum is #, the stake #",
    "the Trilux stake goes from # to #, not #",
    "the stakes are # and #, not #",
    "stakes here are from # to #",
    "# on *: the whole table's maximum is #",
    "the difference is #, the maximum #: *",
    "* is staked in multiples of * chips of #",
    "# is under the minimum of #",
    "# is over the maximum of # for *",
    "the share is # now, not #: look again",
    "the float holds # only*",
)
_PAID = re.compile(r"(\d+) is due on (\S+) \S+, not (\d+)")


def in_currency(sentence: str, currency: str) -> str:
    """Return a sentence with its amounts as people write them: "column: due 20.00, paid 25.00"."""
    if paid := _PAID.fullmatch(sentence):
        due, wager, paid_minor = paid.groups()
        amounts = {"due": formats.money(int(due), currency), "paid": formats.money(int(paid_minor), currency)}
        return _("%(wager)s: due %(due)s, paid %(paid)s") % {**amounts, "wager": word(wager, "wager")}
    matched = next((match for pattern in _PATTERNS if (match := pattern.fullmatch(sentence))), None)
    return "".join(_sentence_parts(matched, currency)) if matched else sentence


def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile(re.escape(sentence).replace(r"\#", r"(\d+)").replace(r"\*", ".*"), re.DOTALL)


_PATTERNS = tuple(_pattern(sentence) for sentence in SENTENCES)


def _sentence_parts(matched: re.Match[str], currency: str) -> Iterator[str]:
    after = 0
    for number in range(1, (matched.lastindex or 0) + 1):
        yield matched.string[after : matched.start(number)]
        yield formats.money(int(matched[number]), currency)
        after = matched.end(number)
    yield matched.string[after:]
