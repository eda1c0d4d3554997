"""Sessions begin anew under names that let nobody in, and of recovery codes hashes are kept. Badges and keys were hashes
all along: they stay good."""

import hmac
from hashlib import sha1

from cryptography.fernet import InvalidToken
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

CODES, DIGITS = 10, 8  # as django-allauth computed them from a seed


def end_sessions(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Delete every session: the database held the secret of the cookie itself."""
    for app, name in (("sessions", "Session"), ("usersessions", "UserSession")):
        apps.get_model(app, name).objects.using(editor.connection.alias).all().delete()


def hash_recovery_codes(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """The same codes, each used or not as before; those whose key is lost are good for nothing and go."""
    from backoffice.people.allauth_adapters import SecondFactorAdapter
    from backoffice.people.hashed_recovery_codes import hashed

    rows = apps.get_model("mfa", "Authenticator").objects.using(editor.connection.alias)
    for row in rows.filter(type="recovery_codes"):
        if "digests" in row.data:
            continue
        try:
            codes = codes_of(SecondFactorAdapter().decrypt(row.data["seed"]))
        except (InvalidToken, KeyError):
            row.delete()
            continue
        viewed = {"viewed_at": row.data["viewed_at"]} if "viewed_at" in row.data else {}
        row.data = {**hashed(codes, row.data.get("used_mask", 0)), **viewed}
        row.save(update_fields=["data"])


def codes_of(seed: str) -> list[str]:
    """The codes of a seed."""
    digest, codes = hmac.new(seed.encode("ascii"), None, sha1), []
    for number in range(CODES):
        digest.update(f"{number:3},".encode())
        value = int.from_bytes(digest.digest()[: DIGITS // 2], "big") % 10**DIGITS
        codes.append(str(value).zfill(DIGITS))
    return codes


class Migration(migrations.Migration):
    dependencies = [
        ("backoffice", "0008_saved_searches"),
        ("sessions", "0001_initial"),
        ("usersessions", "0001_initial"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [
        migrations.CreateModel(
            name="Remembered",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("value", models.TextField()),
                ("ends_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.RunPython(end_sessions, migrations.RunPython.noop),
        migrations.RunPython(hash_recovery_codes, migrations.RunPython.noop),
    ]
