# SPDX-License-Identifier: Apache-2.0
"""A copy of parts of the tree, in which the tests of recipes do what a page says."""

import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A block of code after the words "In `file`, before `text`:", "after `text`:" or "at the end:".
STEP = re.compile(r"In\s`([^`]+)`,\s(?:(after|before)\s+`([^`]+)`|at\sthe\send):\n\n"
                  r"```\w+\n(.*?)```", re.DOTALL)


def run(command, folder: Path) -> str:
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class Copy:
    def __init__(self, folder: str, parts, compiler: str, include=()):
        self.root = Path(folder) / "tree"
        self.compiler = compiler
        self.include = [self.root, *(self.root / part / "include" for part in (
            "api", "api/support", "api/reflection", "sdk", "reference_plugin/program")), *include]
        for part in parts:
            shutil.copytree(ROOT / part, self.root / part, symlinks=True,
                            ignore=shutil.ignore_patterns("testdata", "__pycache__"))
        self.before = self.contents()

    def contents(self) -> dict[str, bytes]:
        return {path.relative_to(self.root).as_posix(): path.read_bytes()
                for path in self.root.rglob("*")
                if path.is_file() and "__pycache__" not in path.parts}

    def changed(self) -> set[str]:
        """Since the last call."""
        before, self.before = self.before, self.contents()
        return {name for name in before.keys() | self.before.keys()
                if before.get(name) != self.before.get(name)}

    def edit(self, name: str, old: str, new: str):
        path = self.root / name
        text = path.read_text()
        assert old in text, f"{name} has no {old!r}"
        path.write_text(text.replace(old, new, 1))

    def follow(self, page: Path):
        """Puts each block where the recipe says: beside the line that holds a text, or last."""
        for name, where, text, block in STEP.findall(page.read_text()):
            lines = (self.root / name).read_text().splitlines(keepends=True)
            found = [i for i, line in enumerate(lines) if text in line]
            assert found, f"{name} has no line with {text!r}"
            place = found[0] + (where == "after") if where else len(lines)
            lines.insert(place, block)
            (self.root / name).write_text("".join(lines))

    def check_syntax(self, *sources: str):
        """Looks at syntax and types only."""
        for source in sources:
            language = ["-x", "c", "-std=c11"] if source.endswith(".c") else ["-std=c++20"]
            self.compile(*language, "-fsyntax-only", source)

    def compile(self, *words):
        run([self.compiler, *(f"-I{folder}" for folder in self.include), *words], self.root)
