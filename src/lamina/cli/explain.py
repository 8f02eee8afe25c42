"""`lamina explain`: say what a model does, reads and proves.

Job: understand, 3
"""

from typing import TYPE_CHECKING

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.values.words import counted

if TYPE_CHECKING:
    from lamina.compiler.report import Explanation
    from lamina.project.model import CheckSettings


@answer_command("explain", sentence="Say what a model does, what it reads, who reads it, and whether slices are sound.")
@click.argument("model")
@click.option("--execution-time", metavar="TIME", help="Say instead why it runs or does not at this time")
def command(options: Options, model: str, execution_time: str | None) -> Answer:
    """Explain one model."""
    from lamina.cli.live import shown_if_needed
    from lamina.cli.words import open_ended
    from lamina.values.codec import to_builtins

    with shown_if_needed(options) as emit:
        explanation = options.open(emit).explain(model, execution_time=execution_time)

    def show(screen: Screen) -> None:
        from lamina.cli.at_time import at_time_lines
        from lamina.cli.render import show_diagnostics

        at = explanation.at
        for line in _lines(explanation) if at is None else at_time_lines(explanation.model, at):
            screen.out.print(line)
        show_diagnostics(screen, explanation.diagnostics)

    return Answer(status="ok", body=open_ended(to_builtins(explanation)), show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.compiler.report import Explanation

    return Explanation


def _lines(model: "Explanation") -> list[str]:
    from lamina.compiler.slices.units import SECOND
    from lamina.compiler.slices.window_words import span_in_words
    from lamina.values.codec import to_builtins
    from lamina.values.value import tag_of

    settings = {key: value for key, value in to_builtins(model.strategy).items() if key != "type" and value}
    words = ", ".join(f"{key} = {_words(value)}" for key, value in sorted(settings.items()))
    lines = [f"{model.model}  ({model.kind}, layer {model.layer})"]
    lines += [model.description] if model.description else []
    lines += ["", f"file      {model.path}", f"table     {model.target}"]
    lines += [f"strategy  {tag_of(model.strategy)}{f' ({words})' if words else ''}"]
    if model.reads_parameters:
        lines.append("reads     " + ", ".join(f"@{name}" for name in model.reads_parameters))
    if not model.is_deterministic:
        lines.append("result    depends on the clock, on chance or on row order")
    lines += ["", "inputs"] if model.inputs else ["", "inputs    none"]
    for use in model.inputs:
        columns = "all columns" if use.read_set is None else ", ".join(use.read_set) or "no column, only its rows"
        notes = [f"sliced by {use.filter_column}"] if use.filter_column else []
        notes += ["driver"] if use.is_driver else []
        reach = (use.reach_seconds * SECOND, use.after_seconds * SECOND)
        notes += [f"reads {span_in_words(*reach)}"] if any(reach) else []
        notes += ["changes there do not revisit old slices"] if use.on_touch == "keep" else []
        lines.append(f"  {use.name}: {columns}" + (f"  [{'; '.join(notes)}]" if notes else ""))
    lines += ["", "incrementality", *(f"  {step}" for step in model.incrementality)]
    lines += ["", "read by   " + (", ".join(model.read_by) or "no model"), ""]
    if model.columns is None:
        lines.append("columns   known when it runs")
    else:
        lines += [
            "columns",
            *(f"  {item.name} {item.type}{'' if item.nullable else ' not null'}" for item in model.columns),
        ]
    if model.checks:
        lines += ["", "checks", *(f"  {check_words(item)}" for item in model.checks)]
    return [*lines, ""]


def check_words(check: "CheckSettings") -> str:
    """Say what a check demands, of which rows, and what its failing means."""
    words = [check.type, *filter(None, [check.column, ", ".join(check.columns), check.expression])]
    words += [f"in ({', '.join(str(value) for value in check.values)})"] if check.values else []
    words += [f"matches {check.pattern}"] if check.pattern is not None else []
    words += [f"is a {check.field} of {check.to}"] if check.to is not None else []
    words += [f"at least {_limit(check.min)}"] if check.min is not None else []
    words += [f"at most {_limit(check.max)}"] if check.max is not None else []
    words += [f"not older than {check.error_after}"] if check.error_after is not None else []
    words += [" ".join(check.sql.split())] if check.sql is not None else []
    words += [f"where {check.where}"] if check.where else []
    notes = [f"named {check.name}"] if check.name else []
    is_whole = check.scope == "table"
    notes += ["over the whole table"] if is_whole else ["within each batch"] if check.type == "unique" else []
    notes += [f"{counted(check.max_failed_rows, 'row')} may fail"] if check.max_failed_rows else []
    notes += ["only warns"] if check.severity == "warn" else []
    notes += ["failing rows go to the quarantine"] if check.quarantines else []
    return " ".join(words) + (f"  [{'; '.join(notes)}]" if notes else "")


def _limit(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def _words(value: object) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
