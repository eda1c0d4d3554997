"""Text from outside: JSON, ids in one spelling, look-alike characters, marks for translators."""
