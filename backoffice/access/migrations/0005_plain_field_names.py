from django.db import migrations, models


class Migration(migrations.Migration):
    """A plain name of a field. The column keeps its name."""

    dependencies = [
        ("access", "0004_order_by_bytes"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("look", "found", "entry_count"),
                migrations.AlterField("look", "entry_count", models.BigIntegerField(db_column="found", null=True)),
            ],
        ),
    ]
