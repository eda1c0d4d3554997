"""Languages of pages, papers and mails.

A person's choice comes first, then the property's language (`PITLEDGER_LANGUAGE`), then the browser's. Machine forms
are in English for everybody: the interface for programs, CSV files, the journal, and the output of commands.
"""

from django.conf import settings
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header

ENGLISH = "en"


def offered_languages() -> dict[str, str]:
    """Return the languages that people can choose, with their names."""
    return dict(settings.LANGUAGES)


def language_for(choice: str, accepted: str = "") -> str:
    """Return the language for a person with this choice ("": none), whose browser accepts these (`Accept-Language`)."""
    for language in (choice, settings.PITLEDGER_LANGUAGE):
        if language in offered_languages():
            return language
    return accepted_language(accepted) or ENGLISH


def accepted_language(accepted: str) -> str:
    """Return the supported language that an `Accept-Language` header prefers; "" where it names none."""
    for language, _preference in parse_accept_lang_header(accepted):
        try:
            return get_supported_language_variant(language)
        except LookupError:
            continue
    return ""
