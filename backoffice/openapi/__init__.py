"""The OpenAPI document of the action interface, and the JSON Schemas of events and actions that it is made from."""
