from django.db import migrations, models

_COPY = """
UPDATE projections_tableday SET (counted_at, counted_before, state) = (
  SELECT account.counted_at, account.counted_before, account.state
  FROM projections_tableaccount AS account WHERE account.id = projections_tableday.id
) WHERE id IN (SELECT id FROM projections_tableaccount)
"""


class Migration(migrations.Migration):
    """The shifts of a table's gaming day move into the row that has its sums. What was read stays readable; the read
    model `accounts` is of another version, and is built again."""

    dependencies = [
        ("projections", "0019_journal_minor"),
    ]

    operations = [
        migrations.AddField("tableday", "counted_at", models.BigIntegerField(default=0)),
        migrations.AddField("tableday", "counted_before", models.BigIntegerField(default=0)),
        migrations.AddField("tableday", "state", models.TextField(default="")),
        migrations.RunSQL(_COPY, migrations.RunSQL.noop),
        migrations.RemoveField("tableday", "boxes"),
        migrations.DeleteModel("TableAccount"),
    ]
