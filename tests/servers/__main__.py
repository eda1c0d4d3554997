"""Run the servers by hand: `python -m tests.servers [postgres] [redis] [kafka]`, until Ctrl-C.

Prints the environment variables that point Pitledger at them.
"""

import contextlib
import signal
import sys
import threading

from tests.servers import ApacheKafka, PostgreSQL, Redis

KNOWN = ("postgres", "redis", "kafka")


def main() -> int:
    names = sys.argv[1:] or list(KNOWN)
    unknown = set(names) - set(KNOWN)
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(KNOWN)}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as stack:
        if "postgres" in names:
            postgres = stack.enter_context(PostgreSQL(durable=True))
            print(f"export PITLEDGER_STORE={postgres.new_database()}")
            print(f"export PITLEDGER_READ={postgres.new_database()}")
        if "redis" in names:
            print(f"export PITLEDGER_CELERY={stack.enter_context(Redis()).url}")
        if "kafka" in names:
            print(f"export PITLEDGER_KAFKA={stack.enter_context(ApacheKafka()).bootstrap}")
        print("# running until Ctrl-C", flush=True)
        threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
