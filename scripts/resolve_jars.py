"""Put what Spark needs into the user's cache: its jars, so that later work needs no network, and its classes."""

import sys

from lamina.errors import LaminaError
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.spark import class_archive
from lamina.warehouse.spark.jars import DRIVERS, resolve_jars
from lamina.warehouse.spark.java import find_java


def main() -> int:
    """Resolve every jar and make the class archive; say what is missing."""
    try:
        java = find_java()
        resolve_jars((), java, drivers=tuple(DRIVERS))
        jars = resolve_jars((), java)
    except LaminaError as error:
        print(f"error[{error.code}]: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"\nhint: {error.hint}", file=sys.stderr)
        return error.exit_code
    # Where a project's tables are makes no difference to the classes.
    anywhere = WarehouseSettings(root="", database="", warehouse="", logs="")
    print("setup: preparing Spark to start fast", file=sys.stderr)
    class_archive.make_and_wait(class_archive.request(anywhere, java=java, jars=jars))
    return 0


if __name__ == "__main__":
    sys.exit(main())
