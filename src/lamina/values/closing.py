"""The last line of a result: how it ended, in one sentence."""

from lamina.values.result import CheckReport, ModelVerdict, RunResult
from lamina.values.tested import UnitTestReport
from lamina.values.time_words import duration_words
from lamina.values.words import counted

_SENTENCES = {
    "success": "",
    "partial": "built in part",
    "failure": "failed",
    "nothing_to_do": "nothing to do",
    "interrupted": "interrupted",
}


def run_closing(result: RunResult) -> str:
    """Say how a run ended, how many of each, how much, how long."""
    skipped = sum(1 for item in result.materializations if item.status == "skipped")
    counts = {
        "built": result.tables_built,
        "failed": result.tables_failed,
        "blocked": result.tables_blocked,
        "unchanged": skipped,
    }
    parts = [
        _SENTENCES[result.status],
        ", ".join(f"{count} {word}" for word, count in counts.items() if count),
        counted(result.rows_written, "row") if result.tables_built else "",
        duration_words(result.duration_ms / 1000),
        f"next due {result.next_due[0].at}" if result.next_due else "",
    ]
    return "; ".join(filter(None, parts))


def verify_closing(models: tuple[ModelVerdict, ...]) -> str:
    """Say how many tables are proven; a table that is not there is neither equal nor different."""
    if not models:
        return "none of the selected models has a table"
    built = tuple(item for item in models if item.is_built)
    if not built:
        return "nothing is built yet, so nothing can be verified: `lamina run` builds it"
    equal = _number(built, "equal")
    absent = len(models) - len(built)
    rest = f"; {absent} not built yet" if absent else ""
    others = [f"{count} {word}" for word in ("different", "unverifiable", "failed") if (count := _number(built, word))]
    return f"{equal} of {len(built)} tables equal a recompute{''.join(f', {part}' for part in others)}{rest}"


def check_closing(report: CheckReport) -> str:
    """Say how many checks passed, in how many tables."""
    if not report.check_results:
        return "no checks were run"
    failed = [item for item in report.check_results if not item.passed]
    warned = sum(item.severity == "warn" for item in failed)
    counts = {
        "passed": len(report.check_results) - len(failed),
        "failed": len(failed) - warned,
        "failed as a warning": warned,
    }
    parts = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    tables = len({item.model for item in report.check_results})
    return f"{counted(len(report.check_results), 'check')} of {counted(tables, 'table')}: {parts}"


def unit_test_closing(report: UnitTestReport) -> str:
    """Say how many unit tests passed, and how long they took."""
    if not report.tests:
        return "no unit tests: a test is a `[test.name]` in a file of `tests/`; `lamina test --create MODEL` writes one"
    counts = {word: sum(item.status == word for item in report.tests) for word in ("passed", "failed", "error")}
    words = {"passed": "passed", "failed": "failed", "error": "could not be run"}
    parts = [f"{count} {words[word]}" for word, count in counts.items() if count]
    return f"{counted(len(report.tests), 'unit test')}: {', '.join(parts)}; {duration_words(report.duration_ms / 1000)}"


def _number(models: tuple[ModelVerdict, ...], status: str) -> int:
    return sum(item.status == status for item in models)
