#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds JSON documents against a schema of this folder.

    check.py report.schema.json DOCUMENT.json...
    check.py --self-test
"""

import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}
ANNOTATIONS = {"$schema", "$defs", "title", "description"}


def is_type(value, name: str) -> bool:
    if name in TYPES:
        return isinstance(value, TYPES[name])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return name == "number" or value == int(value)


def problems_of(value, schema: dict, root: dict, place: str = "$") -> list[str]:
    """What the document violates, each with its place."""
    found = []

    def check(holds: bool, text: str) -> None:
        if not holds:
            found.append(f"{place}: {text}")

    for key, wanted in schema.items():
        if key in ANNOTATIONS or key == "additionalProperties":
            continue
        if key == "$ref":
            target = root
            for part in wanted.removeprefix("#/").split("/"):
                target = target[part]
            found += problems_of(value, target, root, place)
        elif key == "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            check(any(is_type(value, name) for name in names), f"is no {' or '.join(names)}")
        elif key == "enum":
            check(value in wanted, f"{value!r} is none of {wanted}")
        elif key == "required":
            for name in wanted:
                check(not isinstance(value, dict) or name in value, f"lacks {name}")
        elif key == "pattern":
            check(not isinstance(value, str) or re.search(wanted, value), f"{value!r} is not {wanted}")
        elif key == "minLength":
            check(not isinstance(value, str) or len(value) >= wanted, "is too short")
        elif key in ("minimum", "maximum", "exclusiveMinimum"):
            is_number = is_type(value, "number")
            check(not is_number or {"minimum": lambda: value >= wanted,
                                    "maximum": lambda: value <= wanted,
                                    "exclusiveMinimum": lambda: value > wanted}[key](),
                  f"{value!r} violates {key} {wanted}")
        elif key == "items":
            for i, element in enumerate(value if isinstance(value, list) else ()):
                found += problems_of(element, wanted, root, f"{place}[{i}]")
        elif key == "properties":
            for name in wanted.keys() & (value.keys() if isinstance(value, dict) else set()):
                found += problems_of(value[name], wanted[name], root, f"{place}.{name}")
        else:
            check(False, f"the schema uses {key}, which check.py does not know")
    more = schema.get("additionalProperties", True)
    if isinstance(value, dict) and more is not True:
        for name in value.keys() - schema.get("properties", {}).keys():
            if more is False:
                found.append(f"{place}: has {name}, which the schema does not know")
            else:
                found += problems_of(value[name], more, root, f"{place}.{name}")
    return found


def check(schema_name: str, document) -> list[str]:
    schema = json.loads((FOLDER / schema_name).read_text())
    return problems_of(document, schema, schema)


def self_test() -> list[str]:
    """Documents that each schema has to refuse, and some that it takes."""
    waiver = {"cases": "L0/*", "reason": "r", "address": "a", "until_minor": 114}
    good = [("profile", {}), ("profile", {"types": ["f32"], "create_options": {"a": 1}}),
            ("profile", {"tolerances": {"sum": 9}, "unsupported_ops": ["fft"]}),
            ("waivers", {"waivers": []}), ("waivers", {"waivers": [waiver]})]
    bad = [("profile", []), ("profile", {"case_seconds": 0}), ("profile", {"tpyes": []}),
           ("profile", {"types": [1]}), ("profile", {"create_options": {"a": None}}),
           ("profile", {"exclusive": 1}), ("profile", {"tolerances": {"exact": 1}}),
           ("profile", {"tolerances": {"sum": -1}}), ("profile", {"unsupported_ops": ["FFT!"]}),
           ("waivers", {}),
           ("waivers", {"waivers": [{**waiver, "until_minor": "114"}]}), ("report", {"format": 2})]
    bad += [("waivers", {"waivers": [{k: v for k, v in waiver.items() if k != gone}]})
            for gone in waiver]
    found = [f"{name} refuses {document}" for name, document in good
             if check(f"{name}.schema.json", document)]
    found += [f"{name} accepts {document}" for name, document in bad
              if not check(f"{name}.schema.json", document)]
    for path in sorted((FOLDER.parent / "profiles").glob("*.json")):
        found += [f"{path.name}: {p}" for p in
                  check("profile.schema.json", json.loads(path.read_text()))]
    return found


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        found = self_test()
    else:
        found = [f"{path}: {problem}" for path in sys.argv[2:]
                 for problem in check(sys.argv[1], json.loads(pathlib.Path(path).read_text()))]
    print("\n".join(found[:50]) or "as the schemas say")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
