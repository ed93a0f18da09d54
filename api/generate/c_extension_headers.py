# SPDX-License-Identifier: Apache-2.0
"""Emits one header for each extension, the entry point's headers, and the forwarding headers."""

from __future__ import annotations

from c_text import (banner, callback_lines, comment, enum_lines, function_lines, handle_lines,
                    struct_lines)
from layout import Layouts
from registry import Module, Registry
from revisions import View


def _guard(header: str) -> str:
    return header.upper().replace(".", "_").replace("/", "_") + "_"


def _wrap(header: str, includes: list[str], body: list[str], linkage: bool = True) -> str:
    guard = _guard(header)
    lines = ["// Generated from api/registry by `python3 api/generate --write`. Do not edit.",
             "// clang-format off", "", f"#ifndef {guard}", f"#define {guard}", ""]
    lines += [f'#include "{name}"' for name in includes] + [""]
    if linkage:
        lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    lines += body
    if linkage:
        lines += ["", "#ifdef __cplusplus", "}", "#endif", ""]
    return "\n".join(lines + [f"#endif  // {guard}"]) + "\n"


def _extension(module: Module, view: View, layouts: Layouts) -> str:
    extension = module.extension
    lines = comment(module.doc)
    if "type" in extension:
        lines += comment(f"Extension {extension['type']}, {extension['type_name']}.")
    if extension.get("withdrawn"):
        lines += comment(f"Withdrawn in 0.{extension['withdrawn']}.")
    if "version_macro" in extension:
        lines += ["", f"#define {extension['version_macro']} {extension['version']}"]
    lines += banner("Types")
    for name in extension.get("uses", []):
        lines.append(f"typedef struct {name} {name};")
    for handle in module.handles:
        lines += handle_lines(handle)
    main = extension.get("struct")
    lines += [f"typedef struct {s.name} {s.name};" for s in module.structs
              if s.name != main and not s.function]
    lines += [f"typedef struct {s.name} {s.alias};" for s in module.structs
              if s.alias and s.name != main] + [""]
    for enum in module.enums:
        lines += enum_lines(enum, view)
    for callback in module.callbacks:
        lines += callback_lines(callback)
    args = {s.name: s for s in module.structs if s.function}
    for struct in module.structs:
        if not struct.function and struct.name != main:
            lines += struct_lines(struct, view, layouts)
    if module.functions:
        lines += banner("Functions")[1:]
    for function in module.functions:
        if function.args in args:  # Two functions may share one struct.
            lines += struct_lines(args.pop(function.args), view, layouts)
        lines += function_lines(function)
    if main:
        lines += banner("The extension")[1:]
        lines += struct_lines(next(s for s in module.structs if s.name == main), view, layouts)
    return _wrap(extension["header"], ["pjrt_c_api.h"] + extension.get("includes", []), lines[:-1])


def _entry_point(registry: Registry, header: str) -> str:
    entry = registry.entry_point
    lines = comment(f"{entry['doc']} [since 0.{entry['since']}]")
    lines.append(f"{entry['returns']} {entry['name']}(void);")
    return _wrap(header, ["pjrt_c_api.h"], lines)


def forwarding(path: str, header: str) -> str:
    up = "../" * path.count("/")
    return ("// Generated from api/registry by `python3 api/generate --write`. Do not edit.\n"
            "// Lets code that was written for upstream's include path compile unchanged.\n\n"
            f'#include "{up}{header}"  // IWYU pragma: export\n')


def headers(registry: Registry) -> dict[str, str]:
    """Every header beside pjrt_c_api.h, by its path below api/include."""
    view = View(registry)
    layouts = Layouts(view)
    files, forwards = {}, {"xla/pjrt/c/pjrt_c_api.h": "pjrt_c_api.h"}
    for module in registry.extensions:
        header = module.extension["header"]
        files[header] = _extension(module, view, layouts)
        forwards[module.extension["upstream_header"]] = header
    for header in registry.entry_point["headers"]:
        files[header] = _entry_point(registry, header)
        forwards[f"xla/pjrt/c/{header}"] = header
    files |= {path: forwarding(path, header) for path, header in forwards.items()}
    return files
