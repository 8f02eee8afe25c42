"""What the user wrote for one model: its text, its sidecar, and where each is."""

from typing import Literal

from lamina.project.limits import AnomalySettings, BudgetSettings, FreshnessSettings
from lamina.project.locate import locate
from lamina.project.strategy import FullRefresh, Strategy
from lamina.values.diagnostic import Place
from lamina.values.duration import parse_duration
from lamina.values.names import ColumnName, ModelName, TableName, folded
from lamina.values.schema import Column
from lamina.values.value import Value


class InputSettings(Value, frozen=True, omit_defaults=True):
    """How a model uses one of its inputs."""

    on_touch: Literal["rebuild", "keep"] = "rebuild"
    window: str | None = None  # "6 days": how far before the slice this input is read
    window_after: str | None = None  # "1 day": how far past its end

    @property
    def window_seconds(self) -> tuple[int, int]:
        """Return how far before the slice and past its end this input is read."""
        before, after = (parse_duration(text or "") or 0 for text in (self.window, self.window_after))
        return before, after


class ContractSettings(Value, frozen=True, omit_defaults=True):
    """Promises about the columns of a model."""

    required: tuple[ColumnName, ...] = ()
    protected: tuple[ColumnName, ...] = ()
    no_new_nullable: bool = False


CheckType = Literal[
    "not_null",
    "unique",
    "accepted_values",
    "in_range",
    "regex_match",
    "relationships",
    "not_in_future",
    "row_count",
    "aggregate",
    "expression",
    "freshness",
    "custom_sql",
]


class CheckSettings(Value, frozen=True):
    """One check over staged rows; which fields a type needs is decided where checks are read."""

    type: CheckType
    name: str | None = None
    column: ColumnName | None = None
    columns: tuple[ColumnName, ...] = ()
    values: tuple[str | int | float | bool, ...] = ()
    min: int | float | str | None = None  # a time is its ISO text
    max: int | float | str | None = None
    expression: str | None = None
    severity: Literal["error", "warn"] = "error"
    where: str | None = None
    max_failed_rows: int = 0
    scope: Literal["batch", "table"] = "batch"  # the sidecar's default depends on the type
    pattern: str | None = None
    to: TableName | None = None  # as written: `CompiledModel.looked_up` says which table it means
    field: ColumnName | None = None
    error_after: str | None = None  # "36h"
    sql: str | None = None
    on_failure: Literal["fail", "quarantine"] = "fail"

    @property
    def quarantines(self) -> bool:
        """Return whether rows that fail it go to the quarantine of the table, and the others are published."""
        return self.on_failure == "quarantine"

    @property
    def title(self) -> str:
        """Return what it is called: by its name, or by what it says."""
        return self.name or self.expression or "_".join((self.type, *self.columns, *filter(None, [self.column])))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns it is about, in lower case."""
        return tuple(folded(name) for name in self.columns or ((self.column,) if self.column else ()))

    @property
    def is_table_key(self) -> bool:
        """Return whether it demands that a key is unique among all rows of a table."""
        return self.type == "unique" and self.scope == "table"

    @property
    def reads_time(self) -> bool:
        """Return whether its outcome depends on when it runs."""
        return self.type in ("freshness", "not_in_future")

    @property
    def is_strict(self) -> bool:
        """Return whether no row at all may fail it."""
        return self.severity == "error" and self.where is None and self.max_failed_rows == 0


class ModelSettings(Value, frozen=True, omit_defaults=True):
    """A sidecar with folder defaults applied."""

    strategy: Strategy = FullRefresh()
    description: str | None = None
    owner: str | None = None
    tags: tuple[str, ...] = ()
    enabled: bool = True
    alias: str | None = None
    schema: str | None = None
    renamed_from: ModelName | None = None  # what the model was called before; its table moves with its name
    depends_on: tuple[TableName, ...] = ()
    cron: str | None = None
    cron_timezone: str | None = None
    timezone: str = "UTC"
    start: str | None = None
    end: str | None = None
    allow_partials: bool = False
    readiness: Literal["strict", "cron"] = "strict"
    partitioned_by: tuple[str, ...] | None = None
    sorted_by: tuple[str, ...] = ()
    on_change: Literal["rebuild", "forward_only"] = "rebuild"
    protect_history: bool = False
    on_drift: Literal["evolve", "fail", "ignore"] = "evolve"
    on_foreign_write: Literal["fail", "rebuild", "accept"] = "fail"
    allow: tuple[str, ...] = ()
    conf: dict[str, str] = {}
    inputs: dict[str, InputSettings] = {}
    columns: tuple[Column, ...] = ()
    contract: ContractSettings = ContractSettings()
    checks: tuple[CheckSettings, ...] = ()
    anomaly: AnomalySettings = AnomalySettings(history=0)
    budget: BudgetSettings = BudgetSettings()
    freshness: FreshnessSettings | None = None


class SettingPlaces(Value, frozen=True):
    """Where the keys of a TOML file are; they are looked for when one is requested, which is rare."""

    file: str
    text: str = ""

    def of(self, key: str) -> Place:
        """Return the place of a key such as `columns.0.name`, or of what encloses it, or the file's start."""
        keys = locate(self.text).keys
        while key and key not in keys:
            key = key.rpartition(".")[0]
        line, column = keys.get(key, (1, 1))
        return Place(file=self.file, line=line, column=column)

    def has(self, key: str) -> bool:
        """Return whether the file sets a key."""
        return key in locate(self.text).keys


class ModelFile(Value, frozen=True, array_like=True):
    """One model as written; `text` is SQL, Python or CSV, by `kind`."""

    name: ModelName
    kind: Literal["sql", "python", "seed"]
    path: str  # relative to the project, with forward slashes
    text: str
    settings: ModelSettings
    places: SettingPlaces
