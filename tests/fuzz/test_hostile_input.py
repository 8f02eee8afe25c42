"""Hostile projects end in success or a diagnostic, in bounded time, and never end the process."""

import shutil

import pytest
from tests.fuzz.hostile import cases
from tests.fuzz.outcome import Compiler, Outcome

CASES = cases()
LONGEST = 30.0
MUST_SUCCEED = ("10_brackets", "chain_of_10000", "fan_in_of_5000", "fan_out_of_2000", "many_columns", "long_list")
MUST_FAIL = (
    "100000_brackets", "10000_brackets", "large_sql", "large_toml", "duplicate_key", "link_outside", "cycle_of_3000",
    "reads_itself", "invalid_utf8_models_one.sql", "nul_models_one.sql", "name_reserved", "many_ctes", "python_syntax",
)  # fmt: skip


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Compile every case, many in one process."""
    folder = tmp_path_factory.mktemp("hostile")
    found = {}
    with Compiler(seconds=300) as compiler:
        for name, write in CASES.items():
            (folder / name).mkdir()
            write(folder / name / "project")
            found[name] = compiler.outcome(folder / name / "project")
            shutil.rmtree(folder / name)  # while it is new: tens of thousands of files that lie about cost far more
    return found


@pytest.mark.parametrize("name", CASES)
def test_it_ends_in_success_or_a_diagnostic(name: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[name]
    assert outcome.crash is None
    assert outcome.errors or outcome.models


@pytest.mark.parametrize("name", CASES)
def test_it_ends_in_bounded_time(name: str, outcomes: dict[str, Outcome]) -> None:
    assert outcomes[name].seconds < LONGEST


@pytest.mark.parametrize("name", MUST_SUCCEED)
def test_large_but_honest_projects_compile(name: str, outcomes: dict[str, Outcome]) -> None:
    assert outcomes[name].errors == []


@pytest.mark.parametrize("name", MUST_FAIL)
def test_what_cannot_work_is_said(name: str, outcomes: dict[str, Outcome]) -> None:
    assert outcomes[name].errors


def test_nothing_outside_the_project_is_read(outcomes: dict[str, Outcome]) -> None:
    for name in ("link_outside", "link_to_root", "link_to_device"):
        assert outcomes[name].models == 1, name
