# SPDX-License-Identifier: Apache-2.0
"""Checks that the code on the page for plugin authors is that of the template.

Every fenced block of C++ or CMake in docs/extending/plugin-authors.md must stand, line for line, in
sdk/template/. Run by CTest.
"""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = (root / "docs/extending/plugin-authors.md").read_text()
sources = {
    "cpp": (root / "sdk/template/plugin.cc").read_text(),
    "cmake": (root / "sdk/template/CMakeLists.txt").read_text(),
}
blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)
if len(blocks) < 5:
    sys.exit(f"found only {len(blocks)} code blocks in docs/extending/plugin-authors.md")
for language, code in blocks:
    if language == "sh":  # what sdk/template/test_out_of_tree.sh does
        continue
    if code not in sources[language]:
        sys.exit(f"this code of docs/extending/plugin-authors.md is not in sdk/template/:\n{code}")
lines = sources["cpp"].count("\n")
if f"plugin.cc`, {lines} lines" not in page:
    sys.exit(f"docs/extending/plugin-authors.md gives the wrong length of plugin.cc; it has {lines} lines")
print(f"{len(blocks)} blocks of code are as in the template")
