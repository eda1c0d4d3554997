"""Write the list of all error codes: `python -m tools.documents.error_code_list_writer`."""

from pathlib import Path

from events import error_codes
from events.error_codes.catalogue import listing

if __name__ == "__main__":
    Path(error_codes.__file__).with_name("codes.txt").write_text(listing(), encoding="utf-8")
