# SPDX-License-Identifier: Apache-2.0
"""Generated files that are committed: compares or writes them. For every generator of the tree."""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass
class GeneratedFiles:
    """What a generator makes, and what it made once and no longer does."""

    root: Path
    files: dict[str, str]  # texts by path below the root
    stale: list[Path]
    source: str  # what they are made from, as a sentence names it
    command: str  # that writes them
    prefix: str = ""  # of the names that are printed

    def _name(self, path: Path) -> str:
        return self.prefix + path.relative_to(self.root).as_posix()

    def check(self) -> int:
        """Prints a unified diff for every file that differs. Returns the exit status."""
        different = len(self.stale)
        for path in self.stale:
            print(f"{self._name(path)} is committed, but {self.source} does not give it.")
        for name, text in self.files.items():
            path = self.root / name
            found = path.read_text() if path.exists() else ""
            if found != text:
                different += 1
                name = self._name(path)
                sys.stdout.writelines(difflib.unified_diff(
                    found.splitlines(keepends=True), text.splitlines(keepends=True),
                    f"{name} (committed)", f"{name} (from {self.source})"))
        if different:
            print(f"{different} generated files differ from {self.source}. Run `{self.command}`.")
        return 1 if different else 0

    def write(self) -> int:
        for path in self.stale:
            path.unlink()
            print(f"removed {self._name(path)}")
        for name, text in self.files.items():
            path = self.root / name
            if not path.exists() or path.read_text() != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                print(f"wrote {self._name(path)}")
        return 0
