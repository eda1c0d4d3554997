from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projections", "0012_journal"),
    ]

    operations = [
        migrations.AddField("tableday", "boxes", models.TextField(default="")),
        migrations.AddField("tableday", "beyond_record_minor", models.BigIntegerField(default=0)),
        migrations.AddField("tableday", "by_count_room", models.BooleanField(default=False)),
    ]
