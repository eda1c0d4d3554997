from django.db import migrations

from projections.engine.text_column_collation_change import order_by_bytes


class Migration(migrations.Migration):
    """Text columns of databases with a linguistic collation: their indexes are built again, some minutes for ten
    million events. New columns are made so by the backend."""

    atomic = False  # a table at a time, so that what is done stays done

    dependencies = [
        ("projections", "0017_pairs_and_payments"),
    ]

    operations = [
        migrations.RunPython(
            lambda _apps, schema_editor: order_by_bytes(schema_editor.connection), migrations.RunPython.noop
        ),
    ]
