"""The pages' addresses."""

from django.urls import path

from backoffice.pages.views import events, floor, health, hits, notices, progressives, tables

urlpatterns = [
    path("", floor.show, name="floor"),
    path("floor/live", floor.live, name="floor-live"),
    path("tables/<str:name>", tables.latest, name="table-latest"),
    path("tables/<str:name>/<str:gaming_day>", tables.show, name="table"),
    path("tables/<str:name>/<str:gaming_day>/live", tables.live, name="table-live"),
    path("progressives/", progressives.index, name="progressives"),
    path("progressives/<str:name>", progressives.show, name="progressive"),
    path("progressives/<str:name>/live", progressives.live, name="progressive-live"),
    path("progressives/<str:name>/matters", progressives.open_matters, name="progressive-matters"),
    path("progressives/<str:name>/matters/live", progressives.open_matters_live, name="progressive-matters-live"),
    path("progressives/<str:name>/sign", progressives.sign, name="progressive-sign"),
    path("progressives/<str:name>/hits/<str:hit>", hits.show, name="hit"),
    path("progressives/<str:name>/hits/<str:hit>/pdf", hits.pdf, name="hit-pdf"),
    path("progressives/<str:name>/hits/<str:hit>/json", hits.content, name="hit-json"),
    path("notices", notices.index, name="notices"),
    path("notices.csv", notices.export, name="notices-export"),
    path("events", events.index, name="events"),
    path("events/total", events.total, name="events-total"),
    path("events/export.jsonl", events.export, name="events-export"),
    path("events/<int:position>", events.show, name="event"),
    path("healthz", health.healthz, name="healthz"),
]
