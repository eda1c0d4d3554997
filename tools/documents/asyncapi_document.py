"""The AsyncAPI 3.0 document of the content of Kafka: CloudEvents in structured mode, the store's own bytes."""

from collections.abc import Iterable

import msgspec

from backoffice.openapi.event_and_action_schemas import Schema, meaning
from events import catalogue
from events.integrity.signed_head_format import Head

EVENTS = "pitledger.events"
HEADS = "pitledger.heads"

_FORMAT = "application/schema+json;version=draft-2020-12"
HEADERS: dict[str, Schema] = {
    "content-type": {"const": "application/cloudevents+json"},
    "type": {"type": "string", "description": "Type of the event"},
    "position": {
        "type": "string",
        "pattern": "^[0-9]+$",
        "description": "Position of the event in the property's one order",
    },
    "previous": {
        "type": "string",
        "pattern": "^[0-9]+$",
        "description": "Position of the previous event: a reader whose last position it is has missed nothing",
    },
    "incarnation": {
        "type": "string",
        "description": "Identifies one incarnation of the topic. Offsets of another incarnation are not comparable",
    },
}


(_HEAD_SCHEMA,), _HEAD_PARTS = msgspec.json.schema_components([Head], ref_template="#/components/schemas/{name}")
_HEAD: Schema = {
    "name": "head",
    "title": "A signed head",
    "summary": "State of the log: size, last position, root of its tree, total contributions of each level",
    "contentType": "application/json",
    "payload": {
        "schemaFormat": _FORMAT,
        "schema": msgspec.json.schema(Head, ref_template="#/components/schemas/{name}"),
    },
    "bindings": {"kafka": {"key": {"type": "string", "description": "PROPERTY@NUMBER"}}},
}


def build() -> Schema:
    """The document. Its payloads are the schemas in docs/events."""
    types = sorted(catalogue.event_types().items())
    return {
        "asyncapi": "3.0.0",
        "info": _INFO,
        "defaultContentType": "application/cloudevents+json",
        "channels": _channels([name for name, _ in types]),
        "operations": _OPERATIONS,
        "components": {
            "messages": {name: _message(name, shape) for name, shape in types} | {"head": _HEAD},
            "schemas": {
                "headers": {"type": "object", "properties": HEADERS, "required": list(HEADERS)},
                **_HEAD_PARTS,
            },
        },
    }


_INFO: Schema = {
    "title": "Pitledger events",
    "version": "1",
    "description": "One partition per property, in the order of the store. Messages are the bytes of the store, "
    "never re-encoded. The distinct ids in the topic are exactly those of the store's events.",
    "license": {"name": "MIT"},
}
_OPERATIONS: Schema = {
    "relay": {
        "action": "send",
        "summary": "The relay copies the events of the store in order, each once, and again for a topic that lost them",
        "channel": {"$ref": "#/channels/events"},
    },
    "publishHeads": {
        "action": "send",
        "summary": "A worker signs a head over new events every few seconds; a repeated head replaces itself",
        "channel": {"$ref": "#/channels/heads"},
    },
}


def _channels(types: Iterable[str]) -> Schema:
    return {
        "events": {
            "address": EVENTS,
            "description": "All events of the house. Retention is unlimited.",
            "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in types},
            "bindings": _kafka(EVENTS, {"retention.ms": -1}),
        },
        "heads": {
            "address": HEADS,
            "description": "Integrity heads (RFC 9162 tree heads over the positions), signed with Ed25519 on a "
            "schedule. With a copy of one, anybody can prove that no earlier event was edited or removed.",
            "messages": {"head": {"$ref": "#/components/messages/head"}},
            "bindings": _kafka(HEADS, {"cleanup.policy": ["compact"]}),
        },
    }


def _message(name: str, shape: type[msgspec.Struct]) -> Schema:
    return {
        "name": name,
        "title": name,
        "summary": meaning(shape),
        "contentType": "application/cloudevents+json",
        "headers": {"$ref": "#/components/schemas/headers"},
        "payload": {"schemaFormat": _FORMAT, "schema": {"$ref": f"events/{name}.json"}},
        "bindings": {"kafka": {"key": {"type": "string", "description": "The stream (`subject`)"}}},
    }


def _kafka(topic: str, settings: Schema) -> Schema:
    return {"kafka": {"topic": topic, "topicConfiguration": settings, "bindingVersion": "0.5.0"}}
