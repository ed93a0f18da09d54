# SPDX-License-Identifier: Apache-2.0
"""Keeps what pages say about the size and the version of the API as the registry has it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from registry import Registry

# The changelog tells what was.
SKIPPED = ("CHANGELOG.md",)


def statements(registry: Registry) -> dict[str, int]:
    """Pattern with one group, the number -> what it is. Pages say the past in other words."""
    declared = registry.version["declared_minor"]
    return {
        r"\bAPI 0\.(\d+): every function": declared,
        r"from 0\.1 to 0\.(\d+)": declared,
        r"\b(\d{3,}) functions": len(registry.functions),
        r"\b(\d{3,}) structs": len(registry.structs) + 1,  # PJRT_Api itself
        # The row of a recipe, docs/extending/slot.md, is the next.
        r"(?m)^slot = (\d+)$": len(registry.functions),
        r"(?m)^since = (\d+)$": declared + 1,
        r"\bsince = (\d+), direction": declared + 1,
    }


def pages(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in (".git", "build")]
        yield from (Path(folder) / name for name in sorted(files)
                    if name.endswith(".md") and name not in SKIPPED)


def rewritten(registry: Registry, text: str) -> str:
    for pattern, number in statements(registry).items():
        text = re.sub(pattern, lambda m, n=number: m[0].replace(m[1], str(n)), text)
    return text


def current(registry: Registry, api: Path) -> dict[str, str]:
    """The pages that say such a number, by their path seen from api/."""
    found = {}
    for page in pages(api.parent):
        text = page.read_text()
        if any(re.search(pattern, text) for pattern in statements(registry)):
            found[os.path.relpath(page, api)] = rewritten(registry, text)
    return found
