"""Declaration of the settings: everything that differs from house to house.

Each has a name, a type, a default and a help. The reference docs/reference/settings.md is made from this module.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from events.settings.network_address_parsing import Address, addresses

PREFIX = "PITLEDGER_"
EMBEDDED, FILESYSTEM, MACHINE = "embedded", "filesystem", "machine"
CLOCK = "clock"  # file in the data folder of a house with a played clock
# Not settings of a house: values that the house's processes pass to their children, docker-compose.yml uses, or tests
# set.
OF_CHILDREN = {"PITLEDGER_PROCESS_MARK", "PITLEDGER_DEMO", "PITLEDGER_PART"}
OF_COMPOSE = {
    "PITLEDGER_SECRETS",
    "PITLEDGER_TLS",
    "PITLEDGER_CERTIFICATES",
    "PITLEDGER_HTTP_PORT",
    "PITLEDGER_HTTPS_PORT",
    "PITLEDGER_IMAGE",
    *(f"PITLEDGER_IMAGE_{base}" for base in ("PYTHON", "POSTGRES", "REDIS", "KAFKA", "CADDY")),
}
OF_TESTS = {"PITLEDGER_RECORDED_DATA", "PITLEDGER_BENCH_BARE"}

_PORT = "a port: a number from 1 to 65535"
_A_SECOND = "a number above 0"
_SECONDS = "a number of seconds above 0 and up to a day"
_DAY_S = 86_400
_SEPARATORS = (",", r"\.", " ", "'", "’")
# Thousands, lakhs or ten thousands; the number is long enough to show which. The fraction has another sign.
_GROUPS = "|".join(
    f"(?:1{sign}234|1{sign}234{sign}567|12{sign}34{sign}567|123{sign}4567)(?!{sign})" for sign in _SEPARATORS
)
_NUMBER = f"(?:1234|{_GROUPS})[.,]50"


def _help(text: str, default: str = "", wanted: str = "", **bounds: Any) -> Meta:
    """Return the help of a setting, its default if that is no plain value, and the form of a right value."""
    return Meta(description=text, extra={"default": default, "wanted": wanted}, **bounds)


class Settings(msgspec.Struct, frozen=True, kw_only=True, rename=lambda name: PREFIX + name.rstrip("_").upper()):
    """The settings of the environment, the defaults filled in."""

    data: Annotated[
        str,
        _help(
            "folder for files, logs and locks of a running house",
            "`var/house`; the last demo's `var/demo` while there is no house",
        ),
    ] = ""
    property_: Annotated[str, _help("the casino: first part of every stream, source of every event")] = "athens"
    time_zone: Annotated[
        str,
        _help(
            "the property's time zone, such as `Europe/Athens`. Pages, papers and sheets show its time, and also "
            "give UTC. Events always have UTC",
            wanted="the name of a time zone: want one such as Europe/Athens",
        ),
    ] = "UTC"
    money: Annotated[
        str,
        _help(
            "the property's form of amounts, by the example of 1234.50 euros: `1.234,50 €`, `€1,234.50`, `1 "
            "234,50 EUR`. A longer example shows groups of other lengths: `€12,34,567.50` for lakhs and crores, "
            "`123,4567.50 EUR` for ten thousands. `EUR` stands for the code of each currency, `€` for its sign",
            wanted="a way to write money: want an example such as `1,234.50 EUR` or `€ 1.234,50`",
            pattern=rf"^(?:(?:EUR|€) ?{_NUMBER}|{_NUMBER} ?(?:EUR|€))$",
        ),
    ] = "1,234.50 EUR"
    language: Annotated[
        Literal["", "en", "el", "tr", "ru"],
        _help(
            "the property's language. Pages, papers and mails use it for each person without a language of their "
            "own. With `el`, slips and table inventory sheets also have their names in T/6736/2003, art. 11",
            "the language of each browser, or English",
            wanted="a language: want en, el, tr or ru",
        ),
    ] = ""
    store: Annotated[
        str,
        _help(
            "event store: `sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST:PORT/DB`",
            "`events.sqlite3` in the data folder",
        ),
    ] = ""
    read: Annotated[
        str,
        _help(
            "read models and directory: an address of the same form, with a database of its own. libpq's "
            "variables, such as `PGSSLMODE` for TLS, apply to all databases",
            "`read.sqlite3` in the data folder",
        ),
    ] = ""
    access: Annotated[
        str,
        _help(
            "access log: an address of the same form, with a database of its own", "`access.sqlite3` in the data folder"
        ),
    ] = ""
    network_drive: Annotated[
        Literal["refuse", "accept"],
        _help(
            "the answer to an SQLite file on a network drive, as Linux reports the drive: `refuse`, or `accept` "
            "if the file system only looks like one (a sandbox whose root is 9p, a local FUSE file system)",
            wanted="an answer: refuse or accept",
        ),
    ] = "refuse"
    db_password: Annotated[
        str,
        _help(
            "the password for each database address above that names a user and no password. The address then "
            "contains no secret",
            "none",
        ),
    ] = ""
    access_days: Annotated[
        int, _help("days for which the house keeps lines of the access log", wanted="a number of days from 1 on", ge=1)
    ] = 400
    clock: Annotated[
        str,
        _help(
            "the house's clock: `machine`, or a small file that sets a played time. With "
            "`2026-11-20T18:00:00.000Z since 1795200000` the clock runs on from that second of the machine's "
            "clock. With the time alone, the clock stands still. For demos, tests and training: all processes of "
            "the house share it, and `up` prints a warning",
            "`clock` in the data folder if there is one, else the machine's. A demo stops its clock at the end of "
            "its evening, and `up` lets it run on",
        ),
    ] = ""
    kafka: Annotated[str, _help("bootstrap servers of Kafka, or `embedded` for the broker that `up` starts")] = EMBEDDED
    kafka_security: Annotated[
        Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"],
        _help(
            "the protocol of `PITLEDGER_KAFKA`: `SSL` with TLS, `SASL_PLAINTEXT` with user and password, `SASL_SSL` "
            "with both",
            wanted="a protocol: want PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL",
        ),
    ] = "PLAINTEXT"
    kafka_ca: Annotated[
        str,
        _help(
            "file with the certificates (PEM) of the authorities that may sign Kafka's certificate",
            "those of the machine",
        ),
    ] = ""
    kafka_certificate: Annotated[
        str, _help("file with the house's own certificate and its key (PEM), for a Kafka that asks for one", "none")
    ] = ""
    kafka_mechanism: Annotated[
        Literal["SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN"],
        _help(
            "the SASL mechanism that proves user and password",
            wanted="a mechanism: want SCRAM-SHA-512, SCRAM-SHA-256 or PLAIN",
        ),
    ] = "SCRAM-SHA-512"
    kafka_user: Annotated[str, _help("the house's user at Kafka, for the protocols with SASL", "none")] = ""
    kafka_password: Annotated[str, _help("that user's password", "none")] = ""
    kafka_replicas: Annotated[
        int,
        _help(
            "number of brokers with a copy of each topic that the relay creates",
            "the brokers' own number (`default.replication.factor`)",
            "a number of copies from 0 to 32767; 0 leaves it to the brokers",
            ge=0,
            le=32_767,
        ),
    ] = 0
    celery: Annotated[str, _help("task broker: `redis://...`, or `filesystem`", "`filesystem`, in the data folder")] = (
        FILESYSTEM
    )
    sweep_s: Annotated[
        float, _help("seconds between two sweeps for the work of lost tasks", wanted=_SECONDS, gt=0, le=_DAY_S)
    ] = 5
    watch_s: Annotated[
        float,
        _help(
            "seconds between two searches for findings without an event of their own, such as slips that are open "
            "for too long",
            wanted=_SECONDS,
            gt=0,
            le=_DAY_S,
        ),
    ] = 10
    head_s: Annotated[float, _help("seconds between two signed integrity heads", wanted=_SECONDS, gt=0, le=_DAY_S)] = 10
    head_key: Annotated[
        str,
        _help(
            "the private key (Ed25519) that signs integrity heads, 32 random bytes in hex: `openssl rand -hex 32` "
            "makes one. The key of the snapshots' seals is derived from it. Keep it where the administrators of "
            "the database cannot read it. Every head contains the public key. All processes of a house have the "
            "same key",
            "made for the data folder at first use, in its `keys/`",
        ),
    ] = ""
    seal_key: Annotated[
        str,
        _help(
            "a secret of at least 32 characters from which the key of the snapshots' seals is derived, for "
            "processes that decide actions and must not sign heads. All processes of a house have the same secret",
            "`PITLEDGER_HEAD_KEY`, or the key in `keys/`",
            "a key of 32 characters at least",
            min_length=32,
        ),
    ] = ""
    signer_at: Annotated[
        str,
        _help(
            "the container or host of the signer, if it is another one. The signer alone has the key of the heads "
            "and writes `keys/`. Commands that change the signer's memory then name it",
            "none: the signer is here",
        ),
    ] = ""
    witness: Annotated[
        str,
        _help(
            "a witness outside the house that receives every head: `http://HOST:PORT` (`tools/witness.py serve`), "
            "`file:///FOLDER` (a file drop, fetched by `tools/witness.py take`), or `kafka://HOST:PORT` (the "
            "topic `pitledger.heads` of another broker)",
            "none",
            "a witness: want http://HOST:PORT, file:///FOLDER or kafka://HOST:PORT",
            pattern=r"^(https?://[^/]+(/.*)?|file:///.+|kafka://[^/]+)$",
        ),
    ] = ""
    verify_s: Annotated[
        float,
        _help(
            "seconds between two verifications of the whole history. The worker runs them in a process of its own "
            "at the lowest priority. The page `/integrity` shows the last result",
            wanted=_SECONDS,
            gt=0,
            le=_DAY_S,
        ),
    ] = 86_400
    wait_alert_s: Annotated[
        float,
        _help("seconds that a jackpot may wait for the deal of its round before an alert", wanted=_SECONDS, gt=0),
    ] = 120
    partitions: Annotated[
        str,
        _help(
            "the partition of each property on one Kafka, as `athens=0,corfu=1`",
            "0 for every property",
            "a list of partitions: want PROPERTY=NUMBER,...",
            pattern=r"^\s*[^=,]+=\s*\d+\s*(,\s*[^=,]+=\s*\d+\s*)*,?$",
        ),
    ] = ""
    address: Annotated[
        str,
        _help(
            "the address at which people open the house, such as `https://pit.example.org`, or several. Mails and "
            "links have the first one, and passkeys belong to its host name. Cookies, allowed hosts and HSTS "
            "follow from it ([how to](../howto/tls.md)). `http` is for localhost alone",
            "none: only this machine can open the house, at `http://localhost:` and `PITLEDGER_WEB_PORT`",
        ),
    ] = ""
    proxies: Annotated[
        str,
        _help(
            "the trusted proxies, each by its network or its host name: `10.20.0.0/24, proxy`. The house drops "
            "the headers `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host` and `Forwarded` of all other "
            "senders",
            "none",
        ),
    ] = ""
    web_port: Annotated[int, _help("port of pages and API, on loopback", wanted=_PORT, ge=1, le=65_535)] = 8000
    live_port: Annotated[
        int,
        _help(
            "port of the live process, on loopback. Browsers get live streams at the address of the pages. This "
            "port serves pages that were opened before an upgrade, until the next version",
            "the port after `PITLEDGER_WEB_PORT`",
            _PORT,
            ge=1,
            le=65_535,
        ),
    ] = 0
    live_host: Annotated[str, _help("the address on which the live process listens")] = "127.0.0.1"
    pages_port: Annotated[
        int,
        _help(
            "port of the page process, on loopback. Browsers use `PITLEDGER_WEB_PORT`, and the web process "
            "fetches pages at this port",
            "the second port after `PITLEDGER_WEB_PORT`",
            _PORT,
            ge=1,
            le=65_535,
        ),
    ] = 0
    pages_host: Annotated[str, _help("the address at which the web process finds the page process")] = "127.0.0.1"
    web_at: Annotated[
        str,
        _help("the address at which the page process finds the web process, which receives people's actions"),
    ] = "127.0.0.1"
    limit_badge: Annotated[
        float,
        _help(
            "actions per second that one badge may send, in bursts of five seconds' worth at most",
            wanted=_A_SECOND,
            gt=0,
        ),
    ] = 200
    limit_device: Annotated[
        float, _help("actions per second that one device may send, in the same bursts", wanted=_A_SECOND, gt=0)
    ] = 100
    limit_address: Annotated[
        float,
        _help("requests per second for pages and figures from one address, in the same bursts", wanted=_A_SECOND, gt=0),
    ] = 100
    observers: Annotated[
        str,
        _help(
            "the networks whose machines may read `/metrics`, the details of `/healthz` and live streams without a "
            "login: `10.20.0.0/24, 192.168.1.7`",
            "this machine, without a proxy",
            "a list of networks: want networks such as 10.20.0.0/24, 192.168.1.7",
        ),
    ] = ""
    observer_token: Annotated[
        str,
        _help(
            "a token of at least 32 characters for programs that read the same from any address: `Authorization: "
            "Bearer TOKEN`. `openssl rand -hex 32` makes one",
            "none",
            "a token of 32 characters at least",
            min_length=32,
        ),
    ] = ""
    live_at: Annotated[
        str, _help("the address at which the web process finds the live process, for clients that wait for a position")
    ] = "127.0.0.1"
    secret_key: Annotated[str, _help("Django's secret key", "made for the data folder at first use")] = ""
    case_key: Annotated[
        str,
        _help(
            "the house case key, which encrypts the key of each case, at least 32 characters: `openssl rand -hex "
            "32` makes one. It is in no database and in no backup; keep a copy in a safe. All processes of a "
            "house have the same key (docs/howto/house-case-key.md)",
            "made for the data folder at first use, in its `case-key`",
            "a key of 32 characters at least",
            min_length=32,
        ),
    ] = ""
    case_file_mb: Annotated[
        int,
        _help("the largest attachment of a case in MB", ge=1, le=25, wanted="a number of megabytes from 1 to 25"),
    ] = 25
    case_files_mb: Annotated[
        int,
        _help(
            "the largest total of one case's attachments in MB",
            ge=1,
            le=10_000,
            wanted="a number of megabytes from 1 to 10,000",
        ),
    ] = 500
    case_retention_days: Annotated[
        int,
        _help(
            "days after which the key of a closed case may be destroyed",
            ge=0,
            le=36_500,
            wanted="a number of days up to 36,500",
        ),
    ] = 1_827
    case_scanner: Annotated[
        str,
        _help(
            "a command that scans each attachment, on its standard input, before the house stores it. Any exit "
            "code but 0 refuses the file",
            "none",
        ),
    ] = ""
    idle_s: Annotated[
        int,
        _help(
            "seconds without typing or pointing after which the house signs a person out",
            ge=60,
            le=_DAY_S,
            wanted="a number of seconds from 60 up to a day",
        ),
    ] = 900
    fresh_s: Annotated[
        int,
        _help(
            "seconds for which a second factor is fresh. After that, people who approve or move money confirm it again",
            ge=30,
            le=_DAY_S,
            wanted="a number of seconds from 30 up to a day",
        ),
    ] = 600
    mail: Annotated[
        str,
        _help(
            "the mail server for the notifications and subscriptions of people: `smtp://HOST:PORT`, or "
            "`smtps://USER:PASSWORD@HOST:PORT` with TLS",
            "none: no mails",
            "a mail server: want smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT",
            pattern=r"^smtps?://[^/\s]+$",
        ),
    ] = ""
    mail_from: Annotated[str, _help("the sender of these mails")] = "pitledger@localhost"
    mail_link: Annotated[
        str,
        _help(
            "the former setting for the address in mails and in messages to the webhook; `PITLEDGER_ADDRESS` "
            "replaces it. Accepted until the next version, and only with the first address there",
            "the first of `PITLEDGER_ADDRESS`",
            "an address: want http://HOST or https://HOST",
            pattern=r"^https?://[^/\s]+$",
        ),
    ] = ""
    webhook: Annotated[
        str,
        _help(
            "an address that receives waiting items, signed with `PITLEDGER_WEBHOOK_KEY`; no page can set it",
            "none",
            "an address: want http://HOST/PATH or https://HOST/PATH",
            pattern=r"^https?://[^/\s]+(/\S*)?$",
        ),
    ] = ""
    destinations: Annotated[
        str,
        _help(
            "a TOML file with the webhooks and folders that subscriptions may name, and the video systems that take "
            "bookmarks, each under a name "
            "([how to](../howto/subscribe.md)); no page can set or show an address",
            "none",
        ),
    ] = ""
    webhook_key: Annotated[
        str,
        _help(
            "the key that signs messages to the webhook (HMAC-SHA256), at least 32 characters: `openssl rand -hex "
            "32` makes one",
            "none: nothing is sent to `PITLEDGER_WEBHOOK`",
            "a key of 32 characters at least",
            min_length=32,
        ),
    ] = ""
    tell_s: Annotated[float, _help("seconds between two notification runs", wanted=_SECONDS, gt=0, le=_DAY_S)] = 60
    log_tasks: Annotated[
        Literal["no", "yes"],
        _help(
            "the worker's log of tasks: `yes` for two lines a task, some fifty a minute, or `no` for results only",
            wanted="an answer: want yes or no",
        ),
    ] = "no"
    backup: Annotated[
        str,
        _help(
            "the folder for scheduled backups, on another disk than the house. It turns them on, and the alert "
            "for a late one (docs/howto/backup.md)",
            "none: no scheduled backups",
        ),
    ] = ""
    backup_keys: Annotated[
        str,
        _help(
            "the folder for the keys of scheduled backups. Readers of the backups must not read it",
            "none: scheduled backups hold no keys",
        ),
    ] = ""
    backup_at: Annotated[
        str,
        _help(
            "the time of day for scheduled backups, by the property's clock: `05:30`",
            "none: `PITLEDGER_BACKUP_EVERY_S` applies",
            "a time of day: want HH:MM, such as 05:30",
            pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
        ),
    ] = ""
    backup_every_s: Annotated[
        float, _help("seconds between two scheduled backups", wanted=_SECONDS, gt=0, le=_DAY_S)
    ] = 86_400
    backup_keep: Annotated[
        int,
        _help(
            "number of scheduled backups to keep. Older ones are deleted", wanted="a number of backups from 1 on", ge=1
        ),
    ] = 14
    backup_by: Annotated[
        Literal["worker", "timer"],
        _help(
            "the process that makes scheduled backups: the `worker`, or a `timer` outside (systemd, cron, "
            "Kubernetes) that runs `./manage.py backup --scheduled`",
            wanted="an answer: want worker or timer",
        ),
    ] = "worker"
    backup_try: Annotated[
        Literal["no", "yes"],
        _help(
            "the trial of each scheduled backup: `yes` restores it into a scratch house and verifies it, as "
            "`backup --try` does",
            wanted="an answer: want no or yes",
        ),
    ] = "no"
    log: Annotated[
        Literal["text", "json"],
        _help(
            "the form of the log: `text`, or `json` with one line an event (docs/reference/logs.md)",
            wanted="a form of a log: want text or json",
        ),
    ] = "text"
    traces: Annotated[
        str,
        _help(
            "the OpenTelemetry collector that gets traces, by OTLP over HTTP: `http://HOST:4318`. Needs the packages "
            "of `requirements-traces.lock` (docs/howto/observe.md)",
            "none: no traces",
            "the address of a collector: want http://HOST:PORT or https://HOST:PORT",
            pattern=r"^https?://[^/\s]+/?$",
        ),
    ] = ""
    rulesets: Annotated[
        str, _help("a folder with the casino's own rulesets, which take precedence over those of Pitledger", "none")
    ] = ""

    @property
    def data_folder(self) -> Path:
        """Return the folder of all data of this installation on this machine."""
        return Path(self.data)

    def port_of_live(self, web: int | None = None) -> int:
        """Return the port of the live process for a web process on this port (default: on its own)."""
        return self.live_port or (web or self.web_port) + 1

    @property
    def link(self) -> str:
        """Return the address at which people open the house."""
        return self.addresses[0].origin if self.address else self.mail_link or f"http://localhost:{self.web_port}"

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Return the addresses at which people open the house; none if only this machine can."""
        return addresses(self.address)

    @property
    def tells(self) -> bool:
        """Return whether waiting work is reported to an address outside."""
        return bool(self.mail or (self.webhook and self.webhook_key) or self.destinations)

    def port_of_pages(self, web: int | None = None) -> int:
        """Return the port of the page process for the web process on this port (default: on its own)."""
        return self.pages_port or (web or self.web_port) + 2


