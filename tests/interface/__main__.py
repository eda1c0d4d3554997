"""`python -m tests.interface --seed N --examples N`: as long as one likes, and no part of the suite."""

import argparse
import os
import sys
from pathlib import Path

import pytest


def main() -> int:
    """Run the check. Print each answer that the document does not allow, with its curl command, and then return 1."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.interface", description="Asks the interface whatever its document allows."
    )
    parser.add_argument("--seed", default="1")
    parser.add_argument("--examples", default="300", help="of each address (default: %(default)s)")
    arguments = parser.parse_args()
    os.environ |= {"INTERFACE_SEED": arguments.seed, "INTERFACE_EXAMPLES": arguments.examples}
    never = "faulthandler_timeout=0"  # it takes as long as it takes
    return pytest.main(["-q", "-o", never, str(Path(__file__).with_name("requests_against_openapi_document.py"))])


if __name__ == "__main__":
    sys.exit(main())
