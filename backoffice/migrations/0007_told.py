from django.db import migrations, models


class Migration(migrations.Migration):
    """People are told by mail what waits for them, where they ask for it."""

    dependencies = [("backoffice", "0006_let_in_by_two")]

    operations = [
        migrations.AddField(
            model_name="person",
            name="wants_mail",
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name="Told",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("person", models.CharField(blank=True, max_length=64)),
                ("matter", models.CharField(max_length=64)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("is_done", models.BooleanField(default=False)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=["person", "matter"], name="told_once")],
            },
        ),
    ]