NAMES = tuple(field.encode_name for field in msgspec.structs.fields(Settings))
# Secrets may be in a file instead: NAME_FILE names it.
SECRETS = frozenset(
    f"{PREFIX}{name}"
    for name in (
        *("SECRET_KEY", "HEAD_KEY", "SEAL_KEY", "CASE_KEY", "DB_PASSWORD", "KAFKA_PASSWORD"),
        *("MAIL", "WEBHOOK_KEY", "OBSERVER_TOKEN"),
    )
)
FILE = "_FILE"
IN_FILES = frozenset(f"{name}{FILE}" for name in SECRETS)


_META: dict[str, Meta] = {
    field.encode_name: annotation.__metadata__[0]
    for field, annotation in zip(msgspec.structs.fields(Settings), Settings.__annotations__.values(), strict=True)
}


def wanted_form(name: str) -> str:
    """Return the form that a value of the setting must have."""
    return str((_META[name].extra or {})["wanted"])


def rows() -> list[tuple[str, str, str]]:
    """Return name, meaning and default of every setting, for the reference."""
    plain = {field.encode_name: field.default for field in msgspec.structs.fields(Settings)}
    return [
        (name, str(meta.description), str((meta.extra or {})["default"]) or f"`{plain[name]}`")
        for name, meta in _META.items()
    ]
