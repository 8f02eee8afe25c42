"""What stops Spark work before or beside a query; each error writes its own sentence."""

from lamina.warehouse.failure import WarehouseFailure


class JavaMissing(WarehouseFailure):
    """There is no Java to run Spark on.

    Why: Spark runs in a Java virtual machine; compiling and planning do not need it.
    Fix: install Java 17 or newer and put it on `PATH`, or set `JAVA_HOME` to its folder.
    """

    code = "L640"

    def __init__(self, looked_at: str) -> None:
        super().__init__(
            f"Java was not found: `{looked_at}`",
            kind="internal",
            hint="install Java 17 or newer and put it on PATH, or set JAVA_HOME to its folder",
        )


class JavaTooOld(WarehouseFailure):
    """Spark 4 needs a newer Java.

    Why: Spark does not start on an older one.
    Fix: install the Java that the message names and set `JAVA_HOME` to its folder.
    """

    code = "L641"

    def __init__(self, executable: str, *, found: int, needed: int) -> None:
        super().__init__(
            f"Java {found} is too old, Spark needs {needed} or newer: `{executable}`",
            kind="internal",
            hint=f"install Java {needed} and set JAVA_HOME to its folder",
        )


class JarMissing(WarehouseFailure):
    """A jar that Spark needs is not cached and cannot be downloaded.

    Why: Iceberg and the driver of the catalog come as jars, fetched once by their Maven coordinates.
    Fix: check the network, or download the jars elsewhere and list their paths in `jars` under `[spark]`.
    """

    code = "L642"

    def __init__(self, coordinate: str, detail: str) -> None:
        super().__init__(
            f"the jar `{coordinate}` could not be resolved: {detail}",
            kind="connection_failed",
            hint="check the network, or download the jars elsewhere and list their paths in `jars` under `[spark]`",
        )


class SparkNotStarted(WarehouseFailure):
    """Spark could not be started or reached.

    Why: the JVM ended while starting, or the Connect endpoint does not answer.
    Fix: look into the named log file, and check `master`, `remote` and `conf` under `[spark]`.
    """

    code = "L643"

    def __init__(self, detail: str, *, log: str | None) -> None:
        hint = "check `[spark]` in `lamina.toml`" if log is None else f"Spark's own output is in `{log}`"
        super().__init__(f"Spark could not be started: {detail}", kind="connection_failed", hint=hint)
