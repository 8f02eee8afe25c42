"""A plan as people read it: in the words a run uses, whole at every width."""

from datetime import UTC, datetime
from typing import Literal

import pytest
from tests.cli.drawn import drawn
from tests.planner.making import days, plan

from lamina.cli.plan_tree import change_words, plan_tree
from lamina.values.change import Affected, ColumnChange, ModelChange
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, ModelName
from lamina.values.plan import Action, Block, Build, Rebuild, Skip, Wait

A, B, C = ModelName("sales.a"), ModelName("sales.b"), ModelName("sales.c")
KEPT = "failed at 2026-04-07T00:00Z, next try at 2026-04-07T01:00Z, or with `lamina retry sales.a`: [BAD] no"


def tree(*actions: Action, changes: tuple[ModelChange, ...] = (), width: int = 100) -> list[str]:
    return drawn(plan_tree(plan(*actions), changes), width=width)


def test_work_is_reported_with_its_slices_and_reason() -> None:
    build = Build(model=A, intervals=(days(1, 3),), reason="first build", mode="replace_slices")
    later = Build(model=B, intervals=(WHOLE,), reason="probably: more", mode="replace_all", is_deferred=True)
    assert tree(build, later, Skip(model=C, reason="unchanged")) == [
        "plan 0123456789ab for prod",
        "├── build sales.a  2026-04-01 to 2026-04-03",
        "│   └── because first build",
        "├── build sales.b  at most; depends on what this run writes",
        "│   └── because probably: more",
        "├── 1 model unchanged",
        "└── apply it with: lamina apply 0123456789ab",
    ]


def test_what_failed_before_is_failed_in_the_plan_as_in_a_run() -> None:
    own = Block(model=A, intervals=(WHOLE,), reason=KEPT, blocked_by=(A,))
    other = Block(model=B, intervals=(WHOLE,), reason="`sales.a` failed", blocked_by=(A,))
    assert tree(own, other, width=120) == [
        "plan 0123456789ab for prod",
        "├── failed sales.a",
        f"│   └── {KEPT}",
        "├── block sales.b",
        "│   └── because `sales.a` failed",
        "├── a run would end as failed because of `sales.a`",
        "└── nothing else to do",
    ]


def test_codes_that_a_model_allows_are_shown_also_where_nothing_is_to_do() -> None:
    shown = drawn(plan_tree(plan(Skip(model=A, reason="unchanged")), (), allowed={A: ("L422", "L431")}), width=100)
    assert shown[1:] == [
        "├── 1 model unchanged",
        "├── sales.a allows L422, L431: see `lamina explain sales.a`",
        "└── nothing to do",
    ]


def test_ranges_are_shown_in_the_zone_of_their_model() -> None:
    start, end = (datetime(2026, 3, 31, 22, tzinfo=UTC), datetime(2026, 4, 2, 22, tzinfo=UTC))
    build = Build(model=A, intervals=(Interval(start, end),), reason="first build", mode="replace_slices")
    assert "build sales.a  2026-03-31T22:00 to 2026-04-02T22:00" in tree(build)[1]
    zoned = drawn(plan_tree(plan(build), (), {A: "Europe/Stockholm"}), width=100)
    assert zoned[1].endswith("build sales.a  2026-04-01 to 2026-04-02")


def test_columns_that_changed_are_listed_with_both_types() -> None:
    amount = ColumnChange(name=ColumnName("amount"), change="changed", before="int", after="decimal(10,2)")
    more = tuple(ColumnChange(name=ColumnName(f"c{number}"), change="added") for number in range(7))
    words = change_words(ModelChange(model=A, change="column_changed", columns=(amount, *more)))
    assert words == (
        "sales.a: column changed "
        "(amount: int -> decimal(10,2), c0 added, c1 added, c2 added, c3 added, c4 added, 2 more)"
    )


def test_nothing_to_do_is_said() -> None:
    assert tree(Skip(model=A, reason="unchanged"))[-1] == "└── nothing to do"


@pytest.mark.parametrize("width", [30, 60, 80, 120])
def test_no_reason_is_cut_off_at_the_edge(width: int) -> None:
    wait = Wait(model=A, intervals=(WHOLE,), reason="one two three four five six seven eight nine ten eleven twelve")
    lines = tree(wait, width=width)
    assert all(len(line) <= width for line in lines)
    assert "twelve" in " ".join(lines)


def test_a_rebuild_through_an_ephemeral_model_names_it() -> None:
    change = ModelChange(model=A, change="rows_changed", through=(ModelName("sales.completed"),))
    lines = tree(Rebuild(model=A, intervals=(WHOLE,), reason="the query changed"), changes=(change,))
    assert "├── sales.a: rows changed through ephemeral `sales.completed`" in lines
    assert "│   └── because ephemeral `sales.completed` changed" in lines


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (ModelChange(model=A, change="metadata"), ""),
        (ModelChange(model=A, change="metadata", settings=("tags",)), "sales.a: metadata (tags)"),
        (
            ModelChange(model=A, change="metadata", settings=("description", "checks")),
            "sales.a: metadata (description, checks); checks are evaluated with the next build",
        ),
        (ModelChange(model=A, change="removed"), "sales.a: removed; its table or view stays"),
    ],
)
def test_a_change_in_words(change: ModelChange, words: str) -> None:
    assert change_words(change) == words


@pytest.mark.parametrize(
    ("kind", "words"), [("added", "sales.a: added"), ("column_added", "sales.a: column added (x added)")]
)
def test_a_new_model_is_not_listed_column_by_column(kind: Literal["added", "column_added"], words: str) -> None:
    columns = (ColumnChange(name=ColumnName("x"), change="added"),)
    assert change_words(ModelChange(model=A, change=kind, columns=columns)) == words


def test_who_reads_a_change_is_counted() -> None:
    readers = (Affected(model=B, columns=None), Affected(model=C, columns=None))
    words = change_words(ModelChange(model=A, change="rows_changed", blast_radius=readers))
    assert words == "sales.a: rows changed; read by 2 models"
