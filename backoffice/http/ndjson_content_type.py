"""Answers in lines of JSON, each of which the door passes on as soon as it has arrived."""

KIND = "application/x-ndjson"  # content type
