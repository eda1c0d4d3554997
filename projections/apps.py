"""The Django app."""

from django.apps import AppConfig


class ProjectionsConfig(AppConfig):
    """Read models and their readers."""

    name = "projections"
    verbose_name = "Read models"
