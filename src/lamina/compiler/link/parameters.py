"""The parameters of queries: which exist, their types, and how a value is written as a Spark literal."""

from collections.abc import Iterable

from lamina.compiler.graph import CompiledModel
from lamina.project.project import Variable
from lamina.values.names import same_name
from lamina.values.schema import UNKNOWN, DataType
from lamina.values.value import Value

RANGE_BOUNDS = ("start_date", "end_date")

RUN_PARAMETERS: dict[str, DataType] = {
    "start_date": UNKNOWN,  # the type of the model's time column
    "end_date": UNKNOWN,
    "start_ts": DataType("timestamp"),
    "end_ts": DataType("timestamp"),
    "execution_time": DataType("timestamp"),
    "as_of": DataType("date"),
    "run_id": DataType("string"),
}


class ParameterValue(Value, frozen=True):
    """A typed value for one `@name`; timestamps are written as `2026-01-31 13:05:00` in UTC."""

    type: DataType
    value: str


def bound_type(model: CompiledModel) -> DataType:
    """Return the type of `@start_date` and `@end_date` in a model: that of its time column, else timestamp."""
    slices = model.traits.slices
    if slices is not None:
        for column in model.columns or ():
            if same_name(column.name, slices.time_column) and column.type == "date":
                return DataType("date")
    return DataType("timestamp")


def variable_values(variables: Iterable[Variable]) -> dict[str, ParameterValue]:
    """Return the parameters that a project declares."""
    return {variable.name: ParameterValue(variable.type, variable.value) for variable in variables}


def literal_sql(parameter: ParameterValue) -> str:
    """Return a value as Spark SQL that has exactly its type.

    >>> literal_sql(ParameterValue("decimal(10,2)", "0.5"))
    "CAST('0.5' AS DECIMAL(10,2))"
    """
    from sqlglot import exp

    text = exp.Literal.string(parameter.value).sql(dialect="spark")
    kind = parameter.type
    if kind == "string":
        return text
    if kind == "boolean":
        return parameter.value.lower()
    if kind in {"date", "timestamp"}:
        return f"{kind.upper()} {text}"
    return f"CAST({text} AS {kind.upper()})"


def quoted(name: str) -> str:
    """Return a name as a quoted Spark identifier."""
    from sqlglot import exp

    return exp.to_identifier(name, quoted=True).sql(dialect="spark")
