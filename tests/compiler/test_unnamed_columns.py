"""Output columns without an alias: reported to the user, and never mistaken for one another."""

from tests.compiler.projects import ephemeral, graph_of, model, source

ORDERS = source("raw.orders", "id bigint, name string")


def codes(*texts: str) -> list[str]:
    """Return the codes of what is found in models that read one source."""
    models = (model(f"main.m{number}", text) for number, text in enumerate(texts))
    return [item.code for item in graph_of(ORDERS, *models).diagnostics]


def test_names_that_are_not_known_are_not_duplicates() -> None:
    assert codes("SELECT upper(name), lower(name) FROM raw.orders") == ["L233", "L233"]
    assert "L215" in codes("SELECT count(*), count(*) FROM raw.orders")


def test_a_quoted_alias_is_a_name() -> None:
    assert codes("SELECT count(*) AS `count(1)`, id AS `the id` FROM raw.orders GROUP BY id") == []


def test_an_ephemeral_model_has_no_table_to_hold_the_name() -> None:
    made = graph_of(ORDERS, ephemeral("main.counted", "SELECT count(*) FROM raw.orders"))
    assert "L233" not in {item.code for item in made.diagnostics}


def test_reading_a_name_that_is_not_known_asks_for_an_alias() -> None:
    found = graph_of(
        ORDERS,
        model("main.upper", "SELECT id, upper(name) FROM raw.orders"),
        model("main.reader", "SELECT `upper(name)` AS name FROM main.upper"),
    )
    (unknown,) = [item for item in found.diagnostics if item.code == "L211"]
    assert unknown.hint == "give the expression an alias where it is computed, and read that"
