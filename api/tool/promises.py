# SPDX-License-Identifier: Apache-2.0
"""What the registry promised so far and upstream's headers do not say, kept in the history."""

from __future__ import annotations

import json
from pathlib import Path

from abi import Abi, FieldPlace, StructLayout

PATH = Path(__file__).resolve().parent.parent / "history" / "promises.json"
TEXT = "What api/registry promised so far. `plinth-abi record` adds to it, and refuses to break it."


def _library(abi: Abi) -> dict:
    structs = {name: {"end": s.end, "may_grow": s.may_grow,
                      "fields": [f"{f.offset} {f.size} {f.name or '-'} {f.type}" for f in s.fields],
                      "optional": [f.name for f in s.fields if f.required is False]}
               for name, s in abi.structs.items()}
    return {"minor": abi.minor, "structs": structs, "enums": abi.enums, "callbacks": abi.callbacks,
            "exports": abi.exports}


def of(abi: Abi) -> dict:
    """The promises of a registry."""
    absent: dict[str, list[str]] = {}
    for function, kind in sorted(abi.absent.items()):
        absent.setdefault(kind, []).append(function)
    optional = {name: [f.name for f in s.fields if f.required is False]
                for name, s in sorted(abi.structs.items())}
    return {"text": TEXT, "absent": absent,
            "optional": {name: fields for name, fields in optional.items() if fields},
            "libraries": {header: _library(own) for header, own in sorted(abi.libraries.items())}}


def write(abi: Abi) -> None:
    PATH.write_text(json.dumps(of(abi), indent=1, sort_keys=True) + "\n")


def _read_library(header: str, own: dict) -> Abi:
    abi = Abi(header, 0, own["minor"], enums=own["enums"], callbacks=own["callbacks"],
              exports=own["exports"])
    for name, struct in own["structs"].items():
        fields = []
        for row in struct["fields"]:
            offset, size, field, form = row.split(" ", 3)
            field = "" if field == "-" else field
            fields.append(FieldPlace(field, int(offset), int(size), form,
                                     field not in struct["optional"]))
        abi.structs[name] = StructLayout(fields, struct["end"], struct["may_grow"])
    return abi


def add_to(abi: Abi, path: Path = PATH) -> None:
    """Completes the newest revision of the history."""
    known = json.loads(path.read_text())
    abi.absent = {name: kind for kind, names in known["absent"].items() for name in names}
    for name, fields in known["optional"].items():
        for place in abi.structs[name].fields:
            if place.name in fields:
                place.required = False
    abi.libraries = {header: _read_library(header, own)
                     for header, own in known["libraries"].items()}
