# SPDX-License-Identifier: Apache-2.0
"""Turns a layout of the history into C that compiles only against a header with that layout.

It reads nothing of the registry: what it asserts is independent of what made the header.
"""

from __future__ import annotations


# Types of C++ in upstream's extension headers, and what they are.
CXX_TYPES = {"xla::GlobalDeviceId": "int32_t", "xla::CrossHostTransferKey": "int64_t"}
# They, and old-style C.
_IN_C = CXX_TYPES | {"(*)()": "(*)(void)"}


def _assert(condition: str) -> str:
    return f'CHECK({condition}, "{condition}");'


def _same_type(name: str, expected: str, actual: str) -> list[str]:
    """Two definitions of one type name: they compile only if they are the same type."""
    if "(*)" in expected:
        first = expected.replace("(*)", f"(*{name})", 1)
    elif expected.endswith("]"):
        element, length = expected.split("[")
        first = f"{element} {name}[{length}"
    else:
        first = f"{expected} {name}"
    return [f"typedef {first};", f"typedef {actual} {name};"]


def _fields(struct: str, rows: list[str]) -> list[str]:
    """Assertions for rows of the form `offset size type name`."""
    lines = []
    for row in rows:
        offset, size, rest = row.split(" ", 2)
        if rest.startswith("union{"):
            members = rest[len("union{"):rest.rindex("}")].split("; ")
            places = [m.split(" ", 1) for m in members]
        else:
            places = [(size, rest)]
        for size, declaration in places:
            type_name, name = declaration.rsplit(" ", 1)
            lines += _same_type(f"Field_{struct}_{name}", type_name,
                                f"__typeof__((({struct}*)0)->{name})")
            lines.append(_assert(f"offsetof({struct}, {name}) == {offset}"))
            lines.append(_assert(f"sizeof((({struct}*)0)->{name}) == {size}"))
    return lines


def _struct(name: str, layout: dict) -> list[str]:
    lines = _fields(name, layout["fields"]) + [_assert(f"sizeof({name}) == {layout['sizeof']}")]
    if not layout.get("unannounced"):
        announced = layout.get("announced", layout["end"])
        lines.append(_assert(f"{name}_STRUCT_SIZE == {announced}"))
    return lines


def _source(includes: list[str], lines: list[str]) -> str:
    head = [f'#include "{name}"' for name in includes]
    head += ["#ifdef __cplusplus", "#define CHECK static_assert", "#else",
             "#define CHECK _Static_assert", "#endif"]
    return "\n".join(head + lines) + "\n"


def core(layout: dict, minor: int, header: str = "pjrt_c_api.h") -> str:
    """Assertions for pjrt_c_api.h of one revision."""
    lines = [_assert(f"PJRT_API_MINOR == {minor}")]
    for name, struct in layout["structs"].items():
        lines += _struct(name, struct)
    for slot, name in enumerate(layout["functions"]):
        lines.append(_assert(f"offsetof(PJRT_Api, {name}) == {40 + 8 * slot}"))
        returns = "void" if name in ("PJRT_Error_Destroy", "PJRT_Error_Message") else "PJRT_Error*"
        lines.append(f"typedef {returns} Slot_{name}({name}_Args*);")
        lines.append(f"typedef {name} Slot_{name};")
    for values in layout["enums"].values():
        lines += [_assert(f"(int){name} == {value}") for name, value in values.items()]
    lines += [f"typedef {name}* Handle_{name};" for name in layout["handles"]]
    for name, signature in layout["callbacks"].items():
        returns, parameters = signature.split("(", 1)
        lines.append(f"typedef {returns} (*Callback_{name})({parameters};")
        lines.append(f"typedef {name} Callback_{name};")
    return _source([header], lines)


def table(layout: dict, minor: int, header: str, struct: str) -> str:
    """Assertions for the header of a table beside PJRT's."""
    prefix = struct.removesuffix("_Api")
    lines = [_assert(f"{prefix}_API_MAJOR == {layout['major']}"),
             _assert(f"{prefix}_API_MINOR == {minor}")]
    for name, entry in layout["structs"].items():
        lines += _struct(name, entry)
    for values in layout["enums"].values():
        lines += [_assert(f"(int){name} == {value}") for name, value in values.items()]
    for name, signature in layout["signatures"].items():
        returns, parameters = signature.split("(", 1)
        lines += [f"typedef {returns} Function_{name}({parameters};",
                  f"typedef {name} Function_{name};"]
    return _source([header], lines)


def extension(entry: dict) -> str:
    """Assertions for the header of one extension."""
    lines = []
    for name, struct in entry["structs"].items():
        rows = struct["fields"]
        for theirs, ours in _IN_C.items():
            rows = [row.replace(theirs, ours) for row in rows]
        lines += _fields(name, rows)
        lines.append(_assert(f"sizeof({name}) == {struct['sizeof']}"))
    for values in entry["enums"].values():
        lines += [_assert(f"(int){name} == {value}") for name, value in values.items()]
    return _source([entry["header"]], lines)
