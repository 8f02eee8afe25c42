"""Sources of databases as a file declares them: settings, names of tables, and no password anywhere."""

import pytest

from lamina.project.source_file import SourceFile, read_source_file

SOURCE = """
[source.shop]
type = "jdbc"
url = "jdbc:postgresql://db/shop"
user = "reader"
password = "${SHOP_PASSWORD}"
"""
SECRET = "hunter2"


def read(text: str) -> SourceFile:
    return read_source_file("sources/shop.toml", text, root="/nowhere", variables={"SHOP_PASSWORD": SECRET})


@pytest.mark.parametrize(
    ("tables", "location"),
    [
        ('tables = ["orders"]', "public.orders"),
        ('namespace = "sales"\ntables = ["orders"]', "sales.orders"),
        ('tables = { orders = "Sales.Orders" }', "Sales.Orders"),
        ('namespace = "sales"\n[source.shop.tables.orders]\ntable = "Orders"', "sales.Orders"),
    ],
)
def test_a_table_is_found_by_its_schema_and_name(tables: str, location: str) -> None:
    found = read(SOURCE + tables)
    assert not found.diagnostics
    assert [(table.name, table.location) for table in found.tables] == [("shop.orders", location)]


def test_a_password_is_known_by_its_variable_only() -> None:
    found = read(f'{SOURCE}tables = ["orders"]')
    assert found.tables[0].connection is not None
    assert found.tables[0].connection.password == "SHOP_PASSWORD"
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"${SHOP_PASSWORD}"', f'"{SECRET}"'),
        ("//db/shop", f"//db/shop?password={SECRET}"),
        ("//db/shop", f"//reader:{SECRET}@db/shop"),
        ("//db/shop", "//db/shop?password=${SHOP_PASSWORD}"),
        ('"${SHOP_PASSWORD}"', '"x${SHOP_PASSWORD}"'),
        ('"${SHOP_PASSWORD}"', f'"${{SHOP_PASSWORD:-{SECRET}}}"'),
    ],
)
def test_a_password_that_is_written_out_is_not_kept(old: str, new: str) -> None:
    found = read(SOURCE.replace(old, new) + 'tables = ["orders"]')
    connection = found.tables[0].connection
    assert connection is not None
    assert "***" in connection.url or connection.password == ""
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ('[source.shop]\ntype = "jdbc"\ntables = ["a"]', ["a `jdbc` source needs `url`"]),
        (SOURCE, ["a `jdbc` source needs `tables`"]),
        (f'{SOURCE}format = "csv"\ntables = ["a"]', ["`format` is not a setting of a `jdbc` source"]),
        (f'{SOURCE}[source.shop.tables.a]\nsafety_lag = "5m"', ["`safety_lag` needs `load_time`"]),
        (f"{SOURCE}[source.shop.tables.a]\nnum_partitions = 2", ["`num_partitions` needs `partition_column`"]),
        (
            '[source.raw]\ntype = "files"\n[source.raw.tables.a]\npath = "a"\n'
            'load_time = "at"\npartition_column = "id"',
            [
                "`load_time` of a `files` source is not in this version",
                "`partition_column` is not a setting of a `files` source",
            ],
        ),
        (
            '[source.raw]\ntype = "iceberg"\n[source.raw.tables.a]\nformat = "csv"',
            ["`format` is not a setting of an `iceberg` source"],
        ),
        ('[source.raw]\ntype = "files"\npath = "a"\nurl = "b"', ["`url` is not a setting of a `files` source"]),
    ],
)
def test_settings_that_do_not_fit_are_refused(text: str, messages: list[str]) -> None:
    assert [item.message for item in read(text).diagnostics] == messages


def test_words_that_only_look_like_secrets_stay_as_they_are() -> None:
    text = """
[source.raw]
type = "files"
[source.raw.tables]
tokens = "data/token=1/password=2"
[source.shop]
type = "jdbc"
url = "jdbc:postgresql://db/shop"
tables = { password = "public.secrets" }
"""
    found = read(text)
    assert not found.diagnostics
    assert [table.location for table in found.tables] == ["data/token=1/password=2", "public.secrets"]
