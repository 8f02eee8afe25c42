"""One Spark application for every test that needs Spark, started as lamina starts it."""

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.database import Database
from tests.spark.lake import Lake

from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.spark.session import Application

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# No test leaves a process behind that prepares faster starts.
os.environ["LAMINA_CLASS_ARCHIVE"] = "off"


def start_application(folder: Path) -> Application:
    """Start a small Spark whose catalog and warehouse are in a folder."""
    settings = WarehouseSettings(
        root=str(folder),
        database=str(folder / "lamina.db"),
        warehouse=str(folder / "warehouse"),
        logs=str(folder / "logs"),
        master="local[2]",
        drivers=("postgresql",),
        conf={"spark.sql.shuffle.partitions": "2", "spark.sql.debug.maxToStringFields": "1000"},
    )
    application = Application(settings, emit=lambda _: None)
    application.session()
    return application


def start_session() -> Any:
    """Start a session for use outside of tests."""
    return start_application(Path(tempfile.mkdtemp())).session()


@pytest.fixture(scope="session")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """Yield the application that every Spark test shares."""
    application = start_application(tmp_path_factory.mktemp("spark"))
    gc.collect()
    gc.freeze()  # what is there now need not be looked at again after each test
    yield application
    application.stop()


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Let go of the frames of each test: Spark keeps what they hold for as long as Python does."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def spark(application: Application) -> "SparkSession":
    """Yield the session that every Spark test shares."""
    return application.session()


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    """Yield a PostgreSQL server with nothing in it."""
    database = Database()
    yield database
    database.remove()


@pytest.fixture
def lake(application: Application, tmp_path: Path) -> Iterator[Lake]:
    """Yield a project folder with a catalog of its own in the shared application."""
    lake = Lake(tmp_path, application)
    yield lake
    lake.close()
