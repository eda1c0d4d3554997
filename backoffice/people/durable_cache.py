"""A cache in the database, which processes share and which survives their restart.

Django-allauth counts failed attempts in the cache, and stores used one-time codes there. In a process's own memory both
would be lost with it. A key is stored as an HMAC, since codes are short. A value is JSON.
"""

import hashlib
import hmac
import json
import time
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.db import IntegrityError, transaction
from django.utils import timezone

TIDY_EVERY_S = 600.0
FOREVER = timedelta(days=400)


class DurableCache(BaseCache):
    """Rows of `Remembered`. `add` is atomic: of two processes one adds."""

    def __init__(self, _location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._tidied_at = 0.0

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Add a value; return False if the key is there already."""
        name, text, ends_at, now = self._row(key, value, timeout, version)
        self._tidy(now)
        if self._rows().filter(key=name, ends_at__lte=now).update(value=text, ends_at=ends_at):
            return True
        try:
            with transaction.atomic():
                self._rows().create(key=name, value=text, ends_at=ends_at)
        except IntegrityError:
            return False
        return True

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """Return the value, or the default after its expiry."""
        rows = self._rows().filter(key=self._name(key, version), ends_at__gt=timezone.now())
        text = rows.values_list("value", flat=True).first()
        return default if text is None else json.loads(text)

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Store the value in place of any earlier one."""
        name, text, ends_at, _ = self._row(key, value, timeout, version)
        self._rows().update_or_create(key=name, defaults={"value": text, "ends_at": ends_at})

    def touch(self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Extend the lifetime of a value; return False if it is missing."""
        rows = self._rows().filter(key=self._name(key, version), ends_at__gt=timezone.now())
        return bool(rows.update(ends_at=self._ends_at(timeout)))

    def delete(self, key: str, version: int | None = None) -> bool:
        """Delete a value; return whether it was there."""
        return bool(self._rows().filter(key=self._name(key, version)).delete()[0])

    def clear(self) -> None:
        """Delete all values."""
        self._rows().all().delete()

    def _rows(self) -> Any:
        from backoffice.models import Remembered  # this module is imported before there are models

        return Remembered.objects

    def _row(self, key: str, value: Any, timeout: Any, version: int | None) -> tuple[str, str, datetime, datetime]:
        return self._name(key, version), json.dumps(value), self._ends_at(timeout), timezone.now()

    def _name(self, key: str, version: int | None) -> str:
        full = self.make_key(key, version=version)
        return hmac.new(settings.SECRET_KEY.encode(), b"cache\0" + full.encode(), hashlib.sha256).hexdigest()

    def _ends_at(self, timeout: Any) -> datetime:
        at = self.get_backend_timeout(timeout)
        return timezone.now() + FOREVER if at is None else datetime.fromtimestamp(at, timezone.get_default_timezone())

    def _tidy(self, now: datetime) -> None:
        """Delete expired rows from time to time."""
        if time.monotonic() - self._tidied_at > TIDY_EVERY_S:
            self._tidied_at = time.monotonic()
            self._rows().filter(ends_at__lt=now).delete()
