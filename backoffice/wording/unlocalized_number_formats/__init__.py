"""Numbers in templates are machine forms in every language: coordinates, addresses, attributes.

`backoffice/wording/formats.py` writes the numbers for people, with the property's separators. Django looks here for
the separators of each language, which are those of English.
"""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ""
NUMBER_GROUPING = 0
