"""Credentials of clients of the house's Kafka, and checks of its certificate (PITLEDGER_KAFKA_...)."""

from typing import Any

from events.error_codes import coded
from events.errors import Invalid
from events.settings.setting_declarations import Settings
from events.settings.settings_from_environment import settings


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
