"""Tables are there for every reader: PyIceberg and a fresh Spark find them by name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.spark.lake import Lake

from lamina.warehouse.spark.jars import resolve_jars
from lamina.warehouse.spark.java import find_java

pytestmark = pytest.mark.spark

FRESH_SPARK = """
import sys
from pyspark.sql import SparkSession

jars, database, warehouse = sys.argv[1:]
prefix = "spark.sql.catalog.lake"
session = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.extraClassPath", jars)
    .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config(prefix, "org.apache.iceberg.spark.SparkCatalog")
    .config(prefix + ".type", "jdbc")
    .config(prefix + ".uri", "jdbc:sqlite:" + database)
    .config(prefix + ".jdbc.schema-version", "V1")
    .config(prefix + ".warehouse", warehouse)
    .getOrCreate()
)
session.sql("INSERT INTO lake.sales.numbers VALUES (100)").collect()
print(sorted(row[0] for row in session.sql("SELECT id FROM lake.sales.numbers").collect()))
"""


@pytest.fixture
def published(lake: Lake) -> Lake:
    """A table that was built, rebuilt and marked."""
    lake.build(lake.add_model("sales.numbers", "SELECT id FROM range(2)", description="some numbers"))
    model = lake.add_model("sales.numbers", "SELECT id FROM range(3)", description="some numbers")
    lake.build(model)
    lake.mark(lake.stage(model))
    return lake


def test_pyiceberg_reads_a_table_by_name(published: Lake) -> None:
    from pyiceberg.catalog.sql import SqlCatalog

    settings = published.settings
    found = SqlCatalog("lake", uri=f"sqlite:///{settings.database}", warehouse=f"file://{settings.warehouse}")
    table = found.load_table("sales.numbers")

    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == [0, 1, 2]
    assert table.properties["comment"] == "some numbers"
    assert "lamina.mark" in table.properties
    assert len(table.history()) == 3
    found.close()


def test_fresh_spark_reads_and_writes_a_table_by_name(published: Lake, tmp_path: Path) -> None:
    script = tmp_path / "fresh.py"
    script.write_text(FRESH_SPARK)
    jars = os.pathsep.join(str(jar) for jar in resolve_jars((), find_java()))
    arguments = [jars, published.settings.database, published.settings.warehouse]

    done = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=120, check=False
    )

    assert done.stdout.strip() == "[0, 1, 2, 100]", done.stderr
    model = published.graph.models[0]
    history = published.warehouse.history(model.target, None)
    assert history.versions[-1].mark is None
    assert history.versions[-1].touch.is_append
    assert history.mark is not None
