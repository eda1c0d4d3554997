from itertools import islice

from django.core.management.color import no_style
from django.db import connections, migrations, transaction

AT_ONCE = 1_000


def copy(apps, schema_editor):
    """Every line with its number, all or none; those that an earlier attempt has brought are there already."""
    rows = apps.get_model("backoffice", "Access").objects.using(schema_editor.connection.alias).order_by("pk")
    there = apps.get_model("access", "Access")
    lines = (there(**row) for row in rows.values("id", "at", "person", "device", "what", "outcome").iterator())
    if not rows.exists():
        return
    with transaction.atomic(using="access"):
        while some := list(islice(lines, AT_ONCE)):
            there.objects.using("access").bulk_create(some, ignore_conflicts=True)
        with connections["access"].cursor() as cursor:
            for statement in connections["access"].ops.sequence_reset_sql(no_style(), [there]):
                cursor.execute(statement)


class Migration(migrations.Migration):
    """The access log goes into its own database: `./manage.py migrate` makes that first."""

    dependencies = [
        ("backoffice", "0004_displays"),
        ("access", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(copy, migrations.RunPython.noop),
        migrations.DeleteModel(name="Access"),
    ]
