#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No file includes against the directions in which the parts of the project may depend on each other."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE_DIRS = ("", "api/include", "api/support/include", "api/reflection/include", "sdk/include", "impl/client/include",
                "impl/loader", "impl/layers", "reference_plugin/program/include",
                "reference_plugin/reference/include")

# A part is the files below a folder that are in no longer row. It includes itself and what its row names; a name stands for
# every part below it.
RP, BACKEND, COMPILER, CPU = "reference_plugin", "reference_plugin/backend", "reference_plugin/compiler", "reference_plugin/cpu"
DIRECTIONS = {
    "api": [],
    "sdk": ["api"],
    "sdk/template": ["api", "sdk", f"{RP}/program", f"{RP}/reference"],
    "impl": ["api"],
    f"{RP}/ops": ["api"],
    f"{RP}/program": ["api", f"{RP}/ops"],
    COMPILER: ["api", f"{RP}/ops", f"{RP}/program"],
    f"{BACKEND}/host": ["api", "sdk"],
    f"{BACKEND}/run": ["api", "sdk", COMPILER, f"{BACKEND}/host"],
    f"{BACKEND}/calls": ["api", "sdk", f"{RP}/program", COMPILER, f"{BACKEND}/host", f"{BACKEND}/run"],
    f"{BACKEND}/executable": ["api", "sdk", f"{RP}/program", COMPILER, f"{BACKEND}/host", f"{BACKEND}/run", f"{BACKEND}/calls"],
    f"{BACKEND}/testing": ["api", "sdk", f"{RP}/program", COMPILER, BACKEND],
    CPU: ["api", "sdk", f"{RP}/program", COMPILER, BACKEND],
    f"{RP}/reference": ["api", "sdk", f"{RP}/program", COMPILER, BACKEND, CPU],
    f"{RP}/cuda/driver": ["api", f"{BACKEND}/host"],
    f"{RP}/cuda/runtime": ["api", "sdk", COMPILER, BACKEND, f"{RP}/cuda/driver", f"{RP}/cuda/jit", f"{RP}/cuda/print",
                           f"{RP}/cuda/library", f"{RP}/cuda/target.h"],
    f"{RP}/cuda/simulator": ["api", f"{RP}/cuda/driver"],
    f"{RP}/cuda": ["api", "sdk", f"{RP}/program", COMPILER, BACKEND],
}


def is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def part_of(path: str) -> str | None:
    """The longest row that a file is below."""
    return max((part for part in DIRECTIONS if is_below(path, part)), key=len, default=None)


def resolve(name: str, includer: str, files: set[str]) -> str | None:
    """The file of the project that an include names; None for headers of others and generated ones."""
    for folder in (str(pathlib.PurePosixPath(includer).parent), *INCLUDE_DIRS):
        path = name if folder in ("", ".") else f"{folder}/{name}"
        if path in files:
            return path
    return None


def violations(files: dict[str, str]) -> list[str]:
    """`files` maps a path to its text."""
    paths, found = set(files), []
    for path, text in files.items():
        part = part_of(path)
        if part is None:
            continue
        for line, name in enumerate_includes(text):
            target = resolve(name, path, paths)
            if target is None or is_below(target, part):
                continue
            if not any(is_below(target, allowed) for allowed in DIRECTIONS[part]):
                found.append(f"{path}:{line}: {part} includes {target}; it may include {', '.join(DIRECTIONS[part])}")
    return found


def enumerate_includes(text: str):
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(r'\s*#\s*include\s+"([^"]+)"', line):
            yield number, match[1]


def test_of_itself() -> None:
    """Each direction that the project's rules name fails when it is turned round."""
    files = {"sdk/src/a.h": "", "impl/cli/a.h": "", "api/support/include/plinth/support/a.h": "", f"{CPU}/a.h": "", f"{BACKEND}/run/a.h": "",
             f"{BACKEND}/calls/a.h": "", f"{COMPILER}/ir/a.h": "", f"{RP}/program/a.h": "", f"{RP}/cuda/a.h": ""}
    wrong = [("api/x.cc", "sdk/src/a.h"), ("sdk/src/x.cc", "impl/cli/a.h"), ("impl/cli/x.cc", "sdk/src/a.h"),
             (f"{RP}/program/x.cc", f"{COMPILER}/ir/a.h"), (f"{COMPILER}/ir/x.cc", f"{BACKEND}/run/a.h"),
             (f"{BACKEND}/run/x.cc", f"{CPU}/a.h"), (f"{BACKEND}/run/x.cc", f"{BACKEND}/calls/a.h"),
             (f"{CPU}/x.cc", f"{RP}/cuda/a.h"), (f"{RP}/cuda/x.cc", f"{CPU}/a.h")]
    for path, include in wrong:
        assert len(violations({**files, path: f'#include "{include}"\n'})) == 1, (path, include)
    right = [("sdk/src/x.cc", "plinth/support/a.h"), (f"{CPU}/x.cc", f"{BACKEND}/calls/a.h"), (f"{BACKEND}/calls/x.cc", f"{BACKEND}/run/a.h")]
    for path, include in right:
        assert not violations({**files, path: f'#include "{include}"\n'}), (path, include)


def main() -> int:
    test_of_itself()
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:  # a source archive
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if "build" not in path.relative_to(ROOT).parts[:1]]
    sources = [name for name in names if name.endswith((".cc", ".h", ".c", ".inc", ".def")) and (ROOT / name).is_file()]
    found = violations({name: (ROOT / name).read_text(encoding="utf-8") for name in sources})
    print("\n".join(found) or f"{len(sources)} files include in the directions of {pathlib.Path(__file__).name}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
