#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who reports each requirement of the registry: writes docs/inside/requirements.md, or checks it.

    reporters.py --write    writes the page
    reporters.py            fails if the page is old, or a requirement has neither a reporter nor a
                            reason in unreported.txt

The layer reports a requirement if a wrong program of misuse/ shows it (expected.txt), or if its
sources name it. What plugins of the SDK answer without a line of their authors' follows from the
columns of the registry. A case of the suite reports what a plugin owes.
"""

import argparse
import fnmatch
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
PAGE = ROOT / "docs/inside/requirements.md"
CASES = ROOT / "conformance/cases"
ID = re.compile(r"PJRT-[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)+")
LEAST_MISUSES = 60
# check_tables.cc forms these ids from the names of functions.
FORMED = "PJRT-*_Destroy-once"

sys.path.insert(0, str(ROOT / "api/generate"))
import registry as registry_module  # noqa: E402  (needs the path above)

TOP = """# Who reports each requirement

Written by `impl/layers/validation/reporters.py --write` from the registry, the wrong programs in
`impl/layers/validation/misuse/`, the sources of the layer and of the suite, and the reasons in
`impl/layers/validation/unreported.txt`. What each requirement says is in `api/registry/`.

- *SDK*: a plugin of the SDK answers it with an error, without a line of its author's.
- *layer*: the validation layer reports it, on either side. `*`: a wrong program shows it.
- *suite*: a case of `plinth-conformance` reports a plugin that breaks it.

Requirements of class `robust` are answered by the SDK and reported by the layer; they have no row.
"""


def requirements() -> list[tuple[str, str]]:
    """(id, class) in the registry's order"""
    registry = registry_module.load(ROOT / "api/registry")
    rows = list(registry.requirements)
    for module in [*registry.modules, *registry.extensions]:
        for function in module.functions:
            rows += function.requirements
    return [(row["id"], row["class"]) for row in rows]


def ids_in(paths) -> set[str]:
    return {found for path in paths for found in ID.findall(path.read_text())}


def reasons() -> list[tuple[str, str]]:
    """(glob over ids, why neither the SDK nor the layer reports it)"""
    lines = (FOLDER / "unreported.txt").read_text().splitlines()
    return [tuple(line.split("\t", 1)) for line in lines if line and not line.startswith("#")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    shown = ids_in([FOLDER / "misuse/expected.txt"])
    named = ids_in(path for path in FOLDER.glob("*.cc") if not path.name.endswith("_test.cc"))
    suite = ids_in(CASES.glob("*.cc"))
    programs = re.findall(r"^  (?:ERROR|LOG)\((\w+)\)", (FOLDER / "misuse/programs.h").read_text(),
                          re.MULTILINE)
    problems = [] if len(programs) >= LEAST_MISUSES else [f"{len(programs)} wrong programs only"]
    known, excused, used = requirements(), reasons(), set()
    table = []
    for name, kind in known:
        reason = ""
        layer = "yes\\*" if name in shown else (
            "yes" if name in named or kind == "robust" or fnmatch.fnmatchcase(name, FORMED) else "")
        sdk = "yes" if kind == "robust" or name.endswith("-null") else ""
        if not (layer or sdk):
            glob, reason = next((row for row in excused if fnmatch.fnmatchcase(name, row[0])),
                                ("", ""))
            used.add(glob)
        if not (layer or sdk or reason):
            problems.append(f"{name} has neither a reporter nor a reason in unreported.txt")
        if kind != "robust":
            cases = "yes" if name in suite else ""
            table.append(f"| {name} | {kind} | {sdk} | {layer} | {cases} | {reason} |")
    problems += [f"unreported.txt: {glob} fits nothing that has no reporter" for glob, _ in excused
                 if glob not in used]
    problems += [f"the layer names {name}, which the registry does not have"
                 for name in sorted(shown - {name for name, _ in known})]
    page = (f"{TOP}\n{len(known)} requirements; {len(programs)} wrong programs show "
            f"{len(shown)} of them.\n\n| requirement | class | SDK | layer | suite | "
            "why neither the SDK nor the layer |\n| --- | --- | --- | --- | --- | --- |\n"
            + "\n".join(table) + "\n")
    if options.write:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        problems.append("docs/inside/requirements.md is old: run reporters.py --write")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
