"""What the metadata of a view says of who defined it, without Spark."""

from lamina.values.facts import CatalogView
from lamina.warehouse.iceberg.metadata import MetadataUnreadable, load_parts, part_of

KEYS = ("project", "store", "environment", "model", "definition")


def read_view(pointer: str) -> CatalogView:
    """Return a view by its metadata file; one that cannot be read, or is not of lamina, names no model."""
    try:
        properties = part_of(load_parts(pointer), "properties", dict[str, str], {})
    except (MetadataUnreadable, ValueError):
        return CatalogView(pointer=pointer)
    return CatalogView(pointer=pointer, **{key: properties.get(_property(key), "") for key in KEYS})


def properties_of(view: CatalogView) -> dict[str, str]:
    """Return the properties that say who defined a view, and from what."""
    return {_property(key): getattr(view, key) for key in KEYS}


def _property(key: str) -> str:
    return f"lamina.{key}"
