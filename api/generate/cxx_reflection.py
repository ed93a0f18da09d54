# SPDX-License-Identifier: Apache-2.0
"""Emits the registry as constant C++ arrays: reflection_names.h (ids) and reflection_tables.inc (rows)."""

from __future__ import annotations

import re

from layout import PRIMITIVES, Layouts
from registry import Field, Function, Registry, Struct
from revisions import Revision, View

INTRO = """\
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off
"""

# What a struct or a function needs of its field's C type: base, pointer depth, element size.
BASES = {"void": "kVoid", "char": "kChar", "bool": "kBool", "float": "kFloat", "double": "kFloat"}


class _Strings:
    """All texts in one array, so that the tables hold numbers and need no relocations."""

    def __init__(self) -> None:
        self._offsets: dict[str, int] = {}
        self._size = 1  # offset 0 means null

    def __call__(self, value: str | None) -> str:
        if value is None:
            return "{0}"
        value = value.replace("\n", " ")
        if value not in self._offsets:
            self._offsets[value] = self._size
            self._size += len(value.encode()) + 1
        return f"{{{self._offsets[value]}}}"

    def rows(self) -> list[str]:
        def quoted(text: str) -> str:
            return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '\\0"'
        return ['  "\\0"'] + [f"  {quoted(text)}" for text in self._offsets]


