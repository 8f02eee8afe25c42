"""The compiled project: typed models, their inputs, lineage, fingerprints and findings."""

from bisect import bisect_left
from typing import Literal

from lamina.project.model import ModelSettings
from lamina.project.project import Variable
from lamina.project.source import SourceTable
from lamina.strategies.driver import driver_among
from lamina.strategies.table import traits_of
from lamina.strategies.traits import Traits
from lamina.values.coverage import InputRange
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ColumnName, Fingerprint, ModelName, TableName, same_name
from lamina.values.schema import Schema
from lamina.values.value import Value

EdgeKind = Literal["direct", "cast", "expression", "aggregation"]


class LineageEdge(Value, frozen=True, array_like=True):
    """One output column drawn from one column of one input."""

    column: ColumnName
    input: TableName
    input_column: ColumnName
    kind: EdgeKind


class InputUse(Value, frozen=True):
    """What a model reads of one input and how its slices map to it; ephemeral inputs are seen through."""

    name: TableName
    is_model: bool
    read_set: tuple[ColumnName, ...] | None  # every column that can influence the result; None: all, known or not
    row_set: tuple[ColumnName, ...] | None = None  # those that can influence which rows there are; None: any may
    filter_column: ColumnName | None = None  # a slice reads only rows where it lies in the slice, or in reach of it
    filters_dates: bool = False  # that column holds dates, not instants
    counts_days: bool = False  # it holds instants, and the reach is counted in days of the model's zone
    reach_seconds: int = 0  # how far before the slice it is read: as the proof found, else as declared
    after_seconds: int = 0  # how far past its end, likewise
    window_seconds: int = 0  # before the slice, as declared
    window_after_seconds: int = 0  # past its end, as declared
    on_touch: Literal["rebuild", "keep"] = "rebuild"
    is_driver: bool = False
    is_always_new: bool = False  # a source with `detect = "always"`: what was read of it is never known to be current
    is_read_whole: bool = False  # proven: every slice reads every row, whatever its bounds

    @property
    def range(self) -> InputRange | None:
        """Return which of its rows a slice reads; None where that may be any."""
        if self.filter_column is None:
            return None
        return InputRange(
            column=self.filter_column,
            is_date=self.filters_dates,
            counts_days=self.counts_days,
            before_seconds=self.reach_seconds,
            after_seconds=self.after_seconds,
        )


class CompiledModel(Value, frozen=True, array_like=True):
    """One model, resolved and typed."""

    name: ModelName
    kind: Literal["sql", "python", "seed"]
    path: str
    text: str
    settings: ModelSettings
    target: TableName  # `schema.table` after alias
    layer: int
    depends_on: tuple[TableName, ...]  # as written, ephemeral models included
    inputs: tuple[InputUse, ...]
    columns: Schema | None  # None: not known before it runs (Python models without a contract)
    lineage: tuple[LineageEdge, ...]
    fingerprint: Fingerprint
    is_deterministic: bool = True
    depends_on_order: bool = False  # of rows that no declared key puts in a total order
    reads_parameters: tuple[str, ...] = ()  # `execution_time`, `as_of`, `run_id`, `start_date`...
    rows_fingerprint: Fingerprint | None = None  # the fingerprint without the layout of the table
    layout: dict[str, str] = {}  # `partitioned_by` and `sorted_by`, as text without spelling
    looked_up: dict[str, TableName] = {}  # by the names that checks give them: built before it, no reason to rebuild
    gridless_fingerprint: Fingerprint | None = (
        None  # without layout, unit and zone; None: it has no slices, or no query
    )
    former_fingerprints: dict[str, Fingerprint] = {}  # under former names of models that it reads: of those listed

    @property
    def traits(self) -> Traits:
        """What is known of the model's strategy."""
        return traits_of(self.settings.strategy)

    @property
    def driver(self) -> TableName | None:
        """The input whose new rows alone can bring the table up to date, as the linker found it."""
        return driver_among(self.inputs)

    def is_own(self, use: InputUse) -> bool:
        """Return whether an input is the model's own past."""
        return use.name == TableName(self.name)

    @property
    def others_looked_up(self) -> tuple[TableName, ...]:
        """Return the tables beside its own that its checks look values up in."""
        return tuple(sorted({table for table in self.looked_up.values() if table != TableName(self.name)}))

    @property
    def reads_itself(self) -> bool:
        """Return whether the model is its own input: then it is built one unit after another."""
        return any(self.is_own(use) for use in self.inputs)

    @property
    def is_cut_freely(self) -> bool:
        """Return whether a range is proven to hold the same rows wherever it is cut into slices and batches."""
        slices = self.traits.slices
        # Bounds of a batch may be used in any way in code, in an allowed finding, and where each batch is one slice.
        is_proven = self.kind == "sql" and not self.settings.allow and slices is not None and slices.batch_size != 1
        return is_proven and not self.reads_itself and all(use.on_touch != "keep" for use in self.inputs)

    @property
    def counts_local_days(self) -> bool:
        """Return whether its zone is part of what a range means: as dates, or in days that are counted."""
        slices = self.traits.slices
        names = () if slices is None else (slices.time_column,)
        dates = (column.name for column in self.columns or () if column.type == "date")
        is_dated = any(same_name(date, name) for date in dates for name in names)
        return is_dated or any(use.filters_dates or use.counts_days for use in self.inputs)

    @property
    def given_columns(self) -> Schema | None:
        """Return the columns that its query gives: those of its table without what the strategy adds; None: unknown."""
        added = len(self.traits.added)
        return self.columns[:-added] if self.columns and added else self.columns

    @property
    def is_ephemeral(self) -> bool:
        """Return whether it has no table and is inlined in its readers."""
        return not self.traits.has_table

    @property
    def is_view(self) -> bool:
        """Return whether it has no table, and a view of the catalog shows it to readers outside the project."""
        return self.traits.is_defined


class Graph(Value, frozen=True):
    """A compiled project; models and sources sorted by name."""

    project: str
    models: tuple[CompiledModel, ...]
    sources: tuple[SourceTable, ...]  # with their columns resolved where they can be
    layers: tuple[tuple[ModelName, ...], ...]
    diagnostics: tuple[Diagnostic, ...]
    default_schema: str = "main"
    variables: tuple[Variable, ...] = ()

    def has_promises(self) -> bool:
        """Return whether some contract binds later versions of its model to this one."""
        contracts = (model.settings.contract for model in self.models)
        return any(contract.protected or contract.no_new_nullable for contract in contracts)

    def model(self, name: ModelName) -> CompiledModel:
        """Return the model of that name; `KeyError` if there is none."""
        position = bisect_left(self.models, name, key=lambda item: item.name)
        if position == len(self.models) or self.models[position].name != name:
            raise KeyError(name)
        return self.models[position]
