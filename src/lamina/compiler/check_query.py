"""The query of a `custom_sql` check: what its names mean, and what is wrong with it."""

from collections.abc import Iterator

from lamina.compiler.graph import CompiledModel
from lamina.compiler.inline import Part
from lamina.compiler.link.link import Linker
from lamina.compiler.objects import compile_object, task_of_text
from lamina.compiler.query.object import QueryObject
from lamina.compiler.resolve import Names
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.names import TableName


def check_query(model: CompiledModel, sql: str) -> Part:
    """Return a check's query, which may read the model's own rows and its inputs; other names mean nothing."""
    schema = model.name.partition(".")[0]
    names = Names(
        (model.name, *(use.name for use in model.inputs if use.is_model)),
        (use.name for use in model.inputs if not use.is_model),
        default_schema=schema,
    )
    query = compile_object(task_of_text(sql, schema=schema), names)
    read = tuple(names.resolve(reference.parts, schema=schema) for reference in query.references)
    return Part(model=model.replace(text=sql), query=query, references=read)


def unknown_tables(part: Part) -> tuple[str, ...]:
    """Return the names that a check's query reads and that are neither its model nor an input."""
    pairs = zip(part.query.references, part.references, strict=True)
    return tuple(".".join(reference.parts) for reference, table in pairs if table is None)


def query_findings(subject: Subject, part: Part, *, place: Place) -> Iterator[Diagnostic]:
    """Yield what Spark would refuse in a check's query, at the place of its text."""
    for item in part.query.diagnostics:
        if item.severity == "error":
            yield item.at(place).replace(model=subject.model.name)
    if part.query.root >= 0 and None not in part.references:
        yield from _unknown_columns(subject, part.query, part.references, place=place)


def _unknown_columns(
    subject: Subject, query: QueryObject, tables: tuple[TableName | None, ...], *, place: Place
) -> Iterator[Diagnostic]:
    schemas = {**subject.schemas, str(subject.model.name): subject.model.columns}
    linker = Linker(query, tuple(str(table) for table in tables), schema=schemas.get, parameters={})
    linker.result()
    for problem in (*linker.lookup.problems, *linker.lookup.ambiguities()):
        yield problem.finding(place=place).replace(model=subject.model.name)
    linker.release()
