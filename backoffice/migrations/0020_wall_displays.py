from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("backoffice", "0019_bookmark_pushes"),
    ]

    operations = [
        migrations.AddField(
            model_name="display",
            name="wall_of",
            field=models.CharField(blank=True, max_length=64, default=""),
            preserve_default=False,
        ),
    ]