class Reflection:
    """The rows of every table, with the indices that tie them together."""

    def __init__(self, registry: Registry, history: list[Revision]) -> None:
        self.registry = registry
        self.layouts = Layouts(View(registry))
        self.views = [View(registry, history, r) for r in history
                      if r.minor >= registry.version["oldest_minor"]]
        self.modules = registry.modules + registry.extensions
        self.structs = [s for m in self.modules for s in m.structs]
        self.struct_index = {s.name: i for i, s in enumerate(self.structs)}
        self.struct_index |= {s.alias: i for i, s in enumerate(self.structs) if s.alias}
        self.handles = sorted({h.name for m in self.modules for h in m.handles})
        self.handle_index = {h: i for i, h in enumerate(self.handles)}
        self.enums = [e for m in self.modules for e in m.enums]
        self.enum_index = {e.name: i for i, e in enumerate(self.enums)}
        self.bits = {e.name for e in self.enums if e.bits}
        self.callbacks = {c.name for m in self.modules for c in m.callbacks}
        self.tables = [m for m in registry.extensions if "type" in m.extension]
        self.functions = self._functions()
        self.function_index = {name: i for i, (name, *_) in enumerate(self.functions)}
        self.requirements: list[dict] = []
        self.text = _Strings()

    def _functions(self) -> list[tuple[str, Function, int, int]]:
        """Name, entry, index of the table (-1: the core) and offset of the slot in it."""
        rows = [(f.name, f, -1, self.layouts.slot(f)) for f in self.registry.functions]
        for number, m in enumerate(self.tables):
            entries = {f.name: f for f in m.functions}
            struct = next(s for s in m.structs if s.name == m.extension["struct"])
            for place in self.layouts.of(struct).places:
                target = place.type.removesuffix("*")
                if place.field is not None and place.field.absent and target in entries:
                    rows.append((target, entries[target], number, place.offset))
        return rows

    def _type(self, type_name: str) -> tuple[str, int, int, int]:
        """Base, index of what it names, pointer depth, and bytes of one element."""
        if "(*)" in type_name:
            return "kCallback", -1, 0, 8
        name = re.sub(r"\bconst\b", "", type_name).replace(" ", "")
        name = name.split("[")[0]  # An array is of what its element is.
        depth = name.count("*")
        base = name.replace("*", "")
        if base in self.callbacks:
            return "kCallback", -1, depth, 8
        if base in self.function_index:
            return "kSlot", self.function_index[base], 0, 8
        if base in self.handle_index:
            return "kHandle", self.handle_index[base], depth - 1, 8
        if base in self.bits:
            return "kUnsigned", -1, depth, 4
        if base in self.enum_index:
            return "kEnum", self.enum_index[base], depth, 4
        if base in self.struct_index:
            size = self.layouts.of(self.structs[self.struct_index[base]]).sizeof
            return "kStruct", self.struct_index[base], depth, size
        if base in BASES:
            return BASES[base], -1, depth, PRIMITIVES.get(base, 1)
        if base in PRIMITIVES:
            return "kUnsigned" if base.startswith(("u", "size")) else "kInteger", -1, depth, PRIMITIVES[base]
        return "kVoid", -1, depth, 8  # a type that only the extension's own header knows

    def _safe_since(self, entry, struct: Struct) -> int:
        safe = entry.since
        for view in self.views:
            if view.minor >= safe and not (view.has(struct) and view.has(entry)):
                safe = view.minor + 1
            if view.minor >= safe and struct.head_since_revision and not view.has_head(struct):
                safe = view.minor + 1
        return safe

    def _field(self, struct: Struct, place, names: list[str], in_core: bool) -> str:
        f: Field | None = place.field
        if f is None:
            base = {"struct_size": "kStructSize", "extension_start": "kExtensionChain",
                    "base": "kExtensionNode"}[place.name]
            since, safe = struct.since, self._safe_since(struct, struct) if in_core else struct.since
            return (f"{{{self.text(place.name)}, {self.text(place.type)}, {place.offset}, {place.size}, Base::{base}, -1, 0, 0, "
                    f"Direction::kIn, true, IfUnknown::kNone, {'true' if base == 'kExtensionChain' else 'false'}, Owner::kNone, -1, -1, "
                    f"{since}, {safe}, 0, false, false, {{0}}}}")
        name = f.name or f.members[0].rsplit(" ", 1)[1]
        if f.members:
            base, target, depth, element = "kUnion", -1, 0, place.size
        else:
            base, target, depth, element = self._type(f.type)
        if f.absent and base != "kSlot":
            base = "kSlot"
        number = lambda n: names.index(n) if n in names else -1
        safe = self._safe_since(f, struct) if in_core else f.since
        only_with = sum(1 << names.index(n) for n in f.only_with)
        return (f"{{{self.text(name)}, {self.text(f.type)}, {place.offset}, {place.size}, Base::{base}, {target}, {depth}, {element}, "
                f"Direction::k{f.direction.capitalize()}, {str(f.required).lower()}, "
                f"IfUnknown::k{(f.if_unknown or 'none').capitalize()}, {str(f.nullable).lower()}, "
                f"Owner::k{(f.owner or 'none').capitalize()}, {number(f.length_field)}, {number(f.inner_length_field)}, "
                f"{f.since}, {safe}, {only_with}, {str(f.array).lower()}, {str(f.shown).lower()}, {self.text(f.lifetime)}}}")

    def _rows_of_structs(self) -> tuple[list[str], list[str]]:
        fields, rows = [], []
        core = {s.name for m in self.registry.modules for s in m.structs}
        by_args = {}
        for i, (_, function, _, _) in enumerate(self.functions):
            by_args.setdefault(function.args, i)
        for s in self.structs:
            layout = self.layouts.of(s)
            names = [p.name or p.field.members[0].rsplit(" ", 1)[1] for p in layout.places]
            first = len(fields)
            fields += [self._field(s, p, names, s.name in core) for p in layout.places]
            carries = s.head in ("args", "sized") or s.name == "PJRT_Extension_Base"
            function = by_args.get(s.name, by_args.get(s.alias, -1) if s.alias else -1)
            rows.append(f"{{{self.text(s.name)}, {first}, {len(layout.places)}, {layout.end}, {layout.sizeof}, "
                        f"{self.layouts.minimum_size(s)}, {s.since}, {str(carries).lower()}, "
                        f"{str(s.frozen).lower()}, {function}}}")
        return fields, rows

    def _rows_of_functions(self) -> list[str]:
        rows = []
        for name, f, table, offset in self.functions:
            first = len(self.registry.requirements) + len(self.requirements)
            self.requirements += [dict(r, function=self.function_index[name]) for r in f.requirements]
            slot = f.slot if table < 0 else (offset - 24) // 8
            args = self.struct_index.get(f.args, -1)
            fields = ([p.name or p.field.members[0].rsplit(" ", 1)[1]
                       for p in self.layouts.of(self.structs[args]).places] if args >= 0 else [])
            number = lambda n: fields.index(n) if n else -1
            returns = {"PJRT_Error*": "kError", "void": "kNothing"}.get(f.returns, "kOther")
            rows.append(f"{{{self.text(name)}, {slot}, {table}, {offset}, {args}, {f.since}, "
                        f"Absent::k{f.absent.capitalize()}, Threads::k{f.threads.capitalize()}, "
                        f"Returns::{returns}, Answer::k{(f.answer or 'other').capitalize()}, {str(f.allocates).lower()}, "
                        f"{str(f.before_initialize).lower()}, {number(f.opens)}, {number(f.closes)}, "
                        f"{str(f.provides or bool(f.closes)).lower()}, {first}, {len(f.requirements)}, {self.text(f.doc)}}}")
        return rows

    def ids(self) -> str:
        """reflection_names.h: the indices of functions, structs, handles and enums by name."""
        def enum(name: str, entries: list[str]) -> list[str]:
            return ([f"enum {name} : int16_t {{"] + [f"  k{e} = {i}," for i, e in enumerate(entries)]
                    + ["};", ""])
        lines = [INTRO, "#ifndef PLINTH_REFLECTION_REFLECTION_NAMES_H_",
                 "#define PLINTH_REFLECTION_REFLECTION_NAMES_H_", "", "#include <cstdint>", "",
                 "// Indices into the tables of reflection.h.", "namespace plinth::reflection {", ""]
        for space, names in (("function", [name for name, *_ in self.functions]),
                             ("structure", [s.name for s in self.structs]),
                             ("handle", self.handles),
                             ("enumeration", [e.name for e in self.enums])):
            lines += [f"namespace {space} {{"] + enum("Id", names) + [f"}}  // namespace {space}", ""]
        lines += [f"inline constexpr int kFunctionCount = {len(self.functions)};",
                  f"inline constexpr int kStructCount = {len(self.structs)};",
                  f"inline constexpr int kHandleCount = {len(self.handles)};",
                  f"inline constexpr int kEnumCount = {len(self.enums)};",
                  f"inline constexpr int kTableCount = {len(self.tables)};", "",
                  "}  // namespace plinth::reflection", "",
                  "#endif  // PLINTH_REFLECTION_REFLECTION_NAMES_H_"]
        return "\n".join(lines) + "\n"

    def tables_text(self) -> str:
        """reflection_tables.inc: the rows, included once by reflection.cc."""
        functions = self._rows_of_functions()
        fields, structs = self._rows_of_structs()
        values, enums = [], []
        for e in self.enums:
            enums.append(f"{{{self.text(e.name)}, {len(values)}, {len(e.values)}, IfUnknown::k{e.if_unknown.capitalize()}}}")
            values += [f"{{{self.text(v.name)}, {v.value}, {v.since}}}" for v in e.values]
        tables = []
        for m in self.tables:
            struct = self.struct_index[m.extension["struct"]]
            tables.append(f"{{{self.text(m.extension['struct'])}, {m.extension['type']}, {m.extension['version']}, {struct}}}")
        requirements = self.registry.requirements + self.requirements
        rows = [f"{{{self.text(r['id'])}, {self.text(r['text'])}, RequirementClass::k{r['class'].capitalize()}, "
                f"{r.get('function', -1)}}}" for r in requirements]
        handles = ["constexpr Text kHandles[] = {"] + [f"  {self.text(h)}," for h in self.handles] + ["};", ""]
        parts = [INTRO, "const char kStrings[] ="] + self.text.rows() + [";", ""]
        for type_name, name, entries in (
                ("Function", "kFunctions", functions), ("Struct", "kStructs", structs),
                ("Field", "kFields", fields), ("Enum", "kEnums", enums),
                ("EnumValue", "kEnumValues", values), ("Table", "kTables", tables),
                ("Requirement", "kRequirements", rows)):
            parts += [f"constexpr {type_name} {name}[] = {{"] + [f"  {e}," for e in entries] + ["};", ""]
        parts += handles
        return "\n".join(parts)
