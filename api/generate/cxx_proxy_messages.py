# SPDX-License-Identifier: Apache-2.0
"""Reads api/messages/ifrt_proxy.toml and emits impl/serve/proxy_messages.{h,cc}: the messages of
the IFRT proxy protocol as structs, with a reader and a writer for each."""

from __future__ import annotations

import tomllib
from pathlib import Path

from registry import RegistryError

SCALARS = {
    "bool": "bool", "int32": "int32_t", "int64": "int64_t", "uint64": "uint64_t",
    "fixed32": "uint32_t", "fixed64": "uint64_t", "sfixed64": "int64_t", "float": "float",
    "double": "double", "string": "std::string", "bytes": "std::string",
}
KEYS = {"name", "number", "type", "repeated", "optional", "oneof"}

HEADER_INTRO = """\
// Generated from api/messages by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PLINTH_IMPL_SERVE_PROXY_MESSAGES_H_
#define PLINTH_IMPL_SERVE_PROXY_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plinth/support/status.h"

// The messages of IFRT's proxy protocol. Read returns INVALID_ARGUMENT, with the name of the message,
// for bytes that are none; fields that have no row are skipped. Write leaves out what is zero.
namespace plinth::serve::proxy {
"""
HEADER_END = """\
}  // namespace plinth::serve::proxy

#endif  // PLINTH_IMPL_SERVE_PROXY_MESSAGES_H_
"""
SOURCE_INTRO = """\
// Generated from api/messages by `python3 api/generate --write`. Do not edit.
// clang-format off
#include "impl/serve/proxy_messages.h"

#include "impl/serve/wire.h"

namespace plinth::serve::proxy {

using protozero::pbf_writer;

// Also an empty one, which a nested writer would leave out.
template <typename Message>
static void PutMessage(pbf_writer& out, uint32_t number, const Message& message) {
  out.add_message(number, Write(message));
}
"""
SOURCE_END = """\
}  // namespace plinth::serve::proxy
"""


def load(path: Path) -> list[dict]:
    """The messages. Raises RegistryError for what contradicts itself."""
    try:
        messages = tomllib.loads(path.read_text())["message"]
    except (OSError, ValueError, KeyError) as error:
        raise RegistryError(f"{path.name}: {error}") from error
    known: set[str] = set(SCALARS)
    problems = []
    for message in messages:
        name = message.get("name")
        if set(message) != {"name", "doc", "fields"}:
            problems.append(f"{name}: keys are {', '.join(sorted(message))}")
            continue
        if name in known:
            problems.append(f"{name} occurs twice")
        for key in ("name", "number"):
            values = [f.get(key) for f in message["fields"]]
            if None in values or len(set(values)) != len(values):
                problems.append(f"{name}: a {key} is missing or occurs twice")
        for f in message["fields"]:
            if set(f) - KEYS or f.get("type") not in known:
                problems.append(f"{name}.{f.get('name')}: type {f.get('type')!r} is not above,"
                                f" or keys {sorted(set(f) - KEYS)}")
            if sum(k in f for k in ("repeated", "optional", "oneof")) > 1:
                problems.append(f"{name}.{f.get('name')}: repeated, optional or oneof")
        for union, members in _unions(message).items():
            types = [SCALARS.get(f["type"], f["type"]) for f in members]
            if len(set(types)) != len(types):
                problems.append(f"{name}.{union}: two fields of one type")
        known.add(name)
    if problems:
        raise RegistryError("\n".join(f"{path.name}: {p}" for p in problems))
    return messages


def _unions(message: dict) -> dict[str, list[dict]]:
    unions: dict[str, list[dict]] = {}
    for f in message["fields"]:
        if "oneof" in f:
            unions.setdefault(f["oneof"], []).append(f)
    return unions


def _is_long(members: list[dict]) -> bool:
    """Whether copying a union takes so much code that it is compiled once, not in each user."""
    return len(members) > 8


# What makes, copies and destroys the type {0} of a union; {1} is its scope, {2} its full name.
SPECIAL = ("{1}{0}()", "{1}{0}(const {0}&)", "{1}{0}({0}&&) noexcept",
           "{2}& {1}operator=(const {0}&)", "{2}& {1}operator=({0}&&) noexcept", "{1}~{0}()")


def _special(name: str, message: str = "") -> list[str]:
    """Declared in the type, or defined outside of the message."""
    full = f"{message}::{name}" if message else name
    return [form.format(name, f"{full}::" if message else "", full) for form in SPECIAL]


def _type(f: dict) -> str:
    return SCALARS.get(f["type"], f["type"])


def _suffix(f: dict) -> str:
    """The helper of wire.h for the field."""
    return f["type"].capitalize() if f["type"] in SCALARS else "Message"


