"""The settings of a project: read once; where they are not valid, the last valid ones serve to look at it."""

from collections.abc import Mapping
from typing import NamedTuple

from lamina.config import DEFAULTS, Config, build_config
from lamina.errors import ProjectInvalid, UsageError
from lamina.project.cache_file import cache_path, read_cached, write_cached
from lamina.project.read import load_project_file
from lamina.project.scan import scan_project_file
from lamina.values.diagnostic import Diagnostic
from lamina.values.nearest import nearest
from lamina.version import VERSION

KEPT = "settings.msgpack"


class Settings(NamedTuple):
    """Every effective setting, and everything that is wrong with them."""

    config: Config
    problems: tuple[Diagnostic, ...]


def read_settings(root: str, variables: Mapping[str, str], *, overrides: Mapping[str, str]) -> Settings:
    """Read `lamina.toml`, `LAMINA_*` variables and overrides; valid settings are remembered."""
    file = load_project_file(scan_project_file(root), variables)
    config, problems = build_config(root, file, variables=variables, overrides=overrides)
    found = (*file.diagnostics, *problems)
    if not found and not overrides:
        _remember(config)
    return Settings(config, found)


def known_settings(settings: Settings) -> Settings:
    """Return the settings to look at a project with: the last valid ones where the current ones are not valid."""
    if not settings.problems:
        return settings
    last = _remembered(settings.config.root)
    if last is None or last.root != settings.config.root:
        raise ProjectInvalid(settings.problems)
    return settings._replace(config=last)


def refuse_unknown(overrides: Mapping[str, str]) -> None:
    """Raise for a setting that does not exist."""
    for key in overrides:
        if key not in DEFAULTS:
            near = nearest(key, DEFAULTS)
            hint = f"did you mean `{near}`?" if near else "`lamina config` lists all settings"
            raise UsageError(f"there is no setting `{key}`", hint=hint)


def _remember(config: Config) -> None:
    """Keep settings that are in order, without secrets."""
    kept = config.without_secrets()
    if _remembered(config.root) != kept:
        write_cached(cache_path(config.root, KEPT), kept, written_by=VERSION)


def _remembered(root: str) -> Config | None:
    return read_cached(cache_path(root, KEPT), Config, written_by=VERSION)
