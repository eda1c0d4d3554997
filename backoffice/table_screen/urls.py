"""Addresses of the table screen. The views themselves check devices and badges."""

from django.urls import path

from backoffice.kit.reader_roles_and_access_rules import public
from backoffice.table_screen import second_person_views, views

urlpatterns = [
    path("table/pair", public(views.pair), name="table-pair"),
    path("table/pairings/<str:pairing_id>", public(views.pairing_state), name="table-pairing"),
    path("table/confirm/<str:code>", public(second_person_views.confirm), name="table-confirm"),
    path("table/<str:name>/second", public(second_person_views.ask), name="table-second"),
    path("table/<str:name>/second/<str:second>", public(second_person_views.answer), name="table-second-answer"),
    path("table/<str:name>/session", public(views.session), name="table-session"),
    path("table/<str:name>/state", public(views.state), name="table-state"),
    path("table/<str:name>/reader", public(views.reader_queue), name="table-reader"),
    path("table/<str:name>/entries", public(views.decide_entry), name="table-entries"),
    path("table/<str:name>/queue", public(views.queue), name="table-queue"),
]
