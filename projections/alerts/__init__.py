"""The alerts of the house, as rows: raised by the watches of `events/alerts`, with the actions of people on them."""

VERSION = 7  # increases with every change of an event's effect on the rows: a rebuild is then necessary
