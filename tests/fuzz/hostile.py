"""Hostile projects, each by a name that says what is wrong with it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

Write = Callable[[Path], None]

PROJECT = b'[project]\nname = "hostile"\n'
DEPTHS = (10, 40, 100, 200, 1_000, 10_000, 100_000)


def start(root: Path) -> Path:
    """Make an empty project and return its folder of models."""
    models = root / "models"
    models.mkdir(parents=True)
    (root / "lamina.toml").write_bytes(PROJECT)
    return models


def _sql(content: str | bytes) -> Write:
    def write(root: Path) -> None:
        models = start(root)
        (models / "one.sql").write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def _file(path: str, content: str | bytes) -> Write:
    def write(root: Path) -> None:
        models = start(root)
        (models / "one.sql").write_text("SELECT 1 AS id")
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def nested() -> Iterator[tuple[str, Write]]:
    """Yield everything that nests, at every depth."""
    for depth in DEPTHS:
        shapes = {
            "brackets": "SELECT " + "(" * depth + "1" + ")" * depth + " AS x",
            "open_brackets": "SELECT " + "(" * depth,
            "closing_brackets": "SELECT 1 " + ")" * depth,
            "functions": "SELECT " + "abs(" * depth + "1" + ")" * depth + " AS x",
            "subqueries": "SELECT * FROM " + "(SELECT * FROM " * depth + "t" + ")" * depth,
            "cases": "SELECT " + "CASE WHEN true THEN " * depth + "1" + " END" * depth + " AS x",
            "negations": "SELECT " + "NOT " * depth + "true AS x",
            "minus_signs": "SELECT " + "- " * depth + "1 AS x",
            "indexes": "SELECT x" + "[0" * depth + "]" * depth + " AS x FROM t",
            "types": "SELECT CAST(x AS " + "array<" * depth + "int" + ">" * depth + ") AS x FROM t",
            "lambdas": "SELECT " + "transform(x, y -> " * depth + "1" + ")" * depth + " AS x FROM t",
            "withs": "WITH a AS (" * depth + "SELECT 1 AS x" + ") SELECT x FROM a" * depth,
            "comments": "/*" * depth + " */" * depth + " SELECT 1 AS x",
        }
        for name, text in shapes.items():
            yield f"{depth}_{name}", _sql(text)
        yield f"{depth}_toml_arrays", _file("models/one.toml", "tags = " + "[" * depth + "]" * depth)
        yield f"{depth}_toml_tables", _file("models/one.toml", "conf = " + "{a = " * depth + "1" + "}" * depth)
        yield f"{depth}_toml_keys", _file("models/one.toml", ".".join(["a"] * depth) + " = 1")


def long() -> Iterator[tuple[str, Write]]:
    """Yield what is long rather than deep."""
    yield "long_sum", _sql("SELECT " + "1 + " * 20_000 + "1 AS x")
    yield "long_conjunction", _sql("SELECT 1 AS x FROM t WHERE " + "a = 1 AND " * 20_000 + "b = 2")
    yield "long_concatenation", _sql("SELECT " + "'a' || " * 20_000 + "'a' AS x")
    yield "long_list", _sql("SELECT 1 IN (" + ", ".join(map(str, range(50_000))) + ") AS x")
    yield "many_columns", _sql("SELECT " + ", ".join(f"1 AS c{n}" for n in range(10_000)))
    yield "many_branches", _sql(" UNION ALL ".join(["SELECT 1 AS x"] * 3_000))
    yield "many_joins", _sql("SELECT 1 AS x FROM t " + " ".join(f"JOIN t a{n} ON true" for n in range(2_000)))
    ctes = ", ".join(f"c{n} AS (SELECT x FROM c{n - 1})" for n in range(1, 3_000))
    yield "many_ctes", _sql(f"WITH c0 AS (SELECT 1 AS x), {ctes} SELECT x FROM c2999")
    structs = ", ".join(f"c{n} AS (SELECT struct(s AS a, s AS b) AS s FROM c{n - 1})" for n in range(1, 60))
    yield "doubled_structs", _sql(f"WITH c0 AS (SELECT struct(1 AS x) AS s), {structs} SELECT s FROM c59")
    joins = ", ".join(f"c{n} AS (SELECT a.x FROM c{n - 1} a JOIN c{n - 1} b ON a.x = b.x)" for n in range(1, 60))
    yield "doubled_ctes", _sql(f"WITH c0 AS (SELECT x FROM t WHERE x > @a), {joins} SELECT x FROM c59")
    yield "many_statements", _sql("SELECT 1 AS x;" * 20_000)
    yield "many_parameters", _sql("SELECT " + ", ".join(f"@p{n} AS c{n}" for n in range(5_000)))
    yield "long_dots", _sql("SELECT a" + ".b" * 20_000 + " AS x FROM t")
    yield "long_name", _sql("SELECT 1 AS " + "x" * 500_000)
    yield "long_string", _sql("SELECT '" + "x" * 900_000 + "' AS x")
    yield "long_comment", _sql("-- " + "x" * 900_000 + "\nSELECT 1 AS x")
    yield "large_sql", _sql("SELECT 1 AS x -- " + "x" * 2_000_000)
    yield "large_toml", _file("models/one.toml", "# " + "x" * 2_000_000)
    yield "large_project", _file("lamina.toml", PROJECT + b"# " + b"x" * 2_000_000)
    yield "large_source", _file("sources/raw.toml", "# " + "x" * 6_000_000)
    yield "large_seed", _file("seeds/big.csv", "id\n" + "1\n" * 5_000_000)
    yield "wide_seed", _file("seeds/wide.csv", ",".join(f"c{n}" for n in range(20_000)) + "\n")
    yield "many_keys", _file("models/one.toml", "\n".join(f"key_{n} = {n}" for n in range(20_000)))


def bytes_and_keys() -> Iterator[tuple[str, Write]]:
    """Yield files that are not the text they should be."""
    for path in (
        "models/one.sql",
        "models/one.toml",
        "lamina.toml",
        "models/two.py",
        "seeds/s.csv",
        "sources/raw.toml",
    ):
        short = path.replace("/", "_")
        yield f"invalid_utf8_{short}", _file(path, b"\xff\xfe\xc3\x28 \x80")
        yield f"nul_{short}", _file(path, b"a = 1\0SELECT 1")
        yield f"empty_{short}", _file(path, b"")
        yield f"byte_order_mark_{short}", _file(path, b"\xef\xbb\xbf")
        yield f"carriage_returns_{short}", _file(path, b"\r\r\r\n\r")
    yield "unpaired_surrogate", _sql(b"SELECT '\xed\xa0\x80' AS x")
    yield "unclosed_string", _sql("SELECT 'abc")
    yield "unclosed_comment", _sql("SELECT 1 /* abc")
    yield "only_comment", _sql("-- nothing")
    yield "star_in_table_function", _sql("SELECT * FROM explode(* + 1)")
    yield "star_in_lateral_view", _sql("SELECT x FROM t LATERAL VIEW explode(*) q AS y")
    yield "parameter_as_table", _sql("SELECT x FROM @schema.orders")
    yield "parameter_as_alias", _sql("SELECT 1 AS @start_date")
    yield "empty_part_of_name", _sql("SELECT x FROM raw. . orders")
    yield "joins_without_conditions", _sql("SELECT 1 AS x FROM t " + "JOIN t " * 200)
    yield "fraction_as_group", _sql("SELECT x FROM t GROUP BY x, 1.5")
    yield "long_number_as_group", _sql("SELECT x FROM t GROUP BY x, " + "9" * 5_000)
    yield "two_signs_in_interval", _sql("SELECT x + INTERVAL '--5' DAY AS x FROM t")
    yield "long_number_in_interval", _sql("SELECT x + INTERVAL '" + "9" * 5_000 + "' DAY AS x FROM t")
    yield "long_number_of_rows", _sql("SELECT v FROM t LATERAL VIEW stack(" + "9" * 5_000 + ", 1, 2) s AS v")
    yield "negative_text", _sql("SELECT -'a' AS x")
    yield "word_of_sql_as_schema", _sql("SELECT * FROM LATERAL.orders")
    yield "name_that_ends_in_a_dot", _sql("SELECT a FROM t LATERAL raw.(1, 2)")
    yield "odd_spaces", _sql("SELECT\u00a01\u2003AS\u3000x")
    yield "right_to_left", _sql("SELECT 1 AS \u202ex\u202c")
    yield "duplicate_key", _file("models/one.toml", 'owner = "a"\nowner = "b"\n')
    yield "duplicate_table", _file("models/one.toml", '[strategy]\ntype = "merge"\n[strategy]\ntype = "merge"\n')
    yield "key_and_table", _file("models/one.toml", 'strategy = "merge"\n[strategy]\ntype = "merge"\n')
    yield (
        "huge_number",
        _file("models/one.toml", "[strategy]\ntype = 'time_interval'\ntime_column = 'd'\nlookback = " + "9" * 5_000),
    )
    yield (
        "not_a_number",
        _file("models/one.toml", "[strategy]\ntype = 'time_interval'\ntime_column = 'd'\nlookback = nan"),
    )
    yield (
        "wrong_types",
        _file("models/one.toml", 'tags = 1\nenabled = "x"\nchecks = [1]\ncolumns = {}\nconf = []\ninputs = 3'),
    )
    for name, pattern in {"brackets": "(" * 100_000, "flags": "(?a" * 50_000, "classes": "\\p{" * 50_000}.items():
        written = f"[[checks]]\ntype = 'regex_match'\ncolumn = 'id'\npattern = '{pattern}'"
        yield f"pattern_of_{name}", _file("models/one.toml", written)
    yield (
        "checks_of_anything",
        _file(
            "models/one.toml",
            "[[checks]]\ntype = 'custom_sql'\nsql = '"
            + "(" * 5_000
            + "'\n[[checks]]\ntype = 'aggregate'\nexpression = 'sum('\nmin = nan\n"
            "[[checks]]\ntype = 'relationships'\ncolumn = 'id'\nto = '..'\nfield = ''\n"
            "[[checks]]\ntype = 'in_range'\ncolumn = 'id'\nmin = 0001-01-01\nmax = 0001-01-01T00:00:00+14:00\n",
        ),
    )
    yield "odd_names_in_toml", _file("models/one.toml", '"" = 1\n"\\u0000" = 2\n"a\\nb" = 3')
    yield "python_syntax", _file("models/two.py", "def model(:\n")
    yield "python_nested", _file("models/two.py", "x = " + "(" * 10_000 + ")" * 10_000)
    yield "python_minus_signs", _file("models/two.py", "x = " + "-" * 100_000 + "1")
    yield "variable_reference", _file("models/one.toml", 'owner = "${' + "A" * 10_000 + '}"')
    yield "variable_unclosed", _file("models/one.toml", 'owner = "${${${"')


def links_and_paths() -> Iterator[tuple[str, Write]]:
    """Yield files that are not where, or what, they seem."""

    def link(name: str, target: str) -> Write:
        def write(root: Path) -> None:
            models = start(root)
            (models / "one.sql").write_text("SELECT 1 AS id")
            (root.parent / "outside.sql").write_text("SELECT 1 AS secret")
            (models / name).symlink_to(target)

        return write

    yield "link_to_itself", link("loop.sql", "loop.sql")
    yield "link_to_parent", link("again", "..")
    yield "link_to_own_folder", link("again", ".")
    yield "link_outside", link("two.sql", "../../outside.sql")
    yield "link_to_root", link("everything", "/")
    yield "link_to_device", link("zero.sql", "/dev/zero")
    yield "link_to_nothing", link("gone.sql", "nowhere.sql")

    def special(make: Callable[[Path], None]) -> Write:
        def write(root: Path) -> None:
            models = start(root)
            (models / "one.sql").write_text("SELECT 1 AS id")
            make(models)

        return write

    yield "folder_named_like_a_model", special(lambda models: (models / "two.sql").mkdir())
    yield "pipe_named_like_a_model", special(lambda models: os.mkfifo(models / "two.sql"))
    yield "name_with_newline", special(lambda models: _write(models / "a\nb.sql"))
    yield "name_with_dash", special(lambda models: _write(models / "--help.sql"))
    yield "name_with_quotes", special(lambda models: _write(models / "a'b`c\"d.sql"))
    yield "name_not_utf8", special(lambda models: _write(Path(os.fsdecode(os.fsencode(models) + b"/\xff\xfe.sql"))))
    yield "name_reserved", special(lambda models: _write(models / "a__b.sql"))
    yield "name_with_dots", special(lambda models: _write(models / "a.b.c.sql"))
    yield "names_by_case", special(_write_both_cases)
    yield "deep_folders", special(lambda models: _write_deep(models, 200))
    for target in ("../../../etc", "/etc", "~", "data/../../..", "\\u0000"):
        source = f'[source.raw]\ntype = "files"\nformat = "csv"\npath = "{target}"\n[source.raw.tables.passwd]\n'
        yield f"source_at_{''.join(filter(str.isalnum, target)) or 'home'}", _file("sources/raw.toml", source)
    yield "no_project_file", lambda root: (root / "models").mkdir(parents=True)
    yield "no_folder", lambda root: None


def _write(path: Path) -> None:
    path.write_text("SELECT 1 AS id")


def _write_both_cases(models: Path) -> None:
    _write(models / "two.sql")
    _write(models / "TWO.sql")


def _write_deep(models: Path, depth: int) -> None:
    folder = models.joinpath(*["d"] * depth)
    folder.mkdir(parents=True)
    _write(folder / "deep.sql")


def graphs() -> Iterator[tuple[str, Write]]:
    """Yield projects that are large or knotted as a whole."""

    def write_all(texts: dict[str, str]) -> Write:
        def write(root: Path) -> None:
            models = start(root)
            written: dict[str, Path] = {}
            for name, text in texts.items():
                path = models / f"{name}.sql"
                if text in written:
                    path.hardlink_to(written[text])  # a file of its own takes the system far longer
                else:
                    path.write_text(text)
                    written[text] = path

        return write

    chain = {f"m{n}": f"SELECT id FROM m{n - 1}" for n in range(1, 10_000)}
    yield "chain_of_10000", write_all({"m0": "SELECT 1 AS id", **chain})
    leaves = {f"m{n}": "SELECT 1 AS id" for n in range(5_000)}
    union = " UNION ALL ".join(f"SELECT id FROM m{n}" for n in range(5_000))
    yield "union_of_5000", write_all({**leaves, "all_of_them": union})

    def fan_in(root: Path) -> None:
        write_all({**leaves, "all_of_them": "SELECT 1 AS id"})(root)
        names = ", ".join(f'"main.m{n}"' for n in range(5_000))
        (root / "models" / "all_of_them.toml").write_text(f"depends_on = [{names}]")

    yield "fan_in_of_5000", fan_in
    joins = " ".join(f"JOIN m{n} ON m0.id = m{n}.id" for n in range(1, 1_000))
    yield (
        "join_of_1000",
        write_all({**dict(list(leaves.items())[:1_000]), "all_of_them": f"SELECT m0.id FROM m0 {joins}"}),
    )
    yield "cycle_of_3000", write_all({f"m{n}": f"SELECT id FROM m{(n + 1) % 3_000}" for n in range(3_000)})
    yield "reads_itself", write_all({"m": "SELECT id FROM m"})
    knot = {f"m{n}": "SELECT 1 AS x FROM " + ", ".join(f"m{k}" for k in range(60) if k != n) for n in range(60)}
    yield "knot_of_60", write_all(knot)
    yield "fan_out_of_2000", write_all({"m": "SELECT 1 AS id", **{f"r{n}": "SELECT * FROM m" for n in range(2_000)}})

    def ephemeral_chain(root: Path) -> None:
        models = start(root)
        for number in range(1_000):
            source = f"m{number - 1}" if number else "(SELECT 1 AS id)"
            (models / f"m{number}.sql").write_text(f"SELECT id FROM {source}")
            if number < 999:
                (models / f"m{number}.toml").write_text('[strategy]\ntype = "ephemeral"\n')

    yield "ephemeral_chain_of_1000", ephemeral_chain

    def ephemeral_doubling(root: Path) -> None:
        models = start(root)
        for number in range(40):
            source = f"m{number - 1} a JOIN m{number - 1} b ON a.id = b.id" if number else "ids a"
            (models / f"m{number}.sql").write_text(f"SELECT a.id, a.day FROM {source}")
            (models / f"m{number}.toml").write_text('[strategy]\ntype = "ephemeral"\n')
        (models / "ids.sql").write_text("SELECT 1 AS id, DATE '2026-01-01' AS day")
        (models / "top.sql").write_text("SELECT id FROM m39")
        (models / "slices.sql").write_text("SELECT id, day FROM m39 WHERE day >= @start_date AND day < @end_date")
        (models / "slices.toml").write_text('[strategy]\ntype = "time_interval"\ntime_column = "day"\n')

    yield "ephemeral_doubling_40_times", ephemeral_doubling

    def ephemeral_diamonds(root: Path) -> None:
        models = start(root)
        (models / "a0.sql").write_text("SELECT 1 AS id")
        for number in range(1, 41):
            texts = {
                f"b{number}": f"SELECT id FROM a{number - 1}",
                f"c{number}": f"SELECT id FROM a{number - 1}",
                f"a{number}": f"SELECT b.id FROM b{number} b JOIN c{number} c ON b.id = c.id",
            }
            for name, text in texts.items():
                (models / f"{name}.sql").write_text(text)
                (models / f"{name}.toml").write_text('[strategy]\ntype = "ephemeral"\n')
        (models / "top.sql").write_text("SELECT id FROM a40")
        (models / "top.toml").write_text('[strategy]\ntype = "incremental"\n')

    yield "ephemeral_diamonds_40_deep", ephemeral_diamonds
    tables = ", ".join(f"m{n}" for n in range(5_000))
    yield "from_of_5000", write_all({**leaves, "all_of_them": f"SELECT m0.id FROM {tables}"})

    def star_chain(root: Path) -> None:
        models = start(root)
        (models / "m0.sql").write_text("SELECT " + ", ".join(f"1 AS c{n}" for n in range(500)))
        for number in range(1, 300):
            (models / f"m{number}.sql").write_text(f"SELECT * FROM m{number - 1}")

    yield "stars_over_500_columns_300_times", star_chain


def cases() -> dict[str, Write]:
    """Return every case by name."""
    return dict([*nested(), *long(), *bytes_and_keys(), *links_and_paths(), *graphs()])
