# SPDX-License-Identifier: Apache-2.0
"""The registry as a new revision of the history, when it declares a minor that the history lacks."""

from __future__ import annotations

import json
from pathlib import Path

import registry as registry_module
import revisions
from layout import Layouts, split_member
from abi import normal_type

PATH = Path(__file__).resolve().parent.parent / "history" / "layouts.json"


def _row(place, layouts: Layouts) -> str:
    form, name = place.type, place.name or "-"
    if place.field is not None and place.field.members:
        members = [(layouts.size_of(split_member(m)[0]), m) for m in place.field.members]
        form = "union{" + "; ".join(f"{size} {member}" for size, member in members) + "}"
    return f"{place.offset} {place.size} {form} {name}"


def _same(before: dict | None, after: dict) -> bool:
    """Types may be spelled in other ways."""
    def facts(struct: dict) -> list:
        rows = [row.rpartition(" ") for row in struct["fields"]]
        places = [(*place.split(" ", 2)[:2], normal_type(place.split(" ", 2)[2]), name)
                  for place, _, name in rows]
        return [struct["end"], struct["sizeof"], struct["align"], places]
    return before is not None and facts(before) == facts(after)


def _structs(registry, layouts: Layouts, newest: dict) -> dict:
    found = {}
    for struct in registry.structs:
        layout = layouts.of(struct)
        found[struct.name] = {"end": layout.end, "sizeof": layout.sizeof, "align": layout.align,
                              "fields": [_row(place, layouts) for place in layout.places]}
    end = layouts.slot(registry.functions[-1]) + 8
    found["PJRT_Api"] = dict(newest["structs"]["PJRT_Api"], functions=len(registry.functions),
                             end=end, sizeof=end)
    return {name: struct for name, struct in found.items()
            if not _same(newest["structs"].get(name), struct)}


def row(registry, newest: revisions.Revision) -> dict:
    """What the registry adds to the newest revision."""
    layouts = Layouts(revisions.View(registry))
    before = newest.layout
    enums = {e.name: {v.name: v.value for v in e.values} for e in registry.enums}
    callbacks = {c.name: f"{c.returns}({', '.join(p['type'] + ' ' + p['name'] for p in c.parameters)})"
                 for c in registry.callbacks}
    functions = [f.name for f in registry.functions]
    handles = {h.name for h in registry.handles if not h.public_since}
    minor = registry.version["declared_minor"]
    return {key: value for key, value in {
        "revision": f"0.{minor}", "minor": minor, "commits": [], "source": "registry",
        "structs": _structs(registry, layouts, before),
        "enums": {n: values for n, values in enums.items() if values != before["enums"].get(n)},
        "callbacks": {n: text for n, text in callbacks.items() if n not in before["callbacks"]},
        "functions_appended": functions[len(before["functions"]):],
        "handles_added": sorted(handles - set(before["handles"])),
    }.items() if value or key in ("commits", "minor")}


def append(folder: Path, path: Path = PATH) -> str | None:
    """Adds the registry's revision if the history has none of its minor. Returns its name."""
    registry = registry_module.load(folder)
    newest = revisions.load_history(path.parent)[-1]
    if registry.version["declared_minor"] <= newest.minor:
        return None
    added = row(registry, newest)
    text = path.read_text()
    body, end = text.rstrip().removesuffix("}").rstrip().removesuffix("]").rstrip(), "\n]\n}\n"
    path.write_text(f"{body},\n{json.dumps(added)}{end}")
    return added["revision"]
