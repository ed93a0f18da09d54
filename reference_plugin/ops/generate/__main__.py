# SPDX-License-Identifier: Apache-2.0
"""Makes everything that follows from ops.toml; see ../README.md.

Without arguments it checks: what is committed must be what the rows give.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

import compiler_tables
import pages
import program_tables
import rows

ROOT = Path(__file__).resolve().parents[3]
OPS = "reference_plugin/ops"
# Of a header that is installed.
ELSEWHERE = {"program_ops.inc": "reference_plugin/program/include/plinth/program/program_ops.inc"}


def artefacts(table: rows.Table, root: Path) -> dict[str, str]:
    """Every generated file, by its path below the root of the repository."""
    tables = program_tables.files(table) | compiler_tables.files(table)
    made = {ELSEWHERE.get(name, f"{OPS}/{name}"): text for name, text in tables.items()}
    return made | pages.files(table, root)


def stale(root: Path, files: dict[str, str]) -> list[str]:
    """Tables that the rows no longer give."""
    made = [*(root / OPS).glob("*.inc"), *(root / OPS).glob("*.h")]
    found = sorted(path.relative_to(root).as_posix() for path in made)
    return [name for name in found if name not in files]


def check(root: Path, files: dict[str, str]) -> int:
    """Prints a unified diff for every file that differs. Returns the exit status."""
    different = 0
    for name in stale(root, files):
        different += 1
        print(f"{name} is committed, but ops.toml does not give it.")
    for name, text in files.items():
        path = root / name
        found = path.read_text() if path.exists() else ""
        if found != text:
            different += 1
            sys.stdout.writelines(difflib.unified_diff(
                found.splitlines(keepends=True), text.splitlines(keepends=True),
                f"{name} (committed)", f"{name} (from ops.toml)"))
    if different:
        print(f"{different} generated files differ from ops.toml. "
              f"Run `python3 {OPS}/generate --write`.")
    return 1 if different else 0


def write(root: Path, files: dict[str, str]) -> int:
    for name in stale(root, files):
        (root / name).unlink()
        print(f"removed {name}")
    for name, text in files.items():
        path = root / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {name}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog=f"python3 {OPS}/generate", description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite what differs")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        table = rows.load(options.root / OPS / "ops.toml")
        files = artefacts(table, options.root)
    except (rows.RowError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return write(options.root, files) if options.write else check(options.root, files)


if __name__ == "__main__":
    sys.exit(main())
