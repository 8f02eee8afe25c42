"""Python models: `def model(ctx) -> DataFrame`, loaded from the compiled text and given its inputs, pinned."""

import logging
import sys
from collections.abc import Callable
from datetime import date, datetime
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from lamina.errors import LaminaError
from lamina.values.diagnostic import Place
from lamina.values.names import folded
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.error_place import python_place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_RETURN = "define `def model(ctx)` that returns a Spark DataFrame"


class ModelUnusable(WarehouseFailure):
    """A Python model cannot be loaded, or does not give a table.

    Why: the module fails when it is imported, has no function `model(ctx)`, or that returns something else than a
    DataFrame.
    Fix: correct what the message names; the function must return a Spark DataFrame.
    """

    code = "L628"

    def __init__(self, model: str, detail: str, *, hint: str = _RETURN, place: Place | None = None) -> None:
        super().__init__(
            f"the Python model `{model}` cannot be used: {detail}",
            kind="query_rejected",
            hint=hint,
            place=place,
        )


class ModelInputs:
    """What a Python model may ask for; the `ctx` of `def model(ctx)`."""

    def __init__(
        self,
        session: "SparkSession",
        *,
        name: str,
        readers: dict[str, Callable[[], "DataFrame"]],
        whole_readers: dict[str, Callable[[], "DataFrame"]],
        start: datetime | date | None,
        end: datetime | date | None,
        parameters: dict[str, str],
        environment: str,
        variables: dict[str, str],
    ) -> None:
        self.spark = session
        self.start = start
        self.end = end
        self.execution_time = _instant(parameters.get("execution_time"))
        self.as_of = _day(parameters.get("as_of"))
        self.run_id = parameters.get("run_id")
        self.environment = environment
        self.vars = variables
        self.log = logging.getLogger(f"lamina.model.{name}")
        self._name = name
        self._readers = readers
        self._whole_readers = whole_readers

    def table(self, name: str, *, whole: bool = False) -> "DataFrame":
        """Return an input listed in `depends_on`, filtered to the batch where it has a time column."""
        readers = self._whole_readers if whole else self._readers
        return readers[self._listed(name)]()

    def _listed(self, name: str) -> str:
        """Return the input that a name means: a full name, or a bare one that only one input has."""
        for spelled in ({item: folded(item) for item in self._readers}, {item: _bare(item) for item in self._readers}):
            same = [item for item, known in spelled.items() if known == folded(name)]
            if len(same) == 1:
                return same[0]
        lists = "`depends_on` does not list it" if self._readers else "it has no `depends_on`"
        raise ModelUnusable(
            self._name,
            f"it reads `{name}`, but {lists}",
            hint=f'add `depends_on = ["{name}"]` to the TOML file of the model: its inputs are known before it runs',
        )


def run_python_model(name: str, text: str, *, path: str, root: str, inputs: ModelInputs) -> "DataFrame":
    """Load a model's text and call its function."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame

    if root not in sys.path:
        # Models import modules that are beside `lamina.toml`.
        sys.path.insert(0, root)
    module: dict[str, Any] = ModuleType(f"lamina_model_{name.replace('.', '_')}").__dict__
    try:
        exec(compile(text, path, "exec"), module)
        answer = _function(name, module)(inputs)
    except (LaminaError, PySparkException, Py4JError):
        raise
    except Exception as error:
        raise ModelUnusable(
            name, f"{type(error).__name__}: {error}", place=python_place(error, path=path, root=root)
        ) from error
    if not isinstance(answer, DataFrame):
        returned, hint = _returned(answer)
        raise ModelUnusable(name, f"its function returned {returned}", hint=hint)
    return answer


def _returned(answer: Any) -> tuple[str, str]:
    """Say what a function returned in place of a DataFrame of Spark, and what to do."""
    if answer is None:
        return "nothing", "end `def model(ctx)` with `return` and a Spark DataFrame"
    kind = type(answer)
    library = kind.__module__.partition(".")[0]
    if library in ("pandas", "polars", "pyarrow"):
        whole = "answer.to_pandas()" if library == "polars" else "answer"
        hint = f"return a Spark DataFrame: `ctx.spark.createDataFrame({whole})`"
        return f"a {kind.__name__} of {library}, not a Spark DataFrame", hint
    return f"{kind.__name__}, not a Spark DataFrame", _RETURN


def _function(name: str, module: dict[str, Any]) -> Callable[[ModelInputs], Any]:
    function = module.get("model")
    if not callable(function):
        raise ModelUnusable(name, "it defines no function `model`")
    return cast(Callable[[ModelInputs], Any], function)


def _bare(name: str) -> str:
    return folded(name).rpartition(".")[2]


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text[:10])
