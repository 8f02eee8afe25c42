"""The read set of every query of the corpus holds every column that Spark's own plan scans."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.compiler.projects import corpus_graph
from tests.spark.agreement import read_queries, read_tables

pytestmark = pytest.mark.spark

FOLDERS = ("tpch", "constructs")
QUERIES = [(folder, name) for folder in FOLDERS for name in read_queries(folder)]


@pytest.fixture(scope="module")
def scans(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what Spark scans for a query: empty files stand for the tables, so that nothing can be folded away."""
    current: list[str] = []

    def scanned(folder: str, text: str) -> dict[str, set[str]]:
        if current != [folder]:
            _create_tables(spark, folder, tmp_path_factory.mktemp(folder))
            current[:] = [folder]
        found: dict[str, set[str]] = {}
        for table, columns in _scanned(spark.sql(text)._jdf.queryExecution().sparkPlan()):
            found.setdefault(table, set()).update(columns)
        return found

    return scanned


def _create_tables(spark: Any, folder: str, root: Path) -> None:
    from pyspark.sql.types import StructField, StructType, _parse_datatype_string

    for name, columns in read_tables(folder).items():
        fields = [StructField(item.name, _parse_datatype_string(item.type)) for item in columns]
        path = str(root / name)
        spark.createDataFrame([], StructType(fields)).write.parquet(path)
        spark.read.parquet(path).createOrReplaceTempView(name)


def _scanned(plan: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield each scan of files in a plan and in the subqueries of its expressions, by the folder it reads."""
    subqueries = plan.subqueriesAll()
    plans = [plan, *(subqueries.apply(number) for number in range(subqueries.size()))]
    for part in plans:
        leaves = part.collectLeaves()
        for number in range(leaves.size()):
            leaf = leaves.apply(number)
            if leaf.getClass().getSimpleName() == "FileSourceScanExec":
                folder = leaf.relation().location().rootPaths().head().getName()
                yield folder, list(leaf.requiredSchema().fieldNames())


@pytest.fixture(scope="module")
def graphs() -> Any:
    """Return the compiled corpus."""
    return {folder: corpus_graph(folder) for folder in FOLDERS}


@pytest.mark.parametrize(("folder", "name"), QUERIES, ids=lambda item: item)
def test_no_scanned_column_is_missing_from_the_read_set(folder: str, name: str, scans: Any, graphs: Any) -> None:
    model = graphs[folder].model(f"{folder}.{name}")
    read = {use.name.partition(".")[2]: use.read_set for use in model.inputs}
    for table, columns in scans(folder, read_queries(folder)[name]).items():
        assert table in read
        kept = read[table]
        assert kept is None or columns <= set(kept)


def test_most_read_sets_are_exact(scans: Any, graphs: Any) -> None:
    pairs = []
    for folder, name in QUERIES:
        model = graphs[folder].model(f"{folder}.{name}")
        read = {use.name.partition(".")[2]: use.read_set for use in model.inputs}
        for table, columns in scans(folder, read_queries(folder)[name]).items():
            pairs.append(set(read[table] or ()) == columns)
    assert sum(pairs) >= 0.75 * len(pairs)
