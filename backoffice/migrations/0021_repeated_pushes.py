from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("backoffice", "0020_wall_displays"),
    ]

    operations = [
        migrations.AddField(
            model_name="bookmarkpush",
            name="requested_by",
            field=models.CharField(blank=True, max_length=64, default=""),
            preserve_default=False,
        ),
    ]
