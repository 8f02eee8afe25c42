"""The local fingerprint of a model: what decides its rows and their layout, and nothing of its inputs."""

from collections.abc import Mapping
from typing import Literal

from lamina.project.fixed_conf import FIXED_CONF
from lamina.project.model import ModelSettings
from lamina.project.partitioning import TRANSFORM_BY_UNIT, read_field
from lamina.project.project import Variable
from lamina.strategies.table import traits_of
from lamina.values.codec import content_hash
from lamina.values.names import ColumnName, Fingerprint, TableName

VERSION = 1
# How Spark goes about a query, never what comes out; all other settings count.
EFFORT = (
    "spark.default.parallelism",
    "spark.driver.",
    "spark.dynamicAllocation.",
    "spark.executor.",
    "spark.kryoserializer.",
    "spark.locality.",
    "spark.memory.",
    "spark.network.",
    "spark.rdd.compress",
    "spark.reducer.",
    "spark.scheduler.",
    "spark.shuffle.",
    "spark.speculation",
    "spark.sql.adaptive.",
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.broadcastTimeout",
    "spark.sql.codegen.",
    "spark.sql.files.maxPartitionBytes",
    "spark.sql.files.maxPartitionNum",
    "spark.sql.files.minPartitionNum",
    "spark.sql.files.openCostInBytes",
    "spark.sql.join.preferSortMergeJoin",
    "spark.sql.shuffle.partitions",
    "spark.task.",
)
SESSION = ("ansi=true", "case_sensitive=false", "time_zone=UTC")  # fixed for every session, so part of every result


def local(
    settings: ModelSettings,
    *,
    code: str,
    kind: Literal["sql", "python", "seed"],
    relations: Mapping[str, TableName],
    join_columns: tuple[tuple[ColumnName, ...], ...],
    variables: tuple[Variable, ...],
    modules: Mapping[str, str],
    inlined: Mapping[TableName, Fingerprint],
) -> Fingerprint:
    """Return the fingerprint of a model.

    `code` is the hash of its canonical query, Python source or seed text; `relations` maps each relation as written to
    what it means; `join_columns` lists the columns of each natural join and USING; `variables` are those it
    reads; `modules` are the hashes of the project's modules it imports; `inlined` its ephemeral inputs.
    """
    content = (
        VERSION,
        SESSION,
        kind,
        code,
        sorted((written, name) for written, name in relations.items() if written != name),
        join_columns,
        sorted((variable.name, variable.type, variable.value) for variable in variables),
        sorted(modules.items()),
        sorted(inlined.items()),
        rows_and_layout(settings),
        # The sidecar of a seed says what its text means; elsewhere declared columns are only promises.
        [(column.name, column.type) for column in settings.columns] if kind == "seed" else None,
    )
    return Fingerprint(content_hash(content))


def without_layout(settings: ModelSettings) -> ModelSettings:
    """Return settings as if nothing were said about the layout of the table."""
    is_silent = settings.partitioned_by is None and not settings.sorted_by
    return settings if is_silent else settings.replace(partitioned_by=None, sorted_by=())


def without_grid(settings: ModelSettings) -> ModelSettings | None:
    """Return settings as if nothing were said about layout, unit and zone; None for a table that is one slice."""
    gridless = traits_of(settings.strategy).gridless
    return None if gridless is None else without_layout(settings).replace(strategy=gridless, timezone="UTC")


def layout_of(settings: ModelSettings) -> dict[str, str]:
    """Return the layout that settings ask for, by setting, as text without spelling."""
    fields = _layout(settings)
    partitioning = "default" if fields is None else ", ".join(f"{transform}({column})" for column, transform in fields)
    return {"partitioned_by": partitioning, "sorted_by": ", ".join(name.lower() for name in settings.sorted_by)}


def rows_and_layout(settings: ModelSettings) -> tuple[object, ...]:
    """Return the settings that change rows or layout.

    Left out are those that only say when and how much to build at a time (`cron`, `start`, `lookback`, `batch_size`),
    what to check, whom to notify, and what to do when something changes.
    A check counts where failing rows leave the table.
    """
    windows = sorted(
        (name.lower(), *(use.window_seconds if use.window_seconds[1] else use.window_seconds[:1]))
        for name, use in settings.inputs.items()
        if any(use.window_seconds)
    )
    traits = traits_of(settings.strategy)
    zone = settings.timezone if traits.slices is not None else None
    sorting = [name.lower() for name in settings.sorted_by]
    content = (traits.identity, zone, _layout(settings), sorting, _decisive(settings.conf), windows)
    sorting_out = tuple(check.replace(name=check.title) for check in settings.checks if check.quarantines)
    return (*content, sorting_out) if sorting_out else content


def _layout(settings: ModelSettings) -> list[tuple[str, str]] | None:
    """Return the layout of a table, the default one written out where no type decides it."""
    if settings.partitioned_by is not None:
        return [_field(text) for text in settings.partitioned_by]
    slices = traits_of(settings.strategy).slices
    if slices is not None and slices.unit in TRANSFORM_BY_UNIT:
        return [(slices.time_column.lower(), TRANSFORM_BY_UNIT[slices.unit])]
    return None


def _field(text: str) -> tuple[str, str]:
    column, transform = read_field(text)
    return column.lower(), transform if transform is not None else text


def _decisive(conf: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the Spark settings that may change a result: all but those known not to."""
    return sorted((key, value) for key, value in conf.items() if not key.startswith(EFFORT) and key not in FIXED_CONF)
