# SPDX-License-Identifier: Apache-2.0
"""Reads api/messages and emits support/xla_message_fields.h: the field numbers of XLA's messages."""

from __future__ import annotations

import tomllib
from pathlib import Path

from registry import RegistryError

INTRO = """\
// Generated from api/messages by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PLINTH_SUPPORT_XLA_MESSAGE_FIELDS_H_
#define PLINTH_SUPPORT_XLA_MESSAGE_FIELDS_H_

#include <cstdint>

// Field numbers of XLA's messages, one struct a message.
namespace plinth::messages {
"""
END = """\

}  // namespace plinth::messages

#endif  // PLINTH_SUPPORT_XLA_MESSAGE_FIELDS_H_
"""

SCALARS = ("bool", "int32", "int64", "uint32", "uint64", "float", "double", "string", "bytes")


def load(path: Path) -> list[dict]:
    """The messages. Raises RegistryError for what contradicts itself."""
    try:
        messages = tomllib.loads(path.read_text())["message"]
    except (OSError, ValueError, KeyError) as error:
        raise RegistryError(f"{path.name}: {error}") from error
    names = [m.get("name") for m in messages]
    problems = [f"{n} occurs twice" for n in sorted(set(names)) if names.count(n) > 1]
    for message in messages:
        if set(message) != {"name", "doc", "fields"}:
            problems.append(f"{message.get('name')}: keys are {', '.join(sorted(message))}")
            continue
        for key in ("name", "number"):
            values = [f.get(key) for f in message["fields"]]
            if None in values or len(set(values)) != len(values):
                problems.append(f"{message['name']}: a {key} is missing or occurs twice")
        for f in message["fields"]:
            unknown = set(f) - {"name", "number", "type", "repeated"}
            if unknown or f.get("type") not in (*SCALARS, *names):
                problems.append(f"{message['name']}.{f.get('name')}: type {f.get('type')!r}"
                                f" or keys {sorted(unknown)}")
    if problems:
        raise RegistryError("\n".join(f"{path.name}: {p}" for p in problems))
    return messages


def _constant(name: str) -> str:
    return "k" + "".join(word.capitalize() for word in name.split("_"))


def header(messages: list[dict]) -> str:
    lines = [INTRO]
    for message in messages:
        lines += [f"// {message['doc']}", f"struct {message['name']} {{", "  enum : uint32_t {"]
        for f in message["fields"]:
            form = ("repeated " if f.get("repeated") else "") + f["type"]
            lines.append(f"    {_constant(f['name'])} = {f['number']},  // {form}")
        lines += ["  };", "};", ""]
    return "\n".join(lines[:-1]) + "\n" + END
