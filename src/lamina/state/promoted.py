"""The promoted version of each model: its compiled form, and the text of the project that it came from.

A text is a list of files by the hash of their content, so that versions share what did not change.
"""

from typing import TypeVar

from lamina.compiler.graph import CompiledModel, Graph
from lamina.state.dialect import StateTransaction
from lamina.state.port import Origin, PromotedModel, Promotion
from lamina.state.scope import OURS, Scope
from lamina.values.codec import DecodeError, content_hash, from_json, to_json
from lamina.values.names import Fingerprint, ModelName, RunId
from lamina.values.project_text import ProjectText, TextFile
from lamina.values.value import Value

T = TypeVar("T")


class _Listing(Value, frozen=True):
    files: tuple[tuple[str, str], ...]  # path and hash of the content
    variables: str


def read_promoted(transaction: StateTransaction, scope: Scope) -> dict[ModelName, PromotedModel]:
    """Return what is promoted, without the compiled forms."""
    rows = transaction.execute(
        f"SELECT model, fingerprint, compiler, hash, text, former FROM lamina_promoted WHERE {OURS}", scope.key
    )
    return {
        ModelName(name): PromotedModel(
            Fingerprint(fingerprint), compiler, digest, text, from_json(former, tuple[Fingerprint, ...])
        )
        for name, fingerprint, compiler, digest, text, former in rows
    }


def promote(transaction: StateTransaction, scope: Scope, promotion: Promotion, *, run_id: RunId) -> None:
    """Make a compiled model the promoted version; one that is promoted already is not written again."""
    model, origin = promotion.model, promotion.origin
    digest = content_hash(model)
    found = transaction.execute(
        f"SELECT compiler, hash, fingerprint, former FROM lamina_promoted WHERE {OURS} AND model = ?",
        (*scope.key, model.name),
    ).fetchone()
    compiler, known, before, former = found or ("", "", "", "[]")
    if (compiler, known) == (origin.compiler, digest):
        return
    _keep_text(transaction, origin.text)
    transaction.put(
        "lamina_promoted",
        {**scope.columns, "model": model.name},
        fingerprint=model.fingerprint,
        compiler=origin.compiler,
        compiled=to_json(model).decode(),
        hash=digest,
        text=origin.text.hash,
        run_id=run_id,
        former=former if before == model.fingerprint else "[]",
    )
    _forget_texts(transaction)


def recompile(transaction: StateTransaction, scope: Scope, model: CompiledModel, *, compiler: str) -> None:
    """Replace the compiled form of a promoted model by that of another compiler; its text stays."""
    key = (*scope.key, model.name)
    row = transaction.execute(
        f"SELECT fingerprint, former FROM lamina_promoted WHERE {OURS} AND model = ?", key
    ).fetchone()
    if row is None:
        return
    former = {row[0], *from_json(row[1], tuple[str, ...])} - {model.fingerprint}
    transaction.execute(
        "UPDATE lamina_promoted SET fingerprint = ?, compiler = ?, compiled = ?, hash = ?, former = ?"
        f" WHERE {OURS} AND model = ?",
        (
            model.fingerprint,
            compiler,
            to_json(model).decode(),
            content_hash(model),
            to_json(sorted(former)).decode(),
            *key,
        ),
    )


def promote_all(
    transaction: StateTransaction,
    scope: Scope,
    graph: Graph,
    *,
    waiting: frozenset[ModelName],
    origin: Origin,
    run_id: RunId,
) -> None:
    """Make a whole project the promoted version: each model of it, its sources and settings; others are forgotten.

    Models that are `waiting` to be built by their new code stay what they are.
    """
    known = read_promoted(transaction, scope)
    names = {model.name for model in graph.models}
    for model in graph.models:
        if model.name not in waiting:
            promote(transaction, scope, Promotion(model, origin), run_id=run_id)
    gone = [(*scope.key, name) for name in known if name not in names]
    transaction.executemany(f"DELETE FROM lamina_promoted WHERE {OURS} AND model = ?", gone)
    _keep_text(transaction, origin.text)
    # What did not change since it was promoted comes from this text just as well.
    now = [(origin.text.hash, *scope.key, name) for name in names - waiting]
    transaction.executemany(f"UPDATE lamina_promoted SET text = ? WHERE {OURS} AND model = ?", now)
    keep_frame(transaction, scope, graph)
    _forget_texts(transaction)


