"""Declaration of the settings: everything that differs from house to house.

Each has a name, a type, a default and a help, here and nowhere else; docs/reference/settings.md is made from them.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from events.settings.network_address_parsing import Address, addresses

PREFIX = "PITLEDGER_"
EMBEDDED, FILESYSTEM, MACHINE = "embedded", "filesystem", "machine"
CLOCK = "clock"  # in the data folder of a house that lives in its own time
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
# Thousands, lakhs or ten thousands, of any length that shows which; the fraction's point is another sign.
_GROUPS = "|".join(
    f"(?:1{sign}234|1{sign}234{sign}567|12{sign}34{sign}567|123{sign}4567)(?!{sign})" for sign in _SEPARATORS
)
_NUMBER = f"(?:1234|{_GROUPS})[.,]50"


def _help(text: str, default: str = "", wanted: str = "", **bounds: Any) -> Meta:
    """Return the help of a setting; its default where that is not a plain value; and the form that a wrong value
    lacks."""
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
            "the property's time zone, `Europe/Athens`: every clock on pages, paper and sheets is in it, with UTC at "
            "hand. Events are in UTC whatever it says",
            wanted="the name of a time zone: want one such as Europe/Athens",
        ),
    ] = "UTC"
    money: Annotated[
        str,
        _help(
            "how the property writes money, as it would write 1234.50 euros: `1.234,50 €`, `€1,234.50`, "
            "`1 234,50 EUR`. Groups of other lengths are shown by a longer example: `€12,34,567.50` for lakhs and "
            "crores, `123,4567.50 EUR` for ten thousands. `EUR` stands for the code of each currency, `€` for its sign",
            wanted="a way to write money: want an example such as `1,234.50 EUR` or `€ 1.234,50`",
            pattern=rf"^(?:(?:EUR|€) ?{_NUMBER}|{_NUMBER} ?(?:EUR|€))$",
        ),
    ] = "1,234.50 EUR"
    language: Annotated[
        Literal["", "en", "el", "tr", "ru"],
        _help(
            "the property's language: pages, papers and mails are in it for everybody who has chosen no other. With "
            "`el` slips and table inventory sheets also bear their names in T/6736/2003, art. 11",
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
            "read models and directory: same form, another database. Options, as for TLS, are libpq's "
            "variables (`PGSSLMODE`), for all of them",
            "`read.sqlite3` in the data folder",
        ),
    ] = ""
    access: Annotated[
        str,
        _help("access log: same form, a database of its own", "`access.sqlite3` in the data folder"),
    ] = ""
    network_drive: Annotated[
        Literal["refuse", "accept"],
        _help(
            "what becomes of an SQLite file on a network drive, as far as Linux tells it: `refuse`, or `accept` where "
            "the file system only looks like one (a sandbox whose root is 9p, a local FUSE file system)",
            wanted="an answer: refuse or accept",
        ),
    ] = "refuse"
    db_password: Annotated[
        str,
        _help(
            "the password of every database whose address above names a user and no password: so an address can stand "
            "where a secret must not",
            "none",
        ),
    ] = ""
    access_days: Annotated[
        int, _help("days for which the lines of the access log are kept", wanted="a number of days from 1 on", ge=1)
    ] = 400
    clock: Annotated[
        str,
        _help(
            "the house's clock: `machine`, or a small file that sets a played one: `2026-11-20T18:00:00.000Z since "
            "1795200000` runs on from that second of the machine's, the time alone stands still. For demos, tests and "
            "training: all processes of the house share it, and `up` prints a warning",
            "`clock` in the data folder, which a demo leaves standing where its night ended and `up` lets run on; "
            "else the machine's",
        ),
    ] = ""
    kafka: Annotated[str, _help("bootstrap servers, or `embedded` for the broker that `up` starts")] = EMBEDDED
    kafka_security: Annotated[
        Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"],
        _help(
            "the protocol of `PITLEDGER_KAFKA`: `SSL` with TLS, `SASL_PLAINTEXT` with user and password, `SASL_SSL` "
            "with both",
            wanted="a protocol: want PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL",
        ),
    ] = "PLAINTEXT"
    kafka_ca: Annotated[
        str, _help("file with the certificates (PEM) that Kafka's may be signed by", "those of the machine")
    ] = ""
    kafka_certificate: Annotated[
        str, _help("file with the house's own certificate and its key (PEM), where Kafka asks for one", "none")
    ] = ""
    kafka_mechanism: Annotated[
        Literal["SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN"],
        _help("how user and password are shown", wanted="a mechanism: want SCRAM-SHA-512, SCRAM-SHA-256 or PLAIN"),
    ] = "SCRAM-SHA-512"
    kafka_user: Annotated[str, _help("the house's user at Kafka, with a protocol of SASL", "none")] = ""
    kafka_password: Annotated[str, _help("that user's password", "none")] = ""
    kafka_replicas: Annotated[
        int,
        _help(
            "brokers that keep a copy of each topic which the relay makes",
            "what the brokers say (`default.replication.factor`)",
            "a number of copies from 0 to 32767; 0 leaves it to the brokers",
            ge=0,
            le=32_767,
        ),
    ] = 0
    celery: Annotated[str, _help("`redis://...`, or `filesystem`", "`filesystem`, in the data folder")] = FILESYSTEM
    sweep_s: Annotated[
        float, _help("seconds between two sweeps for work that a lost task forgot", wanted=_SECONDS, gt=0, le=_DAY_S)
    ] = 5
    watch_s: Annotated[
        float, _help("seconds between searches for facts that no event states", wanted=_SECONDS, gt=0, le=_DAY_S)
    ] = 10
    head_s: Annotated[float, _help("seconds between two signed integrity heads", wanted=_SECONDS, gt=0, le=_DAY_S)] = 10
    head_key: Annotated[
        str,
        _help(
            "the private key (Ed25519) that signs them and from which the key of the snapshots' seals is derived, 32 "
            "random bytes in hex: `openssl rand -hex 32` makes one. Keep it where the database's keepers cannot read "
            "it; the public key stands in every head. The same for all processes of a house",
            "made for the data folder at first use, in its `keys/`",
        ),
    ] = ""
    seal_key: Annotated[
        str,
        _help(
            "what the key of the snapshots' seals is derived from, 32 characters at least, where a process decides "
            "actions and must not sign heads. The same for all processes of a house",
            "`PITLEDGER_HEAD_KEY`, or the key in `keys/`",
            "a key of 32 characters at least",
            min_length=32,
        ),
    ] = ""
    signer_at: Annotated[
        str,
        _help(
            "the container or host of the signer, where it is another one: it alone has the key of the heads and "
            "writes `keys/`. Commands that change what the signer remembers then name it",
            "none: the signer is here",
        ),
    ] = ""
    witness: Annotated[
        str,
        _help(
            "a witness outside the house, who is handed every head: `http://HOST:PORT` (`tools/witness.py serve`), "
            "`file:///FOLDER` (a file drop, fetched by `tools/witness.py take`), or `kafka://HOST:PORT` (the topic "
            "`pitledger.heads` of another broker)",
            "none",
            "a witness: want http://HOST:PORT, file:///FOLDER or kafka://HOST:PORT",
            pattern=r"^(https?://[^/]+(/.*)?|file:///.+|kafka://[^/]+)$",
        ),
    ] = ""
    verify_s: Annotated[
        float,
        _help(
            "seconds between two verifications of the whole history by the worker, in a process of its own at the "
            "lowest priority; what the last one found stands on the page `/integrity`",
            wanted=_SECONDS,
            gt=0,
            le=_DAY_S,
        ),
    ] = 86_400
    wait_alert_s: Annotated[
        float,
        _help("seconds that a jackpot may wait for its round's deal before an alert", wanted=_SECONDS, gt=0),
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
            "the address by which people open the house, `https://pit.example.org`, or several: the first one stands "
            "in mails and in links, and passkeys belong to its name. Cookies, allowed hosts and HSTS follow from it "
            "([how to](../howto/tls.md)). `http` is for localhost alone",
            "none: only this machine can open the house, at `http://localhost:` and `PITLEDGER_WEB_PORT`",
        ),
    ] = ""
    proxies: Annotated[
        str,
        _help(
            "the proxies whose `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host` and `Forwarded` count, each "
            "by its network or its host name: `10.20.0.0/24, proxy`. From any other sender these headers are dropped",
            "none",
        ),
    ] = ""
    web_port: Annotated[int, _help("port of pages and API, on loopback", wanted=_PORT, ge=1, le=65_535)] = 8000
    live_port: Annotated[
        int,
        _help(
            "port of the live process, on loopback. Browsers get live streams at the address of the pages: this port "
            "answers pages that were opened before an upgrade, until the next version",
            "the port after `PITLEDGER_WEB_PORT`",
            _PORT,
            ge=1,
            le=65_535,
        ),
    ] = 0
    live_host: Annotated[str, _help("the address on which the live streams listen")] = "127.0.0.1"
    pages_port: Annotated[
        int,
        _help(
            "port of the process that makes the pages, on loopback: who wants a page asks `PITLEDGER_WEB_PORT`, which "
            "fetches it there",
            "the second port after `PITLEDGER_WEB_PORT`",
            _PORT,
            ge=1,
            le=65_535,
        ),
    ] = 0
    pages_host: Annotated[str, _help("the address at which the web process finds the pages")] = "127.0.0.1"
    web_at: Annotated[
        str,
        _help("the address at which the process of the pages finds the web one, which takes what people decide there"),
    ] = "127.0.0.1"
    limit_badge: Annotated[
        float,
        _help("actions a second that one badge may send (and five seconds' worth at once)", wanted=_A_SECOND, gt=0),
    ] = 200
    limit_device: Annotated[
        float, _help("actions a second from one device, at most, in the same way", wanted=_A_SECOND, gt=0)
    ] = 100
    limit_address: Annotated[
        float,
        _help("requests a second for pages and figures from one address, in the same way", wanted=_A_SECOND, gt=0),
    ] = 100
    observers: Annotated[
        str,
        _help(
            "the networks whose machines may read `/metrics`, the details of `/healthz` and live streams without a "
            "login: `10.20.0.0/24, 192.168.1.7`",
            "this machine, where it asks without a proxy",
            "a list of networks: want such as 10.20.0.0/24, 192.168.1.7",
        ),
    ] = ""
    observer_token: Annotated[
        str,
        _help(
            "a token, of 32 characters at least, with which a program may read the same from anywhere: `Authorization: "
            "Bearer TOKEN`. `openssl rand -hex 32` makes one",
            "none",
            "a token of 32 characters at least",
            min_length=32,
        ),
    ] = ""
    live_at: Annotated[
        str, _help("the address at which the web process asks the live one, for who waits for a position")
    ] = "127.0.0.1"
    secret_key: Annotated[str, _help("Django's secret", "made for the data folder at first use")] = ""
    case_key: Annotated[
        str,
        _help(
            "the house case key, which encrypts the key of each case, 32 characters at least: `openssl rand -hex 32` "
            "makes one. It is in no database and in no backup; keep a copy in a safe. The same for all processes of a "
            "house (docs/howto/house-case-key.md)",
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
            "all attachments of one case in MB together",
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
            "a command that looks at each attachment, on its standard input, before it is stored: any exit code but 0 "
            "refuses the file",
            "none",
        ),
    ] = ""
    idle_s: Annotated[
        int,
        _help(
            "seconds without typing or pointing after which a person is signed out",
            ge=60,
            le=_DAY_S,
            wanted="a number of seconds from 60 up to a day",
        ),
    ] = 900
    fresh_s: Annotated[
        int,
        _help(
            "seconds for which a second factor is fresh: who approves or moves money shows it again after that",
            ge=30,
            le=_DAY_S,
            wanted="a number of seconds from 30 up to a day",
        ),
    ] = 600
    mail: Annotated[
        str,
        _help(
            "the mail server for notifications of waiting items, for people who asked for them: "
            "`smtp://HOST:PORT`, or `smtps://USER:PASSWORD@HOST:PORT` with TLS",
            "none: no notifications",
            "a mail server: want smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT",
            pattern=r"^smtps?://[^/\s]+$",
        ),
    ] = ""
    mail_from: Annotated[str, _help("the sender of these mails")] = "pitledger@localhost"
    mail_link: Annotated[
        str,
        _help(
            "what `PITLEDGER_ADDRESS` replaces: the address for the link in mails and to the webhook. Accepted until "
            "the next version, and only where it agrees with that",
            "the first of `PITLEDGER_ADDRESS`",
            "an address: want http://HOST or https://HOST",
            pattern=r"^https?://[^/\s]+$",
        ),
    ] = ""
    webhook: Annotated[
        str,
        _help(
            "an address that gets waiting items, signed with `PITLEDGER_WEBHOOK_KEY`; no page can set it",
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
            "what signs it (HMAC-SHA256), 32 characters at least: `openssl rand -hex 32` makes one",
            "none: then nothing is sent to `PITLEDGER_WEBHOOK`",
            "a key of 32 characters at least",
            min_length=32,
        ),
    ] = ""
    tell_s: Annotated[float, _help("seconds between two looks for whom to tell", wanted=_SECONDS, gt=0, le=_DAY_S)] = 60
    log_tasks: Annotated[
        Literal["no", "yes"],
        _help(
            "whether the worker logs two lines for every task, some fifty a minute, or only their results",
            wanted="an answer: want yes or no",
        ),
    ] = "no"
    backup: Annotated[
        str,
        _help(
            "the folder in which scheduled backups lie, on another disk than the house. Setting it turns them on, and "
            "the alert for a late one (docs/howto/backup.md)",
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
            "none: `PITLEDGER_BACKUP_EVERY_S` says when",
            "a time of day: want HH:MM, such as 05:30",
            pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
        ),
    ] = ""
    backup_every_s: Annotated[
        float, _help("seconds between two scheduled backups", wanted=_SECONDS, gt=0, le=_DAY_S)
    ] = 86_400
    backup_keep: Annotated[
        int,
        _help("scheduled backups that are kept. Older ones are deleted", wanted="a number of backups from 1 on", ge=1),
    ] = 14
    backup_by: Annotated[
        Literal["worker", "timer"],
        _help(
            "who makes scheduled backups: the `worker`, or a `timer` outside (systemd, cron, Kubernetes) that "
            "runs `./manage.py backup --scheduled`",
            wanted="an answer: want worker or timer",
        ),
    ] = "worker"
    backup_try: Annotated[
        Literal["no", "yes"],
        _help(
            "whether each scheduled backup is restored into a scratch house and verified, as `backup --try` does",
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
    rulesets: Annotated[str, _help("a folder with the casino's own rulesets, which win over ours", "none")] = ""

    @property
    def data_folder(self) -> Path:
        """Return the folder of all data of this installation on this machine."""
        return Path(self.data)

    def port_of_live(self, web: int | None = None) -> int:
        """Return the port of the live streams for pages on this port (default: on theirs)."""
        return self.live_port or (web or self.web_port) + 1

    @property
    def link(self) -> str:
        """The house's address, as people open it."""
        return self.addresses[0].origin if self.address else self.mail_link or f"http://localhost:{self.web_port}"

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses by which people open the house; none where only this machine can."""
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
    """Name, meaning and default of every setting, for the reference."""
    plain = {field.encode_name: field.default for field in msgspec.structs.fields(Settings)}
    return [
        (name, str(meta.description), str((meta.extra or {})["default"]) or f"`{plain[name]}`")
        for name, meta in _META.items()
    ]
