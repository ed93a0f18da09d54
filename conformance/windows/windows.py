# SPDX-License-Identifier: Apache-2.0
"""What the windows are built from, taken from the registry and its history.

  windows.py revisions [REVISION...]  one distinct layout per line: its name and every name it has
  windows.py write DIR                for every revision DIR/<name>/pjrt_c_api.h, as it was, and
                                      DIR/<name>/frozen.cc, what a plugin of that time knows

Without names `revisions` gives all of them; a name 0.NN means the last one of a minor used twice,
`newest` the last of all.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
API = HERE.parent.parent / "api"
sys.path.insert(0, str(API / "generate"))

import c_header  # noqa: E402
import frozen_tables  # noqa: E402
import registry as registry_module  # noqa: E402
import revisions  # noqa: E402

OLDEST = 57

@dataclass
class Window:
    """One distinct layout: it has the name of its first revision; `labels` are all of them."""

    revision: revisions.Revision
    labels: list[str]

    @property
    def name(self) -> str:
        return self.revision.name


@functools.cache
def history() -> list[revisions.Revision]:
    """Every revision, oldest first."""
    return revisions.load_history(API / "history")


def windows(every: list[revisions.Revision]) -> list[Window]:
    found: list[Window] = []
    for revision in every:
        if revision.minor < OLDEST:
            continue
        if found and found[-1].revision.layout == revision.layout:
            found[-1].labels.append(revision.name)
        else:
            found.append(Window(revision, [revision.name]))
    return found


def named(known: list[revisions.Revision], names: list[str]) -> list[Window]:
    """The windows that hold these revisions; all of them without names."""
    every = windows(known)
    chosen = []
    for name in names:
        revision = known[-1] if name == "newest" else revisions.find(known, name)
        if revision.minor < OLDEST:
            raise revisions.HistoryError(f"{name} is older than 0.{OLDEST}, where the windows begin")
        chosen += [w for w in every if revision.name in w.labels and w not in chosen]
    return chosen if names else every


def write(folder: Path, known: list[revisions.Revision]) -> None:
    """Writes what differs, so that nothing is compiled again without need."""
    registry = registry_module.load(API / "registry")
    extensions = json.loads((API / "history" / "extensions.json").read_text())["extensions"]
    for window in windows(known):
        for name in window.labels:
            view = revisions.View(registry, known, revisions.find(known, name))
            files = {"pjrt_c_api.h": c_header.header(view),
                     "frozen.cc": frozen_tables.tables(view, extensions)}
            for file_name, text in files.items():
                path = folder / name / file_name
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists() or path.read_text() != text:
                    path.write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(prog="windows.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("revisions").add_argument("revision", nargs="*")
    commands.add_parser("write").add_argument("directory", type=Path)
    options = parser.parse_args()
    try:
        if options.command == "revisions":
            for window in named(history(), options.revision):
                print(window.name, ",".join(window.labels))
        else:
            write(options.directory, history())
    except (registry_module.RegistryError, revisions.HistoryError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
