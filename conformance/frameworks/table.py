# SPDX-License-Identifier: Apache-2.0
"""The table of results: read, written, compared, and as a page."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re

BEGIN, END = "<!-- written by conformance/frameworks/run --record -->", "<!-- end -->"
TITLES = {"jax": "JAX", "libraries": "Libraries on JAX, with eight devices", "torch": "PyTorch/XLA", "tensorflow": "TensorFlow"}
_OK = re.compile(r"ok( [\d.]+%)?")
LONGEST = 200  # characters of an error that are kept


def _shortened(error: str | None) -> str | None:
    """Without what differs from run to run."""
    if error is None:
        return None
    error = re.sub(r' at ".*\): ', ": ", error)  # where in the program
    error = re.sub(r"_\d+\[_Xla[^:]*", "...", error)  # a function of TensorFlow
    error = re.sub(r"0x[0-9a-f]+", "0x...", error)
    error = re.sub(r"/\S+/", "", error)
    return error if len(error) <= LONGEST else error[:LONGEST - 3] + "..."


@dataclasses.dataclass
class Table:
    # (release, way in) -> program -> what went wrong, or None
    cells: dict[tuple[str, str], dict[str, str | None]] = dataclasses.field(default_factory=dict)
    # (release, way in) -> program that is ok -> the accuracy that it reached
    figures: dict[tuple[str, str], dict[str, str]] = dataclasses.field(default_factory=dict)
    not_run: dict[str, str] = dataclasses.field(default_factory=dict)  # release -> what was missing

    @classmethod
    def read(cls, path: pathlib.Path) -> Table:
        if not path.exists():
            return cls()
        stored = json.loads(path.read_text())
        columns = {(release, way): column for release, ways in stored["releases"].items() for way, column in ways.items()}
        cells = {key: {name: None if _OK.fullmatch(text) else text for name, text in column.items()} for key, column in columns.items()}
        figures = {key: {name: text[3:] for name, text in column.items() if _OK.fullmatch(text) and text != "ok"}
                   for key, column in columns.items()}
        return cls(cells, figures)

    def text(self) -> str:
        releases: dict = {}
        for (release, way), column in self.cells.items():
            figures = self.figures.get((release, way), {})
            releases.setdefault(release, {})[way] = {
                name: _shortened(error) or f"ok {figures.get(name, '')}".strip() for name, error in column.items()}
        return json.dumps({"releases": releases}, indent=1) + "\n"

    def update(self, other: Table) -> None:
        """Takes the cells of `other` in place of its own."""
        for key, column in other.cells.items():
            alone = "(start)" in column
            # What did not start before does now.
            before = {name: text for name, text in self.cells.get(key, {}).items() if name != "(start)"}
            self.cells[key] = column if alone else before | column
            old = {} if alone else {name: text for name, text in self.figures.get(key, {}).items() if name not in column}
            self.figures[key] = old | other.figures.get(key, {})

    def lost(self, found: Table) -> list[str]:
        """What was ok here and is not in `found`, where that ran."""
        lines = []
        for (release, way), column in self.cells.items():
            new = found.cells.get((release, way))
            if new is None:
                continue
            start = new.get("(start)")
            for name, error in column.items():
                if error is None and (start or new.get(name)):
                    lines.append(f"{release}, {way}: {name}: {start or new[name]}")
        return lines

    def accuracy(self, release: str, name: str) -> str:
        """The lowest that any way in reached; empty where the program tells none."""
        return min((column[name] for (r, _), column in self.figures.items() if r == release and name in column),
                   key=lambda text: float(text[:-1]), default="")

    def frameworks(self) -> list[str]:
        return list(dict.fromkeys(release.split("-")[0] for release, _ in self.cells))

    def of(self, framework: str) -> dict[str, dict[str, dict[str, str | None]]]:
        """Release -> way -> column, in the order of the releases."""
        releases: dict = {}
        for (release, way), column in self.cells.items():
            name, version = release.split("-", 1)
            if name == framework:
                releases.setdefault(version, {})[way] = column
        return dict(sorted(releases.items(), key=lambda item: [int(n) for n in item[0].split(".")]))


def markdown(table: Table) -> str:
    """A table per framework: rows programs, columns releases. A cell that is not ok names its note."""
    lines = []
    for framework in table.frameworks():
        releases = table.of(framework)
        names = list(dict.fromkeys(n for ways in releases.values() for column in ways.values() for n in column))
        notes: list[str] = []

        def cell(version: str, ways: dict, name: str) -> str:
            wrong: dict[str, list[str]] = {}
            for way, column in ways.items():
                error = column.get("(start)", column.get(name))
                if error:
                    wrong.setdefault(_shortened(error), []).append(way)
            if not wrong:
                ran = any(name in column for column in ways.values())
                return f"ok {table.accuracy(f'{framework}-{version}', name)}".strip() if ran else ""
            numbers = []
            for error, failing in wrong.items():
                where = "" if len(failing) == len(ways) else f"{', '.join(failing)}: "
                note = where + error.replace("|", "\\|").replace("<", "&lt;")
                if note not in notes:
                    notes.append(note)
                numbers.append(notes.index(note) + 1)
            return ", ".join(f"({n})" for n in numbers)

        rows = [[name] + [cell(version, ways, name) for version, ways in releases.items()] for name in names if name != "(start)"]
        lines += ["", f"## {TITLES[framework]}", "", "Ways in: " + "; ".join(
            dict.fromkeys(way for ways in releases.values() for way in ways)) + ".", ""]
        lines += ["| program | " + " | ".join(releases) + " |", "| --- |" + " --- |" * len(releases)]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        if notes:
            lines += ["", "| note | |", "| --- | --- |"] + [f"| {i + 1} | {note} |" for i, note in enumerate(notes)]
    return "\n".join(lines) + "\n"


def write_page(table: Table, page: pathlib.Path) -> None:
    """Puts the tables between the marks of the page."""
    text = page.read_text()
    head, rest = text.split(BEGIN)
    page.write_text(head + BEGIN + "\n" + markdown(table) + "\n" + END + rest.split(END, 1)[1])
