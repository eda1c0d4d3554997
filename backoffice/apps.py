"""The Django app of what is no read model."""

from django.apps import AppConfig


class BackofficeConfig(AppConfig):
    """Directory and devices: what a rebuild must never throw away."""

    name = "backoffice"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """What works once is remembered in the database, by every process."""
        from backoffice.people import one_time  # it needs the models

        one_time.install()
