"""The values of a query's parameters for one range: the run's own, and the bounds with the type of the time column."""

from collections.abc import Mapping
from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.compiler.link.parameters import RUN_PARAMETERS, ParameterValue, bound_type
from lamina.values.bounds import bound_text, typed_bounds
from lamina.values.interval import Interval
from lamina.values.schema import DataType


def parameter_values(model: CompiledModel, run: Mapping[str, str], *, span: Interval) -> dict[str, ParameterValue]:
    """Return what `@name` means in a model; only a model with intervals has bounds."""
    found = {
        name: ParameterValue(RUN_PARAMETERS.get(name, DataType("string")), _run_text(name, value))
        for name, value in run.items()
    }
    if model.traits.slices is None:
        return found
    kind = bound_type(model)
    start, end = typed_bounds(span, kind, zone=model.settings.timezone)
    return {
        **found,
        "start_date": ParameterValue(kind, bound_text(start)),
        "end_date": ParameterValue(kind, bound_text(end)),
        "start_ts": ParameterValue(DataType("timestamp"), bound_text(span.start)),
        "end_ts": ParameterValue(DataType("timestamp"), bound_text(span.end)),
    }


def _run_text(name: str, value: str) -> str:
    if name == "execution_time":
        return bound_text(datetime.fromisoformat(value))
    return value[:10] if name == "as_of" else value
