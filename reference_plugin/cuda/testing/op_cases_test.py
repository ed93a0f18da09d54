# SPDX-License-Identifier: Apache-2.0
"""One case of level L4 of the conformance suite for each op, by the plugin on the simulated GPU.

    op_cases_test.py SUITE PLUGIN PROFILE

Which ones $PLINTH_TEST_SEED says (0).
"""

import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile



def main() -> None:
    suite, plugin, profile = sys.argv[1:]
    command = [suite, "--plugin", plugin, "--profile", profile]
    listed = subprocess.run([*command, "--cases", "L4/op/*", "--list"], check=True, capture_output=True, text=True)
    cases: dict[str, list[str]] = {}
    for name in sorted(re.findall(r"L4/op/\S+", listed.stdout)):
        cases.setdefault(name.split("/")[2], []).append(name)
    seed = random.Random(os.environ.get("PLINTH_TEST_SEED", "0"))
    chosen = [seed.choice(names) for names in cases.values()]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "cases.txt"
        file.write_text("\n".join(chosen) + "\n")
        done = subprocess.run([*command, "--cases", f"@{file}", "--quiet"], check=False, capture_output=True, text=True)
    print(done.stdout + done.stderr)
    if done.returncode != 0 or "FAIL 0  CRASH 0  HANG 0" not in done.stdout:
        sys.exit(f"{len(chosen)} cases, one for each op: {' '.join(chosen)}")


if __name__ == "__main__":
    main()
