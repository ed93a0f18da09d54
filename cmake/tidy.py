# SPDX-License-Identifier: Apache-2.0
"""clang-tidy on the sources of a build, for scripts/lint --tidy.

  tidy.py BUILD [FOLDER | -FOLDER]...   BUILD: a folder with compile_commands.json; FOLDER: of the
                                        checkout, with all that is below, or one source; -FOLDER:
                                        left out

Of tests and fuzzers only what clang itself says. A source in which nothing was found is not read
again until it or what it includes changes: BUILD/tidy has an empty file of each such state.
"""

import concurrent.futures
import hashlib
import json
import os
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("_test.cc", "_fuzz.cc")
# With no check at all clang-tidy does not run.
OF_TESTS = ["--checks=-*,clang-diagnostic-*,misc-unused-using-decls"]


def commands(build: Path, folders: list[str]) -> dict[Path, list[tuple[str, list[str]]]]:
    """The sources of the folders, each with where and how it is compiled. Of those that the build
    makes, and of C, none."""
    left_out = ["build"] + [folder[1:] for folder in folders if folder.startswith("-")]
    wanted = [folder for folder in folders if not folder.startswith("-")] or ["."]
    found = defaultdict(list)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = Path(entry["file"])
        if source.suffix != ".cc" or not source.is_relative_to(ROOT):
            continue
        inside = source.relative_to(ROOT)
        if any(map(inside.is_relative_to, wanted)) and not any(map(inside.is_relative_to, left_out)):
            found[source].append((entry["directory"], shlex.split(entry["command"])))
    return dict(sorted(found.items()))


def state(compiled: list[tuple[str, list[str]]], options: list[str]) -> str | None:
    """Of a source: all that clang-tidy reads. None where the compiler does not find all of it."""
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    digest.update(repr((VERSION, options, compiled)).encode())
    for directory, command in compiled:
        output = command.index("-o")
        listing = subprocess.run([*command[:output], *command[output + 2:], "-M", "-MT", "x"],
                                 cwd=directory, capture_output=True, text=True)
        if listing.returncode != 0:
            return None
        for name in listing.stdout.replace("\\\n", " ").split()[1:]:
            digest.update(Path(directory, name).read_bytes())
    return digest.hexdigest()


def read(build: Path, source: Path, compiled: list[tuple[str, list[str]]]) -> str:
    """What is wrong with a source."""
    options = OF_TESTS if source.name.endswith(TESTS) else []
    before = state(compiled, options)
    if before is not None and (build / "tidy" / before).exists():
        return ""
    done = subprocess.run(["clang-tidy", "-p", str(build), "--quiet", *options, str(source)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        # One that was killed says nothing.
        return done.stdout + done.stderr or f"{source}: clang-tidy ended with {done.returncode}\n"
    if before is not None:
        (build / "tidy" / before).touch()
    return ""


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    unknown = [name for name in sys.argv[2:] if not (ROOT / name.removeprefix("-")).exists()]
    if unknown:
        sys.exit(f"tidy.py: no such folders or sources: {' '.join(unknown)}")
    (build / "tidy").mkdir(exist_ok=True)
    sources = commands(build, sys.argv[2:])
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        for found in threads.map(lambda item: read(build, *item), sources.items()):
            bad += found != ""
            print(found, end="", flush=True)
    print(f"{len(sources)} sources; findings in {bad}")
    return 1 if bad or not sources else 0


if __name__ == "__main__":
    VERSION = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True).stdout
    sys.exit(main())
