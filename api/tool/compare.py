# SPDX-License-Identifier: Apache-2.0
"""Compares two states of the ABI: what changed, how bad it is, and which promise says so."""

from __future__ import annotations

from dataclasses import dataclass

from abi import Abi, StructLayout, without_const

PATCH, MINOR, MAJOR = "patch", "minor", "major"
ORDER = (PATCH, MINOR, MAJOR)

# The promises of the ABI. A change of level major breaks one of them.
SLOT = "a slot never moves and never goes away"
FIELD = "a field never moves, shrinks, changes its type or goes away"
APPEND = "a struct only grows at its end"
FROZEN = "a struct without struct_size, or that arrays hold, never grows"
SERVED = "what served a caller goes on serving it"
ENUM = "a value keeps its meaning and is never used again"
CALLBACK = "the type of a callback never changes"
VERSION = "the minor rises with every addition and never falls"
SAME_MAJOR = "the major stays: clients refuse plugins of another"
EXPORT = "an exported function keeps its name and type"
EXTENSION = "an extension only grows"
ADDED = "additions are allowed, with a new minor"
ADDED_TO_EXTENSION = "additions to an extension are allowed; its struct_size tells"
SAME = "nothing that was compiled before can tell"


@dataclass
class Finding:
    level: str
    where: str
    text: str
    promise: str


