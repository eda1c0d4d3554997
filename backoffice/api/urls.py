"""The action interface's addresses. What is read stands with the pages."""

from django.urls import path

from backoffice.api.actions import actions
from backoffice.api.layout import layout

urlpatterns = [
    path("tables/<str:name>/actions", actions, {"kind": "tables"}),
    path("progressives/<str:name>/actions", actions, {"kind": "progressives"}),
    path("floor/actions", actions, {"kind": "floor"}),
    path("people/actions", actions, {"kind": "people"}),
    path("tables/<str:name>/layout", layout),
]
