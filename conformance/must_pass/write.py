#!/usr/bin/env python3
"""Writes the lists of what must pass, from a report of a plugin that passes all; see README.md.

    write.py REPORT.json
"""

import fnmatch
import json
import pathlib
import re
import sys
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
REGISTRY = FOLDER.parents[1] / "api/registry"
OLDEST = 57


def functions() -> dict[str, dict]:
    return {f["name"]: f for path in REGISTRY.glob("*.toml")
            for f in tomllib.loads(path.read_text()).get("function", [])}


def main() -> int:
    known = functions()
    optional = [line for line in (FOLDER / "optional.txt").read_text().splitlines()
                if line and not line.startswith("#")]
    lists: dict[str, list[str]] = {}
    for result in json.loads(pathlib.Path(sys.argv[1]).read_text())["results"]:
        name = result["name"]
        if result["class"] == "robust" or result["verdict"] != "PASS":
            continue
        function = known.get((re.findall(r"PJRT_\w+", name) or [""])[0])
        if function and function["absent"] != "required":
            continue
        if any(fnmatch.fnmatchcase(name, glob) for glob in optional):
            continue
        since = max(OLDEST, function["since"]) if function else OLDEST
        lists.setdefault(name[:2], []).append(f"{since} {name}\n")
    for level, lines in lists.items():
        (FOLDER / f"{level}.txt").write_text("".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