def _struct(message: dict) -> list[str]:
    lines = [f"// {message['doc']}", f"struct {message['name']} {{"]
    unions = _unions(message)
    for f in message["fields"]:
        union = f.get("oneof")
        if union:
            if unions[union][0] is f:
                members = ", ".join(_type(m) for m in unions[union])
                variant = f"std::variant<std::monostate, {members}>"
                if _is_long(unions[union]):
                    name = union.capitalize()
                    lines += [f"  struct {name} : {variant} {{", "    using variant::variant;",
                              *(f"    {member};" for member in _special(name)),
                              f"  }} {union};"]
                else:
                    lines.append(f"  {variant} {union};")
        elif f.get("repeated"):
            lines.append(f"  std::vector<{_type(f)}> {f['name']};")
        elif f.get("optional"):
            lines.append(f"  std::optional<{_type(f)}> {f['name']};")
        else:
            plain = _type(f) not in ("std::string", f["type"]) or f["type"] in ("bool", "float",
                                                                                "double")
            lines.append(f"  {_type(f)} {f['name']}{' = {}' if plain else ''};")
    for union, members in unions.items():
        names = ", ".join(f'"{m["name"]}"' for m in members)
        lines += [f"  // Names of the alternatives of `{union}`, by index.",
                  f"  static constexpr std::string_view k{union.capitalize()}Names[] = {{\"\", {names}}};"]
    return [*lines, "};"]


def header(messages: list[dict]) -> str:
    lines = [HEADER_INTRO]
    for message in messages:
        name = message["name"]
        lines += [*_struct(message), f"Status Read(std::string_view bytes, {name}* message);",
                  f"std::string Write(const {name}& message);", ""]
    return "\n".join(lines) + HEADER_END


def _read(message: dict) -> list[str]:
    name = message["name"]
    lines = [f"static void ReadFields(wire::Reader in, {name}& out) {{", "  while (in.next()) {",
             "    switch (in.tag()) {"]
    for f in message["fields"]:
        suffix = _suffix(f)
        if f.get("repeated"):
            if suffix == "Message":
                call = f"ReadFields(wire::Enter(in), wire::Append(in, out.{f['name']}));"
            else:
                call = f"wire::Add{suffix}(in, out.{f['name']});"
        else:
            target = f"out.{f['name']}"
            if f.get("optional"):
                target += ".emplace()"
            if "oneof" in f:
                target = f"out.{f['oneof']}.emplace<{_type(f)}>()"
            call = (f"ReadFields(wire::Enter(in), {target});" if suffix == "Message"
                    else f"wire::Get{suffix}(in, {target});")
        lines.append(f"      case {f['number']}: {call} break;")
    lines += ["      default: in.skip();", "    }", "  }", "}"]
    if not message["fields"]:
        lines = [f"static void ReadFields(wire::Reader in, {name}&) {{",
                 "  while (in.next()) in.skip();", "}"]
    return lines


def _write(message: dict) -> list[str]:
    name = message["name"]
    if not message["fields"]:
        return [f"static void WriteFields(pbf_writer&, const {name}&) {{}}"]
    lines = [f"static void WriteFields(pbf_writer& out, const {name}& in) {{"]
    for f in message["fields"]:
        number, suffix, field = f["number"], _suffix(f), f"in.{f['name']}"

        def put(value: str, always: bool) -> str:
            if suffix == "Message" and always:
                return f"PutMessage(out, {number}, {value});"
            if suffix == "Message":
                return f"{{ pbf_writer inner(out, {number}); WriteFields(inner, {value}); }}"
            return f"wire::Put{suffix}(out, {number}, {value}{', true' if always else ''});"
        if f.get("repeated"):
            if suffix in ("Message", "String", "Bytes"):
                lines.append(f"  for (const auto& one : {field}) {put('one', True)}")
            else:
                lines.append(f"  wire::PutAll{suffix}(out, {number}, {field});")
        elif f.get("optional"):
            lines.append(f"  if ({field}.has_value()) {put('*' + field, True)}")
        elif "oneof" in f:
            lines.append(f"  if (const auto* one = std::get_if<{_type(f)}>(&in.{f['oneof']})) "
                         f"{put('*one', True)}")
        else:
            lines.append(f"  {put(field, False)}")
    return [*lines, "}"]


def source(messages: list[dict]) -> str:
    lines = [SOURCE_INTRO]
    for message in messages:
        name = message["name"]
        for union, members in _unions(message).items():
            if _is_long(members):
                kind = union.capitalize()
                lines += [f"{line} = default;" for line in _special(kind, name)]
        lines += [*_read(message), *_write(message),
                  f"Status Read(std::string_view bytes, {name}* message) {{",
                  f"  return wire::Guard(\"{name}\", bytes, "
                  "[&](wire::Reader in) { ReadFields(in, *message); });", "}",
                  f"std::string Write(const {name}& message) {{",
                  "  std::string bytes;", "  pbf_writer out(bytes);", "  WriteFields(out, message);",
                  "  return bytes;", "}", ""]
    return "\n".join(lines) + SOURCE_END


def current(api: Path) -> dict[str, str]:
    """The generated files by their path seen from api/; none where api/ lies alone."""
    messages = load(api / "messages" / "ifrt_proxy.toml")
    if not (api.parent / "impl" / "serve").is_dir():
        return {}
    license_line = "// SPDX-License-Identifier: Apache-2.0\n"
    return {"../impl/serve/proxy_messages.h": license_line + header(messages),
            "../impl/serve/proxy_messages.cc": license_line + source(messages)}
