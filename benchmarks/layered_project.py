"""Write the layered project of the compile benchmark: N models in four layers over declared sources."""

from pathlib import Path
from typing import NamedTuple

KINDS = (
    ("id", "bigint"),
    ("name", "string"),
    ("category", "int"),
    ("amount", "double"),
    ("status", "string"),
    ("created_at", "timestamp"),
    ("updated_at", "timestamp"),
)

# What grouped and windowed queries may not do incrementally; the benchmark measures compiling, so it is demoted.
ALLOWED = ("L241", "L401", "L403", "L409")

TABLES_OF_SOURCE = 1_000  # a settings file may have one megabyte


class Layout(NamedTuple):
    """How many models each layer has."""

    sources: int
    staging: int
    intermediate: int
    marts: int


def layout_of(count: int) -> Layout:
    """Split a number of models into layers: 30, 30, 25 and 15 percent."""
    sources, staging, intermediate = count * 30 // 100, count * 30 // 100, count * 25 // 100
    return Layout(sources, staging, intermediate, count - sources - staging - intermediate)


def write_project(root: Path, count: int) -> Layout:
    """Write the project and return its layout."""
    layout = layout_of(count)
    models = root / "models"
    models.mkdir(parents=True)
    (root / "sources").mkdir()
    (root / "lamina.toml").write_text('[project]\nname = "layered"\n')
    for start in range(0, layout.sources, TABLES_OF_SOURCE):
        tables = range(start, min(start + TABLES_OF_SOURCE, layout.sources))
        (root / "sources" / f"{source_name(start)}.toml").write_text(_source(source_name(start), tables))
    for number in range(layout.sources):
        (models / f"src_{number:05d}.sql").write_text(source_query(number))
    for number in range(layout.staging):
        _write(models, f"stg_{number:05d}", staging_query(number), index=layout.sources + number)
    start = layout.sources + layout.staging
    for number in range(layout.intermediate):
        query = intermediate_query(number, staging=layout.staging)
        _write(models, f"int_{number:05d}", query, index=start + number)
    for number in range(layout.marts):
        (models / f"fct_{number:05d}.sql").write_text(mart_query(number))
    return layout


def _write(models: Path, name: str, query: str, *, index: int) -> None:
    (models / f"{name}.sql").write_text(query)
    turn = index % 20
    if turn < 16:
        return
    append, merge = 'type = "incremental"\ntimestamp_column = "updated_at"', 'type = "merge"\nunique_key = ["id"]'
    strategy = append if turn < 19 else merge
    listed = ", ".join(f'"{code}"' for code in ALLOWED)
    (models / f"{name}.toml").write_text(f"allow = [{listed}]\n[strategy]\n{strategy}\n")


def source_name(number: int) -> str:
    """Return the source that holds a table: `raw_data`, then `raw_data_1` and so on."""
    block = number // TABLES_OF_SOURCE
    return f"raw_data_{block}" if block else "raw_data"


def _source(name: str, tables: range) -> str:
    lines = [f"[source.{name}]", 'type = "files"', 'path = "data"']
    for number in tables:
        columns = ", ".join(f'{{ name = "{name}", type = "{kind}" }}' for name, kind in source_columns(number))
        lines += [f"[source.{name}.tables.source_{number}]", f"columns = [{columns}]"]
    return "\n".join(lines) + "\n"


def source_columns(number: int) -> list[tuple[str, str]]:
    """Return the columns of a source table: 7 to 15, their kinds in turn."""
    return [(f"col_{column}", KINDS[column % 7][1]) for column in range(7 + number % 9)]


def source_query(number: int) -> str:
    """Return the query of a model in the first layer: each column under the name of its kind."""
    lines = []
    for column, _ in enumerate(source_columns(number)):
        kind = KINDS[column % 7][0]
        alias = kind if column < 7 else f"{kind}_{column}"
        value = f"col_{column}"
        if kind == "category":
            value = f"CAST({value} AS STRING)"
        if kind == "amount":
            value = f"ROUND(CAST({value} AS DECIMAL(10,2)), 2)"
        lines.append(f"    {value} AS {alias}")
    return "SELECT\n" + ",\n".join(lines) + f"\nFROM {source_name(number)}.source_{number}\n"


def staging_query(number: int) -> str:
    """Return the query of a staging model."""
    return f"""SELECT
    id,
    UPPER(TRIM(name)) AS name,
    COALESCE(category, 'unknown') AS category,
    amount,
    LOWER(status) AS status,
    created_at,
    updated_at,
    ROW_NUMBER() OVER (PARTITION BY id ORDER BY updated_at DESC) AS rn
FROM src_{number:05d}
WHERE id IS NOT NULL
  AND amount >= 0
"""


def intermediate_query(number: int, *, staging: int) -> str:
    """Return the query of an intermediate model: two or three staging models joined and grouped."""
    names = [f"stg_{(number + step) % staging:05d}" for step in range(3 if number % 10 == 0 else 2)]
    joins = "\n".join(
        f"    JOIN {name} AS s{place} ON s0.id = s{place}.id AND s{place}.rn = 1"
        for place, name in enumerate(names)
        if place
    )
    return f"""WITH joined AS (
    SELECT
        s0.id,
        s0.name,
        s0.category,
        s0.amount,
        s1.amount AS other_amount,
        s0.updated_at
    FROM {names[0]} AS s0
{joins}
    WHERE s0.rn = 1
)
SELECT
    id,
    name,
    category,
    COUNT(*) AS row_count,
    SUM(amount) AS total_amount,
    AVG(other_amount) AS average_amount,
    MIN(amount) AS smallest_amount,
    MAX(updated_at) AS updated_at
FROM joined
GROUP BY id, name, category
"""


def mart_query(number: int) -> str:
    """Return the query of a mart."""
    return f"""SELECT
    i.id,
    i.name,
    i.category,
    i.total_amount,
    CASE
        WHEN i.total_amount > 10000 THEN 'platinum'
        WHEN i.total_amount > 1000 THEN 'gold'
        ELSE 'basic'
    END AS tier,
    SUM(i.total_amount) OVER (
        PARTITION BY i.category ORDER BY i.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS running_total,
    RANK() OVER (PARTITION BY i.category ORDER BY i.total_amount DESC) AS place,
    s.status,
    s.updated_at
FROM int_{number:05d} AS i
LEFT JOIN stg_{number:05d} AS s ON i.id = s.id
WHERE i.row_count > 0
"""
