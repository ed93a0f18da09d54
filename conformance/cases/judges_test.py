#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every output that the registry says how to judge is asked for by a case that judges.

That each output has a judge is checked by api/generate, which refuses a registry without.
"""

import pathlib
import sys
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
REGISTRY = FOLDER.parents[1] / "api/registry"
# Cases that compare answers; abi_owners.cc judges every output that is `new`.
JUDGING = ("judge_*.cc", "sweep_*.cc", "descriptions.cc", "waiting.cc", "event_orders.cc",
           "buffer_orders.cc", "failures.cc", "abi_table.cc", "alias_buffer.cc", "ask.cc",
           "../runner/context.cc", "../runner/plugin.cc")


def main() -> int:
    text = "".join(path.read_text() for glob in JUDGING for path in sorted(FOLDER.glob(glob)))
    problems, count = [], 0
    for path in sorted(REGISTRY.glob("*.toml")):
        for function in tomllib.loads(path.read_text()).get("function", []):
            judges = {field["judge"] for field in function.get("fields", []) if "judge" in field}
            count += len(judges)
            if judges - {"free", "new"} and f"{function['name']}_Args" not in text:
                problems.append(f"{function['name']}: judged by {', '.join(sorted(judges))}, "
                                "and no case that judges calls it")
    if count < 60:
        problems.append(f"the registry has {count} judges only")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
