"""What happens at a table, in every game. One Struct an event type; amounts in minor units of the session's currency.

What everyone searches for stands in every event under the same names (`common.Table`): where, which gaming day and
round, who was on duty. `amount_minor` is the money of the event itself: a stake, a payment, a fill.
"""
