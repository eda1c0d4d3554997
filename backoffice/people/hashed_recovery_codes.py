"""Recovery codes, stored as hashes and shown once, in the session that made them.

Codes are short, so a hash is slow to make (scrypt) and needs the house's secret. This prevents guessing.
"""

import hashlib
import hmac
import secrets
from typing import Any

from allauth.core import context
from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal import auth, flows
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

IN_SESSION = "recovery-codes"  # until they are shown


class HashedRecoveryCodes(auth.RecoveryCodes):  # type: ignore[misc]  # of a library without types
    """Codes stored as `salt`, `digests` and `used_mask`, instead of a seed from which they can be computed."""

    instance: Authenticator
    _shown: list[str] | None = None

    @classmethod
    def activate(cls, user: AbstractBaseUser) -> "HashedRecoveryCodes":
        """Return the person's codes, or make new ones."""
        instance = Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.RECOVERY_CODES).first()
        if instance is None:
            digits = app_settings.RECOVERY_CODE_DIGITS
            codes = [f"{secrets.randbelow(10**digits):0{digits}}" for _ in range(app_settings.RECOVERY_CODE_COUNT)]
            instance = Authenticator(user=user, type=Authenticator.Type.RECOVERY_CODES, data=hashed(codes))
            instance.save()
            if context.request is not None:
                context.request.session[IN_SESSION] = {"of": instance.pk, "codes": codes}
        return cls(instance)

    @transaction.atomic
    def validate_code(self, code: str) -> bool:
        """Return whether the code is valid and unused, and use it up."""
        self.instance = Authenticator.objects.select_for_update().get(pk=self.instance.pk)
        typed = normalize_user_code(code)
        if len(typed) != app_settings.RECOVERY_CODE_DIGITS:  # an invalid code is not hashed
            return False
        digest = digest_of(typed, self.instance.data["salt"])
        for number, stored in enumerate(self.instance.data["digests"]):
            if not self._is_code_used(number) and hmac.compare_digest(stored, digest):
                self._mark_code_used(number)
                return True
        return False

    def get_unused_codes(self) -> list[str]:
        """Return the codes while they are shown; otherwise one blank for each unused code."""
        if self._shown is not None:
            return self._shown
        return ["" for number in range(len(self.instance.data["digests"])) if not self._is_code_used(number)]

    @property
    def did_view(self) -> bool:
        """Return whether the codes can no longer be shown."""
        return bool(self.instance.data.get("viewed_at")) or self._unconfirmed_codes() is None

    def mark_as_viewed(self) -> None:
        """Show the codes now, and delete them from the session."""
        self._shown = self._unconfirmed_codes()
        super().mark_as_viewed()
        if context.request is not None:
            context.request.session.pop(IN_SESSION, None)

    def _unconfirmed_codes(self) -> list[str] | None:
        waiting: dict[str, Any] = {} if context.request is None else context.request.session.get(IN_SESSION, {})
        return waiting["codes"] if waiting.get("of") == self.instance.pk else None


def hashed(codes: list[str], used_mask: int = 0) -> dict[str, Any]:
    """Return the stored form of these codes: a salt, their digests, and a mask of the used ones."""
    salt = secrets.token_hex(16)
    return {"salt": salt, "digests": [digest_of(code, salt) for code in codes], "used_mask": used_mask}


def digest_of(code: str, salt: str) -> str:
    """Return the hash of a code."""
    slow = hashlib.scrypt(code.encode(), salt=bytes.fromhex(salt), n=2**13, r=8, p=1, dklen=32)
    return hmac.new(settings.SECRET_KEY.encode(), b"recovery code\0" + slow, hashlib.sha256).hexdigest()


def install() -> None:
    """Replace django-allauth's own recovery codes by these."""
    auth.RecoveryCodes = flows.RecoveryCodes = HashedRecoveryCodes
