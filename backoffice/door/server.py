"""The RSGI application that granian serves: `python -m granian --interface rsgi ... backoffice.door.server:door`."""

import logging
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
django.setup()

from backoffice.door.app import Door  # noqa: E402 - the models need Django to be set up
from backoffice.installation.installation import installation  # noqa: E402 - what it imports needs Django to be set up
from backoffice.installation.programs import WEB_CONNECTIONS  # noqa: E402 - what it imports needs Django to be set up
from backoffice.installation.setting_warnings import setting_warnings  # noqa: E402 - what it imports needs Django to be set up
from backoffice.running.children import MARK  # noqa: E402 - what it imports needs Django to be set up
from backoffice.running.files import may_hold  # noqa: E402 - what it imports needs Django to be set up
from backoffice.running.part_reports import begin_reports  # noqa: E402 - what it imports needs Django to be set up
from backoffice.running.stopped_parts import CONTAINERS  # noqa: E402 - what it imports needs Django to be set up
from events.settings.settings import settings  # noqa: E402 - what it imports needs Django to be set up

if os.environ.get(MARK, CONTAINERS) == CONTAINERS:  # else `up` reports it
    for warning in setting_warnings(settings(), os.environ):
        logging.getLogger(__name__).warning("%s", warning)
may_hold(WEB_CONNECTIONS)
door = Door(installation())
begin_reports("web")
