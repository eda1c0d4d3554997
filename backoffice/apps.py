"""The Django app of the tables outside the read models."""

from django.apps import AppConfig


class BackofficeConfig(AppConfig):
    """Directory and devices: what a rebuild must never throw away."""

    name = "backoffice"
    default_auto_field = "django.db.models.BigAutoField"
