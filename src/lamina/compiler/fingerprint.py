"""The local fingerprint of a model: what decides its rows and their layout, and nothing of its inputs."""

from collections.abc import Mapping
from typing import Literal

from lamina.project.model import ModelSettings
from lamina.project.project import Variable
from lamina.project.strategy import TimeInterval
from lamina.values.codec import content_hash
from lamina.values.names import ColumnName, Fingerprint, TableName

VERSION = 1
SESSION = ("ansi=true", "case_sensitive=false", "time_zone=UTC")  # fixed for every session, so part of every result


def local(
    code: str,
    settings: ModelSettings,
    *,
    kind: Literal["sql", "python", "seed"],
    relations: Mapping[str, TableName],
    join_columns: tuple[tuple[ColumnName, ...], ...],
    variables: tuple[Variable, ...],
    modules: Mapping[str, str],
    inlined: Mapping[TableName, Fingerprint],
) -> Fingerprint:
    """Return the fingerprint of a model.

    `code` is the hash of its canonical query, Python source or seed text; `relations` maps each relation as written to
    what it stands for; `join_columns` lists the columns of each natural join and USING; `variables` are those it
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


def rows_and_layout(settings: ModelSettings) -> tuple[object, ...]:
    """Return the settings that change rows or layout.

    Left out are those that only say when and how much to build at a time (`cron`, `start`, `lookback`, `batch_size`),
    what to check, whom to tell, and what to do when something moves.
    """
    strategy = settings.strategy
    zone = None
    if isinstance(strategy, TimeInterval):
        strategy = strategy.replace(lookback=0, batch_size="auto")
        zone = settings.timezone
    windows = sorted((name, use.window) for name, use in settings.inputs.items() if use.window is not None)
    return (strategy, zone, settings.partitioned_by, settings.sorted_by, settings.conf, windows)
