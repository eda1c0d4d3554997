"""Where everything is found."""

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("backoffice.api.urls")),
    path("", include("backoffice.pages.urls")),
]
