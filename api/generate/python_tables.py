# SPDX-License-Identifier: Apache-2.0
"""Emits python/pjrt_abi.py: what Python calls of the C API, as ctypes structs and places of slots."""

from __future__ import annotations

from layout import Layouts
from registry import Registry, Struct
from revisions import View

# What Python of ours calls, and the structs that it reads beside their arguments.
FUNCTIONS = ("PJRT_Error_Destroy", "PJRT_Error_Message", "PJRT_Gpu_Register_Custom_Call",
             "PJRT_FFI_Type_Register", "PJRT_FFI_Register_Handler")
STRUCTS = ("PJRT_Extension_Base", "PJRT_FFI_Type_Info", "XLA_FFI_TypeInfo")

INTRO = '''\
"""The PJRT C API as far as Python calls it. STRUCT_SIZE is what a caller announces."""
# Generated from api/registry by `python3 api/generate --write`. Do not edit.

import ctypes
from typing import NamedTuple, Optional


class Function(NamedTuple):
    """Where a function pointer lies: in the node of an extension, or in PJRT_Api itself."""

    extension: Optional[int]  # PJRT_Extension_Type
    offset: int
    args: type


EXTENSION_START = {chain}  # of PJRT_Api
'''

NUMBERS = {"bool": "c_bool", "char": "c_char", "int8_t": "c_int8", "uint8_t": "c_uint8",
           "int32_t": "c_int32", "uint32_t": "c_uint32", "int": "c_int", "float": "c_float",
           "double": "c_double", "int64_t": "c_int64", "uint64_t": "c_uint64",
           "size_t": "c_size_t", "intptr_t": "c_ssize_t", "uintptr_t": "c_size_t"}


def _ctype(place, enums: set[str]) -> str:
    if "*" in place.type:
        is_text = place.type == "const char*" and place.field and place.field.direction == "in"
        return "c_char_p" if is_text else "c_void_p"
    return NUMBERS["int" if place.type in enums else place.type]


def _class(struct: Struct, layouts: Layouts, enums: set[str]) -> list[str]:
    layout = layouts.of(struct)
    return ["", "", f"class {struct.name}(ctypes.Structure):", f"    STRUCT_SIZE = {layout.end}",
            "    _fields_ = ["] + [
        f'        ("{p.name}", ctypes.{_ctype(p, enums)}),' for p in layout.places] + ["    ]"]


def module(registry: Registry) -> str:
    layouts = Layouts(View(registry))
    modules = (registry.modules + registry.extensions + [t.module for t in registry.tables])
    structs = {s.name: s for m in modules for s in m.structs}
    enums = {e.name for m in modules for e in m.enums}
    core = {f.name: layouts.slot(f) for f in registry.functions}
    lines = [INTRO.replace("{chain}", str(layouts.chain)).rstrip("\n")]
    functions = []
    for m in modules:
        for f in m.functions:
            if f.name not in FUNCTIONS:
                continue
            extension, offset = None, core.get(f.name)
            if offset is None:
                extension = m.extension["type"]
                node = layouts.of(structs[m.extension["struct"]])
                offset = next(p.offset for p in node.places if p.type == f"{f.name}*")
            functions.append(f"{f.name} = Function({extension}, {offset}, {f.args})")
    for name in STRUCTS + tuple(f"{name}_Args" for name in FUNCTIONS):
        lines += _class(structs[name], layouts, enums)
    return "\n".join(lines + ["", ""] + functions) + "\n"
