# SPDX-License-Identifier: Apache-2.0
"""Offsets and sizes of the registry's structs: x86-64 and AArch64, LP64."""

from __future__ import annotations

from dataclasses import dataclass

from registry import Field, Function, Struct
from revisions import View

PRIMITIVES = {
    "bool": 1, "char": 1, "int8_t": 1, "uint8_t": 1, "int32_t": 4, "uint32_t": 4, "int": 4,
    "float": 4, "double": 8, "int64_t": 8, "uint64_t": 8, "size_t": 8, "intptr_t": 8,
    "uintptr_t": 8,
}


@dataclass
class Place:
    name: str  # empty for an anonymous union
    type: str
    offset: int
    size: int
    field: Field | None  # None for struct_size, extension_start and base


@dataclass
class Layout:
    places: list[Place]
    align: int

    @property
    def end(self) -> int:
        """Where the last field ends: what upstream announces as X_STRUCT_SIZE."""
        return self.places[-1].offset + self.places[-1].size

    @property
    def sizeof(self) -> int:
        return (self.end + self.align - 1) // self.align * self.align


HEAD_FIELDS = {
    "args": [("struct_size", "size_t"), ("extension_start", "PJRT_Extension_Base*")],
    "sized": [("struct_size", "size_t")],
    "extension": [("base", "PJRT_Extension_Base")],
    "ffi_args": [("struct_size", "size_t"), ("extension_start", "XLA_FFI_InternalExtension*")],
    "ffi_extension": [("extension_base", "XLA_FFI_InternalExtension")],
    "none": [],
}


def split_member(member: str) -> tuple[str, str]:
    """`const char* name` as type and name."""
    type_name, name = member.rsplit(" ", 1)
    return type_name, name


class Layouts:
    """Computes layouts within one view; modules may add an extension's own structs."""

    def __init__(self, view: View) -> None:
        self.view = view
        modules = view.registry.modules + view.registry.extensions
        modules = modules + [library.module for library in view.registry.libraries]
        modules = modules + [table.module for table in view.registry.tables]
        self._aliases = {n: t for table in view.registry.tables for n, t in table.aliases.items()}
        self._structs = {s.name: s for m in modules for s in m.structs}
        self._structs |= {s.alias: s for m in modules for s in m.structs if s.alias}
        self._four_bytes = {e.name for m in modules for e in m.enums}
        self._eight_bytes = {c.name for m in modules for c in m.callbacks}
        self._cache: dict[str, Layout] = {}

    def _measure(self, type_name: str) -> tuple[int, int]:
        if type_name.endswith("]"):
            element, count = type_name[:-1].split("[")
            size, unit = self._measure(element)
            return size * int(count), unit
        if "*" in type_name:
            return 8, 8
        base = type_name.replace("const ", "").strip()
        base = self._aliases.get(base, base)
        if base in PRIMITIVES:
            return PRIMITIVES[base], PRIMITIVES[base]
        if base in self._four_bytes:
            return 4, 4
        if base in self._eight_bytes:
            return 8, 8
        layout = self.of(self._structs[base])
        return layout.sizeof, layout.align

    def of(self, struct: Struct) -> Layout:
        if struct.name in self._cache:
            return self._cache[struct.name]
        rows: list[tuple[str, str, Field | None]] = []
        if self.view.has_head(struct):
            rows += [(name, type_name, None) for name, type_name in HEAD_FIELDS[struct.head]]
        rows += [(f.name, self.view.field_type(f), f) for f in struct.fields if self.view.has(f)]
        places, offset, align = [], 0, 1
        for name, type_name, f in rows:
            if f is not None and f.members:
                measures = [self._measure(split_member(m)[0]) for m in f.members]
                size, unit = max(s for s, _ in measures), max(a for _, a in measures)
            else:
                size, unit = self._measure(type_name)
            offset = (offset + unit - 1) // unit * unit
            places.append(Place(name, type_name, offset, size, f))
            offset += size
            align = max(align, unit)
        layout = Layout(places, align)
        self._cache[struct.name] = layout
        return layout

    def size_of(self, type_name: str) -> int:
        return self._measure(type_name)[0]

    # PJRT_Api begins like a struct of arguments; then come the version and the slots.
    chain = 8

    def slot(self, function: Function) -> int:
        """Offset of a function of the core in PJRT_Api."""
        return 16 + self.of(self._structs["PJRT_Api_Version"]).sizeof + 8 * function.slot

    def minimum_size(self, struct: Struct) -> int:
        """The smallest struct_size that reaches every required field."""
        layout = self.of(struct)
        ends = [p.offset + p.size for p in layout.places if p.field is None or p.field.required]
        size = max(ends, default=layout.end)
        announced = [r["size"] for r in struct.announced_sizes
                     if not r.get("ambiguous") and r["means"] >= size]
        return min([size] + announced)
