"""Events of a table, in every game. One Struct an event type; amounts in minor units of the session's currency.

The common search fields have the same names in every event (`session.TableEvent`): place, gaming day, round, staff on
duty. `amount_minor` is the money of the event itself: a stake, a payment, a fill.
"""
