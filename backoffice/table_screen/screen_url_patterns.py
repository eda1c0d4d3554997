"""Addresses of the table screen's page, its manifest and its service worker: the same for all."""

from django.urls import path

from backoffice.kit.reader_and_read_rule_types import public
from backoffice.table_screen import page

urlpatterns = [
    path("table/sw.js", public(page.service_worker), name="table-worker"),
    path("table/<str:name>", public(page.page), name="table-screen"),
    path("table/<str:name>/manifest.webmanifest", public(page.manifest), name="table-manifest"),
]
