import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("access", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="GivenOut",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("person", models.CharField(blank=True, max_length=64)),
                ("kind", models.CharField(max_length=40)),
                ("about", models.CharField(max_length=200)),
                ("position", models.BigIntegerField()),
                ("digest", models.CharField(db_index=True, max_length=64)),
                ("key", models.CharField(blank=True, max_length=64)),
            ],
        ),
    ]
