"""Sidecars: every problem at once, folder defaults, and any TOML at all without a crash."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.project.decode import Findings, decode_table
from lamina.project.fixed_conf import FIXED_CONF
from lamina.project.model import InputSettings, ModelSettings, SettingPlaces
from lamina.project.sidecar import KEYS, LATER_KEYS, Defaults, Sidecar, read_defaults, read_sidecar
from lamina.project.strategy import FullRefresh, Incremental, Merge, Microbatch, TimeInterval
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType


def read(text: str, *, defaults: Defaults | None = None, variables: dict[str, str] | None = None) -> Sidecar:
    return read_sidecar("m.toml", text, defaults=defaults or Defaults(), variables=variables or {})


def folder(text: str, *, above: Defaults | None = None) -> Defaults:
    read = read_defaults("_defaults.toml", text, above=above or Defaults(), variables={})
    assert read.diagnostics == ()
    return read


def codes(sidecar: Sidecar) -> list[str]:
    return [item.code for item in sidecar.diagnostics]


def test_an_empty_sidecar_is_a_full_refresh() -> None:
    assert read("").settings == ModelSettings(strategy=FullRefresh())


def test_a_full_sidecar_is_read_whole() -> None:
    sidecar = read(
        """
        description = "Orders per day"
        tags = ["core"]
        cron = "0 6 * * *"
        timezone = "Europe/Stockholm"
        first_partition = 2026-01-01
        end = "2026-12-31"
        conf = { "spark.sql.shuffle.partitions" = 4 }
        [strategy]
        type = "time_interval"
        time_column = "day"
        granularity = "hour"
        lookback = 3
        batch_size = 24
        [inputs."sales.customers"]
        on_touch = "keep"
        window = "6 days"
        [[columns]]
        name = "day"
        type = "DECIMAL(10, 2)"
        nullable = false
        [[checks]]
        type = "accepted_values"
        column = "status"
        values = ["a", 1, true]
        """
    )
    assert sidecar.diagnostics == ()
    found = sidecar.settings
    assert found.strategy == TimeInterval(time_column=ColumnName("day"), granularity="hour", lookback=3, batch_size=24)
    assert (found.start, found.end, found.timezone) == ("2026-01-01", "2026-12-31", "Europe/Stockholm")
    assert found.conf == {"spark.sql.shuffle.partitions": "4"}
    assert found.inputs == {"sales.customers": InputSettings(on_touch="keep", window="6 days")}
    assert found.columns == (Column(name=ColumnName("day"), type=DataType("decimal(10,2)"), nullable=False),)
    assert found.checks[0].values == ("a", 1, True)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"6 days"', InputSettings(window="6 days")),
        ('{ before = "6 days" }', InputSettings(window="6 days")),
        ('{ after = "1 day" }', InputSettings(window_after="1 day")),
        ('{ before = "6 days", after = "1 day" }', InputSettings(window="6 days", window_after="1 day")),
        ("{}", InputSettings()),
    ],
)
def test_a_window_is_a_duration_or_has_two_sides(written: str, expected: InputSettings) -> None:
    sidecar = read(f'[inputs."raw.orders"]\nwindow = {written}\n')
    assert sidecar.diagnostics == ()
    assert sidecar.settings.inputs == {"raw.orders": expected}


def test_a_window_may_be_a_table_of_its_own() -> None:
    sidecar = read('[inputs."raw.orders".window]\nbefore = "2h"\nafter = "30m"\n')
    assert sidecar.settings.inputs["raw.orders"].window_seconds == (7200, 1800)


@pytest.mark.parametrize(
    ("written", "code", "column", "hint"),
    [
        ('{ after = "soon" }', "L124", 12, "write `6 days`, `36h` or `30s`"),
        ('{ before = "1 day", afer = "1 day" }', "L110", 30, "did you mean `after`?"),
        ("7", "L114", 1, None),
        ("{ after = 1 }", "L114", 12, None),
    ],
)
def test_a_side_of_a_window_is_reported_where_it_is(written: str, code: str, column: int, hint: str | None) -> None:
    (found,) = read(f'[inputs."raw.orders"]\nwindow = {written}\n').diagnostics
    assert found.place is not None
    assert (found.code, found.place.line, found.place.column) == (code, 2, column)
    assert hint is None or found.hint == hint


def test_a_window_before_the_slice_replaces_the_default_of_its_folder() -> None:
    above = read_defaults(
        "models/_defaults.toml",
        '[inputs."raw.orders"]\nwindow = { after = "1 day" }\n',
        above=Defaults(),
        variables={},
    )
    own = '[inputs."raw.orders"]\nwindow = "6 days"\n'
    settings = read_sidecar("models/a.toml", own, defaults=above, variables={}).settings
    assert settings.inputs == {"raw.orders": InputSettings(window="6 days")}


def test_all_problems_of_a_file_are_found_at_once() -> None:
    sidecar = read('tag = []\nowner = 3\ncron = "x"\nstart = "soon"\n[late]\n[strategy]\ntype = "merg"\n[[checks]]\n')
    assert sorted(codes(sidecar)) == ["L110", "L114", "L115", "L116", "L117", "L117", "L122", "L125"]


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [('desciption = "x"', "description"), ('[strategy]\ntype = "full_refesh"', "full_refresh"), ("zzzz = 1", None)],
)
def test_a_typo_is_answered_with_the_nearest_word_only_when_close(text: str, suggestion: str | None) -> None:
    (found,) = read(text).diagnostics
    assert found.suggestion == suggestion


def test_a_misspelt_strategy_is_taken_for_the_nearest_so_that_it_is_one_finding() -> None:
    sidecar = read('[strategy]\ntype = "merg"\nunique_key = ["id"]\n')
    assert codes(sidecar) == ["L115"]
    assert sidecar.settings.strategy == Merge(unique_key=(ColumnName("id"),))


@pytest.mark.parametrize(
    ("kind", "suggestion", "hint"),
    [
        ("varchar", None, "write it in full, such as `varchar(10)`"),
        ("DECIMAL(100)", None, "write it in full, such as `decimal(10,2)`"),
        ("int(5)", None, "use a Spark type such as `bigint` or `decimal(10,2)`"),
        ("varhcar(5)", "varchar", "did you mean `varchar`?"),
    ],
)
def test_a_type_is_never_answered_with_itself(kind: str, suggestion: str | None, hint: str) -> None:
    (found,) = read(f'[[columns]]\nname = "a"\ntype = "{kind}"\n').diagnostics
    assert (found.code, found.suggestion, found.hint) == ("L129", suggestion, hint)


def test_every_unknown_code_is_reported() -> None:
    found = read('allow = ["L4xx", "L412", "l999"]').diagnostics
    assert [item.message for item in found] == ["`allow` cannot be `L4xx`", "`allow` cannot be `l999`"]


@pytest.mark.parametrize(
    "strategy",
    [
        'type = "merge"\nunique_key = ["id", "ID"]',
        'type = "merge"\nunique_key = ["id"]\nupdate_columns = ["a", "b", "A"]',
        'type = "delete_insert"\npartition_by = ["id", "id"]',
        'type = "merge"\nunique_key = ["id"]\nupdate_columns = ["ID"]',
        'type = "snapshot"\nunique_key = ["id"]\nupdated_at = "ID"',
        'type = "snapshot"\nunique_key = ["id"]\ncheck_columns = ["a", "ID"]',
        'type = "snapshot"\nunique_key = ["id"]\nupdated_at = "at"\ncheck_columns = ["a"]',
    ],
)
def test_a_column_that_is_named_twice_is_reported_once(strategy: str) -> None:
    assert codes(read(f"[strategy]\n{strategy}\n")) == ["L126"]


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ('unique_key = ["id"]', ["L117"]),
        ('updated_at = "at"', ["L117"]),
        ('unique_key = ["id"]\nupdated_at = 1', ["L114"]),
        ('unique_key = ["id"]\nupdated_at = "at"\nlookback = 1', ["L128"]),
        ('unique_key = ["id"]\nupdated_at = "at"\ngranularity = "day"\ntime_column = "at"', ["L128", "L128"]),
        ('unique_key = ["id"]\nupdated_at = "at"', []),
        ('unique_key = ["id"]\ncheck_columns = ["a"]', []),
    ],
)
def test_a_snapshot_has_one_way_to_see_changes_and_no_slices(settings: str, found: list[str]) -> None:
    assert codes(read(f'[strategy]\ntype = "snapshot"\n{settings}\n')) == found


@pytest.mark.parametrize(("on_breach", "found"), [("stop", ["L126"]), ("warn", [])])
def test_a_budget_that_stops_needs_slices_that_come_to_an_end(on_breach: str, found: list[str]) -> None:
    strategy = '[strategy]\ntype = "time_interval"\ntime_column = "day"\nrebuild = "always"\n'
    assert codes(read(f'{strategy}[budget]\nmax_slices = 3\non_breach = "{on_breach}"\n')) == found


@pytest.mark.parametrize(
    ("most", "on_breach", "found"),
    [
        ("max_slices = 2", "stop", ["L126"]),
        ("max_slices = 3", "stop", []),
        ("max_slices = 2", "warn", []),
        ("max_rows_written = 1", "stop", []),
    ],
)
def test_a_budget_that_stops_has_room_for_a_new_slice_after_the_lookback(
    most: str, on_breach: str, found: list[str]
) -> None:
    strategy = '[strategy]\ntype = "time_interval"\ntime_column = "day"\nlookback = 2\n'
    assert codes(read(f'{strategy}[budget]\n{most}\non_breach = "{on_breach}"\n')) == found


@pytest.mark.parametrize("kept", ["protect_history = true", 'on_change = "forward_only"'])
@pytest.mark.parametrize(("rebuild", "found"), [("always", ["L126"]), ("last_days:2", []), ("stale", [])])
def test_history_that_is_kept_is_not_built_in_every_run(kept: str, rebuild: str, found: list[str]) -> None:
    strategy = f'[strategy]\ntype = "time_interval"\ntime_column = "day"\nrebuild = "{rebuild}"\n'
    assert codes(read(f"{kept}\n{strategy}")) == found


@pytest.mark.parametrize("key", sorted(LATER_KEYS))
def test_what_is_not_built_yet_is_refused(key: str) -> None:
    assert codes(read(f"{key} = 1")) == ["L116"]


def test_a_word_of_a_later_feature_is_refused_once() -> None:
    assert codes(read('[strategy]\ntype = "events"\nload_time = "x"')) == ["L116"]


def test_fixed_spark_settings_cannot_be_changed() -> None:
    assert codes(read('[conf]\nspark.sql.ansi.enabled = false\n"spark.sql.session.timeZone" = "CET"')) == [
        "L126",
        "L126",
    ]


@pytest.mark.parametrize("setting", FIXED_CONF)
def test_what_every_session_fixes_cannot_be_set(setting: str) -> None:
    assert codes(read(f'[conf]\n"{setting}" = "x"')) == ["L126"]


def test_the_nearer_folder_wins_and_tables_merge() -> None:
    top = folder('owner = "top"\ntags = ["a"]\n[contract]\nrequired = ["x"]\n')
    near = folder('owner = "near"\n[contract]\nno_new_nullable = true\n', above=top)
    found = read('tags = ["b"]\n', defaults=near).settings
    assert (found.owner, found.tags) == ("near", ("b",))
    assert (found.contract.required, found.contract.no_new_nullable) == (("x",), True)


def test_a_strategy_of_another_type_replaces_the_default_wholly() -> None:
    defaults = folder('[strategy]\ntype = "time_interval"\ntime_column = "day"\nlookback = 3\n')
    same = read("[strategy]\nlookback = 1\n", defaults=defaults)
    other = read('[strategy]\ntype = "incremental"\n', defaults=defaults)
    assert same.settings.strategy == TimeInterval(time_column=ColumnName("day"), lookback=1)
    assert other.settings.strategy == Incremental()
    assert same.diagnostics == other.diagnostics == ()


def test_a_setting_a_strategy_needs_may_come_from_either_file() -> None:
    defaults = folder('[strategy]\ntype = "merge"\n')
    assert read('[strategy]\nunique_key = ["id"]\n', defaults=defaults).settings.strategy == Merge(
        unique_key=(ColumnName("id"),)
    )
    assert codes(read("", defaults=defaults)) == ["L117"]


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        ("2026-01-01T05:00:00", "2026-01-01", []),
        ("2026-01-01", "20260102", []),
        ("2026-01-02", "2026-01-01", ["L126"]),
        ("2026-01-01T00:00:00Z", "2026-01-31", []),
    ],
)
def test_the_end_is_a_day_not_before_the_start(start: str, end: str, found: list[str]) -> None:
    assert codes(read(f'start = "{start}"\nend = "{end}"\n')) == found


def test_a_value_that_no_column_can_hold_is_refused() -> None:
    for value in (10**30, "inf", "nan"):
        text = f'[[checks]]\ntype = "accepted_values"\ncolumn = "a"\nvalues = [{value}]\n'
        assert codes(read(text)) == ["L114"]


def test_numbers_and_truth_may_come_from_the_environment() -> None:
    text = 'enabled = "${ON}"\n[strategy]\ntype = "time_interval"\ntime_column = "d"\nlookback = "${BACK:-2}"\n'
    found = read(text, variables={"ON": "false"})
    assert found.diagnostics == ()
    assert found.settings.enabled is False
    assert found.settings.strategy == TimeInterval(time_column=ColumnName("d"), lookback=2)


SCALARS = st.one_of(
    st.none().map(lambda _: ""), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.dates(), st.times()
)
WORDS = st.sampled_from([*KEYS, *LATER_KEYS, "type", "name", "column", "merge", "time_interval", "unique_key", "x"])
TREES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(SCALARS, WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(WORDS, TREES, max_size=6))
def test_any_data_is_decoded_or_diagnosed(data: dict[str, Any]) -> None:
    findings = Findings(SettingPlaces(file="m.toml"))
    decoded = decode_table(data, KEYS, at="", findings=findings, later=LATER_KEYS)
    assert len(decoded) + len(findings.found) >= len(data)


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ('type = "unique"\ncolumn = "id"', "table"),
        ('type = "unique"\ncolumn = "id"\nscope = "batch"', "batch"),
        ('type = "not_null"\ncolumn = "id"', "batch"),
    ],
)
def test_unique_is_about_the_table_unless_it_says_otherwise(text: str, scope: str) -> None:
    (check,) = read(f"[[checks]]\n{text}\n").settings.checks
    assert check.scope == scope


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('materialized = "table"', "did you mean `type` under `[strategy]`?"),
        ('unique_key = ["id"]', "did you mean `unique_key` under `[strategy]`?"),
        ('partition_by = ["day"]', "did you mean `partitioned_by` or `partition_by` under `[strategy]`?"),
        ('window = "6 days"', 'did you mean `window` under `[inputs."TABLE"]`?'),
        ('[strategy]\ntype = "full_refresh"\ncron = "@daily"', "did you mean `cron` at the top level?"),
        ('[[columns]]\nname = "a"\nseverity = "warn"', "did you mean `severity` under `[[checks]]`?"),
        ("zzzzzzzz = 1", None),
    ],
)
def test_an_unknown_key_is_shown_where_it_belongs(text: str, hint: str | None) -> None:
    found = [item for item in read(text).diagnostics if item.code == "L110"]
    assert [item.hint for item in found] == [hint]


@pytest.mark.parametrize("rebuild", ["stale", "always", "last_days:1", "last_days:30"])
def test_what_every_run_builds(rebuild: str) -> None:
    found = read(f'[strategy]\ntype = "time_interval"\ntime_column = "day"\nrebuild = "{rebuild}"\n')
    assert not found.diagnostics
    assert found.settings.strategy == TimeInterval(time_column=ColumnName("day"), rebuild=rebuild)


@pytest.mark.parametrize(
    ("rebuild", "code"),
    [
        ('"last_days"', "L115"),
        ('"last_days:"', "L115"),
        ('"last_days:x"', "L115"),
        ('"last_days:-1"', "L115"),
        ('"last_days:٣"', "L115"),
        ('"last_days:0"', "L133"),
        ('"last_days:1000000"', "L115"),
        ('"allways"', "L115"),
        ("3", "L114"),
    ],
)
def test_what_no_run_can_build(rebuild: str, code: str) -> None:
    found = read(f'[strategy]\ntype = "time_interval"\ntime_column = "day"\nrebuild = {rebuild}\n')
    assert [item.code for item in found.diagnostics] == [code]


def test_a_microbatch_takes_the_names_of_dbt() -> None:
    words = 'event_time = "at"\nbegin = "2026-04-01"\nbatch_size = "day"\nlookback = 3\n'
    found = read(f'[strategy]\ntype = "microbatch"\n{words}')
    assert not found.diagnostics
    assert found.settings.strategy == Microbatch(time_column=ColumnName("at"), granularity="day", lookback=3)
    assert found.settings.start == "2026-04-01"
    own = 'time_column = "at"\ngranularity = "day"\nlookback = 3\n'
    assert read(f'start = "2026-04-01"\n[strategy]\ntype = "microbatch"\n{own}').settings == found.settings


def test_a_microbatch_is_an_hour_that_is_built_twice() -> None:
    found = read('[strategy]\ntype = "microbatch"\ntime_column = "at"\nbatch_size = 6\n').settings.strategy
    assert found == Microbatch(time_column=ColumnName("at"), granularity="hour", lookback=1, batch_size=6)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('type = "microbatch"', ["L117"]),
        ('type = "microbatch"\ntime_column = "at"\nevent_time = "at"', ["L126"]),
        ('type = "microbatch"\ntime_column = "at"\ngranularity = "day"\nbatch_size = "day"', ["L126"]),
        ('type = "microbatch"\ntime_column = "at"\nbatch_size = "decade"', ["L114"]),
        ('type = "microbatch"\ntime_column = "at"\nbegin = "soon"', ["L125"]),
        ('type = "time_interval"\ntime_column = "at"\nbatch_size = "day"', ["L114"]),
        ('type = "time_interval"\ntime_column = "at"\nbegin = "2026-04-01"', ["L128"]),
        ('type = "time_interval"\ntime_column = "at"\nevent_time = "at"', ["L128"]),
    ],
)
def test_names_of_dbt_that_do_not_fit(settings: str, expected: list[str]) -> None:
    found = read(f"[strategy]\n{settings}\n")
    assert codes(found) == expected
    assert found.settings.start is None


def test_a_start_is_given_once() -> None:
    text = 'start = "2026-04-01"\n[strategy]\ntype = "microbatch"\nevent_time = "at"\nbegin = "2026-05-01"\n'
    found = read(text)
    assert codes(found) == ["L126"]
    assert found.settings.start == "2026-04-01"


def test_folder_defaults_may_use_the_names_of_dbt() -> None:
    defaults = folder('[strategy]\ntype = "microbatch"\nevent_time = "at"\nbegin = "2026-04-01"\nbatch_size = "day"\n')
    found = read("[strategy]\nlookback = 0\n", defaults=defaults)
    assert not found.diagnostics
    assert found.settings.strategy == Microbatch(time_column=ColumnName("at"), granularity="day", lookback=0)
    assert found.settings.start == "2026-04-01"
