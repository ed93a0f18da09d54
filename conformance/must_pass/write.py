#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
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
PACKS = FOLDER.parent / "programs/packs"
OLDEST = 57
# The API's minor from which on a plugin can be asked for programs of a version of StableHLO: that of
# the first release of jaxlib that is known to write it, 0.7.2 for 1.13, 0.10.2 for 1.17. All others are older.
SINCE = {"1.13": 76, "1.17": 112}
# The names of cases begin with it, by the folder of their programs.
CASES = {"ops": "L4/op", "frameworks": "L4", "devices": "L3/collective", "launches": "L3"}

sys.path.insert(0, str(PACKS))
from program import versions_of


def functions() -> dict[str, dict]:
    return {f["name"]: f for path in REGISTRY.glob("*.toml")
            for f in tomllib.loads(path.read_text()).get("function", [])}


def needs() -> dict[str, int]:
    """The minors of cases whose programs older versions of StableHLO cannot say."""
    made = {}
    for path in PACKS.glob("*/*.bin"):
        start = f"{CASES[path.parent.name]}/{path.stem}"
        for name, versions in versions_of(path.read_bytes()).items():
            made[f"{start}/{name}"] = min(SINCE.get(version, OLDEST) for version in versions)
    return made


def main() -> int:
    known = functions()
    optional = [line for line in (FOLDER / "optional.txt").read_text().splitlines()
                if line and not line.startswith("#")]
    minors = needs()
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
        since = max(OLDEST, function["since"] if function else 0, minors.get(name, 0))
        lists.setdefault(name[:2], []).append(f"{since} {name}\n")
    for level, lines in lists.items():
        (FOLDER / f"{level}.txt").write_text("".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