def keep_frame(transaction: StateTransaction, scope: Scope, graph: Graph) -> None:
    """Keep a project but for its models; the same one is not written again."""
    frame = graph.replace(models=(), layers=(), diagnostics=())
    digest = content_hash(frame)
    found = transaction.execute(f"SELECT hash FROM lamina_graph WHERE {OURS}", scope.key).fetchone()
    if found is None or found[0] != digest:
        transaction.put("lamina_graph", scope.columns, hash=digest, graph=to_json(frame).decode())


def find_text(transaction: StateTransaction, digest: str) -> ProjectText | None:
    """Return a kept text; None if it is not there, or not whole."""
    row = transaction.execute("SELECT files FROM lamina_text WHERE hash = ?", (digest,)).fetchone()
    if row is None:
        return None
    listing = from_json(row[0], _Listing)
    files: list[TextFile] = []
    for path, name in listing.files:
        found = transaction.execute("SELECT content FROM lamina_file WHERE hash = ?", (name,)).fetchone()
        if found is None:
            return None
        files.append(TextFile(path, name, found[0]))
    return ProjectText(tuple(files), listing.variables, digest)


def find_graph(transaction: StateTransaction, scope: Scope) -> Graph | None:
    """Return the promoted project; models that another compiler wrote in a form of its own are left out."""
    row = transaction.execute(f"SELECT graph FROM lamina_graph WHERE {OURS}", scope.key).fetchone()
    frame = None if row is None else _decoded(row[0], Graph)
    if frame is None:
        return None
    rows = transaction.execute(f"SELECT compiled FROM lamina_promoted WHERE {OURS} ORDER BY model", scope.key)
    models = tuple(model for (text,) in rows if (model := _decoded(text, CompiledModel)) is not None)
    depth = max((model.layer for model in models), default=-1) + 1
    layers = tuple(tuple(model.name for model in models if model.layer == layer) for layer in range(depth))
    return frame.replace(models=models, layers=layers)


def _decoded(text: str, kind: type[T]) -> T | None:
    try:
        return from_json(text, kind)
    except DecodeError:
        return None


def _keep_text(transaction: StateTransaction, text: ProjectText) -> None:
    if transaction.execute("SELECT 1 FROM lamina_text WHERE hash = ?", (text.hash,)).fetchone() is not None:
        return
    known = {name for (name,) in transaction.execute("SELECT hash FROM lamina_file")}
    new = {file.hash: file.content for file in text.files if file.hash not in known}
    transaction.executemany("INSERT INTO lamina_file (hash, content) VALUES (?, ?)", new.items())
    listing = _Listing(tuple((file.path, file.hash) for file in text.files), text.variables)
    transaction.put("lamina_text", {"hash": text.hash}, files=to_json(listing).decode())


def _forget_texts(transaction: StateTransaction) -> None:
    """Remove texts that no promoted model came from, and files that are in none of the others."""
    unused = "hash NOT IN (SELECT text FROM lamina_promoted)"
    if transaction.execute(f"SELECT 1 FROM lamina_text WHERE {unused} LIMIT 1").fetchone() is None:
        return
    transaction.execute(f"DELETE FROM lamina_text WHERE {unused}")
    listings = [from_json(row[0], _Listing) for row in transaction.execute("SELECT files FROM lamina_text")]
    used = {name for listing in listings for _, name in listing.files}
    kept = [row[0] for row in transaction.execute("SELECT hash FROM lamina_file").fetchall()]
    transaction.executemany("DELETE FROM lamina_file WHERE hash = ?", [(name,) for name in kept if name not in used])
