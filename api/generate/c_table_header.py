# SPDX-License-Identifier: Apache-2.0
"""Emits the headers of function tables beside PJRT's: the XLA FFI C API."""

from __future__ import annotations

from c_extension_headers import forwarding
from c_text import (banner, callback_lines, comment, enum_lines, function_lines, handle_lines,
                    struct_lines)
from layout import Layouts
from registry import Registry, Table
from revisions import View

PROLOGUE = """\
// Generated from api/registry/{path} by `python3 api/generate --write`. Do not edit.
// clang-format off
//
// The {title}, {major}.{minor}: {doc}
// Names and layout are those that published handlers speak; the text is generated from the registry.
// "since 0.{oldest}" means that 0.{oldest}, the oldest revision recorded, has it.
//
// A struct begins with struct_size, set by whoever fills it to X_STRUCT_SIZE; the other side reads and
// writes a field only if struct_size reaches its end. Null is success; whoever receives an error
// destroys it.

#ifndef {guard}
#define {guard}

#include <stddef.h>
#include <stdint.h>

// Where a field of a struct ends; X_STRUCT_SIZE names it for the last one.
#define {prefix}_STRUCT_SIZE(struct_type, last_field) \\
  (offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field))
#define {prefix}_DEFINE_STRUCT_TRAITS(sname, last_field) \\
  typedef struct sname sname;                            \\
  enum {{ sname##_STRUCT_SIZE = {prefix}_STRUCT_SIZE(sname, last_field) }}

// A slot of a function table: a pointer called as its function type. C++ wants the type qualified.
#ifdef __cplusplus
#define {prefix}_API_SLOT(function_type) ::function_type* function_type
#else
#define {prefix}_API_SLOT(function_type) function_type* function_type
#endif

#ifdef __cplusplus
extern "C" {{
#endif

// Raised when the layout breaks.
#define {prefix}_API_MAJOR {major}

// Raised when something is added.
#define {prefix}_API_MINOR {minor}

// The id of no type yet. A C++ expression.
#define {prefix}_UNKNOWN_TYPE_ID {prefix}_TypeId{{0}}
"""

EPILOGUE = """
#ifdef __cplusplus
}}
#endif

#endif  // {guard}
"""


def _table_lines(table: Table, prefix: str) -> list[str]:
    lines = [f"struct {table.struct} {{", "  size_t struct_size;",
             f"  {prefix}_InternalExtension* extension_start;", f"  {prefix}_Api_Version api_version;",
             f"  const {prefix}_InternalApi* internal_api;", ""]
    functions = sorted(table.module.functions, key=lambda f: f.slot)
    lines += [f"  {prefix}_API_SLOT({f.name});  // {f.slot}" for f in functions]
    lines += ["};", f"{prefix}_DEFINE_STRUCT_TRAITS({table.struct}, {functions[-1].name});", ""]
    return lines


def _former_name_lines(table: Table) -> list[str]:
    """Macros, because the name of a slot is that of its function."""
    functions = {f.name for f in table.module.functions}
    structs = {s.name for s in table.module.structs if s.head != "none" or not s.frozen}
    lines = []
    for former in table.former_names:
        name, now = former["name"], former["now"]
        suffixes = [""]
        if now in functions:
            suffixes += ["_Args", "_Args_STRUCT_SIZE"]
        elif now in structs:
            suffixes += ["_STRUCT_SIZE"]
        lines += [f"#define {name}{suffix} {now}{suffix}" for suffix in suffixes]
    if lines:
        last = max(former["until"] for former in table.former_names)
        lines = comment(f"Names that things had up to {table.major}.{last}.") + lines + [""]
    return lines


def _header(table: Table) -> str:
    module = table.module
    prefix = table.struct.removesuffix("_Api")
    view = View(Registry([], [], {"declared_minor": table.minor}, {}, [], [], [table]))
    layouts = Layouts(view)
    guard = table.header.upper().replace(".", "_").replace("/", "_") + "_"
    lines = PROLOGUE.format(path=module.path, title=module.title, doc=module.doc, guard=guard,
                            prefix=prefix, major=table.major, minor=table.minor,
                            oldest=min(row.since for row in table.rows)).splitlines()
    lines += banner("Names")
    lines += _former_name_lines(table)
    lines.append(f"typedef struct {table.struct} {table.struct};")
    for handle in module.handles:
        lines += handle_lines(handle)
    lines += [f"typedef struct {s.name} {s.name};" for s in module.structs if not s.function]
    lines += banner("Types")
    for enum in module.enums:
        lines += enum_lines(enum, view)
    for name, integer in table.aliases.items():
        lines += comment("Bits of the enum of that name.") + [f"typedef {integer} {name};", ""]
    for callback in module.callbacks:
        if not callback.of_field:
            lines += callback_lines(callback)
    for struct in module.structs:
        if not struct.function:
            lines += struct_lines(struct, view, layouts)
    lines += banner("Functions")[1:]
    args = {s.function: s for s in module.structs if s.function}
    for function in sorted(module.functions, key=lambda f: f.slot):
        lines += struct_lines(args[function.name], view, layouts) + function_lines(function)
    lines += banner("The table")[1:]
    lines += comment("What a call frame carries. It only grows; how far it goes, struct_size says.")
    lines += _table_lines(table, prefix)
    lines += comment("Where a runtime exports it; handlers get it with every call frame.")
    lines.append(f"const {table.struct}* {table.entry_point}(void);")
    text = "\n".join(lines) + "\n" + EPILOGUE.format(guard=guard)
    return text.replace("PJRT_DEFINE_STRUCT_TRAITS", f"{prefix}_DEFINE_STRUCT_TRAITS")


def headers(table: Table) -> dict[str, str]:
    """The header and the one at upstream's path, by their paths below api/include."""
    return {table.header: _header(table),
            table.upstream_header: forwarding(table.upstream_header, table.header)}
