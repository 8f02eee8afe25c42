"""L314: the partition of a unit test does not fit its model.

Why: a model with slices is computed for one range, which `@start_date` and the others come from; others have none.
Fix: give the key of a slice to a `time_interval` model, and to no other.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L314", name="UnfitTestPartition")


def finding(key: str, *, place: Place, model: str, example: str) -> Diagnostic:
    """Return the finding for a text that is not a key."""
    return RULE.finding(
        f"`{key}` is not a partition key of `{model}`", place=place, model=model, hint=f"write it like `{example}`"
    )


def finding_of_missing(*, place: Place, model: str, example: str) -> Diagnostic:
    """Return the finding for a model with slices whose test names none."""
    hint = f'add `partition = "{example}"`'
    return RULE.finding(f"a unit test of `{model}` needs a partition", place=place, model=model, hint=hint)


def finding_of_unsliced(*, place: Place, model: str) -> Diagnostic:
    """Return the finding for a model without slices."""
    hint = "remove `partition`; only `time_interval` and `microbatch` models have partitions"
    return RULE.finding(f"`{model}` has no partitions", place=place, model=model, hint=hint)
