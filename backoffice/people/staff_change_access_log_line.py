"""Changes in the directory are no events: each leaves a line in the access log, from the page or the terminal."""

from backoffice.access.refusal_log_writer import access_log
from backoffice.installation.dependency_injection import installation


def record_staff_change(by: str, deed: str, about: str) -> None:
    """Record that an administrator issued or revoked a link, badge or key, or changed a name."""
    installation().part(access_log).record_act(by, f"people {deed} {about}".strip())
