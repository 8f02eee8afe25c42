"""A plan for people: models in order under what they will do, with reasons and slices."""

from typing import TYPE_CHECKING

from lamina.cli.words import spans_words
from lamina.values.change import ModelChange
from lamina.values.plan import Action, Build, Plan, Rebuild, Skip
from lamina.values.words import counted

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

_STYLES = {"build": "green", "rebuild": "magenta", "skip": "dim", "wait": "cyan", "block": "red", "hold": "yellow"}


def plan_tree(plan: Plan, changes: tuple[ModelChange, ...]) -> "Tree":
    """Return the tree of a plan: each model with what happens to it, why, and in which slices."""
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(f"plan {plan.plan_id[:12]} for {plan.environment}", style="bold"), guide_style="dim")
    for change in changes:
        if change.change not in ("unchanged", "metadata"):
            tree.add(Text(_change_words(change), style="yellow"))
    skipped = [action for action in plan.actions if isinstance(action, Skip) and action.reason == "unchanged"]
    for action in plan.actions:
        if action in skipped:
            continue
        branch = tree.add(_headline(action))
        branch.add(Text(f"because {action.reason}" if action.reason else "", style="dim"))
    if skipped:
        tree.add(Text(f"{counted(len(skipped), 'model')} unchanged", style="dim"))
    works = sum(isinstance(action, Build | Rebuild) for action in plan.actions)
    closing = f"apply it with: lamina apply {plan.plan_id[:12]}" if works else "nothing to do"
    tree.add(Text(closing, style="bold"))
    return tree


def _headline(action: Action) -> "Text":
    from rich.text import Text

    word = _word(action)
    line = Text(f"{word} ", style=_STYLES[word]).append(action.model, style="bold")
    if isinstance(action, Skip):
        return line
    spans = spans_words(action.intervals)
    if spans:
        line.append(f"  {spans}")
    if isinstance(action, Build | Rebuild) and action.is_deferred:
        line.append("  at most; depends on what this run writes", style="dim")
    return line


def _word(action: Action) -> str:
    return type(action).__name__.lower()


def _change_words(change: ModelChange) -> str:
    columns = ", ".join(f"{item.name} {item.change}" for item in change.columns[:6])
    readers = f"; read by {counted(len(change.blast_radius), 'model')}" if change.blast_radius else ""
    readers += "; its table stays" if change.change == "removed" else ""
    return f"{change.model}: {change.change.replace('_', ' ')}{f' ({columns})' if columns else ''}{readers}"
