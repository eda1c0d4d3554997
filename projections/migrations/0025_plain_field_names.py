from django.db import migrations, models


class Migration(migrations.Migration):
    """Plain names of fields. The columns keep their names."""

    dependencies = [
        ("projections", "0024_order_of_case_events"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("foundaccount", "said", "content"),
                migrations.AlterField("foundaccount", "content", models.TextField(db_column="said")),
                migrations.RenameField("notice", "told", "accounting_person"),
                migrations.AlterField("notice", "accounting_person", models.TextField(db_column="told", default="")),
            ],
        ),
    ]
