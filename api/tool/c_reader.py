# SPDX-License-Identifier: Apache-2.0
"""Reads pjrt_c_api.h, ours or upstream's, as it is after the preprocessor. LP64."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from abi import Abi, AbiError, FieldPlace, StructLayout, normal_type
from layout import PRIMITIVES  # of api/generate

SIZES = PRIMITIVES | {"_Bool": 1}
HEAD = ("struct_size", "extension_start", "pjrt_api_version")
# Arrays of them are indexed with their size.
IN_ARRAYS = ("PJRT_NamedValue", "PJRT_ShapeSpec", "PJRT_ProcessInfo", "PJRT_Extension_Base")


def _preprocessed(path: Path) -> str:
    # Only this file: what it includes is declared by hand, so that no other header is needed.
    text = path.read_text()
    text = re.sub(r'^\s*#\s*include.*$', "", text, flags=re.M)
    prologue = "#define offsetof(t, m) 0\n#define bool bool\n"
    done = subprocess.run(["cc", "-E", "-P", "-x", "c", "-"], input=prologue + text,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AbiError(f"{path}: the preprocessor fails: {done.stderr[:500]}")
    return done.stdout


def _bodies(text: str, head: str) -> list[tuple[str, str, str]]:
    """(name before, body, name behind) of every `head {...}`."""
    found = []
    for match in re.finditer(head + r"\s*(\w*)\s*\{", text):
        depth, i = 1, match.end()
        while depth and i < len(text):
            depth += (text[i] == "{") - (text[i] == "}")
            i += 1
        behind = re.match(r"\s*(\w*)\s*;", text[i:])
        if behind:
            found.append((match[1], text[match.end():i - 1], behind[1]))
    return found


def _declarations(body: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for i, c in enumerate(body):
        depth += (c in "({") - (c in ")}")
        if c == ";" and depth == 0:
            parts.append(body[start:i].strip())
            start = i + 1
    return [p for p in parts if p]


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = _preprocessed(path)
        self.bodies: dict[str, str] = {}
        self.layouts: dict[str, tuple[StructLayout, int, int]] = {}
        self.four = set()
        self.callbacks: dict[str, str] = {}

    def enums(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        known: dict[str, int] = {}
        for before, body, behind in _bodies(self.text, r"\benum"):
            name = behind or before
            if not name:
                continue
            values, value = {}, -1
            for part in body.split(","):
                match = re.fullmatch(r"\s*(\w+)\s*(?:=\s*(-?\w+))?\s*", part)
                if match:
                    if not match[2]:
                        value += 1
                    elif match[2] in known:
                        value = known[match[2]]
                    else:
                        value = int(match[2], 0)
                    values[match[1]] = known[match[1]] = value
            found[name] = values
            self.four.add(name)
        return found

    def read_callbacks(self) -> dict[str, str]:
        for match in re.finditer(r"typedef\s+([\w\s*]+?)\(\s*\*\s*(\w+)\s*\)\s*\(([^;]*)\)\s*;",
                                 self.text):
            self.callbacks[match[2]] = normal_type(f"{match[1]} (*)({match[3]})")
        return self.callbacks

    def _measure(self, name: str) -> tuple[int, int]:
        if "*" in name:
            return 8, 8
        base = re.sub(r"\b(const|struct|enum)\b", "", name).strip()
        if base in SIZES:
            return SIZES[base], SIZES[base]
        if base in self.four:
            return 4, 4
        if base in self.callbacks:
            return 8, 8
        if base in self.bodies:
            layout, size, align = self.struct(base)
            return size, align
        raise AbiError(f"{self.path}: the size of {base} is not known")

    def _field(self, text: str) -> tuple[str, str, int, int]:
        """Name, type, size and alignment."""
        union = re.fullmatch(r"union\s*\{(.*)\}\s*(\w*)", text, re.S)
        if union:
            members = [self._field(m) for m in _declarations(union[1])]
            form = ";".join(f"{m[1]} {m[0]}" for m in members)
            return (union[2], normal_type(f"union{{{form}}}"), max(m[2] for m in members),
                    max(m[3] for m in members))
        function = re.fullmatch(r"([\w\s*]+?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)", text, re.S)
        if function:
            return function[2], normal_type(f"{function[1]} (*)({function[3]})"), 8, 8
        plain = re.fullmatch(r"(.*[\s*])(\w+)((?:\[\w+\])?)", text, re.S)
        if not plain:
            raise AbiError(f"{self.path}: cannot read the field `{text}`")
        size, align = self._measure(plain[1])
        if plain[3]:
            size *= int(plain[3][1:-1], 0)
        return plain[2], normal_type(plain[1] + plain[3]), size, align

    def struct(self, name: str) -> tuple[StructLayout, int, int]:
        if name in self.layouts:
            return self.layouts[name]
        fields, offset, largest = [], 0, 1
        for text in _declarations(self.bodies[name]):
            field_name, form, size, align = self._field(text)
            offset = (offset + align - 1) // align * align
            fields.append(FieldPlace(field_name, offset, size, form))
            offset += size
            largest = max(largest, align)
        carries = bool(fields) and fields[0].name == "struct_size"
        layout = StructLayout(fields, offset, carries and name not in IN_ARRAYS)
        self.layouts[name] = layout, (offset + largest - 1) // largest * largest, largest
        return self.layouts[name]

    def read(self) -> Abi:
        numbers = {kind: re.search(rf"^\s*#\s*define\s+PJRT_API_{kind}\s+(\d+)",
                                   self.path.read_text(), re.M) for kind in ("MAJOR", "MINOR")}
        if not numbers["MINOR"]:
            raise AbiError(f"{self.path} does not define PJRT_API_MINOR: is it pjrt_c_api.h?")
        major = int(numbers["MAJOR"][1]) if numbers["MAJOR"] else 0
        abi = Abi(str(self.path), major, int(numbers["MINOR"][1]))
        abi.enums = self.enums()
        abi.callbacks = self.read_callbacks()
        for before, body, behind in _bodies(self.text, r"\bstruct"):
            self.bodies[behind or before] = body
        if "PJRT_Api" not in self.bodies:
            raise AbiError(f"{self.path} does not define struct PJRT_Api")
        for name in self.bodies:
            if name != "PJRT_Api":
                abi.structs[name] = self.struct(name)[0]
        table = [self._field(text)[0] for text in _declarations(self.bodies["PJRT_Api"])]
        abi.functions = [name for name in table if name not in HEAD]
        return abi


def read_header(path: Path) -> Abi:
    return _Reader(path).read()
