"""Events of cases as they are stored, and those alone: all texts in them are encrypted."""

VERSION = 1
