"""Django's settings for the tests: those of the product, on a data folder of the run's own.

Variables of the developer's environment (PITLEDGER_STORE and the like) are removed: no test may reach a real house.
"""

import atexit
import os
import shutil
import tempfile

from events.settings.setting_declarations import OF_TESTS

for name in [name for name in os.environ if name.startswith("PITLEDGER_") and name not in OF_TESTS]:
    del os.environ[name]
os.environ["PITLEDGER_DATA"] = tempfile.mkdtemp(prefix="pitledger-data-")
atexit.register(shutil.rmtree, os.environ["PITLEDGER_DATA"], ignore_errors=True)

from tests.support.clocks import night_clock  # noqa: E402

night_clock.set_clock()
from backoffice.settings import *  # noqa: E402, F403 - only now, since it reads the environment

ACCESS_AT_ONCE = True
DATABASES["access"]["TEST"] = {"MIGRATE": False}  # noqa: F405 - of the product's
PITLEDGER_LOGIN_KEY = SECRET_KEY  # noqa: F405 - a process that is given PITLEDGER_SECRET_KEY has one key for both
