"""How clients of the house's Kafka prove who they are, and what they ask of its certificate (PITLEDGER_KAFKA_...)."""

from typing import Any

from events.errors import Invalid
from events.settings import Settings, settings


def options_for(bootstrap: str) -> dict[str, Any]:
    """Return the options of kafka-python for this broker. Raises Invalid where a setting lacks another one.

    They are for the house's broker alone: a witness's broker gets neither user nor password.
    """
    given = settings()
    if given.kafka_security == "PLAINTEXT" or bootstrap != given.kafka:
        return {}
    options: dict[str, Any] = {"security_protocol": given.kafka_security}
    if given.kafka_security.endswith("SSL"):
        options |= {"ssl_cafile": given.kafka_ca or None, "ssl_certfile": given.kafka_certificate or None}
    return options | (_sasl(given) if given.kafka_security.startswith("SASL") else {})


def _sasl(given: Settings) -> dict[str, str]:
    if not (given.kafka_user and given.kafka_password):
        raise Invalid(
            "PITLEDGER_KAFKA_SECURITY",
            f"{given.kafka_security} needs a user. Set PITLEDGER_KAFKA_USER and PITLEDGER_KAFKA_PASSWORD",
        )
    return {
        "sasl_mechanism": given.kafka_mechanism,
        "sasl_plain_username": given.kafka_user,
        "sasl_plain_password": given.kafka_password,
    }
