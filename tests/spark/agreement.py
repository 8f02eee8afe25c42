"""Compare the schemas lamina infers with those of Spark's analyzer, over the corpus; nothing is executed.

Run as `python -m tests.spark.agreement` it writes `docs/type-agreement.md` again.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import sqlglot
from sqlglot import exp
from tests.compiler.projects import compile_project

from lamina.compiler.query.program import expression_program
from lamina.compiler.types.infer import evaluate
from lamina.compiler.types.program_form import Program
from lamina.compiler.types.spark_types import Typed
from lamina.project.model import ModelFile, ModelSettings, SettingPlaces
from lamina.project.project import Project
from lamina.project.source import SourceTable
from lamina.values.names import ColumnName, ModelName, SourceName
from lamina.values.schema import UNKNOWN, Column, DataType, Schema, parse_type

CORPUS = Path(__file__).parent.parent / "fixtures" / "corpus"
PAGE = Path(__file__).parent.parent.parent / "docs" / "type-agreement.md"

# `null` says null where Spark does not: sound, and less than could be said. `unsound` is the other way round.
Verdict = Literal["equal", "unknown", "wrong", "null", "unsound"]


class Comparison(NamedTuple):
    """One column as both sides see it."""

    where: str
    spark: Column
    lamina: Column | None
    verdict: Verdict

    def __str__(self) -> str:
        return f"{self.verdict}: {self.where}: Spark says {_text(self.spark)}, lamina says {_text(self.lamina)}"


def _text(column: Column | None) -> str:
    if column is None:
        return "nothing"
    return f"{column.name} {column.type}{'' if column.nullable else ' not null'}"


def compare(where: str, spark: Schema, lamina: Schema | None) -> Iterator[Comparison]:
    """Yield a verdict on every column that Spark gives, and on every one it does not."""
    if lamina is None:
        yield from (Comparison(where, column, None, "unknown") for column in spark)
        return
    if len(spark) != len(lamina):
        yield Comparison(f"{where}: {len(spark)} columns, not {len(lamina)}", spark[-1], None, "wrong")
        return
    for theirs, ours in zip(spark, lamina, strict=True):
        yield Comparison(where, theirs, ours, _verdict(theirs, ours))


def _verdict(spark: Column, lamina: Column) -> Verdict:
    if lamina.type == UNKNOWN or not lamina.name:
        return "unknown"
    if lamina.name != spark.name:
        return "wrong"
    if lamina.type != spark.type:
        return "wrong"
    if lamina.nullable == spark.nullable:
        return "equal"
    return "null" if lamina.nullable else "unsound"


def read_column(name: str, text: str) -> Column:
    """Return a column of the corpus, written as `type` or `type not null`."""
    kind = parse_type(text.removesuffix(" not null"))
    assert kind is not None, f"{name}: {text} is no type"
    return Column(name=ColumnName(name), type=kind, nullable=not text.endswith(" not null"))


def read_tables(folder: str) -> dict[str, Schema]:
    """Return the tables that the queries of a folder read."""
    tables = tomllib.loads((CORPUS / folder / "tables.toml").read_text())
    return {name: tuple(read_column(*item) for item in columns.items()) for name, columns in tables.items()}


def read_queries(folder: str) -> dict[str, str]:
    """Return the queries of a folder by their names."""
    return {path.stem: path.read_text() for path in sorted((CORPUS / folder).glob("*.sql"))}


def read_expressions() -> list[list[str]]:
    """Return the sections of `expressions.sql`; what is in one section can be in one query."""
    text = (CORPUS / "expressions.sql").read_text()
    sections = [[line for line in part.splitlines()[1:] if line] for part in text.split("-- ")]
    return [section for section in sections if section]


def inferred_queries(folder: str) -> dict[str, Schema | None]:
    """Compile a folder as a project and return each query's columns."""
    queries = read_queries(folder)
    sources = tuple(
        SourceTable(name=SourceName(f"{folder}.{name}"), type="files", location=name, columns=columns)
        for name, columns in sorted(read_tables(folder).items())
    )
    models = tuple(
        ModelFile(
            name=ModelName(f"{folder}.{name}"),
            kind="sql",
            path=f"models/{name}.sql",
            text=text,
            settings=ModelSettings(),
            places=SettingPlaces(file=f"models/{name}.toml"),
        )
        for name, text in queries.items()
    )
    project = Project(name=folder, root="", default_schema=folder, models=models, sources=sources, variables=())
    graph = compile_project(project)
    return {model.name.partition(".")[2]: model.columns for model in graph.models}


def spark_schema(spark: Any, query: str) -> Schema:
    """Return the columns that Spark's analyzer gives a query."""
    return tuple(
        Column(name=ColumnName(field.name), type=DataType(field.dataType.simpleString()), nullable=field.nullable)
        for field in spark.sql(query).schema
    )


def create_view(spark: Any, name: str, columns: Schema) -> None:
    """Create an empty temporary view with exactly these columns."""
    from pyspark.sql.types import StructField, StructType, _parse_datatype_string

    fields = [StructField(item.name, _parse_datatype_string(item.type), item.nullable) for item in columns]
    spark.createDataFrame([], StructType(fields)).createOrReplaceTempView(name)


