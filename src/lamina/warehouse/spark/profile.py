"""Spark's settings as lamina runs it: pure tables made from the project's settings."""

import os
from pathlib import Path

from lamina.project.fixed_conf import FIXED_CONF
from lamina.warehouse.settings import WarehouseSettings

_LAUNCH_KEYS = ("spark.driver.memory", "spark.driver.extraJavaOptions", "spark.driver.extraClassPath")
_EXECUTORS = "spark.executor.extraJavaOptions"


def session_conf(settings: WarehouseSettings) -> dict[str, str]:
    """Return the settings of a session, the user's own included."""
    launch = (*_LAUNCH_KEYS, _EXECUTORS) if settings.drivers else _LAUNCH_KEYS
    chosen = {key: value for key, value in settings.conf.items() if key not in launch}
    secrets = {key: value.reveal() for key, value in settings.secret_conf.items()}
    return {
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        **chosen,
        **secrets,
        **FIXED_CONF,
    }


def catalog_conf(settings: WarehouseSettings) -> dict[str, str]:
    """Return the settings of the Iceberg catalog in the SQLite file; its name is part of the catalog's rows."""
    prefix = f"spark.sql.catalog.{settings.catalog}"
    return {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.type": "jdbc",
        f"{prefix}.uri": f"jdbc:sqlite:{settings.database}?busy_timeout=30000",
        f"{prefix}.jdbc.schema-version": "V1",
        f"{prefix}.warehouse": settings.warehouse,
        # Pointers are moved behind the JVM's back.
        f"{prefix}.cache-enabled": "false",
    }


def launch_conf(settings: WarehouseSettings, *, jars: tuple[Path, ...], java_options: str) -> dict[str, str]:
    """Return what must be known before the JVM starts."""
    given = settings.conf
    class_path = [str(jar) for jar in jars]
    if extra := given.get("spark.driver.extraClassPath"):
        class_path.append(extra)
    # Java reads times of databases in its own zone, where some local times do not exist.
    zone = "-Duser.timezone=UTC" if settings.drivers else ""
    options = _together(java_options, zone, given.get("spark.driver.extraJavaOptions"))
    executors = {_EXECUTORS: _together(zone, given.get(_EXECUTORS))} if zone else {}
    return {
        **executors,
        "spark.master": settings.master,
        "spark.app.name": "lamina",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": given.get("spark.driver.memory", _driver_memory()),
        "spark.driver.extraClassPath": os.pathsep.join(class_path),
        "spark.driver.extraJavaOptions": options,
        "spark.sql.catalogImplementation": "in-memory",
        # Each joined table that Spark sends around takes at least a page, 64 MB by default, for as long as Python's
        # collector leaves its frame alone: a hundred small joins would fill the driver.
        "spark.buffer.pageSize": "4m",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.warehouse.dir": str(Path(settings.logs) / "unused"),
    }


def _together(*options: str | None) -> str:
    return " ".join(option for option in options if option)


def _driver_memory() -> str:
    """Return half of the machine's memory, at most four gigabytes."""
    megabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return f"{max(1024, min(4096, megabytes // 2))}m"
