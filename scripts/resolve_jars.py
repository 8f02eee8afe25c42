"""Put the jars Spark needs into the user's cache, so that later work needs no network."""

import sys

from lamina.errors import LaminaError
from lamina.warehouse.spark.jars import resolve_jars
from lamina.warehouse.spark.java import find_java


def main() -> int:
    """Resolve every jar; say what is missing."""
    try:
        resolve_jars((), find_java())
    except LaminaError as error:
        print(f"error[{error.code}]: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"\nhint: {error.hint}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
