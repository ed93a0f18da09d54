# SPDX-License-Identifier: Apache-2.0
"""The history of the ABI as data, and the registry as it was at one revision."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from registry import Entry, Registry, Struct


class HistoryError(Exception):
    """The history is missing or broken. Never a reason to skip a check."""


@dataclass
class Revision:
    name: str
    minor: int
    index: int
    # structs, functions, enums, handles and callbacks as they were; see api/history/README.md.
    layout: dict
    source: str | None = None  # "binary": read from published plugins; None: from upstream's header


def read(path: Path) -> dict:
    try:
        text = path.read_text()
        return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        raise HistoryError(f"cannot read {path}: {error}") from error


def load_history(folder: Path) -> list[Revision]:
    """All revisions, oldest first, each with its full layout. Raises HistoryError."""
    for name in ("extensions.json", "quirks.toml"):
        read(folder / name)  # what tests compare with must not go missing either
    path = folder / "layouts.json"
    data = read(path)
    layout = {"structs": {}, "functions": [], "enums": {}, "handles": [], "callbacks": {}}
    revisions = []
    for index, row in enumerate(data["revisions"]):
        layout = copy.deepcopy(layout)
        for kind in ("structs", "enums", "callbacks"):
            layout[kind].update(row.get(kind, {}))
            for name in row.get(f"removed_{kind}", []):
                del layout[kind][name]
        if "functions" in row:
            layout["functions"] = row["functions"]
        layout["functions"] = layout["functions"] + row.get("functions_appended", [])
        if "handles" in row:
            layout["handles"] = row["handles"]
        handles = set(layout["handles"]) | set(row.get("handles_added", []))
        layout["handles"] = sorted(handles - set(row.get("removed_handles", [])))
        revisions.append(Revision(row["revision"], row["minor"], index, layout,
                                  row.get("source")))
    if not revisions:
        raise HistoryError(f"{path} holds no revision")
    return revisions


def load_table_history(path: Path) -> list[Revision]:
    """The revisions of a table beside PJRT's, oldest first, each with its full layout."""
    data = read(path)
    layout = {"structs": {}, "enums": {}, "functions": [], "signatures": {}}
    revisions = []
    for index, row in enumerate(data["revisions"]):
        layout = copy.deepcopy(layout)
        if "renamed" in row:
            layout = renamed(layout, row["renamed"])
        for kind in ("structs", "enums", "signatures"):
            layout[kind].update(row.get(kind, {}))
        layout["functions"] += row.get("functions_appended", [])
        name = f"{data['major']}.{row['minor']}"
        revisions.append(Revision(name, row["minor"], index, layout | {"major": data["major"]}))
    if not revisions:
        raise HistoryError(f"{path} holds no revision")
    return revisions


def renamed(layout: dict, names: dict[str, str]) -> dict:
    """The layout with whole words replaced, in names and in types."""
    text = re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), json.dumps(layout))
    return json.loads(text)


class View:
    """What of the registry exists at one revision; without one, all of it."""

    def __init__(self, registry: Registry, history: list[Revision] | None = None,
                 revision: Revision | None = None) -> None:
        self.registry = registry
        self.revision = revision
        self._history = history or []
        self._index = {r.name: r.index for r in self._history}

    @property
    def minor(self) -> int:
        return self.revision.minor if self.revision else self.registry.version["declared_minor"]

    @property
    def name(self) -> str:
        return self.revision.name if self.revision else f"0.{self.minor}"

    def after(self, revision_name: str) -> bool:
        """Whether this view is at or after the named revision."""
        return self.revision is None or self.revision.index >= self._index[revision_name]

    def has(self, entry: Entry) -> bool:
        if self.revision is None:
            return True
        if self.revision.name in entry.not_in:
            return False
        if self.revision.name in entry.also_in:
            return True
        if entry.since_revision:
            return self.after(entry.since_revision)
        return self.revision.minor >= entry.since

    def has_head(self, struct: Struct) -> bool:
        return not struct.head_since_revision or self.after(struct.head_since_revision)

    def field_type(self, field) -> str:
        if field.earlier_until and self.minor <= field.earlier_until:
            return field.earlier_type
        return field.type

    def announced_size(self, struct: Struct) -> int | None:
        """The wrong X_STRUCT_SIZE that the upstream header of this revision had, if any."""
        if self.revision is None:
            return None
        for row in struct.announced_sizes:
            if self._index[row["from"]] <= self.revision.index <= self._index[row["through"]]:
                return row["size"]
        return None


def find(history: list[Revision], name: str) -> Revision:
    """The revision of that name; `0.NN` also means the last one of a minor used twice."""
    matches = [r for r in history if r.name == name or r.name.rsplit("-", 1)[0] == name]
    if not matches:
        raise HistoryError(f"no revision {name}; known are {history[0].name} to {history[-1].name}")
    return matches[-1]
