#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Headers that are held stable only grow: what a release declared stays, as it was written.

  stable_headers.py             check; prints what is missing and fails
  stable_headers.py --release   the same; what is not recorded fails too, as scripts/package asks
  stable_headers.py --write     record what is declared now

stable_headers.txt has the code of each header without comments, a declaration or a part of one a
line. A line may move and others may come between, but none may go. Code that a user compiles
against an older header so goes on to compile; libraries are static, so layouts may change.
"""

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path(__file__).with_name("stable_headers.txt")
FOLDERS = ("sdk/include/plinth/sdk", "reference_plugin/program/include/plinth/program")


def without_bodies(text: str) -> str:
    """Without what stands between the braces of functions."""
    kept, at = "", 0
    for start in re.finditer(r"\)\s*((const|noexcept|override|final)\s*)*(:[^;{}]*(\{[^{}]*\}[^;{}]*)*)?\{", text):
        if start.start() < at:
            continue
        kept += text[at:start.start() + 1] + ";"
        at, depth = start.end(), 1
        while depth and at < len(text):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return kept + text[at:]


def declarations(text: str) -> list[str]:
    """The code between ; { and }, each piece on one line; private parts and bodies are left out."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#([^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    text = re.sub(r"\bprivate:.*?(?=^\S|\bpublic:|\bprotected:)", "", text, flags=re.M | re.S)
    pieces = []
    for piece in re.split(r"[;{}]|^(?=PLINTH_PROGRAM_OP)", without_bodies(text), flags=re.M):
        words = " ".join(piece.split())
        # Enumerators, one by one.
        pieces += [words] if "(" in words or "<" in words else words.split(", ")
    return [piece.strip(" ,") for piece in pieces if len(piece) > 1]


def current(root: Path = ROOT) -> dict[str, list[str]]:
    paths = [path for folder in FOLDERS for path in sorted((root / folder).glob("*.*"))]
    return {path.relative_to(root).as_posix(): declarations(path.read_text()) for path in paths}


def recorded() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in RECORD.read_text().splitlines():
        if line.startswith("== "):
            pieces = found[line[3:]] = []
        elif line and not line.startswith("#"):
            pieces.append(line)
    return found


def missing(old: dict[str, list[str]], new: dict[str, list[str]]) -> list[str]:
    lines = []
    for header, pieces in old.items():
        if header not in new:
            lines.append(f"{header} is gone")
            continue
        lines += [f"{header} has no more: {piece}"
                  for piece in (Counter(pieces) - Counter(new[header])).elements()]
    return lines


def test_of_itself() -> None:
    header = "class A {\n public:\n  int f(int x) { return x; }  // why\n private:\n  int g();\n};\n"
    old = {"a.h": declarations(header)}
    assert old["a.h"] == ["class A", "public: int f(int x)"], old
    assert not missing(old, {"a.h": declarations(header.replace("int g", "int h"))})
    assert not missing(old, {"a.h": declarations(header.replace("return x", "return -x"))})
    assert not missing(old, {"a.h": declarations(header.replace("};", "};\nint more();"))})
    assert missing(old, {"a.h": declarations(header.replace("int x", "long x"))})
    assert missing(old, {})


def main() -> int:
    test_of_itself()
    now = current()
    if sys.argv[1:] == ["--write"]:
        RECORD.write_text("# SPDX-License-Identifier: Apache-2.0\n# Made by cmake/stable_headers.py --write.\n"
                          + "".join("\n".join([f"== {name}", *pieces, ""])
                                    for name, pieces in now.items()))
        return 0
    wrong = missing(recorded(), now)
    if sys.argv[1:] == ["--release"] and recorded() != now:
        wrong.append(f"{RECORD.name} is not what is declared now: stable_headers.py --write")
    print("\n".join(wrong) or f"{len(now)} headers declare what they declared")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
