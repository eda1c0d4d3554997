"""The action interface's addresses."""

from django.urls import path

from backoffice.api import reads
from backoffice.api.actions import actions
from backoffice.api.layout import layout

urlpatterns = [
    path("tables/<str:name>/actions", actions, {"kind": "tables"}),
    path("progressives/<str:name>/actions", actions, {"kind": "progressives"}),
    path("floor/actions", actions, {"kind": "floor"}),
    path("people/actions", actions, {"kind": "people"}),
    path("tables", reads.tables),
    path("tables/<str:name>/layout", layout),
    path("tables/<str:name>/<str:gaming_day>", reads.one_table),
    path("progressives", reads.all_progressives),
    path("progressives/<str:name>", reads.one_progressive),
    path("events", reads.events),
    path("position", reads.position),
]
