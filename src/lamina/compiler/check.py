"""Run every rule over a linked model or project; allowed findings stay visible as information."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from lamina.compiler.link.linked import Linked
from lamina.compiler.link.parameters import bound_type
from lamina.compiler.rules import (
    ambiguous_driver,
    coarse_read,
    coarse_time_column,
    coarse_unit,
    delete_beside_timestamp,
    distinct_without_time,
    driver_joined_away,
    driver_read_twice,
    end_without_start,
    group_without_time,
    incremental_aggregate,
    incremental_distinct,
    incremental_limit,
    incremental_set_operation,
    incremental_window,
    inexact_range,
    interval_limit,
    invalid_check,
    join_coercion,
    loose_placeholder,
    misplaced_range,
    missing_check_column,
    missing_column,
    missing_layout_column,
    missing_merge_key,
    missing_order_column,
    missing_partition_column,
    missing_time_column,
    missing_timestamp_column,
    missing_update_column,
    non_temporal_time_column,
    nullable_column,
    nullable_merge_key,
    nullable_time_column,
    one_sided_range,
    opaque_query,
    order_dependent_function,
    possible_ties,
    reach_outside_range,
    short_window,
    side_input,
    star_feeds_named_columns,
    unaligned_slices,
    underived_time,
    unfiltered_input,
    unknown_allowed_code,
    unknown_protected_column,
    unnamed_column,
    unorderable_column,
    unordered_merge,
    unread_input,
    unsliced_branch,
    unused_source,
    volatile_function,
    volatile_model,
    wrong_column_type,
)
from lamina.compiler.slices.incrementality import judge
from lamina.compiler.slices.verdict import Refusal, Refused, Verdict
from lamina.compiler.subject import Subject
from lamina.project.source import SourceTable
from lamina.strategies.traits import Traits
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.names import ModelName
from lamina.values.rule import Rule


class RuleModule(Protocol):
    """The file of a rule that looks at one model."""

    RULE: Rule

    def violations(self, subject: Subject, /) -> Iterator[Diagnostic]:
        """Yield what the rule finds."""


OF_ANY_STRATEGY: tuple[RuleModule, ...] = (
    misplaced_range,
    join_coercion,
    unnamed_column,
    unread_input,
    missing_layout_column,
    missing_check_column,
    invalid_check,
    end_without_start,
    missing_column,
    wrong_column_type,
    nullable_column,
    unknown_protected_column,
    order_dependent_function,
    possible_ties,
    volatile_model,
)
OF_TRAITS: tuple[tuple[Callable[[Traits], object], tuple[RuleModule, ...]], ...] = (
    (
        lambda traits: traits.upsert,
        (missing_merge_key, nullable_merge_key, missing_update_column, missing_order_column),
    ),
    (lambda traits: traits.upsert or traits.driver, (unorderable_column, missing_timestamp_column)),
    (lambda traits: traits.upsert and traits.driver, (delete_beside_timestamp, unordered_merge)),
    (lambda traits: traits.is_append, (side_input,)),
    (
        lambda traits: traits.slices,
        (
            missing_time_column,
            non_temporal_time_column,
            nullable_time_column,
            coarse_time_column,
            coarse_unit,
            coarse_read,
        ),
    ),
    (lambda traits: traits.partition_by, (missing_partition_column,)),
)
"""Rules that look at one model; those in the second can only find something in models of such strategies."""

MODEL_RULES = tuple(module.RULE for module in {*OF_ANY_STRATEGY}.union(*(modules for _, modules in OF_TRAITS)))

REFUSALS: dict[str, Rule] = {
    module.RULE.code: module.RULE
    for module in (
        incremental_aggregate,
        incremental_distinct,
        incremental_window,
        incremental_limit,
        incremental_set_operation,
        driver_joined_away,
        driver_read_twice,
        ambiguous_driver,
        volatile_function,
        unfiltered_input,
        one_sided_range,
        inexact_range,
        reach_outside_range,
        group_without_time,
        interval_limit,
        unaligned_slices,
        underived_time,
        loose_placeholder,
        opaque_query,
        short_window,
        unsliced_branch,
        distinct_without_time,
    )
}
"""Rules behind the refusals of the incrementality check."""

ORDER_CODES = frozenset({order_dependent_function.RULE.code, possible_ties.RULE.code})
"""Rules that show a result to depend on the order of rows."""

PROJECT_RULES = (star_feeds_named_columns.RULE, unused_source.RULE)


def _demotable() -> frozenset[str]:
    rules = [*MODEL_RULES, *REFUSALS.values(), *PROJECT_RULES]
    return frozenset(rule.code for rule in rules if rule.code.startswith("L4") or rule.severity != "error")


DEMOTABLE = _demotable()


def check_model(subject: Subject) -> tuple[Diagnostic, ...]:
    """Return what the rules find in one model, and what its verdict refuses."""
    traits = subject.model.traits
    of_strategy = [module for has_trait, modules in OF_TRAITS if has_trait(traits) for module in modules]
    found = [item for module in (*OF_ANY_STRATEGY, *of_strategy) for item in module.violations(subject)]
    found += unknown_allowed_code.violations(subject, DEMOTABLE)
    if isinstance(subject.verdict, Refused):
        found += [_finding(refusal, subject) for refusal in subject.verdict.refusals]
    return tuple(demote(found, subject.model.settings.allow))


def check_project(linked: Sequence[Linked], sources: Iterable[SourceTable]) -> tuple[Diagnostic, ...]:
    """Return what the rules find that look at the whole project."""
    allowed = {item.model.name: item.model.settings.allow for item in linked}
    found: list[Diagnostic] = list(unused_source.violations(sources, [item.model for item in linked]))
    for item in star_feeds_named_columns.violations(linked):
        found += demote([item], allowed.get(ModelName(item.model or ""), ()))
    return tuple(found)


def verdict_of(subject: Subject, traits: Traits) -> Verdict | None:
    """Judge a model's incrementality under a strategy; None where its query cannot be looked into."""
    if subject.shape is None or not subject.shape.blocks:
        return None
    zone, is_dated = subject.model.settings.timezone, bound_type(subject.model) == "date"
    return judge(traits, subject.shape, inputs=subject.inputs, zone=zone, is_dated=is_dated)


def demote(found: Iterable[Diagnostic], allowed: Iterable[str]) -> Iterator[Diagnostic]:
    """Turn allowed findings into information that says so."""
    codes = set(allowed) & DEMOTABLE
    for item in found:
        if item.code in codes:
            yield item.replace(severity="info", message=f"allowed: {item.message}")
        else:
            yield item


def _finding(refusal: Refusal, subject: Subject) -> Diagnostic:
    line, column = refusal.at
    return REFUSALS[refusal.code].finding(
        refusal.message,
        place=Place(file=refusal.file or subject.file.path, line=line, column=column),
        model=subject.model.name,
        hint=refusal.hint,
    )
