"""The Django app of the access log."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    """The access log's app: one database, PITLEDGER_ACCESS."""

    name = "backoffice.access"
    label = "access"
    default_auto_field = "django.db.models.BigAutoField"
