"""Tags that explain terms of the glossary on pages: `{% meaning "draw" %}`, `{% glossary "CTR" "handle" %}`."""

from django import template

from backoffice.wording.glossary_terms import meaning_of_term, word_and_meaning

register = template.Library()


@register.simple_tag
def meaning(term: str) -> str:
    """Return the meaning of a term, with a capital letter: a line below a title."""
    return _capitalised(meaning_of_term(term))


@register.simple_tag
def definition(term: str) -> str:
    """Return a term and its meaning, as a note of a section: "Restatement: a new report of a closed day ..."."""
    return _capitalised(": ".join(word_and_meaning(term)))


@register.inclusion_tag("pages/parts/glossary.html")
def glossary(*terms: str) -> dict[str, object]:
    """Return the terms of a page with their meanings, folded below it."""
    return {"terms": [word_and_meaning(term) for term in terms]}


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
