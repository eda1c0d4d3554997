"""Addresses of live streams for pages: at their own origin."""

from urllib.parse import quote

from backoffice.progressives.live_state import PATH


def stream_url(name: str) -> str:
    """The stream of one progressive."""
    return f"{PATH}{quote(name, safe='')}"
