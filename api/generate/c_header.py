# SPDX-License-Identifier: Apache-2.0
"""Emits pjrt_c_api.h, as it is now or as it was at a past revision."""

from __future__ import annotations

from c_text import (banner, callback_lines, comment, enum_lines, function_lines, handle_lines,
                    struct_lines)
from layout import Layouts
from registry import Registry
from revisions import View

PROLOGUE = """\
// Generated from api/registry by `python3 api/generate{command}`. Do not edit.
// clang-format off
//
// The PJRT C API, {revision}. Names and layout are those of the API that frameworks and plugins speak;
// the text is generated from the registry, where every promise has its number.
//
// Rules for everything: an argument struct begins with struct_size, set by the caller to
// X_STRUCT_SIZE; the callee reads and writes a field only if struct_size reaches its end. Extensions
// hang on extension_start; unknown ones are skipped. Null is success; whoever receives a
// PJRT_Error frees it. Any function may be called from any thread; only freeing a handle excludes other
// uses of it. In brackets: direction, the minor that brought it, and what else the registry knows.

#ifndef {guard}
#define {guard}

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where the last field of a struct ends: what goes into struct_size. Tail padding is not counted.
#define PJRT_STRUCT_SIZE(struct_type, last_field) \\
  (offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field))

// Names a struct's type and its X_STRUCT_SIZE. Extensions use it too.
#define PJRT_DEFINE_STRUCT_TRAITS(sname, last_field) \\
  typedef struct sname sname;                        \\
  enum {{ sname##_STRUCT_SIZE = PJRT_STRUCT_SIZE(sname, last_field) }}

// A slot of a function table: a pointer called as its function type. C++ wants the type qualified.
#ifdef __cplusplus
#define PJRT_API_SLOT(function_type) ::function_type* function_type
#else
#define PJRT_API_SLOT(function_type) function_type* function_type
#endif

// Kept for code that was written for upstream's header.
#define PJRT_NO_DISCARD

#ifdef __cplusplus
extern "C" {{
#endif

// Raised when the layout breaks; it never was.
#define PJRT_API_MAJOR {major}

// Raised when something is added.
#define PJRT_API_MINOR {minor}
"""

EPILOGUE = """
#ifdef __cplusplus
}}
#endif

#endif  // {guard}
"""

GUARD = "PJRT_C_API_H_"


def _forward(view: View, registry: Registry) -> list[str]:
    lines = banner("Handles")
    handles = [h for h in registry.handles if view.has(h)]
    for handle in handles:
        lines += handle_lines(handle)
    lines += ["", "// Structs that are named before they are defined."]
    known = {h.name for h in handles}
    lines += [f"typedef struct {s.name} {s.name};" for s in registry.structs
              if view.has(s) and not s.function and s.name not in known]
    return lines


def _table(view: View, registry: Registry) -> list[str]:
    lines = banner("The table")
    lines += comment("What GetPjrtApi returns. The table only grows; how far it goes, struct_size says.")
    lines += ["typedef struct PJRT_Api {", "  size_t struct_size;",
              "  PJRT_Extension_Base* extension_start;", "  PJRT_Api_Version pjrt_api_version;", ""]
    functions = [f for f in registry.functions if view.has(f)]
    for f in functions:
        lines.append(f"  PJRT_API_SLOT({f.name});  // {f.slot}, since 0.{f.since}")
    lines += ["} PJRT_Api;", "", "enum {",
              f"  PJRT_Api_STRUCT_SIZE = PJRT_STRUCT_SIZE(PJRT_Api, {functions[-1].name})", "};"]
    return lines


def header(view: View) -> str:
    registry = view.registry
    layouts = Layouts(view)
    command = " --write" if view.revision is None else f" --header {view.name}"
    lines = PROLOGUE.format(command=command, revision=view.name, guard=GUARD,
                            major=registry.version["major"], minor=view.minor).splitlines()
    lines += _forward(view, registry)
    for module in registry.modules:
        section: list[str] = []
        for enum in module.enums:
            section += enum_lines(enum, view)
        for callback in module.callbacks:
            if view.has(callback) and not callback.of_field:
                section += callback_lines(callback)
        args = {s.name: s for s in module.structs if s.function}
        for struct in module.structs:
            if not struct.function and view.has(struct) and layouts.of(struct).places:
                section += struct_lines(struct, view, layouts)
        for function in sorted(module.functions, key=lambda f: f.slot):
            if view.has(function):
                section += struct_lines(args[function.args], view, layouts)
                section += function_lines(function)
        if section:
            lines += banner(module.title) + comment(module.doc) + [""] + section[:-1]
    lines += _table(view, registry)
    return "\n".join(lines) + EPILOGUE.format(guard=GUARD)
