"""Subscriptions: alerts, searches, reports and closed days that people receive by mail or a webhook.

`destinations` are the addresses that the administrator of the machine names, `posting` sends to them, `sources` count
new items, `outbox` makes deliveries and sends them.
"""
