"""The linking pass: each model once, in order, or not at all if everything it depends on is as it was."""

from collections.abc import Callable, Iterable
from hashlib import blake2b

from lamina.compiler.cache import StoredLink, StoredReference, linked_of
from lamina.compiler.check import ORDER_CODES, check_model, verdict_of
from lamina.compiler.gather import composed_shape, resolved_shape, subject_of, table_stars
from lamina.compiler.link.link_model import ModelNames, Surroundings, link_other, link_query
from lamina.compiler.link.linked import Linked
from lamina.compiler.query.object import QueryObject
from lamina.compiler.query.operators import QueryShape
from lamina.compiler.slices.range_reads import by_range
from lamina.project.model import ModelFile, ModelSettings
from lamina.project.project import Project
from lamina.project.source import VERSIONLESS, SourceTable
from lamina.strategies.incremental import without_versions
from lamina.values.codec import Packed, to_pack
from lamina.values.names import TableName
from lamina.values.schema import Schema


class Linking:
    """Owns what the pass has found so far: schemas, ephemeral models, and the outward key of every table."""

    def __init__(
        self, project: Project, sources: tuple[SourceTable, ...], *, query: Callable[[str], QueryObject | None]
    ) -> None:
        self.sources = sources
        self.linked: list[Linked] = []
        self._query = query  # of an object's key
        self._news: set[str] = set()  # models of which others see something new
        self._schemas: dict[str, Schema | None] = {table.name: table.columns or None for table in sources}
        self._tables: dict[str, SourceTable | ModelSettings] = {table.name: table for table in sources}
        self._ephemeral: dict[str, Linked] = {}
        self._outward: dict[str, str] = {}
        self._common = _key(project.variables)
        self._modules = _key(project.modules)
        self._around = Surroundings(
            self._schemas,
            self._ephemeral,
            variables={item.name: item for item in project.variables},
            modules={item.path: item.text for item in project.modules},
            models=frozenset(model.name.lower() for model in project.models),
            former={
                TableName(model.name): TableName(model.settings.renamed_from)
                for model in project.models
                if model.settings.renamed_from is not None
            },
        )

    def add(
        self,
        file: ModelFile,
        names: ModelNames,
        *,
        layer: int,
        object_key: str,
        references: tuple[StoredReference, ...],
        known: StoredLink | None,
    ) -> StoredLink:
        """Link one model, all of whose inputs have been added, or take the known link if it is still right."""
        key = self._link_key(file, names, layer=layer, object_key=object_key)
        if known is not None and known.link_key == key:
            linked = linked_of(known)
            link = known
        else:
            linked = self._link(file, names, layer=layer, object_key=object_key)
            body = Packed(to_pack(linked))
            link = StoredLink(object_key, references, key, _outward(linked, key), body)
        if known is None or link.outward != known.outward:
            self._news.add(file.name)
        self.keep(file, linked, link)
        return link

    def keep(self, file: ModelFile, linked: Linked, link: StoredLink) -> None:
        """Add a model that is linked already."""
        self.linked.append(linked)
        self._schemas[file.name] = linked.model.columns
        self._tables[file.name] = file.settings
        self._outward[file.name] = link.outward
        if linked.model.is_ephemeral:
            self._ephemeral[file.name] = linked

    def has_news_for(self, inputs: Iterable[str]) -> bool:
        """Return whether one of these models shows others something new."""
        return not self._news.isdisjoint(inputs)

    def _link(self, file: ModelFile, names: ModelNames, *, layer: int, object_key: str) -> Linked:
        query = self._query(object_key)
        # What a model reads of its own past has the columns it declares.
        self._schemas.setdefault(file.name, file.settings.columns or None)
        if query is None:
            linked = link_other(file, names, around=self._around, layer=layer)
            return self._checked(file, linked, names, query=None, shape=None)
        linked = link_query(file, query, names, around=self._around, layer=layer)
        if (read := self._as_read(file, linked)) is not file:
            file, linked = read, link_query(read, query, names, around=self._around, layer=layer)
        shape = resolved_shape(query, names)
        if shape is not None and not linked.model.is_ephemeral:
            shape = composed_shape(shape, self._ephemeral)
        return self._checked(file, linked, names, query=query, shape=shape)

    def _as_read(self, file: ModelFile, linked: Linked) -> ModelFile:
        """Return a model with what follows from the kind of its driver, which only the linker knows."""
        table = self._tables.get(linked.model.driver or "")
        if not isinstance(table, SourceTable) or table.type not in VERSIONLESS:
            return file
        strategy = without_versions(file.settings.strategy)
        is_same = strategy is file.settings.strategy
        return file if is_same else file.replace(settings=file.settings.replace(strategy=strategy))

    def _checked(
        self, file: ModelFile, linked: Linked, names: ModelNames, *, query: QueryObject | None, shape: QueryShape | None
    ) -> Linked:
        linked = self._seen(linked)
        subject = subject_of(
            file,
            linked.model,
            query=query,
            names=names.references,
            ephemeral=self._ephemeral,
            shape=shape,
            schemas=self._schemas,
            tables=self._tables,
        )
        verdict = verdict_of(subject, linked.model.traits)
        found = check_model(subject._replace(verdict=verdict))
        inlined = [self._ephemeral[name] for name in linked.model.depends_on if name in self._ephemeral]
        depends_on_order = any(item.code in ORDER_CODES for item in found)
        depends_on_order |= any(item.model.depends_on_order for item in inlined)
        model = linked.model
        inputs = tuple([by_range(use, model, verdict) for use in model.inputs])
        if depends_on_order or any(new is not old for new, old in zip(inputs, model.inputs, strict=True)):
            model = model.replace(depends_on_order=depends_on_order, inputs=inputs)
        return linked.replace(
            model=model,
            diagnostics=(*linked.diagnostics, *found),
            shape=shape if linked.model.is_ephemeral else None,
            stars=tuple(table_stars(query)) if query is not None else (),
        )

    def _seen(self, linked: Linked) -> Linked:
        """Return a model that knows which of its inputs have no detector."""
        model = linked.model
        tables = {use.name: self._tables.get(use.name) for use in model.inputs}
        unseen = {name for name, item in tables.items() if isinstance(item, SourceTable) and item.detect == "always"}
        if not unseen:
            return linked
        inputs = tuple(use.replace(is_always_new=use.name in unseen) for use in model.inputs)
        return linked.replace(model=model.replace(inputs=inputs))

    def _link_key(self, file: ModelFile, names: ModelNames, *, layer: int, object_key: str) -> str:
        named = (*names.references, *names.declared, *names.looked_up.values())
        inputs = [(name, self._outward_of(name)) for name in named]
        code = (file.text, self._modules) if file.kind != "sql" else object_key
        meant = (sorted(names.settings.items()), sorted(names.looked_up.items()))
        own = (file.name, file.path, file.settings, file.places, meant)
        return _key((layer, code, own, inputs, self._common))

    def _outward_of(self, name: str) -> str:
        if name not in self._outward and isinstance(table := self._tables.get(name), SourceTable):
            self._outward[name] = _key(table)
        return self._outward.get(name, "")


def _outward(linked: Linked, key: str) -> str:
    """Return the key of what readers of a model can see: its columns and settings, or all of an ephemeral one."""
    model = linked.model
    return key if model.is_ephemeral else _key((model.columns, model.settings))


def _key(value: object) -> str:
    return blake2b(to_pack(value), digest_size=16).hexdigest()
