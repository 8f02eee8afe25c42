"""A plan for people: what changed in the project, then models in order under what they will do, with reasons."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lamina.values.change import ColumnChange, ModelChange
from lamina.values.names import ModelName
from lamina.values.plan import UNCHANGED, Action, Block, Build, Plan, Rebuild, Rename, Skip
from lamina.values.time_words import spans_words
from lamina.values.words import counted, listed

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

UTC_ONLY: Mapping[ModelName, str] = {}
NOTHING_ALLOWED: Mapping[ModelName, tuple[str, ...]] = {}
_MOST_COLUMNS = 6
_STYLES = {
    "build": "green",
    "rebuild": "magenta",
    "rename": "green",
    "skip": "dim",
    "wait": "cyan",
    "block": "red",
    "failed": "red",
    "hold": "yellow",
}


def plan_tree(
    plan: Plan,
    changes: tuple[ModelChange, ...],
    zones: Mapping[ModelName, str] = UTC_ONLY,
    allowed: Mapping[ModelName, tuple[str, ...]] = NOTHING_ALLOWED,
) -> "Tree":
    """Return the tree of a plan: each model with what happens to it, why, and in which slices."""
    from rich.tree import Tree

    tree = Tree(_line(f"plan {plan.plan_id[:12]} for {plan.environment}", "bold"), guide_style="dim")
    for words in filter(None, map(change_words, changes)):
        tree.add(_line(words, "yellow"))
    through = {change.model: change.through for change in changes}
    skipped = [action for action in plan.actions if isinstance(action, Skip) and action.reason == UNCHANGED]
    for action in plan.actions:
        if action in skipped:
            continue
        branch = tree.add(_headline(action, zones.get(action.model, "UTC")))
        if because := _because(action, through.get(action.model, ())):
            branch.add(_line(because, "dim"))
    if skipped:
        tree.add(_line(f"{counted(len(skipped), 'model')} unchanged", "dim"))
    for model, codes in allowed.items():
        tree.add(_line(f"{model} allows {', '.join(codes)}: see `lamina explain {model}`", "yellow"))
    for words, style in _closing(plan):
        tree.add(_line(words, style))
    return tree


def change_words(change: ModelChange) -> str:
    """Say what became of a model; nothing where only the formatting of its text changed."""
    if change.change == "metadata":
        if not change.settings:
            return ""
        later = "; checks are evaluated with the next build" if "checks" in change.settings else ""
        return f"{change.model}: metadata ({', '.join(change.settings)}){later}"
    columns = columns_words(change.columns) if change.change not in ("added", "removed") else ""
    notes = f" through ephemeral {listed(change.through)}" if change.through else ""
    notes += f"; read by {counted(len(change.blast_radius), 'model')}" if change.blast_radius else ""
    notes += "; its table or view stays" if change.change == "removed" else ""
    return f"{change.model}: {change.change.replace('_', ' ')}{f' ({columns})' if columns else ''}{notes}"


def columns_words(columns: tuple[ColumnChange, ...]) -> str:
    """Name the columns that changed, with both types where they differ."""
    words = [
        f"{item.name}: {item.before} -> {item.after}" if item.before and item.after else f"{item.name} {item.change}"
        for item in columns[:_MOST_COLUMNS]
    ]
    left = len(columns) - _MOST_COLUMNS
    return ", ".join([*words, f"{left} more"] if left > 0 else words)


def _headline(action: Action, zone: str) -> "Text":
    word = "failed" if _has_failed(action) else type(action).__name__.lower()
    line = _line(f"{word} ", _STYLES[word]).append(action.model, style="bold")
    if isinstance(action, Rename):
        is_moved = action.before != action.after
        return line.append(f"  {action.before} to {action.after}" if is_moved else f"  from {action.renamed_from}")
    if isinstance(action, Skip):
        return line
    spans = spans_words(action.intervals, zone)
    if spans:
        line.append(f"  {spans}")
    if isinstance(action, Build | Rebuild) and action.is_deferred:
        line.append("  at most; depends on what this run writes", style="dim")
    return line


def _because(action: Action, through: tuple[str, ...]) -> str:
    if isinstance(action, Rebuild) and through:
        return f"because ephemeral {listed(through)} changed"
    return f"because {action.reason}" if action.reason and not _has_failed(action) else action.reason


def _has_failed(action: Action) -> bool:
    """Return whether a run would report the model itself as failed."""
    return isinstance(action, Block) and action.model in action.blocked_by


def _closing(plan: Plan) -> list[tuple[str, str]]:
    works = sum(isinstance(action, Build | Rebuild | Rename) for action in plan.actions)
    failed = dict.fromkeys(action.model for action in plan.actions if _has_failed(action))
    lines = [(f"a run would end as failed because of {listed(tuple(failed))}", "red")] if failed else []
    nothing = "nothing else to do" if failed else "nothing to do"
    return [*lines, (f"apply it with: lamina apply {plan.plan_id[:12]}" if works else nothing, "bold")]


def _line(words: str, style: str) -> "Text":
    """Return a line that breaks at the edge of the screen instead of being cut off there."""
    from rich.text import Text

    return Text(words, style=style, no_wrap=False, overflow="fold")
