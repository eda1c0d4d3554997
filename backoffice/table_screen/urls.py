"""Addresses of the table screen. The views check devices and badges; the page and its files are the same for all."""

from django.urls import path

from backoffice.kit.reader_and_read_rule_types import public
from backoffice.table_screen import page, second_person_views, table_device_request_views

urlpatterns = [
    path("table/pair", public(table_device_request_views.pair), name="table-pair"),
    path("table/pairings/<str:pairing_id>", public(table_device_request_views.pairing_state), name="table-pairing"),
    path("table/confirm/<str:code>", public(second_person_views.confirm), name="table-confirm"),
    path("table/<str:name>/second", public(second_person_views.ask), name="table-second"),
    path("table/<str:name>/second/<str:second>", public(second_person_views.answer), name="table-second-answer"),
    path("table/<str:name>/session", public(table_device_request_views.session), name="table-session"),
    path("table/<str:name>/state", public(table_device_request_views.state), name="table-state"),
    path("table/<str:name>/reader", public(table_device_request_views.reader_queue), name="table-reader"),
    path("table/<str:name>/entries", public(table_device_request_views.decide_entry), name="table-entries"),
    path("table/<str:name>/queue", public(table_device_request_views.queue), name="table-queue"),
    path("table/sw.js", public(page.service_worker), name="table-worker"),
    path("table/<str:name>", public(page.page), name="table-screen"),
    path("table/<str:name>/manifest.webmanifest", public(page.manifest), name="table-manifest"),
]