class _Comparison:
    def __init__(self, old: Abi, new: Abi) -> None:
        self.old = old
        self.new = new
        self.findings: list[Finding] = []
        # What only one of the two could know.
        self.left_out: set[str] = set()
        if old.of_extensions is None or new.of_extensions is None:
            self.left_out = (old.of_extensions or set()) | (new.of_extensions or set())

    def note(self, level: str, where: str, text: str, promise: str) -> None:
        self.findings.append(Finding(level, where, text, promise))

    def functions(self) -> None:
        places = {name: slot for slot, name in enumerate(self.new.functions)}
        for slot, name in enumerate(self.old.functions):
            if slot < len(self.new.functions) and self.new.functions[slot] == name:
                continue
            where = f"PJRT_Api.{name}"
            if name in places:
                self.note(MAJOR, where, f"moved from slot {slot} to slot {places[name]}", SLOT)
            elif slot < len(self.new.functions):
                self.note(MAJOR, where,
                          f"slot {slot} now holds {self.new.functions[slot]}", SLOT)
            else:
                self.note(MAJOR, where, f"slot {slot} is gone", SLOT)
        known = set(self.old.functions)
        for slot, name in enumerate(self.new.functions):
            if name not in known and slot >= len(self.old.functions):
                self.note(MINOR, f"PJRT_Api.{name}", f"new function at slot {slot}", ADDED)
        for old, new in ((self.old.absent, self.new.absent), (self.old.slots, self.new.slots)):
            for name in old.keys() & new.keys():
                if old[name] != new[name]:
                    self.note(MAJOR, f"PJRT_Api.{name}", "where it is not implemented it was "
                              f"{old[name]}, and is {new[name]}: clients call it by that", SERVED)

    def struct(self, name: str, old: StructLayout, new: StructLayout, extension: bool) -> None:
        places = {f.name: f for f in new.fields}
        at_offset = {f.offset: f for f in new.fields}
        renamed = set()
        for before in old.fields:
            where = f"{name}.{before.name or 'union'}"
            after = places.get(before.name)
            if after is None:
                other = at_offset.get(before.offset)
                if other and (other.size, other.type) == (before.size, before.type):
                    renamed.add(other.name)
                    self.note(PATCH, where, f"is called {other.name}", SAME)
                else:
                    self.note(MAJOR, where, f"is gone; it was at {before.offset}", FIELD)
                continue
            if after.offset != before.offset:
                self.note(MAJOR, where, f"moved from {before.offset} to {after.offset}", FIELD)
            elif after.size != before.size:
                self.note(MAJOR, where, f"had {before.size} bytes and has {after.size}", FIELD)
            elif after.type != before.type:
                if without_const(after.type) == without_const(before.type):
                    self.note(PATCH, where, f"was {before.type}, is {after.type}", SAME)
                else:
                    self.note(MAJOR, where, f"was {before.type}, is {after.type}", FIELD)
            if before.required is False and after.required is True:
                self.note(MAJOR, where, "callers that do not send it were served, and are refused now",
                          SERVED)
        known = {f.name for f in old.fields} | renamed
        for added in new.fields:
            if added.name in known:
                continue
            where = f"{name}.{added.name or 'union'}"
            if added.offset < old.end:
                self.note(MAJOR, where, f"inserted at {added.offset}, before the end at {old.end}",
                          APPEND)
            elif not old.may_grow:
                self.note(MAJOR, where, f"added at {added.offset}", FROZEN)
            elif added.required:
                self.note(MAJOR, where, "new and required: every caller of today is refused", SERVED)
            else:
                self.note(MINOR, where, f"new field at {added.offset}",
                          ADDED_TO_EXTENSION if extension else ADDED)

    def structs(self) -> None:
        for name, old in self.old.structs.items():
            if name in self.left_out:
                continue
            new = self.new.structs.get(name)
            extension = name in (self.new.of_extensions or ())
            if new is None:
                self.note(MAJOR, name, "is gone", FIELD)
            else:
                self.struct(name, old, new, extension)
        for name in self.new.structs.keys() - self.old.structs.keys() - self.left_out:
            extension = name in (self.new.of_extensions or ())
            self.note(MINOR, name, "new struct", ADDED_TO_EXTENSION if extension else ADDED)

    def enums(self) -> None:
        for enum, old in self.old.enums.items():
            if enum in self.left_out:
                continue
            new = self.new.enums.get(enum)
            if new is None:
                self.note(MAJOR, enum, "is gone", ENUM)
                continue
            holders = {value: name for name, value in new.items()}
            for name, value in old.items():
                if name in new and new[name] == value:
                    continue
                if value in holders:
                    self.note(MAJOR, name, f"{value} meant this and now means {holders[value]}", ENUM)
                elif name in new:
                    self.note(MAJOR, name, f"was {value} and is {new[name]}", ENUM)
                else:
                    self.note(MAJOR, name, f"{value} is gone", ENUM)
            for name in new.keys() - old.keys():
                if new[name] not in old.values():
                    self.note(MINOR, name, f"new value {new[name]}", ADDED)
        for enum in self.new.enums.keys() - self.old.enums.keys() - self.left_out:
            self.note(MINOR, enum, "new enum", ADDED)

    def signatures(self, old_ones: dict[str, str], new_ones: dict[str, str], kind: str,
                   promise: str) -> None:
        for name, old in old_ones.items():
            new = new_ones.get(name)
            if new is None:
                self.note(MAJOR, name, "is gone", promise)
            elif without_const(new) != without_const(old):
                self.note(MAJOR, name, f"was {old}, is {new}", promise)
            elif new != old:
                self.note(PATCH, name, f"was {old}, is {new}", SAME)
        for name in new_ones.keys() - old_ones.keys():
            self.note(MINOR, name, f"new {kind}", ADDED)

    def callbacks(self) -> None:
        self.signatures(self.old.callbacks, self.new.callbacks, "callback", CALLBACK)
        self.signatures(self.old.exports, self.new.exports, "function", EXPORT)

    def libraries(self) -> None:
        if self.old.libraries is None or self.new.libraries is None:
            return
        for header, old in self.old.libraries.items():
            if header not in self.new.libraries:
                self.note(MAJOR, header, "is gone, with all that it exports", EXPORT)
                continue
            for f in compare(old, self.new.libraries[header]):
                self.findings.append(Finding(f.level, f"{header}: {f.where}", f.text, f.promise))
        for header in self.new.libraries.keys() - self.old.libraries.keys():
            self.note(MINOR, header, "new header", ADDED)

    def extensions(self) -> None:
        for kind, old in self.old.extensions.items():
            new = self.new.extensions.get(kind)
            where = f"extension {kind}"
            if new is None:
                self.note(MINOR, where, "is not offered any more; callers test for it", SAME)
            elif new < old:
                self.note(MAJOR, where, f"had {old} bytes and has {new}", EXTENSION)
            elif new > old:
                self.note(MINOR, where, f"had {old} bytes and has {new}", ADDED_TO_EXTENSION)

    def version(self) -> None:
        old, new = (self.old.major, self.old.minor), (self.new.major, self.new.minor)
        text = f"{old[0]}.{old[1]} to {new[0]}.{new[1]}"
        if new[0] != old[0]:
            self.note(MAJOR, "version", f"from {text}", SAME_MAJOR)
        elif new < old:
            self.note(MAJOR, "version", f"from {text}", VERSION)
        elif new == old and any(f.promise == ADDED for f in self.findings):
            self.note(MAJOR, "version", f"something was added and the minor is {new[1]} as before",
                      VERSION)
        elif new > old:
            self.note(MINOR, "version", f"from {text}", ADDED)


def compare(old: Abi, new: Abi) -> list[Finding]:
    """What changed, worst first."""
    comparison = _Comparison(old, new)
    comparison.functions()
    if old.has_layouts and new.has_layouts:
        comparison.structs()
        comparison.enums()
        comparison.callbacks()
    if old.extensions and new.extensions:
        comparison.extensions()
    comparison.version()
    comparison.libraries()
    return sorted(comparison.findings, key=lambda f: (-ORDER.index(f.level), f.where))


def verdict(findings: list[Finding]) -> str:
    return max((f.level for f in findings), key=ORDER.index, default=PATCH)
