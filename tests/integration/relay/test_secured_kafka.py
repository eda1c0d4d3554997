"""A Kafka with TLS and a user: the settings name both, and no other broker gets the password."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from kafka import KafkaConsumer, KafkaProducer
from kafka.admin import KafkaAdminClient

from events.errors import Invalid, Retry
from events.relay.event_topic_reader_and_setup import ensure_topic
from events.relay.leak_free_kafka_clients import connected, options_for
from events.settings.settings_from_environment import settings
from tests.servers import free_port
from tests.servers.kafka import ApacheKafka
from tests.servers.ports import LOOPBACK

PASSWORD = "a password of Kafka's"
SECURED = """\
listeners=SASL_SSL://{host}:{port},INTERNAL://{host}:{internal},CONTROLLER://{host}:{controller}
advertised.listeners=SASL_SSL://{host}:{port},INTERNAL://{host}:{internal}
inter.broker.listener.name=INTERNAL
listener.security.protocol.map=SASL_SSL:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
user_pitledger="{password}";
ssl.keystore.type=PEM
ssl.keystore.location={certificate}
"""


class SecuredKafka(ApacheKafka):
    """Speaks SASL_SSL on its port. A second, plain port is for the broker and the tests."""

    def before(self) -> list[list[str]]:
        commands = super().before()
        config = self.folder / "server.properties"
        self.internal = free_port()
        certificate = self.folder / "broker.pem"
        certificate.write_bytes(_certificate())
        (self.folder / "ca.pem").write_bytes(_without_key(certificate.read_bytes()))
        text = config.read_text()
        controller = text.partition("CONTROLLER://")[2].partition("\n")[0].rpartition(":")[2]
        names = {"host": LOOPBACK, "port": self.port, "internal": self.internal, "controller": controller}
        config.write_text(text + SECURED.format(**names, password=PASSWORD, certificate=certificate))
        return commands

    @property
    def ca(self) -> Path:
        return self.folder / "ca.pem"

    def answers(self) -> bool:
        try:
            connected(KafkaAdminClient, f"{LOOPBACK}:{self.internal}").close()
        except Exception:
            return False
        return True


@pytest.fixture(scope="module")
def kafka() -> Iterator[SecuredKafka]:
    with SecuredKafka() as server:
        yield server


@pytest.fixture
def configured(kafka: SecuredKafka, monkeypatch: pytest.MonkeyPatch) -> SecuredKafka:
    kafka_settings = {"": kafka.address, "_SECURITY": "SASL_SSL", "_CA": str(kafka.ca), "_MECHANISM": "PLAIN"}
    for name, value in (kafka_settings | {"_USER": "pitledger", "_PASSWORD": PASSWORD}).items():
        monkeypatch.setenv(f"PITLEDGER_KAFKA{name}", value)
    return kafka


@pytest.mark.kafka
def test_records_go_there_and_back_over_tls_with_a_user(
    configured: SecuredKafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_KAFKA_REPLICAS", "1")
    ensure_topic(settings().kafka)
    producer = connected(KafkaProducer, settings().kafka)
    producer.send("pitledger.events", b"an event").get(timeout=30)
    producer.close()
    consumer = connected(
        KafkaConsumer, settings().kafka, auto_offset_reset="earliest", consumer_timeout_ms=60_000, group_id=None
    )
    consumer.subscribe(["pitledger.events"])
    assert next(consumer).value == b"an event"
    consumer.close()


@pytest.mark.kafka
@pytest.mark.parametrize("name", ["PASSWORD", "CA"])
def test_a_wrong_password_and_a_foreign_certificate_are_refused(
    configured: SecuredKafka, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    foreign = tmp_path / "foreign.pem"
    foreign.write_bytes(_without_key(_certificate()))
    monkeypatch.setenv(f"PITLEDGER_KAFKA_{name}", {"PASSWORD": "guessed", "CA": str(foreign)}[name])
    with pytest.raises(Retry):
        ensure_topic(settings().kafka, timeout_s=3.0)


@pytest.mark.kafka
def test_more_replicas_than_brokers_are_refused_by_kafka(
    configured: SecuredKafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_KAFKA_REPLICAS", "3")
    with pytest.raises(Retry, match="cannot be made"):
        ensure_topic(settings().kafka, topic="pitledger.copies")


def test_a_witness_s_broker_is_told_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_KAFKA", "kafka.example:9093")
    monkeypatch.setenv("PITLEDGER_KAFKA_SECURITY", "SASL_SSL")
    assert options_for("witness.example:9092") == {}
    with pytest.raises(Invalid, match="Set PITLEDGER_KAFKA_USER and PITLEDGER_KAFKA_PASSWORD"):
        options_for("kafka.example:9093")
    monkeypatch.setenv("PITLEDGER_KAFKA_SECURITY", "SSL")
    assert options_for("kafka.example:9093") == {"security_protocol": "SSL", "ssl_cafile": None, "ssl_certfile": None}


def _certificate() -> bytes:
    """Key and certificate of a broker on loopback, which vouches for itself, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kafka of a test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(LOOPBACK))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem + certificate.public_bytes(Encoding.PEM)


def _without_key(pem: bytes) -> bytes:
    return pem[pem.index(b"-----BEGIN CERTIFICATE") :]
