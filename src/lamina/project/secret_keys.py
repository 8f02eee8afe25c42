"""Decode settings that name a secret: what is read is where it is, never the secret itself."""

import re
from collections.abc import Mapping
from typing import Any

from lamina.project.decode import INVALID, Findings, text
from lamina.project.toml import REFERENCE, Substituted
from lamina.values.secret import HIDDEN, without_password


def address(value: Any, key: str, findings: Findings) -> Any:
    """Decode the address of a database; a password in it is hidden, and refused when the project is compiled."""
    decoded = text(value, key, findings)
    return decoded if decoded is INVALID else without_password(decoded)


def variable(value: Any, key: str, findings: Findings) -> Any:
    """Decode the variable that holds a secret, as in `${SHOP_PASSWORD}`; empty where it is anything else."""
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="text", value=value)
    return (_variable_in(value.written) or "") if isinstance(value, Substituted) else ""


def _variable_in(written: str) -> str | None:
    """Return the variable that a text is; None where it is anything else, such as a variable with a default."""
    reference = REFERENCE.fullmatch(written)
    return reference[1] if reference is not None and reference[2] is None else None


def hide_secrets(content: str, blocks: Mapping[str, Any]) -> str:
    """Return the text of a file of sources without the passwords that are written out in its blocks."""
    for block in (item for item in blocks.values() if isinstance(item, dict)):
        password, url = block.get("password"), block.get("url")
        if isinstance(password, str) and _variable_in(password) is None:
            written = re.compile(rf"""(\bpassword["']?\s*=\s*)(["']){re.escape(password)}\2""")
            content = written.sub(rf'\1"{HIDDEN}"', content)
        if isinstance(url, str) and url:
            content = content.replace(url, without_password(url))
    return content
