# SPDX-License-Identifier: Apache-2.0
"""Emits argument_checks.inc and extension_tables.inc: what the SDK's entries check and fill in."""

from __future__ import annotations

from layout import Layouts
from registry import Enum, Field, Function, Module, Registry, Struct
from revisions import View

CHECKS = """\
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off
//
// What a callee checks of its arguments before it looks at them, function by function, in the
// order of the fields. Define those you want, include this file, and it undefines them again.
// Functions of extensions are there for those whose PLINTH_WITH_<type> is defined.
//
//   PLINTH_PJRT_CHECKS_BEGIN(function), PLINTH_PJRT_CHECKS_END(function)
//   PLINTH_PJRT_CHECK_HANDLE(field)            a handle, never null
//   PLINTH_PJRT_CHECK_POINTER(field)           never null
//   PLINTH_PJRT_CHECK_STRUCT(field)            the same, of a struct that carries its struct_size
//   PLINTH_PJRT_CHECK_ARRAY(field, length)     null only if the length is zero
//   PLINTH_PJRT_CHECK_LATER_ARRAY(field, length)  the same; struct_size may not reach it
//   PLINTH_PJRT_CHECK_ENUM(field, name, first, last)  a value of the enum
//
// Without a check: what Destroy functions take, and what may be null if other arguments say so.
"""

CHECK_MACROS = {
    "PLINTH_PJRT_CHECKS_BEGIN": "function", "PLINTH_PJRT_CHECKS_END": "function",
    "PLINTH_PJRT_CHECK_HANDLE": "field", "PLINTH_PJRT_CHECK_POINTER": "field",
    "PLINTH_PJRT_CHECK_STRUCT": "field", "PLINTH_PJRT_CHECK_ARRAY": "field, length",
    "PLINTH_PJRT_CHECK_LATER_ARRAY": "field, length",
    "PLINTH_PJRT_CHECK_ENUM": "field, name, first, last",
}

EXTENSIONS = """\
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off
//
// The extensions that are tables of functions, each if PLINTH_WITH_<type> is defined. Define the
// macros you want, include this file, and it undefines them again, but not PLINTH_WITH_<type>.
//
//   PLINTH_PJRT_EXTENSION(node, type)      the struct, and its PJRT_Extension_Type
//   PLINTH_PJRT_EXTENSION_FUNCTION(node, slot, function, since, minimum_struct_size)
//     minimum_struct_size: the smallest struct_size of function##_Args that a callee accepts
"""

EXTENSION_MACROS = {"PLINTH_PJRT_EXTENSION": "node, type",
                    "PLINTH_PJRT_EXTENSION_FUNCTION":
                        "node, slot, function, since, minimum_struct_size"}


def _macros(macros: dict[str, str]) -> list[str]:
    lines = []
    for macro, parameters in macros.items():
        lines += [f"#ifndef {macro}", f"#define {macro}({parameters})", "#endif"]
    return lines + [""]


def _condition(module: Module) -> str:
    return f"PLINTH_WITH_{module.extension['type_name'].removeprefix('PJRT_Extension_Type_')}"


def _tables(registry: Registry) -> list[Module]:
    return [m for m in registry.extensions if "type" in m.extension]


class _Checks:
    def __init__(self, registry: Registry) -> None:
        modules = registry.modules + registry.extensions
        self.structs = {s.name: s for m in modules for s in m.structs}
        self.structs |= {s.alias: s for m in modules for s in m.structs if s.alias}
        self.handles = {h.name for m in modules for h in m.handles}
        self.enums = {e.name: e for m in modules for e in m.enums}
        self.callbacks = {c.name for m in modules for c in m.callbacks}

    def _enum(self, field: Field, enum: Enum) -> str:
        values = sorted(v.value for v in enum.values)
        if values != list(range(values[0], values[-1] + 1)):
            raise ValueError(f"{enum.name} has gaps; a range cannot check it")
        return f"PLINTH_PJRT_CHECK_ENUM({field.name}, {enum.name}, {values[0]}, {values[-1]})"

    def _field(self, struct: Struct, field: Field) -> str | None:
        if field.direction == "out" or not field.name or field.array:
            return None
        base = field.type.replace("const", "").replace(" ", "")
        name, depth = base.rstrip("*"), base.count("*")
        if base in self.enums and self.enums[base].bits:
            return None
        if base in self.enums:
            return self._enum(field, self.enums[base])
        is_pointer = depth > 0 or "(*)" in base or name in self.callbacks
        if not is_pointer:
            return None
        if field.length_field:
            # What the caller gives room for may be null to ask for the size, and lists of lists
            # where the inner ones are empty.
            if field.inner_length_field or (field.direction == "inout" and
                                            (field.nullable or depth > 1)):
                return None
            later = "" if field.required else "LATER_"
            return f"PLINTH_PJRT_CHECK_{later}ARRAY({field.name}, {field.length_field})"
        if field.nullable or not field.required:
            return None
        if name in self.handles and depth == 1:
            return f"PLINTH_PJRT_CHECK_HANDLE({field.name})"
        target = self.structs.get(name)
        kind = "STRUCT" if target and target.head in ("args", "sized") else "POINTER"
        return f"PLINTH_PJRT_CHECK_{kind}({field.name})"

    def of(self, function: Function) -> list[str]:
        # Freeing nothing is fine, and PJRT_Error_Message returns no error.
        if function.threads == "exclusive" or function.returns != "PJRT_Error*":
            return []
        struct = self.structs[function.args]
        checks = [c for c in (self._field(struct, f) for f in struct.fields) if c]
        if not checks:
            return []
        return ([f"PLINTH_PJRT_CHECKS_BEGIN({function.name})"] + [f"  {c}" for c in checks]
                + [f"PLINTH_PJRT_CHECKS_END({function.name})"])


def checks(registry: Registry) -> str:
    maker = _Checks(registry)
    lines = [CHECKS] + _macros(CHECK_MACROS)
    for function in registry.functions:
        lines += maker.of(function)
    for module in _tables(registry):
        rows = [row for function in module.functions for row in maker.of(function)]
        if rows:
            lines += ["", f"#ifdef {_condition(module)}"] + rows + ["#endif"]
    return "\n".join(lines + [""] + [f"#undef {macro}" for macro in CHECK_MACROS]) + "\n"


def extensions(registry: Registry) -> str:
    layouts = Layouts(View(registry))
    lines = [EXTENSIONS] + _macros(EXTENSION_MACROS)
    for module in _tables(registry):
        node = next(s for s in module.structs if s.name == module.extension["struct"])
        structs = {s.name: s for s in module.structs}
        functions = {f.name: f for f in module.functions}
        lines += [f"#ifdef {_condition(module)}",
                  f"PLINTH_PJRT_EXTENSION({node.name}, {module.extension['type_name']})"]
        for field in node.fields:
            function = functions.get(field.type.removesuffix("*"))
            if field.absent and function and function.args in structs:
                lines.append(f"PLINTH_PJRT_EXTENSION_FUNCTION({node.name}, {field.name}, "
                             f"{function.name}, {function.since}, "
                             f"{layouts.minimum_size(structs[function.args])})")
        lines += ["#endif", ""]
    return "\n".join(lines + [f"#undef {macro}" for macro in EXTENSION_MACROS]) + "\n"
