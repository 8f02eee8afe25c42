"""A failed check in one line: what it saw, some of the rows, and where it is written."""

from lamina.values.batch import CANNOT_RUN, CheckResult
from lamina.values.words import counted


def failed_words(check: CheckResult) -> str:
    """Say which check failed and how much that means, in how many rows, some of them, and where it is written."""
    kind = "error" if check.refuses else "warning"
    examples = f": {'; '.join(check.examples)}" if check.examples else ""
    place = f" ({check.file}:{check.line})" if check.file is not None else ""
    return f"{kind}: check {check.name} of {check.model} {_seen(check)}{examples}{place}"


def _seen(check: CheckResult) -> str:
    if not check.could_run:
        return f"could not run: {str(check.observed).removeprefix(CANNOT_RUN)}"
    if check.rows_quarantined:
        return f"sent {counted(check.rows_quarantined, 'row')} to the quarantine"
    if check.rows_failed is not None:
        return f"failed in {counted(check.rows_failed, 'row')}"
    return f"failed: {'no rows' if check.observed is None else check.observed}, expected {check.expected}"
