"""The WSGI application of the pages: all of Django. Dealers' actions come to `backoffice.door` first."""

import os
import sys

import django
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
django.setup(set_prefix=False)

from backoffice.running.heartbeat import keep_beating  # noqa: E402 - after django.setup()
from backoffice.running.part_names_and_own_part import own_part  # noqa: E402 - after django.setup()
from backoffice.running.status_reports_of_parts_into_database import begin_reports  # noqa: E402 - after django.setup()
from backoffice.site.wsgi_application_behind_door import django_application  # noqa: E402 - after django.setup()
from events.runtime.garbage_collection import collect_briefly  # noqa: E402 - after django.setup()

# Seconds after which a thread that computes lets another one continue.
sys.setswitchinterval(0.001)
application = django_application()
if own_part() == "pages":
    begin_reports()
    get_resolver().url_patterns  # noqa: B018 - it loads all views, which the first request would wait for
    collect_briefly()
keep_beating("pages")
