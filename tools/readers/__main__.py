"""`python -m tools.readers pair | run | simulate`."""

import argparse
import itertools
import sys
import time
from pathlib import Path

import httpx

from tools.readers import reader_line_simulator, serial_port_bridge
from tools.readers.signed_reader_queue import ReaderFolder


def main(arguments: list[str] | None = None) -> int:
    """Run one of the commands; return the exit code."""
    options = _parser().parse_args(arguments)
    if options.command == "simulate":
        for line in itertools.islice(reader_line_simulator.lines(options.kind, options.seed), options.count):
            print(line, flush=True)
            time.sleep(options.every)
        return 0
    reader = ReaderFolder(options.folder)
    try:
        with httpx.Client(timeout=serial_port_bridge.WITHIN_S) as http:
            if options.command == "pair":
                print(f"Paired as {serial_port_bridge.pair(reader, options.link, options.name, http)}.")
                return 0
            lines = serial_port_bridge.of_file(sys.stdin)
            if options.serial:
                lines = serial_port_bridge.of_serial(options.serial)
            elif options.tcp:
                host, _, port = options.tcp.rpartition(":")
                lines = serial_port_bridge.of_tcp(host, int(port))
            return 1 if serial_port_bridge.serve(reader, lines, http) else 0
    except (serial_port_bridge.ReaderRejection, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        reader.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.readers", description=serial_port_bridge.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    pair = commands.add_parser("pair", help="pair the reader by the link on the pit's page")
    pair.add_argument("link", help="https://HOUSE/table/FR1#SECRET")
    pair.add_argument("--name", default="reader", help="how the pit's page names it")
    run = commands.add_parser("run", help="send lines: of standard input, or of --serial or --tcp")
    run.add_argument("--serial", type=Path, help="a serial device, for example /dev/ttyUSB0")
    run.add_argument("--tcp", help="HOST:PORT of a reader that listens")
    for command in (pair, run):
        command.add_argument("--folder", type=Path, required=True, help="key and queue of the reader")
    simulate = commands.add_parser("simulate", help="print lines as a reader sends them")
    simulate.add_argument("kind", choices=("card", "number", "dice"))
    simulate.add_argument("--seed", type=int, default=7)
    simulate.add_argument("--count", type=int, default=None, help="how many lines; without it, without end")
    simulate.add_argument("--every", type=float, default=1.0, help="seconds between two lines")
    return parser


if __name__ == "__main__":
    sys.exit(main())
