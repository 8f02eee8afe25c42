"""A run in one line of its history."""

import pytest

from lamina.cli.history import run_words
from lamina.values.result import RunLine

RUN = RunLine(run_id="run-1", command="run", status="success", started_at="a", finished_at="b", duration_ms=1500)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (RUN, "1.5 s"),
        (RUN.replace(tables_built=2, rows_written=1200), "2 built, 1,200 rows, 1.5 s"),
        (RUN.replace(tables_built=1, tables_failed=2, rows_written=1), "1 built, 2 failed, 1 row, 1.5 s"),
        (RUN.replace(tables_failed=1), "1 failed, 1.5 s"),
        (RUN.replace(finished_at=None, status="running"), ""),
        (RUN.replace(finished_at=None, status="killed"), "what it published is kept"),
    ],
)
def test_a_run_says_what_came_of_it(run: RunLine, words: str) -> None:
    assert run_words(run) == words
