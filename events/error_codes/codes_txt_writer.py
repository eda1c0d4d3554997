"""Write the list of all codes into this folder: `python -m events.error_codes.codes_txt_writer`."""

from pathlib import Path

from events.error_codes.catalogue import listing

if __name__ == "__main__":
    Path(__file__).with_name("codes.txt").write_text(listing(), encoding="utf-8")
