import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Access",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("person", models.CharField(blank=True, max_length=64)),
                ("device", models.CharField(blank=True, max_length=64)),
                ("what", models.CharField(max_length=200)),
                ("outcome", models.CharField(max_length=300)),
                ("count", models.PositiveIntegerField(default=1)),
            ],
            options={
                "indexes": [models.Index(fields=["at"], name="access_at")],
            },
        ),
    ]
