"""Clients of Kafka that leave no thread or socket open, neither while the broker is away nor when they are closed.

kafka-python 3.0.12 does not close three things. The first is a client whose constructor fails, with its thread, its
selector and its pair of wake-up sockets. The second is the socket of a refused connection, or of one in progress when
its client was closed. The third is the socket of a connection with unsent data. A relay that retries for an hour would
run out of file descriptors. With TLS it also leaves the socket of a failed handshake open. The library's own hooks
correct all of it: `kafka_client`, `net`, `proxy_url` and `ssl_context`.

A client of the house's broker gets its credentials, and checks its certificate (PITLEDGER_KAFKA_...).
"""

import ssl
from typing import Any, Self

from kafka.net import KafkaNetClient, KafkaNetSocket, NetworkSelector

from events.error_codes import coded
from events.errors import Invalid
from events.settings.setting_declarations import Settings
from events.settings.settings_from_environment import settings

DIRECT = "direct"


def connected(kind: Any, bootstrap: str, loop: "type[Selector] | None" = None, **configs: Any) -> Any:
    """A `kafka.KafkaConsumer`, `kafka.KafkaProducer` or `kafka.KafkaAdminClient` (`kind`), connected to a broker.

    `loop`: its event loop, `Selector` where none is named; `UnthreadedLoop` for a consumer that one thread uses. Raises
    kafka.errors.KafkaError where none answers within `bootstrap_timeout_ms`; nothing is left open then.
    """
    clients: list[Any] = []

    def client(**options: Any) -> Any:
        net = (loop or Selector)(**options)
        if "SSL" in options["security_protocol"]:
            options["ssl_context"] = _Context.from_options(net, options)
        clients.append(KafkaNetClient(net=net, **options))
        return clients[-1]

    try:
        options = configs | options_for(bootstrap)
        return kind(bootstrap_servers=bootstrap, kafka_client=client, proxy_url=f"{DIRECT}://", **options)
    except BaseException:
        for opened in clients:
            opened.close()
        raise


class Selector(NetworkSelector):  # type: ignore[misc]  # the library has no types
    """A client's event loop, which knows the sockets of its connections and closes the open ones at its end."""

    def __init__(self, **configs: Any) -> None:
        super().__init__(**configs)
        self._connections: list[Any] = []

    def opened(self, connection: Any) -> None:
        """Remember this socket. (In the loop's own thread, as all that concerns connections.)"""
        self._connections = [connection for connection in self._connections if connection.fileno() != -1]
        self._connections.append(connection)

    def close(self) -> None:
        try:
            super().close()  # its thread, if it had one, has ended then
        finally:
            for connection in self._connections:
                connection.close()


class UnthreadedLoop(Selector):
    """The loop of a client that one thread uses: the thread drives it while it waits for an answer.

    The library would give the loop its own thread and pass each request and answer between them. Both would then wait
    for the interpreter's lock. Work that falls due between two requests is done at the next one.
    """

    def start(self) -> None:
        """There is no thread."""

    def wakeup(self) -> None:
        """Do nothing: no thread sleeps in the loop."""


class _Direct(KafkaNetSocket):  # type: ignore[misc]  # the library has no types
    """Connect without a proxy, and close the socket of a failed connection.

    The library finds this class by the scheme of `proxy_url`.
    """

    SCHEMES = (DIRECT,)

    def socket(self, *kind: int) -> Any:
        self._new_socket = super().socket(*kind)
        return self._new_socket

    async def connect(self, net: Selector, *address: Any, **options: Any) -> Any:
        try:
            connection = await super().connect(net, *address, **options)
        except BaseException:  # refused, too late, or its client was closed meanwhile
            self._new_socket.close()
            raise
        net.opened(connection)
        return connection


class _TLSSocket(ssl.SSLSocket):
    """Closes itself when its handshake fails."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except BaseException:
            self.close()
            raise


class _Context(ssl.SSLContext):
    """TLS as the library sets it up; the client's loop closes its sockets in the end."""

    _net: Selector

    @classmethod
    def from_options(cls, net: Selector, options: dict[str, Any]) -> Self:
        """The context for these options. Raises Invalid for a file that cannot be read, or is no PEM."""
        context = cls(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.sslsocket_class = _TLSSocket
        context._net = net
        try:
            if options["ssl_cafile"]:
                context.load_verify_locations(options["ssl_cafile"])
            else:
                context.load_default_certs()
            if options["ssl_certfile"]:
                context.load_cert_chain(options["ssl_certfile"])
        except OSError as error:
            raise Invalid(
                "PITLEDGER_KAFKA_CA or PITLEDGER_KAFKA_CERTIFICATE", coded("kafka-certificate-unusable", why=str(error))
            ) from error
        return context

    def wrap_socket(self, *arguments: Any, **options: Any) -> ssl.SSLSocket:
        made = super().wrap_socket(*arguments, **options)
        self._net.opened(made)
        return made


def options_for(bootstrap: str) -> dict[str, Any]:
    """Return the options of kafka-python for this broker. Raises Invalid where a setting lacks another one.

    They are for the house's broker alone: a witness's broker gets neither user nor password.
    """
    settings_in_force = settings()
    if settings_in_force.kafka_security == "PLAINTEXT" or bootstrap != settings_in_force.kafka:
        return {}
    options: dict[str, Any] = {"security_protocol": settings_in_force.kafka_security}
    if settings_in_force.kafka_security.endswith("SSL"):
        options |= {
            "ssl_cafile": settings_in_force.kafka_ca or None,
            "ssl_certfile": settings_in_force.kafka_certificate or None,
        }
    return options | (_sasl(settings_in_force) if settings_in_force.kafka_security.startswith("SASL") else {})


def _sasl(settings_in_force: Settings) -> dict[str, str]:
    if not (settings_in_force.kafka_user and settings_in_force.kafka_password):
        raise Invalid(
            "PITLEDGER_KAFKA_SECURITY",
            coded("kafka-needs-user", security=settings_in_force.kafka_security),
        )
    return {
        "sasl_mechanism": settings_in_force.kafka_mechanism,
        "sasl_plain_username": settings_in_force.kafka_user,
        "sasl_plain_password": settings_in_force.kafka_password,
    }
