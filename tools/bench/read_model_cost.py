"""Cost of each read model for the projector, in one run over the same events.

`python -m tools.bench.read_model_cost [--events N] [--rounds N]`: as `tools.bench.journal_posting_cost`, each read
model alone, then all.
"""

import argparse

from tools.bench.journal_posting_cost import Ground, ground, project  # which sets Django up

from projections.registry import PROJECTORS  # isort: skip


def _cost(there: Ground, names: tuple[str, ...]) -> float:
    with there.read_models() as alias:
        return there.spent(lambda: project(there.store, alias, names))


def main(arguments: list[str] | None = None) -> int:
    """One after the other, as often as asked; the least of each."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.read_model_cost", description="The cost of each read model."
    )
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with ground("sqlite", options.events) as there:
        for names in (*((name,) for name in PROJECTORS), tuple(PROJECTORS)):
            cost = min(_cost(there, names) for _ in range(options.rounds))
            print(f"{' + '.join(names)}: {cost:.1f} us an event")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
