"""The Django app of the tables outside the read models."""

from django.apps import AppConfig


class BackofficeConfig(AppConfig):
    """App of directory and devices, which a rebuild must never delete."""

    name = "backoffice"
    default_auto_field = "django.db.models.BigAutoField"
