# SPDX-License-Identifier: Apache-2.0
"""What a client and a plugin of two revisions owe each other without anything between them."""

from __future__ import annotations

from dataclasses import dataclass

import windows  # noqa: F401  (it finds api/generate)
from layout import Layouts
from registry import Registry
from revisions import Revision, View


@dataclass
class Size:
    announced: int  # what the client sends, and the least that the plugin takes
    end: int  # where the last field ends
    sizeof: int  # how much memory a client has there


def sizes(registry: Registry, history: list[Revision], revision: Revision) -> dict[str, Size]:
    """Every struct of the revision that carries its size."""
    view = View(registry, history, revision)
    layouts = Layouts(view)
    found = {}
    for struct in registry.structs:
        if struct.head in ("args", "sized") and view.has(struct) and view.has_head(struct):
            layout = layouts.of(struct)
            announced = view.announced_size(struct) or layout.end
            found[struct.name] = Size(announced, layout.end, layout.sizeof)
    return found


def verdicts(client: dict[str, Size], plugin: dict[str, Size]) -> list[str]:
    """The verdicts that keep the promise: PASS, and what differing structs excuse.

    REFUSED: the plugin asks for more than the client sends. CRASH: upstream announced too little, so the
    plugin takes what the client sends and goes past it.
    """
    allowed = ["PASS"]
    both = [(client[name], plugin[name]) for name in client.keys() & plugin.keys()]
    if any(c.announced < p.announced for c, p in both):
        allowed.append("REFUSED")
    if any(c.announced >= p.announced and c.sizeof < p.end for c, p in both):
        allowed.append("CRASH")
    return allowed
