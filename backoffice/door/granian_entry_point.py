"""The RSGI application that granian serves.

`python -m granian --interface rsgi ... backoffice.door.granian_entry_point:door` starts it.
"""

import logging
import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
django.setup()
sys.setswitchinterval(0.001)  # seconds: the event loop waits no longer for a view that computes

from backoffice.door.rsgi_application import Door  # noqa: E402 - after django.setup()
from backoffice.installation.dependency_injection import installation  # noqa: E402 - after django.setup()
from backoffice.installation.processes_in_start_order import WEB_CONNECTIONS  # noqa: E402 - after django.setup()
from backoffice.installation.startup_setting_warnings import setting_warnings  # noqa: E402 - after django.setup()
from backoffice.running.child_process_start_and_end import MARK  # noqa: E402 - after django.setup()
from backoffice.running.open_files_locks_full_disk import may_hold  # noqa: E402 - after django.setup()
from backoffice.running.parts_not_running import CONTAINERS  # noqa: E402 - after django.setup()
from backoffice.running.status_reports_of_parts_into_database import begin_reports  # noqa: E402 - after django.setup()
from events.settings.settings_from_environment import settings  # noqa: E402 - after django.setup()

if os.environ.get(MARK, CONTAINERS) == CONTAINERS:  # else `up` reports it
    for warning in setting_warnings(settings(), os.environ):
        logging.getLogger(__name__).warning("%s", warning)
may_hold(WEB_CONNECTIONS)
door = Door(installation())
begin_reports("web")
