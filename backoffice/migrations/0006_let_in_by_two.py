from django.db import migrations, models


class Migration(migrations.Migration):
    """Who turns keys is let in by two people; those who were in before stay so."""

    dependencies = [("backoffice", "0005_access_moves")]

    operations = [
        migrations.AddField(
            model_name="person",
            name="turns_keys",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="enrolment",
            name="turns_keys",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="enrolment",
            name="agreed",
            field=models.CharField(blank=True, max_length=200, null=True, unique=True),
        ),
    ]
