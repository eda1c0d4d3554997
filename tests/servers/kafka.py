"""Apache Kafka: a single node, broker and controller in one, from the published jars."""

import base64
import functools
import re
import shutil
import subprocess
import time
import uuid
from pathlib import Path

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError, UnknownTopicOrPartitionError

from events.relay.leak_free_kafka_clients import connected
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.server_base_class import Server

CHECKOUT = Path(__file__).parents[2]
POM = Path(__file__).with_name("pom.xml")
CACHE = CHECKOUT / ".cache" / "kafka"
JARS = CACHE / "libs"
OLDEST_JAVA = 17
EMPTY_S = 60

# The short session lets a killed node start again in 5 s instead of 12.
CONFIG = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{host}:{controller}
listeners=PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller}
advertised.listeners=PLAINTEXT://{host}:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/data
num.partitions=1
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
auto.create.topics.enable=false
log.retention.ms=-1
"""


@functools.cache
def find_java() -> str | None:
    """Return a Java of version 17 or later."""
    java = shutil.which("java")
    if java is None:
        return None
    output = subprocess.run([java, "-XX:-UsePerfData", "-version"], capture_output=True, text=True, check=False).stderr
    match = re.search(r'version "(\d+)', output)
    return java if match and int(match[1]) >= OLDEST_JAVA else None


def find_jars() -> Path | None:
    """Return the folder with the jars of the pinned version, or None where they have to be fetched."""
    stamp = CACHE / "pom.xml"
    return JARS if stamp.exists() and stamp.read_bytes() == POM.read_bytes() else None


def fetch_jars() -> None:
    """Fetch the jars with Maven into the cache folder, with Maven's own repository there, for any HOME.

    Raises `subprocess.CalledProcessError`, with Maven's words in its `output`.
    """
    maven = shutil.which("mvn")
    assert maven is not None
    fetched = CACHE / "libs.part"
    shutil.rmtree(fetched, ignore_errors=True)
    goal = ["dependency:copy-dependencies", f"-DoutputDirectory={fetched}"]
    repository = f"-Dmaven.repo.local={CACHE / 'repository'}"
    command = [maven, "-B", "-q", "-C", "-Dstyle.color=never", "-f", str(POM), repository, *goal]
    subprocess.run(
        command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    shutil.rmtree(JARS, ignore_errors=True)
    fetched.rename(JARS)
    shutil.rmtree(CACHE / "repository", ignore_errors=True)
    shutil.copyfile(POM, CACHE / "pom.xml")  # last: it says that the jars are whole


def find_kcat() -> str | None:
    """Return the foreign client."""
    return shutil.which("kcat") or shutil.which("kafkacat")


class ApacheKafka(Server):
    """One node; topics are not created by themselves. `durable` has no meaning here: Kafka never syncs by default."""

    name = "kafka"
    ready_s = 120
    grace_s = 20

    @property
    def bootstrap(self) -> str:
        return self.address

    def _java(self, main: str, *arguments: str) -> list[str]:
        java, jars = find_java(), find_jars()
        if java is None or jars is None:
            raise FileNotFoundError("Apache Kafka's jars or Java are not installed")
        options = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
        return [java, *options, "-cp", f"{jars}/*", main, *arguments]

    def before(self) -> list[list[str]]:
        config = self.folder / "server.properties"
        controller = free_port()
        config.write_text(CONFIG.format(host=LOOPBACK, port=self.port, controller=controller, folder=self.folder))
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
        return [self._java("kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", f"--config={config}")]

    def command(self) -> list[str]:
        return self._java("kafka.Kafka", str(self.folder / "server.properties"))

    def answers(self) -> bool:
        try:
            self.topics()
        except KafkaError:
            return False
        return True

    def topics(self) -> list[str]:
        """Return the names of all topics but Kafka's own."""
        admin = connected(KafkaAdminClient, self.bootstrap)
        try:
            return _of_ours(admin)
        finally:
            admin.close()

    def empty(self) -> None:
        """Delete every topic, and return when they are gone."""
        admin = connected(KafkaAdminClient, self.bootstrap)
        try:
            deadline = time.monotonic() + EMPTY_S
            while names := _of_ours(admin):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"topics still there after {EMPTY_S} s: {names}")
                try:
                    admin.delete_topics(names)
                except UnknownTopicOrPartitionError:  # going already
                    continue
        finally:
            admin.close()


def _of_ours(admin: KafkaAdminClient) -> list[str]:
    return sorted(name for name in admin.list_topics() if not name.startswith("__"))
