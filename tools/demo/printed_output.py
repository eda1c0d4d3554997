"""Output of the demo."""

import sys
from typing import TextIO


class Out:
    """Output of the demo: whole lines, and a progress line that is overwritten."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.terminal = sys.stdout.isatty()

    def line(self, text: str = "") -> None:
        """A line."""
        self.stream.write(f"{text}\n")
        self.stream.flush()

    def over(self, text: str) -> None:
        """Write a line of progress: on a terminal the next one replaces it."""
        self.stream.write(f"{text}\r" if self.terminal else f"{text}\n")
        self.stream.flush()
