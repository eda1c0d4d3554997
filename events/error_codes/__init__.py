"""Codes of errors, each with one sentence and typed parameters.

An error is raised with `coded("box-never-put", box=...)`. Its sentence is written for its reader: in English by
`str()`, in the reader's language by `backoffice/wording/error_code_sentences.py`. All codes are listed in `codes.txt`.
"""

from events.error_codes.coded_error_text import ErrorText, coded, json_params, recorded_text, text_of

__all__ = ["ErrorText", "coded", "json_params", "recorded_text", "text_of"]
