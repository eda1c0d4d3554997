"""The Django app of the read models."""

from django.apps import AppConfig


class ProjectionsConfig(AppConfig):
    """Read models and their readers."""

    name = "projections"
    verbose_name = "Read models"
