# SPDX-License-Identifier: Apache-2.0
"""Makes everything that follows from ops.toml; see ../README.md.

Without arguments it checks: what is committed must be what the rows give.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import compiler_tables
import pages
import program_tables
import rows

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "api" / "generate"))
from generated_files import GeneratedFiles  # noqa: E402: after the path to it
OPS = "reference_plugin/ops"
# Of a header that is installed.
ELSEWHERE = {"program_ops.inc": "reference_plugin/program/include/plinth/program/program_ops.inc"}


def artefacts(table: rows.Table, root: Path) -> dict[str, str]:
    """Every generated file, by its path below the root of the repository."""
    tables = program_tables.files(table) | compiler_tables.files(table)
    made = {ELSEWHERE.get(name, f"{OPS}/{name}"): text for name, text in tables.items()}
    return made | pages.files(table, root)


def stale(root: Path, files: dict[str, str]) -> list[Path]:
    """Tables that the rows no longer give."""
    found = sorted([*(root / OPS).glob("*.inc"), *(root / OPS).glob("*.h")])
    return [path for path in found if path.relative_to(root).as_posix() not in files]


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
    made = GeneratedFiles(options.root, files, stale(options.root, files), "ops.toml",
                          f"python3 {OPS}/generate --write")
    return made.write() if options.write else made.check()


if __name__ == "__main__":
    sys.exit(main())
