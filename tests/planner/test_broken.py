"""Models that do not compile: found by their findings, with all that reads them; the rest can be worked with."""

import pytest
from tests.planner.making import graph, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.broken import Broken, find_broken, with_promoted, without
from lamina.planner.standing import broken_status, unbuilt_status
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ModelName, TableName
from lamina.values.result import ModelVerdict, VerifyResult, verified

A, B, C, D = (ModelName(f"sales.{letter}") for letter in "abcd")


def reading(name: str, parent: str, layer: int) -> CompiledModel:
    return model(name, inputs=(use(parent),)).replace(
        depends_on=(TableName(parent),), layer=layer, path=f"models/{name.replace('.', '/')}.sql"
    )


GRAPH = graph(reading(A, "raw.orders", 0), reading(B, A, 1), reading(C, B, 2), reading(D, "raw.orders", 0))


def error(**fields: object) -> Diagnostic:
    return Diagnostic(code="L207", name="InvalidSql", severity="error", message="no query").replace(**fields)


@pytest.mark.parametrize(
    "finding",
    [
        error(model=B),
        error(file="models/sales/b.sql"),
        error(file="models/sales/b.toml"),
    ],
)
def test_a_finding_leaves_its_model_out_and_all_that_reads_it(finding: Diagnostic) -> None:
    broken = find_broken(GRAPH, (finding,))
    assert broken is not None
    assert (set(broken.faults), broken.readers) == ({B}, {C: B})
    usable = without(GRAPH, broken.left_out)
    assert [item.name for item in usable.models] == [A, D]
    assert {name for layer in usable.layers for name in layer} == {A, D}


def test_a_warning_leaves_nothing_out() -> None:
    assert find_broken(GRAPH, (error(model=B).replace(severity="warning"),)) == Broken(faults={}, readers={})


@pytest.mark.parametrize(
    "finding",
    [
        error(file="lamina.toml"),
        error(file="sources/raw.toml"),
        error(file="models/sales/_defaults.toml"),
        error(),
        error(model=B, code="L205"),
    ],
)
def test_a_finding_about_more_than_one_model_concerns_the_project(finding: Diagnostic) -> None:
    assert find_broken(GRAPH, (finding,)) is None


def test_a_file_that_makes_no_model_leaves_only_its_readers_to_their_own_findings() -> None:
    assert find_broken(GRAPH, (error(file="models/sales/z.sql"),)) == Broken(faults={}, readers={})


def test_what_is_left_out_is_known_as_it_was_last_run() -> None:
    usable = without(GRAPH, (B, C))
    known = with_promoted(usable, GRAPH)
    assert [item.name for item in known.models] == [A, B, C, D]
    assert known.model(B) == GRAPH.model(B)
    assert with_promoted(GRAPH, None) is GRAPH


def test_a_broken_model_is_failed_and_its_readers_are_blocked() -> None:
    broken = find_broken(GRAPH, (error(file="models/sales/b.sql", line=1),))
    reported = {name: broken_status(unbuilt_status(GRAPH.model(name)), broken) for name in (A, B, C)}
    assert {name: item.status for name, item in reported.items()} == {A: "not_built", B: "failed", C: "blocked"}
    assert reported[B].reason == "it does not compile: no query (models/sales/b.sql:1:1)"
    assert reported[C].reason == "`sales.b` does not compile"


VERDICT = ModelVerdict(model=A, status="equal")
BROKEN = ModelVerdict(model=B, status="unverifiable", reason="it does not compile")


@pytest.mark.parametrize(
    ("models", "found", "status", "code"),
    [
        ((VERDICT,), (), "equal", 0),
        ((VERDICT, BROKEN), (error(model=B),), "equal", 2),
        ((BROKEN,), (error(model=B),), "unverifiable", 1),
        ((VERDICT.replace(status="different"), BROKEN), (error(model=B),), "different", 1),
        ((VERDICT, BROKEN), (), "equal", 0),
        ((BROKEN,), (), "unverifiable", 0),
    ],
)
def test_a_proof_ends_with_what_could_be_compared(
    models: tuple[ModelVerdict, ...], found: tuple[Diagnostic, ...], status: str, code: int
) -> None:
    result = VerifyResult(status=verified(models), models=models, diagnostics=found)
    assert (result.status, result.exit_code) == (status, code)
