"""Django's settings. Everything that differs from house to house comes from the environment
(`events/settings/setting_declarations.py`)."""

import os

from backoffice.running import database_and_mail_settings, logging_configuration
from events.settings.settings_from_environment import read
from events.signing import secrets_created_at_first_use

# Errors are reported before any work. After that, later changes in the data folder affect no default of this process
# and its children.
house = read(os.environ)
os.environ.update(PITLEDGER_DATA=house.data, PITLEDGER_CLOCK=house.clock)

BASE_DIR = database_and_mail_settings.ROOT
SECRET_KEY = secrets_created_at_first_use.secret_key(house)
PITLEDGER_LOGIN_KEY = secrets_created_at_first_use.login_key(house)
DEBUG = False
ALLOWED_HOSTS = [*database_and_mail_settings.LOOPBACK, *(address.name for address in house.addresses)]
CSRF_TRUSTED_ORIGINS = [address.origin for address in house.addresses]  # a proxy may leave the port out of Host
AUTH_USER_MODEL = "backoffice.Person"

INSTALLED_APPS = [
    "backoffice",
    "backoffice.access",
    "projections",
    "django.contrib.staticfiles",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",  # for the pages of allauth.mfa
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
]
# Apps of a checkout, which an image leaves out: the commands bench and soak, demo, and docs.
INSTALLED_APPS += [f"tools.{app}" for app in ("checkout", "demo", "documents") if (BASE_DIR / "tools" / app).is_dir()]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "backoffice.kit.static_files.CompressedResponses",
    "backoffice.kit.static_files.Files",
    "backoffice.kit.security_headers.SecurityHeaders",
    "backoffice.people.host_prefix_cookie_middleware.AddressCookies",
    "backoffice.people.session_store.SessionSecretMiddleware",
    "backoffice.people.idle_sign_out.SignOutWhenIdle",
    "backoffice.people.reader_language_middleware.ReaderLanguage",
    "backoffice.kit.unique_parameters.UniqueParameters",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "allauth.usersessions.middleware.UserSessionsMiddleware",
    "backoffice.people.second_factor_enforcement.SecondFactorFirst",
]
ROOT_URLCONF = "backoffice.urls"
WSGI_APPLICATION = "backoffice.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": sorted(BASE_DIR.glob("backoffice/*/templates")),  # a subject keeps its own
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {  # a subject keeps its own
                "alerts": "backoffice.surveillance.alert_tags",
                "backup_alert": "backoffice.house.late_backup_tags",
                "bookmark_pushes": "backoffice.deliveries.bookmark_push_tags",
                "case_buttons": "backoffice.cases.evidence_button_tags",
                "day_figures": "backoffice.days.day_figure_tags",
                "forms": "backoffice.forms.form_tags",
                "luck": "backoffice.days.luck.luck_tags",
                "passkey_address": "backoffice.people.passkey_address_tags",
            },
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]
DATABASES = {
    "default": database_and_mail_settings.database(house.read),
    "access": database_and_mail_settings.database(house.access, "PITLEDGER_ACCESS"),
}
DATABASE_ROUTERS = ["backoffice.access.router.Router"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {"default": {"BACKEND": "backoffice.people.durable_cache.DurableCache"}}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("el", "Ελληνικά"), ("tr", "Türkçe"), ("ru", "Русский")]
LOCALE_PATHS = [BASE_DIR / "backoffice/locale"]
FORMAT_MODULE_PATH = "backoffice.wording.unlocalized_number_formats"
TIME_ZONE = house.time_zone
USE_TZ = True
USE_I18N = True

STATIC_URL = "static/"
STORAGES = {"staticfiles": {"BACKEND": "backoffice.kit.static_files.HashedStorage"}}
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False

# Signing in: an id, a password, a second factor. Badges and device keys are another door (backoffice/api).
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.ScryptPasswordHasher"]
_CHECKS = "django.contrib.auth.password_validation."
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_CHECKS}UserAttributeSimilarityValidator", "OPTIONS": {"user_attributes": ("id", "name", "email")}},
    {"NAME": f"{_CHECKS}MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_CHECKS}CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "start"
SESSION_ENGINE = "backoffice.people.session_store"
SESSION_COOKIE_AGE = 12 * 3600  # a shift and the hour after it; idle people are signed out before
CSRF_FAILURE_VIEW = "backoffice.kit.access_denied_answers.from_an_old_page"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Strict"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
ACCOUNT_ADAPTER = "backoffice.people.allauth_adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = "id"
ACCOUNT_PRESERVE_USERNAME_CASING = True
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = house.fresh_s
ACCOUNT_RATE_LIMITS = {"login_failed": "5/5m/key"}
MFA_ADAPTER = "backoffice.people.allauth_adapters.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "backoffice.people.second_factor_forms.SignInCode",
    "reauthenticate": "backoffice.people.second_factor_forms.FreshCode",
    "add_webauthn": "backoffice.people.second_factor_forms.AddPasskey",
    "login_webauthn": "backoffice.people.second_factor_forms.LoginPasskey",
    "authenticate_webauthn": "backoffice.people.second_factor_forms.SecondFactorPasskey",
    "reauthenticate_webauthn": "backoffice.people.second_factor_forms.ReauthenticationPasskey",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_TOLERANCE = 1
USERSESSIONS_TRACK_ACTIVITY = False
ALLAUTH_TRUSTED_PROXY_COUNT = 1  # the door (backoffice/door), which adds the origin of a request

if house.mail:
    globals().update(database_and_mail_settings.mail(house.mail))
DEFAULT_FROM_EMAIL = house.mail_from

# How the property writes money, by an example (backoffice/wording/formats.py).
PITLEDGER_MONEY = house.money
# The property's language, "" for the browser's (backoffice/wording/reader_language_choice.py).
PITLEDGER_LANGUAGE = house.language

# Wakes the workers up when the projector sees work for them (projections/engine/worker_task_sending_after_batch.py).
PITLEDGER_TASKS = "backoffice.installation.non_blocking_task_sender.send"

DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

logging_configuration.begin(house.log)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "lines": {
            "()": "backoffice.running.logging_configuration.formatter",
            "form": house.log,
            "plain": "%(levelname)s %(name)s: %(message)s",
        }
    },
    "filters": {"no floods": {"()": "backoffice.running.logging_configuration.NoFloods"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "lines", "filters": ["no floods"]}},
    "root": {"handlers": ["console"], "level": "INFO"},
    # Otherwise they log every request and every connection.
    "loggers": {
        "httpx": {"level": "WARNING"},
        "kafka": {"level": "WARNING"},
        "kafka.net.selector": {"level": "ERROR"},  # it only reports that the machine is busy
        "django.request": {"level": "ERROR"},  # a refusal has its own line
        "django.security.csrf": {"level": "ERROR"},  # strangers' bad requests are refused without a log line
        "django.security.DisallowedHost": {"level": "CRITICAL"},
    },
}
ACCESS_AT_ONCE = False  # whether refused people write the access log; tests read it in their transaction
