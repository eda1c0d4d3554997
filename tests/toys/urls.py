"""The house's addresses with those of the page of our own."""

from django.urls import include, path

from backoffice.people.urls import urlpatterns as entrance
from tests.toys.page import SITE

urlpatterns = [path("api/v1/", include(SITE.api)), path("", include(entrance)), path("", include(SITE.urls))]
