"""Why a model runs or does not at a time, as lines: the answer first, then what it follows from."""

from collections.abc import Iterator

from lamina.values.at_time import AtTime, InputAtTime
from lamina.values.interval import Interval
from lamina.values.pending_words import pending_lines
from lamina.values.plan import UNCHANGED
from lamina.values.time_words import span_words, spans_words

_WORDS = {"not_built": "not built", "current": "up to date", "": "not known"}


def at_time_lines(model: str, at: AtTime) -> list[str]:
    """Return what to print of one model at one time."""
    zone = at.timezone
    lines = [f"{model} at {at.execution_time}: {_headline(at)}", "", f"schedule  {at.schedule}"]
    lines += [f"due       {due}"] if (due := _due(at)) else []
    lines.append(f"built     {_spans(at.built, zone) or 'nothing yet'}")
    if at.last_run is not None:
        run = at.last_run
        lines.append(f"last run  {run.run_id} for {run.execution_time}: {run.status}, {run.reason}")
    lines += ["", "pending"] if at.pending else ["", "pending   nothing"]
    lines += _pending_lines(at)
    lines += ["", "inputs"] if at.inputs else ["", "inputs    none"]
    width = max((len(item.input) for item in at.inputs), default=0)
    for item in at.inputs:
        lines += _input_lines(item, at, width=width)
    return [*lines, "", "from the tables and inputs as they are now"]


def _pending_lines(at: AtTime) -> Iterator[str]:
    """Yield a line for each range, the words of its state in a column."""
    found = [line._replace(status=line.status.replace("_", " ")) for line in pending_lines(at.pending)]
    width = max((len(line.status) for line in found), default=0)
    for line in found:
        rows = f" ({line.rows})" if line.rows else ""
        yield f"  {line.status:{width}}  {line.slices}{rows}{f': {line.why}' if line.why else ''}"


def _headline(at: AtTime) -> str:
    """Say it in one line; the reasons of what is pending are below, each with its slices."""
    if at.pending:
        return _WORDS.get(at.status, at.status)
    return "up to date" if at.reason == UNCHANGED else at.reason


def _due(at: AtTime) -> str:
    """Say what should exist by then, and when there is more."""
    if at.is_whole:
        return f"at the earliest at {at.next_due} once more" if at.next_due is not None else ""
    if at.due is None:
        return f"nothing before {at.next_due}" if at.next_due is not None else "nothing"
    more = f"; more at {at.next_due}" if at.next_due is not None else ""
    return f"{span_words(at.due, at.timezone)}{more}"


def _input_lines(item: InputAtTime, at: AtTime, *, width: int) -> Iterator[str]:
    """Yield what an input is, and what it keeps from being built."""
    zone = at.timezone
    if item.is_model:
        word = _WORDS.get(item.status or "", item.status)
        built = _spans(item.built, zone)
        reason = "" if item.status == "current" or not item.reason else f": {item.reason}"
        yield f"  {item.input:{width}}  {word}{f', built {built}' if built else ''}{reason}"
    else:
        yield f"  {item.input:{width}}  source, counts as complete up to {at.execution_time}"
    if item.waiting:
        until = f" until {item.until}" if item.until is not None else ""
        yield f"    {_spans(item.waiting, zone)} waits for it{until}"
    if item.blocked:
        yield f"    {_spans(item.blocked, zone)} reads what failed there"


def _spans(spans: tuple[Interval, ...], zone: str) -> str:
    return spans_words(spans, zone) or ("the whole table" if spans else "")