def compare_queries(spark: Any, folder: str) -> list[Comparison]:
    """Compare every query of a folder."""
    for name, columns in read_tables(folder).items():
        create_view(spark, name, columns)
    ours = inferred_queries(folder)
    found: list[Comparison] = []
    for name, text in read_queries(folder).items():
        found.extend(compare(f"{folder}/{name}", spark_schema(spark, text), ours.get(name)))
    return found


def compare_expressions(spark: Any, sections: list[list[str]]) -> list[Comparison]:
    """Compare expressions over a table whose columns can be null and over one whose columns cannot."""
    written = tomllib.loads((CORPUS / "expressions.toml").read_text())
    found: list[Comparison] = []
    for view, suffix in (("maybe", ""), ("sure", " not null")):
        columns = {name: read_column(name, text + suffix) for name, text in written.items()}
        create_view(spark, view, tuple(columns.values()))
        for lines in (section[start : start + 40] for section in sections for start in range(0, len(section), 40)):
            for line, theirs in zip(lines, spark_schema(spark, _select(lines, view)), strict=True):
                typed = infer_expression(line, columns)
                ours = Column(name=theirs.name, type=typed.type, nullable=typed.nullable)
                found.append(Comparison(f"`{line}` over {view}", theirs, ours, _verdict(theirs, ours)))
    return found


def _select(lines: list[str], view: str) -> str:
    grouping = " GROUP BY label" if any("(sum(" in line for line in lines) else ""
    return f"SELECT {', '.join(f'{line} AS result' for line in lines)} FROM {view}{grouping}"


def infer_expression(text: str, columns: dict[str, Column]) -> Typed:
    """Return the type of one expression over one table."""

    def column(node: exp.Column) -> Program:
        if node.table:
            return ("field", ("column", 0, node.table), node.name)
        return ("column", 0, node.name)

    def lookup(_: int, name: str) -> Typed:
        return Typed(columns[name].type, columns[name].nullable)

    tree = sqlglot.parse_one(f"SELECT {text}", dialect="spark")
    return evaluate(expression_program(tree.expressions[0], column), lookup)


def summarise(found: list[Comparison]) -> str:
    """Return one line of figures."""
    count = Counter(item.verdict for item in found)
    typed = len(found) - count["unknown"]
    return (
        f"{len(found)} columns, {typed} typed ({100 * typed / len(found):.1f} %), {count['wrong']} wrong, "
        f"nullability equal in {count['equal']} ({100 * count['equal'] / len(found):.1f} %), "
        f"{count['null']} looser, {count['unsound']} unsound"
    )


def page(parts: dict[str, list[Comparison]], *, counts: dict[str, int], functions: int) -> str:
    """Return the text of the page that publishes the figures."""
    rows = [f"| {name} | {counts[name]} | {_row(found)} |" for name, found in parts.items()]
    everything = [item for found in parts.values() for item in found]
    left = [f"- {item}" for item in everything if item.verdict != "equal"] or ["- nothing"]
    return "\n".join(
        [
            "# How far inferred types agree with Spark",
            "",
            "`lamina compile` infers every column's type without starting Spark. This page compares what it says",
            "with Spark's own analyzer in ANSI mode (Spark 4.1), over `tests/fixtures/corpus`: the 22 queries of",
            "TPC-H, one query per construct, and single expressions, each over columns that can be null and over",
            f"columns that cannot. The rules cover {functions} functions. `make agreement` writes this",
            "page again; a test of the Spark suite checks its figures.",
            "",
            "| corpus | queries | columns | typed | wrong name or type | nullability equal | looser | unsound |",
            "|---|---|---|---|---|---|---|---|",
            *rows,
            "",
            "*Typed*: not `unknown`. *Looser*: lamina says a column can be null where Spark knows better, which is",
            "safe. *Unsound*: the other way round.",
            "",
            "## Every column that is not equal",
            "",
            *left,
            "",
        ]
    )


def _row(found: list[Comparison]) -> str:
    count = Counter(item.verdict for item in found)
    typed = len(found) - count["unknown"]
    share = f"{100 * typed / len(found):.1f} %"
    cells = [len(found), share, count["wrong"], count["equal"], count["null"], count["unsound"]]
    return " | ".join(str(cell) for cell in cells)


def compare_all(spark: Any) -> tuple[dict[str, list[Comparison]], dict[str, int]]:
    """Compare the whole corpus; return verdicts and the number of queries of each part."""
    expressions = read_expressions()
    parts = {
        "tpch": compare_queries(spark, "tpch"),
        "constructs": compare_queries(spark, "constructs"),
        "expressions": compare_expressions(spark, expressions),
    }
    counts = {
        "tpch": len(read_queries("tpch")),
        "constructs": len(read_queries("constructs")),
        "expressions": 2 * sum(len(section) for section in expressions),
    }
    return parts, counts


def main() -> None:
    """Write the page."""
    from tests.spark.conftest import start_session

    from lamina.compiler.types.functions.catalogue import FUNCTIONS, HIGHER_ORDER

    session = start_session()
    parts, counts = compare_all(session)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(parts, counts=counts, functions=len(FUNCTIONS | HIGHER_ORDER)))
    for name, found in parts.items():
        print(f"{name}: {summarise(found)}")
    session.stop()


if __name__ == "__main__":
    main()
