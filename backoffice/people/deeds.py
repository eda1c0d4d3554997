"""What is done in the directory is no event: it leaves a line in the access log, from the page or the terminal."""

from backoffice.access.log import access_log
from backoffice.installation import installation


def done(by: str, deed: str, about: str) -> None:
    """Somebody handed out a link, a badge or a key, took one away, or changed a name."""
    installation().part(access_log).did(by, f"people {deed} {about}".strip())
