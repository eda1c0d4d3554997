"""Django's settings. Everything that differs from house to house comes from the environment (`events/settings.py`)."""

import os

from backoffice import environment
from events.settings import read

# What is wrong is said before anything is done. From here on the defaults that depend on what lies in the data folder
# hold for this process and its children, whatever comes to lie there.
house = read(os.environ)
os.environ.update(PITLEDGER_DATA=house.data, PITLEDGER_CLOCK=house.clock)

BASE_DIR = environment.ROOT
SECRET_KEY = environment.secret_key(house)
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", "testserver"]

INSTALLED_APPS = [
    "django.contrib.staticfiles",
    "django_htmx",
    "projections",
    "backoffice",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "backoffice.headers.SecurityHeaders",
    "django.middleware.common.CommonMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "backoffice.urls"
WSGI_APPLICATION = "backoffice.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
DATABASES = {"default": environment.database(house.read)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

STATIC_URL = "static/"
WHITENOISE_USE_FINDERS = True

# Who wakes the workers up when the projector sees something for them (projections/engine/tasks.py).
PITLEDGER_TASKS = "backoffice.tasks.send"

DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    # They tell every request and every connection otherwise.
    "loggers": {
        "httpx": {"level": "WARNING"},
        "kafka": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},  # a refusal has its own line
    },
}
