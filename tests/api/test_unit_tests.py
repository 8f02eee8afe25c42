"""Unit tests of models as a project sees them, without Spark."""

from pathlib import Path

import pytest

import lamina
from lamina.api.compiling import text_of
from lamina.api.starter import start_project
from lamina.compiler.unit_tests.case import UnitCase
from lamina.errors import ProjectInvalid, UsageError
from lamina.executor.unit_tests import parameters_of
from lamina.project.keys import keys_of
from lamina.project.unit_test_file import read_unit_test_file
from lamina.values.interval import MIN
from lamina.values.names import ModelName

BAD = '[test.bad]\nmodel = "sales.daily_revenue"\npartition = "2026"\nexpect = [{ orders = "one" }]\n'


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return the folder of a quickstart project, which has one test."""
    start_project(str(tmp_path / "shop"), "quickstart")
    return tmp_path / "shop"


def test_a_project_without_tests_says_so(shop: Path) -> None:
    (shop / "tests" / "daily_revenue.toml").unlink()
    report = lamina.open(shop, variables={}).test()
    assert (report.status, report.exit_code, report.tests) == ("no_tests", 0, ())
    assert "no unit tests" in report._repr_html_()


def test_models_without_tests_are_no_failure(shop: Path) -> None:
    assert lamina.open(shop, variables={}).test("staging.*").status == "no_tests"


def test_a_test_that_does_not_fit_is_found_by_compile_and_stops_no_plan(shop: Path) -> None:
    (shop / "tests" / "bad.toml").write_text(BAD)
    project = lamina.open(shop, variables={})
    (found,) = project.compile().diagnostics
    assert (found.name, found.file, found.line) == ("UnfitTestValue", "tests/bad.toml", 4)
    assert project.plan().plan.actions
    with pytest.raises(ProjectInvalid):
        project.test()
    assert project.test("staging.*").status == "no_tests"


def test_a_test_file_that_cannot_be_read_is_found_by_compile_and_stops_no_plan(shop: Path) -> None:
    (shop / "tests" / "bad.toml").write_bytes(b"# \xff\n")
    project = lamina.open(shop, variables={})
    assert [(item.name, item.file) for item in project.compile().diagnostics] == [("InvalidUtf8", "tests/bad.toml")]
    assert project.plan().plan.actions
    with pytest.raises(ProjectInvalid):
        project.test()


def test_editing_a_test_changes_nothing_that_is_compiled(shop: Path) -> None:
    before = lamina.open(shop, variables={})
    graph, text = before.graph, text_of(before.scan, {})
    cached = [path.read_bytes() for path in sorted((shop / ".lamina/cache").iterdir())]
    (shop / "tests" / "bad.toml").write_text(f'{BAD}# "${{NOT_SET}}"\n')
    after = lamina.open(shop, variables={})
    assert after.graph == graph
    assert text_of(after.scan, {}) == text
    assert [path.read_bytes() for path in sorted((shop / ".lamina/cache").iterdir())] == cached
    assert keys_of(after.scan, {}) != keys_of(before.scan, {})  # the scan itself has the new file


@pytest.mark.parametrize(
    ("model", "partition", "words"),
    [
        ("daily_revenue", None, "needs a partition"),
        ("daily_revenue", "April", "`April` is not a partition key"),
        ("country_revenue", "2026-04-07", "has no partitions"),
        ("main.countries", None, "is a seed"),
        ("dayly_revenue", None, "no model `dayly_revenue`"),
    ],
)
def test_what_cannot_be_created_is_refused_without_spark(
    shop: Path, model: str, partition: str | None, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        lamina.open(shop, variables={}).test(create=model, partition=partition)


@pytest.mark.parametrize(
    ("given", "execution_time", "as_of"),
    [
        ({}, "0001-01-01T00:00:00+00:00", "0001-01-01"),
        ({"as_of": "2026-04-08"}, "2026-04-08T00:00:00+00:00", "2026-04-08"),
        ({"execution_time": "2026-04-09T01:00:00Z"}, "2026-04-09T01:00:00+00:00", "2026-04-09"),
        ({"execution_time": "2026-04-09", "as_of": "2026-04-08"}, "2026-04-09T00:00:00+00:00", "2026-04-08"),
    ],
)
def test_a_day_that_a_test_gives_is_the_day_of_its_run(given: dict[str, str], execution_time: str, as_of: str) -> None:
    (test,) = read_unit_test_file("tests/t.toml", '[test.t]\nmodel = "m"\nexpect = []\n').tests
    found = parameters_of(UnitCase(test=test, model=ModelName("m"), parameters=given), now=MIN)
    assert (found["execution_time"], found["as_of"]) == (execution_time, as_of)
