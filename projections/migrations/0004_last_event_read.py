from django.db import migrations, models


class Migration(migrations.Migration):
    """A reader keeps digest and id of the last event it has read; those of before learn it with their next batch."""

    dependencies = [
        ("projections", "0003_matters"),
    ]

    operations = [
        migrations.AddField(
            model_name="reader",
            name="digest",
            field=models.TextField(default=""),
        ),
        migrations.AddField(
            model_name="reader",
            name="event",
            field=models.TextField(default=""),
        ),
    ]
