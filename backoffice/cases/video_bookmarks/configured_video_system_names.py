"""Video systems that take bookmarks: the `video_systems` of this machine's file of destinations, by name."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from events.settings.settings_from_environment import settings

TABLE = "video_systems"


def video_systems() -> Sequence[str]:
    """Return the names of the video systems; none where the file cannot be read: its deliveries report that."""
    file = settings().destinations
    try:
        system_tables = tomllib.loads(Path(file).read_text(encoding="utf-8")).get(TABLE, {}) if file else {}
    except (OSError, ValueError):
        return ()
    return sorted(system_tables) if isinstance(system_tables, dict) else ()
