"""Where everything is found."""

from django.urls import include, path

from backoffice.api.urls import urlpatterns as actions
from backoffice.documents.view import document
from backoffice.site import SITE

urlpatterns = [
    path("api/v1/openapi.json", document),
    path("api/v1/", include([*actions, *SITE.api])),
    path("", include(SITE.urls)),
]
