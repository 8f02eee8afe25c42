"""What a rebuilt slice is asked: did it change for those who read it?"""

from lamina.compiler.graph import CompiledModel, Graph
from lamina.project.strategy import TimeInterval
from lamina.values.batch import Batch, DiffQuestion
from lamina.values.coverage import Coverage
from lamina.values.interval import intersect
from lamina.values.names import TableName

# The modes whose result stands in place of rows that were there before; the counts of the others tell enough.
_REPLACING = ("replace_slices", "replace_all")


def is_comparable(batch: Batch, coverage: Coverage) -> bool:
    """Tell whether a batch replaces rows, so that old and new can be compared; first builds and appends do not."""
    if batch.base is None or batch.mode not in _REPLACING:
        return False
    built = tuple(segment.interval for segment in coverage.segments)
    return bool(intersect(built, batch.slices))


def diff_questions(graph: Graph, table: TableName) -> tuple[DiffQuestion, ...]:
    """Return one question for each distinct way in which current consumers read a model."""
    asked = {
        DiffQuestion(columns=use.read_set, filter_column=use.filter_column, unit=_unit(consumer, use.filter_column))
        for consumer in graph.models
        for use in consumer.inputs
        if use.name == table
    }
    return tuple(sorted(asked, key=lambda item: (item.columns or (), item.filter_column or "", item.unit or "")))


def _unit(consumer: CompiledModel, filter_column: str | None) -> str | None:
    strategy = consumer.settings.strategy
    return strategy.granularity if filter_column and isinstance(strategy, TimeInterval) else None
