"""The kinds of streams as parts of addresses: those that are declared, with or without a name behind them."""

from events import kinds


class OneKind:
    """A kind of which the property has one stream: "floor"."""

    regex: str = "[a-z-]+"
    is_named: bool = False

    def to_python(self, value: str) -> str:
        """The kind's name. Raises ValueError: there is no such address."""
        kind = kinds.declared().get(value)
        if kind is None or kind.is_named != self.is_named:
            raise ValueError(value)
        return value

    def to_url(self, value: str) -> str:
        """As it is."""
        return value


class NamedKind(OneKind):
    """A kind of which there are several, by name: "tables"."""

    is_named = True
