# SPDX-License-Identifier: Apache-2.0
"""One state of the ABI, wherever it was read from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


class AbiError(Exception):
    """Something cannot be read; the text says what and why."""


@dataclass
class FieldPlace:
    name: str
    offset: int
    size: int
    type: str  # normal form, see normal_type
    required: bool | None = None  # None: this source does not know


@dataclass
class StructLayout:
    fields: list[FieldPlace]
    end: int
    # Elements of arrays and structs without struct_size cannot grow.
    may_grow: bool = True


@dataclass
class Abi:
    name: str
    major: int = 0
    minor: int = 0
    functions: list[str] = field(default_factory=list)  # by slot
    absent: dict[str, str] = field(default_factory=dict)  # function: required, stub or null
    slots: dict[str, str] = field(default_factory=dict)  # of a plugin: there or null
    structs: dict[str, StructLayout] = field(default_factory=dict)
    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    callbacks: dict[str, str] = field(default_factory=dict)
    extensions: dict[int, int] = field(default_factory=dict)  # type: struct_size in a chain
    # The C APIs of our own libraries, by header; None where the source does not hold them.
    libraries: dict[str, Abi] | None = None
    # What such a library exports.
    exports: dict[str, str] = field(default_factory=dict)
    # Structs and enums of extensions; None where the source holds the core alone.
    of_extensions: set[str] | None = None
    # False where only the table of a plugin was read.
    has_layouts: bool = True


def split_top_level(text: str) -> list[str]:
    """`a, void (*)(b, c)` as its two parts."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in [*parts, text[start:]] if p.strip()]


def _parameter(text: str) -> str:
    """A parameter's type, without its name."""
    text = normal_type(text)
    match = re.fullmatch(r"(.*[\s*])([A-Za-z_]\w*)", text)
    if match and match[1].replace("const", "").replace("struct", "").strip():
        text = match[1].strip()
    return text


def normal_type(text: str) -> str:
    """A C type without spaces and names that say nothing."""
    text = re.sub(r"\s+", " ", text.replace("struct ", "")).strip()
    text = re.sub(r"\s*\*\s*", "*", text)
    union = re.fullmatch(r"union ?\{(.*)\}", text)
    if union:
        members = [re.sub(r"^\d+ ", "", m.strip()) for m in union[1].split(";") if m.strip()]
        return "union{" + ";".join(_parameter(m) for m in members) + "}"
    function = re.fullmatch(r"(.+?) ?\(\*?\w*\) ?\((.*)\)", text)
    if function:
        parameters = [_parameter(p) for p in split_top_level(function[2])]
        if parameters == ["void"]:
            parameters = []
        return f"{normal_type(function[1])}(*)({','.join(parameters)})"
    return text


def without_const(text: str) -> str:
    return re.sub(r"\bconst\b ?", "", text)
