"""The Django app of the tables outside the read models."""

from django.apps import AppConfig


class BackofficeConfig(AppConfig):
    """App of directory and devices, which a rebuild must never delete."""

    name = "backoffice"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receivers of signals."""
        from backoffice.databases import connections_to_replaced_files  # noqa: F401 - its receivers are declared there
