"""Lineage as text: an indented tree, Graphviz, Mermaid."""

from lamina.compiler.lineage import Flow, Point, Trace


def as_tree(start: Point, *, up: Trace | None, down: Trace | None) -> str:
    """Return what a point is made of and what is made of it, nearest first."""
    lines = [str(start)]
    for title, trace in (("made of", up), ("read by", down)):
        if trace is None:
            continue
        lines.append(f"\n{title}:" if trace.reached else f"\n{title}: nothing")
        for item in trace.reached:
            point = Point(item.model, item.column)
            kind = f"  ({item.kind})" if item.kind else ""
            lines.append(f"{'  ' * min(item.distance, 20)}{point}{kind}")
    return "\n".join(lines) + "\n"


def as_dot(flows: tuple[Flow, ...]) -> str:
    """Return a Graphviz graph."""
    lines = ["digraph lineage {", "  rankdir=LR;", "  node [shape=box];"]
    for flow in flows:
        label = f" [label={_quoted(flow.kind)}]" if flow.kind else ""
        lines.append(f"  {_quoted(str(flow.origin))} -> {_quoted(str(flow.result))}{label};")
    return "\n".join([*lines, "}"]) + "\n"


def as_mermaid(flows: tuple[Flow, ...]) -> str:
    """Return a Mermaid flowchart."""
    points = sorted({point for flow in flows for point in (str(flow.origin), str(flow.result))})
    ids = {point: f"n{number}" for number, point in enumerate(points)}
    lines = ["flowchart LR", *(f'  {ids[point]}["{_escaped(point)}"]' for point in points)]
    for flow in flows:
        arrow = f"-->|{flow.kind}|" if flow.kind else "-->"
        lines.append(f"  {ids[str(flow.origin)]} {arrow} {ids[str(flow.result)]}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _escaped(text: str) -> str:
    return text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
