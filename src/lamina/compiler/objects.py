"""The query objects of a project: what each is made from, and how."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from lamina.compiler.query.object import QueryObject
from lamina.compiler.resolve import Names
from lamina.project.model import ModelFile
from lamina.strategies.table import traits_of
from lamina.values.codec import Packed, to_pack

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
    from lamina.compiler.compile_query import compile_query

    return compile_query(
        task.text, lambda parts: names.full_name(parts, schema=task.schema), needs_shape=task.needs_shape
    )


def compile_objects(tasks: Sequence[ObjectTask], names: Names) -> dict[str, Packed]:
    """Compile queries one after another; the answer is packed, by key."""
    return {task.key: Packed(to_pack(compile_object(task, names))) for task in tasks}
