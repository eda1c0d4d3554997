"""Legal names of documents in the property's language, in addition to the product's.

Greece wants the forms of its tables in Greek, by these names (T/6736/2003, art. 11 par. 1).
"""

from django.conf import settings

TERMS = {
    "el": {
        "opener": "Δελτίο Αρχικής Προκαταβολής",
        "fill": "Δελτίο Πρόσθετης Προκαταβολής",
        "closer": "Δελτίο Κλεισίματος (Αποτελέσματος)",
    },
}


def titled(title: str, *papers: str) -> str:
    """Return a title with the legal names of the paper."""
    terms = TERMS.get(settings.PITLEDGER_LANGUAGE, {})
    return " · ".join([title, *(terms[paper] for paper in papers if paper in terms)])
