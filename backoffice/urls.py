"""Where everything is found."""

from django.urls import include, path

from backoffice.documents.view import document

urlpatterns = [
    path("api/v1/openapi.json", document),
    path("api/v1/", include("backoffice.api.urls")),
    path("", include("backoffice.pages.urls")),
]
