# SPDX-License-Identifier: Apache-2.0
"""Pieces of C that every generated header is made of."""

from __future__ import annotations

import textwrap

from layout import Layouts, split_member
from registry import Callback, Enum, Field, Function, Handle, Struct
from revisions import View

WIDTH = 100

# What `absent` says to a reader of the header.
ABSENT = {
    "required": "always implemented",
    "stub": "answers UNIMPLEMENTED if absent",
    "null": "null if absent",
}


def comment(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"{indent}// ", subsequent_indent=f"{indent}// ",
                         break_on_hyphens=False, break_long_words=False)


def declare(type_name: str, name: str) -> str:
    """A C declarator; the type may be a function pointer or an array."""
    if "(*)" in type_name:
        return type_name.replace("(*)", f"(*{name})", 1)
    if type_name.endswith("]"):
        element, length = type_name[:-1].split("[")
        return f"{element} {name}[{length}]"
    return f"{type_name} {name}"


def signature(head: str, parameters: str) -> list[str]:
    line = f"{head}({parameters});"
    if len(line) <= WIDTH:
        return [line]
    return [f"{head}("] + textwrap.wrap(f"{parameters});", WIDTH, initial_indent="    ",
                                        subsequent_indent="    ", break_on_hyphens=False,
                                        break_long_words=False)


def banner(title: str) -> list[str]:
    line = f"// ---- {title} "
    return ["", line + "-" * (WIDTH - len(line)), ""]


def since(entry) -> str:
    text = f"since 0.{entry.since}"
    if entry.since_revision:
        text += f" (within the minor: {entry.since_revision})"
    return text


def handle_lines(handle: Handle) -> list[str]:
    return comment(f"{handle.doc} [{since(handle)}]") + [f"typedef struct {handle.name} {handle.name};"]


def enum_lines(enum: Enum, view: View) -> list[str]:
    values = [v for v in enum.values if view.has(v)]
    if not values:
        return []
    lines = comment(f"{enum.doc} [{since(enum)}]") + ["typedef enum {"]
    for value in values:
        lines += comment(f"{value.doc} [{since(value)}]", "  ")
        lines.append(f"  {value.name} = {value.value},")
    lines[-1] = lines[-1].rstrip(",")
    return lines + [f"}} {enum.name};", ""]


def callback_lines(callback: Callback) -> list[str]:
    once = ", called exactly once" if callback.calls == "once" else ""
    lines = comment(f"{callback.doc} [{since(callback)}{once}]")
    for p in callback.parameters:
        lines += comment(f"{p['name']}: {p['doc']}")
    parameters = ", ".join(declare(p["type"], p["name"]) for p in callback.parameters)
    name = callback.name if callback.plain else f"(*{callback.name})"
    return lines + signature(f"typedef {callback.returns} {name}", parameters) + [""]


def field_note(f: Field) -> str:
    """What the registry knows about a field, in brackets behind its text."""
    notes = [f.direction] if f.absent is None else []
    notes.append(since(f))
    if f.length_field:
        notes.append(f"length {f.length_field}" + (f" times {f.inner_length_field}"
                                                   if f.inner_length_field else ""))
    if f.length:
        notes.append(f"length: {f.length}")
    if f.nullable:
        notes.append("may be null")
    if f.lifetime == "call":
        notes.append("lives for the call")
    elif f.owner == "caller" and f.lifetime and f.direction == "out":
        notes.append(f"freed by the caller: {f.lifetime}")
    elif f.lifetime:
        notes.append(f"lives until: {f.lifetime}")
    if f.default is not None and f.absent is None:
        notes.append(f"if absent: {str(f.default).lower()}")
    if f.absent:
        notes.append(ABSENT[f.absent])
    if f.source:
        notes.append(f"source: {f.source}")
    if f.name_source:
        notes.append(f"name from {f.name_source}")
    return f"{f.doc} [{', '.join(notes)}]"


def struct_lines(struct: Struct, view: View, layouts: Layouts) -> list[str]:
    layout = layouts.of(struct)
    frozen = " Never grows." if struct.frozen else ""
    lines = comment(f"{struct.doc}{frozen} [{since(struct)}]") + [f"struct {struct.name} {{"]
    for place in layout.places:
        f = place.field
        if f is None:
            lines.append(f"  {declare(place.type, place.name)};")
            continue
        lines += comment(field_note(f), "  ")
        if f.members:
            lines.append("  union {")
            lines += [f"    {declare(*split_member(m))};" for m in f.members]
            lines.append("  };")
        elif place.type == f"{f.name}*":
            lines.append(f"  PJRT_API_SLOT({f.name});")
        else:
            lines.append(f"  {declare(place.type, f.name)};")
    lines.append("};")
    last = struct.announced_last or layout.places[-1].name
    announced = view.announced_size(struct)
    if announced is None:
        lines.append(f"PJRT_DEFINE_STRUCT_TRAITS({struct.name}, {last});")
    else:
        lines += comment(f"Upstream announced {announced} in this revision; the fields end at "
                         f"{layout.end}.")
        lines += [f"typedef struct {struct.name} {struct.name};",
                  f"enum {{ {struct.name}_STRUCT_SIZE = {announced} }};"]
    if struct.alias:
        lines.append(f"typedef struct {struct.name} {struct.alias};")
    return lines + [""]


def function_lines(function: Function) -> list[str]:
    notes = [] if function.slot is None else [f"slot {function.slot}"]
    notes.append(since(function))
    notes.append(ABSENT[function.absent])
    if function.threads != "any":
        notes.append(f"threads: {function.threads}")
    if function.client_gate:
        notes.append(f"clients call it from minor {function.client_gate} on")
    lines = comment(f"{function.doc} [{', '.join(notes)}]")
    head = f"typedef {function.returns} {function.name}"
    return lines + signature(head, f"{function.args}* args") + [""]
