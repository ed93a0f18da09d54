# SPDX-License-Identifier: Apache-2.0
"""Emits the headers of our own libraries: exported functions, without a table."""

from __future__ import annotations

from c_text import (banner, callback_lines, comment, declare, enum_lines, handle_lines, signature,
                    since, struct_lines)
from layout import Layouts
from registry import Export, Library, Registry
from revisions import View

PROLOGUE = """\
// Generated from api/registry/{path} by `python3 api/generate --write`. Do not edit.
// clang-format off
//
{about}
//
// Rules for everything: C11 and C++17. Structs begin with struct_size, set by whoever fills the struct
// to X_STRUCT_SIZE; the other side reads a field only if struct_size reaches its end, and takes the
// default for the rest. Null is success; whoever receives a status frees it. Texts are UTF-8 and
// NUL-terminated. Any function may be called from any thread; only freeing a handle excludes other uses of
// it. Nothing throws, aborts, exits or writes to standard error.

#ifndef {guard}
#define {guard}

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

{includes}

// Linked dynamically; define it as empty before the first include to link statically.
#ifndef PLINTH_EXPORT
#define PLINTH_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {{
#endif
"""

EPILOGUE = """
#ifdef __cplusplus
}}
#endif

#endif  // {guard}
"""


def _export_lines(export: Export) -> list[str]:
    notes = [since(export)]
    if export.threads != "any":
        notes.append("no other use of the handle during the call")
    lines = comment(f"{export.doc} [{', '.join(notes)}]")
    for p in export.parameters:
        lines += comment(f"{p['name']}: {p['doc']}")
    for e in export.errors:
        lines += comment(f"{e['code']}: {e['doc']}")
    parameters = ", ".join(declare(p["type"], p["name"]) for p in export.parameters)
    return lines + signature(f"PLINTH_EXPORT {export.returns} {export.name}", parameters or "void") + [""]


def header(library: Library) -> str:
    """The text of one library's header."""
    module = library.module
    view = View(Registry([module], [], {"declared_minor": library.minor}, {}, []))
    layouts = Layouts(view)
    guard = library.header.upper().replace(".", "_").replace("/", "_") + "_"
    lines = PROLOGUE.format(
        path=module.path, about="\n".join(comment(f"{module.title}: {module.doc}")), guard=guard,
        includes="\n".join(f'#include "{name}"' for name in library.includes)).splitlines()
    lines += banner("Types")
    for handle in module.handles:
        lines += handle_lines(handle)
    lines.append("")
    for enum in module.enums:
        lines += enum_lines(enum, view)
    for struct in module.structs:
        if any(struct.name in p["type"] for c in module.callbacks for p in c.parameters):
            lines += [f"typedef struct {struct.name} {struct.name};", ""]
    for callback in module.callbacks:
        lines += callback_lines(callback)
    for struct in module.structs:
        lines += struct_lines(struct, view, layouts)
    lines += banner("Functions")[1:]
    for export in library.exports:
        lines += _export_lines(export)
    return "\n".join(lines[:-1]) + "\n" + EPILOGUE.format(guard=guard)
