# SPDX-License-Identifier: Apache-2.0
"""Emits what a plugin of one revision knows, as the C++ data of frozen/revision.h."""

from __future__ import annotations

from layout import Layouts
from registry import Struct
from revisions import HistoryError, View

# From these minors on the handle has a head that callers may read.
MEMORY_HEAD, ERROR_HEAD = 105, 107
# The extensions that a frozen plugin passes on: their slots are all functions of the common form,
# and none takes a memory.
EXTENSIONS = (4, 19)
CALLBACKS = {
    "PJRT_Event_OnReadyCallback": "kOnReady",
    "PJRT_KeyValueGetCallback": "kKeyValueGet",
    "PJRT_KeyValuePutCallback": "kKeyValuePut",
    "PJRT_KeyValueTryGetCallback": "kKeyValueTryGet",
}


class _Emitter:
    def __init__(self, view: View) -> None:
        self.view = view
        self.layouts = Layouts(view)
        self.today = Layouts(View(view.registry))
        self.structs = {s.name: s for s in view.registry.structs if view.has(s)}
        self.lines: list[str] = []
        self.emitted: dict[str, int] = {}
        self.rows: list[str] = []
        types = next(e for e in view.registry.enums if e.name == "PJRT_Buffer_Type")
        self.largest_type = max(v.value for v in types.values if view.has(v))

    def _check_prefix(self, struct: Struct) -> None:
        now = {(p.name, p.offset, p.size) for p in self.today.of(struct).places}
        moved = [p.name for p in self.layouts.of(struct).places
                 if (p.name, p.offset, p.size) not in now]
        if moved:
            raise HistoryError(f"{struct.name} of {self.view.name} is no prefix of today's: "
                               f"{', '.join(moved)}")

    def struct(self, struct: Struct) -> int:
        """The index of the struct's row, made if it is not there."""
        if struct.name in self.emitted:
            return self.emitted[struct.name]
        self._check_prefix(struct)
        offsets = {p.name: p.offset for p in self.layouts.of(struct).places}
        fields = []
        for place in self.layouts.of(struct).places:
            if place.field is not None:
                fields += self._field(struct, place, offsets)
        end = self.layouts.of(struct).end
        announced = self.view.announced_size(struct) or end
        name = "nullptr"
        if fields:
            name = f"k{struct.name.removeprefix('PJRT_')}"
            self.lines.append(f"constexpr Field {name}[] = {{{', '.join(fields)}}};")
        self.rows.append(f'{{"{struct.name}", {announced}, {end}, {self.today.of(struct).sizeof}, '
                         f"{name}, {len(fields)}}}")
        self.emitted[struct.name] = len(self.rows) - 1
        return self.emitted[struct.name]

    def _field(self, struct: Struct, place, offsets: dict[str, int]) -> list[str]:
        f, minor = place.field, self.view.minor
        plain = place.type.replace("const ", "").strip()

        def row(kind: str, other: int = 0) -> list[str]:
            return [f"{{{place.offset}, Kind::{kind}, Direction::k{f.direction.capitalize()}, {other}}}"]

        def count() -> int:
            return offsets[f.length_field]

        if plain.startswith("PJRT_Memory*") and minor < MEMORY_HEAD:
            return row("kMemories", count()) if f.length_field else row("kMemory")
        if plain == "PJRT_Error*" and minor < ERROR_HEAD:
            return row("kError")
        if plain in CALLBACKS and minor < ERROR_HEAD:
            return row(CALLBACKS[plain], place.offset + 8)
        if plain == "PJRT_Buffer_Type":
            return row("kBufferType")
        if plain == "PJRT_Buffer_Type*":
            return row("kBufferTypes", count())
        if plain == "PJRT_ProcessInfo*" and not self.view.has_head(self.structs["PJRT_ProcessInfo"]):
            return row("kHeadlessProcessInfos", count())
        if plain == "PJRT_ShapeSpec*":
            self.struct(self.structs["PJRT_ShapeSpec"])
            return row("kShapeSpecs", count())
        base = plain.removesuffix("*")
        if plain.endswith("*") and not base.endswith("*") and base in self.structs \
                and not self.structs[base].frozen and self.structs[base].head == "args" \
                and f.length_field is None:
            return row("kStruct", self.struct(self.structs[base]))
        return []


def _extension_size(entry: dict, minor: int) -> int:
    """How large the extension was at that minor; 0 before it existed."""
    sizes = [row["end"] for row in entry["size_history"] if row["minor"] <= minor]
    return sizes[-1] if sizes else 0


def tables(view: View, extensions: list[dict]) -> str:
    """The text of one frozen.cc."""
    emitter = _Emitter(view)
    functions = [f for f in view.registry.functions if view.has(f)]
    indices = [emitter.struct(emitter.structs[f.args]) for f in functions]
    known = {e["type"]: _extension_size(e, view.minor) for e in extensions if e["type"] is not None}
    shown = [f"{{{t}, {known[t]}}}" for t in EXTENSIONS if known.get(t)]
    shape_specs = emitter.emitted.get("PJRT_ShapeSpec", -1)
    names = ",\n    ".join(f'{{"{f.name}", {i}}}' for f, i in zip(functions, indices))
    rows = ",\n    ".join(emitter.rows)
    fields = "\n".join(emitter.lines)
    return f"""\
// Generated from api/registry and api/history by conformance/windows/windows.py. Do not edit.

#include "conformance/windows/frozen/revision.h"

namespace plinth::windows {{
namespace {{

{fields}

constexpr Struct kStructs[] = {{
    {rows}}};

constexpr Function kFunctions[] = {{
    {names}}};

constexpr Extension kExtensions[] = {{{', '.join(shown)}}};

}}  // namespace

const Revision kRevision = {{
    "{view.name}", {view.minor}, {emitter.largest_type}, {shape_specs}, kStructs,
    kFunctions, {len(functions)}, kExtensions, {len(shown)}}};

}}  // namespace plinth::windows
"""
