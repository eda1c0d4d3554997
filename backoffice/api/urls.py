"""The action interface's addresses. What is read stands with the pages."""

from django.urls import path, register_converter

from backoffice.api.actions import actions
from backoffice.api.addresses import NamedKind, OneKind
from backoffice.api.layout import layout

register_converter(OneKind, "kind")
register_converter(NamedKind, "named-kind")

urlpatterns = [
    path("<kind:kind>/actions", actions),
    path("<named-kind:kind>/<str:name>/actions", actions),
    path("tables/<str:name>/layout", layout),
]
