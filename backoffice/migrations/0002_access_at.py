import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    """A line of the access log has the time of the request, not that of its writing."""

    dependencies = [
        ("backoffice", "0001_initial"),
    ]

    operations = [
        migrations.AlterField(
            model_name="access",
            name="at",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
    ]
