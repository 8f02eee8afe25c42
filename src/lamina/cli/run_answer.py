"""The answer of `run` and `apply`: the result of each model, failures in full, and what comes next."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from lamina.cli.answer import Answer, Screen
from lamina.cli.failed_checks import failed_words
from lamina.cli.words import open_ended
from lamina.values.closing import run_closing
from lamina.values.codec import to_builtins
from lamina.values.result import Materialization, RunResult
from lamina.values.time_words import duration_words, spans_words

if TYPE_CHECKING:
    from lamina.cli.ledger import Ledger

_STYLES = {"completed": "green", "failed": "red", "blocked": "yellow", "not_started": "yellow", "skipped": "dim"}


def run_answer(result: RunResult, shown: Collection[str] = ()) -> Answer:
    """Return what a run did, for both outputs; `shown` are models whose line was printed while it ran."""
    body = open_ended(to_builtins(result))
    for field in ("version", "command", "status", "exit_code"):
        body.pop(field)
    return Answer(
        status=result.status, body=body, show=lambda screen: _show(screen, result, shown), exit_code=result.exit_code
    )


def _show(screen: Screen, result: RunResult, shown: Collection[str]) -> None:
    left = tuple(item for item in result.materializations if item.status != "skipped" and item.model not in shown)
    if left:
        screen.out.print(_table(left))
    for renamed in result.renamed:
        screen.out.print(f"renamed the table of {renamed.model}: {renamed.before} is now {renamed.after}")
    for drift in result.drift:
        types = f"{drift.before or 'absent'} to {drift.after or 'absent'}"
        screen.out.print(f"drift {drift.model}.{drift.column}: {types}, {drift.action}: {drift.reason}", style="yellow")
    spared = {item.model for item in result.propagation if item.decision == "skip"}
    for item in result.materializations:
        if item.status == "skipped" and item.model in spared:
            screen.out.print(f"skipped {item.model}: {item.reason}", style="dim")
    for check in result.check_results:
        # A failed check of severity error is the model's failure, shown below.
        if not check.passed and not check.refuses:
            screen.out.print(failed_words(check), style="yellow")
    for anomaly in result.anomalies:
        # One that stopped its batch is the model's failure, shown below.
        if not anomaly.stopped:
            screen.out.print(f"warning: anomaly of {anomaly.model}: {anomaly.in_words()}", style="yellow")
    for breach in result.budget_breaches:
        rest = "; the rest is left to later runs" if breach.stopped else ""
        screen.out.print(f"warning: budget of {breach.model}: {breach.in_words()}{rest}", style="yellow")
    _show_failures(screen, result)
    screen.out.print(run_closing(result), style="bold")


def _table(items: tuple[Materialization, ...]) -> "Ledger":
    from rich.text import Text

    from lamina.cli.ledger import Ledger

    table = Ledger("model", "status", "rows", "time", "why", right=("rows", "time"))
    for item in items:
        table.add(
            item.model,
            Text(item.status.replace("_", " "), style=_STYLES.get(item.status, "cyan")),
            f"{item.rows_written:,}" if item.status == "completed" else "",
            duration_words(item.duration_ms / 1000) if item.duration_ms else "",
            _why(item),
        )
    return table


def _why(item: Materialization) -> str:
    """Return slices and reason of a line; a failure is shown in full below, so here only where it is."""
    if item.status != "failed":
        return ": ".join(filter(None, (spans_words(item.intervals, item.timezone), item.reason)))
    if item.error is None:
        return "see below"
    place = item.error.file if item.error.line is None else item.error.place
    return f"see below: {place}" if place is not None else "see below"


def _show_failures(screen: Screen, result: RunResult) -> None:
    from lamina.cli.render import show_diagnostics

    # What ended an earlier run outside its models, which `run-info` shows again.
    show_diagnostics(screen, result.diagnostics)
    failed = tuple(item for item in result.materializations if item.status == "failed")
    if not failed:
        return
    screen.err.print("")
    show_diagnostics(screen, tuple(item.error for item in failed if item.error is not None))
    # What was not tried says itself what would help, unless the diagnostic of its source was just shown.
    shown = {f"{item.code}: {item.message}" for item in result.diagnostics}
    for item in failed:
        if item.error is None and item.reason not in shown:
            screen.err.print(f"{item.model}: {item.reason}\n", style="red")
    for item in failed:
        if item.error is not None and item.failing is not None:
            screen.err.print(f"{item.model}: {item.failing.just_now()}")
    if tried := [item.model for item in failed if item.error is not None]:
        screen.err.print(f"to try again: lamina retry {' '.join(tried)}\n")
