"""The error of a Python model that reads an undeclared input, or returns no table."""

from typing import Any

import pytest
from py4j.protocol import Py4JError

from lamina.warehouse.spark.python_model import ModelInputs, ModelUnusable, run_python_model


def inputs(*names: str) -> ModelInputs:
    readers: dict[str, Any] = {name: lambda name=name: f"rows of {name}" for name in names}
    return ModelInputs(
        None,  # type: ignore[arg-type]  # no session is requested
        name="m.t",
        readers=readers,
        whole_readers=readers,
        start=None,
        end=None,
        parameters={},
        environment="prod",
        variables={},
    )


def refusal(text: str, given: ModelInputs) -> ModelUnusable:
    with pytest.raises(ModelUnusable) as refused:
        run_python_model("m.t", text, path="models/m/t.py", root="", inputs=given)
    return refused.value


@pytest.mark.parametrize("name", ["sales.orders", "Sales.Orders", "orders"])
def test_an_input_is_found_by_its_full_name_or_a_bare_one(name: str) -> None:
    assert str(inputs("sales.orders", "sales.rates").table(name)) == "rows of sales.orders"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (inputs(), "it reads `raw.a`, but it has no `depends_on`"),
        (inputs("raw.b"), "it reads `raw.a`, but `depends_on` does not list it"),
    ],
)
def test_an_input_that_is_not_declared_says_where_to_declare_it(given: ModelInputs, said: str) -> None:
    error = refusal("def model(ctx):\n    return ctx.table('raw.a')", given)
    assert said in error.message
    assert error.hint is not None
    assert '`depends_on = ["raw.a"]`' in error.hint


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("def model(ctx):\n    ctx.environment", "returned nothing", "`return`"),
        ("def model(ctx):\n    return 1", "returned int, not a Spark DataFrame", "def model(ctx)"),
        (
            "import pyarrow\ndef model(ctx):\n    return pyarrow.table({'a': [1]})",
            "returned a Table of pyarrow, not a Spark DataFrame",
            "ctx.spark.createDataFrame(answer)",
        ),
        (
            "class DataFrame: __module__ = 'pandas.core.frame'\ndef model(ctx):\n    return DataFrame()",
            "returned a DataFrame of pandas, not a Spark DataFrame",
            "ctx.spark.createDataFrame(answer)",
        ),
    ],
)
def test_what_is_no_spark_dataframe_is_named(text: str, said: str, hint: str) -> None:
    error = refusal(text, inputs())
    assert said in error.message
    assert hint in str(error.hint)


def test_what_java_raises_is_left_to_be_translated() -> None:
    text = "from py4j.protocol import Py4JError\ndef model(ctx):\n    raise Py4JError('org.apache.spark.Gone')"
    with pytest.raises(Py4JError):
        run_python_model("m.t", text, path="models/m/t.py", root="", inputs=inputs())
