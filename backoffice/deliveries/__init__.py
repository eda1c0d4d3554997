"""Subscriptions: alerts, searches, reports and closed days that people receive by mail or a webhook.

`destinations_configuration_file` has the addresses that the administrator of the machine names, `webhook_requests`
sends to them, `news_sources_for_subscribers` counts new items, `due_delivery_creation_and_sending` makes deliveries and
sends them.
"""
