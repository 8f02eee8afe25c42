"""The query objects of a project: what each is made from, and how."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

from lamina.compiler.query.object import QueryObject
from lamina.compiler.resolve import Names
from lamina.project.model import ModelFile
from lamina.strategies.table import traits_of
from lamina.values.codec import Packed, to_pack

AT_A_TIME = 16  # queries: so many trees still fit into the processor's cache
RunTasks = Callable[[list["ObjectTask"], Names], dict[str, Packed]]


class ObjectTask(NamedTuple):
    """One query to compile: a key of its content, its text, and the schema its bare names are looked up in."""

    key: str
    text: str
    schema: str
    needs_shape: bool  # for a proof that it can be built in parts


def task_of(file: ModelFile) -> ObjectTask:
    """Return what has to be compiled for a SQL model."""
    schema = file.name.partition(".")[0]
    needs_shape = not traits_of(file.settings.strategy).is_recomputed
    return ObjectTask(object_key(file.text, schema=schema, needs_shape=needs_shape), file.text, schema, needs_shape)


def task_of_text(text: str, *, schema: str) -> ObjectTask:
    """Return the task of a query that is only to be rendered."""
    return ObjectTask("", text, schema, needs_shape=False)


def object_key(text: str, *, schema: str, needs_shape: bool) -> str:
    """Return the key of a query's object."""
    head = f"{schema}\0{needs_shape:d}\0"
    return blake2b((head + text).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def compile_object(task: ObjectTask, names: Names) -> QueryObject:
    """Compile one query."""
    return _compile([task], names)[0]


def compile_objects(tasks: Sequence[ObjectTask], names: Names) -> dict[str, Packed]:
    """Compile queries, a few at a time; the answer is packed, by key."""
    made: dict[str, Packed] = {}
    for start in range(0, len(tasks), AT_A_TIME):
        some = tasks[start : start + AT_A_TIME]
        pairs = zip(some, _compile(some, names), strict=True)
        made.update((task.key, Packed(to_pack(query))) for task, query in pairs)
    return made


def _compile(tasks: Sequence[ObjectTask], names: Names) -> list[QueryObject]:
    from lamina.compiler.compile_query import QueryText, compile_queries

    return compile_queries(
        QueryText(task.text, partial(names.full_name, schema=task.schema), task.needs_shape) for task in tasks
    )
