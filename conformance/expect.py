#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program and looks at both its exit status and its output.

  expect.py REGEX COMMAND [ARGUMENT...]

CTest's PASS_REGULAR_EXPRESSION alone takes the place of the exit status: a crash or a sanitizer's
report behind the expected line would pass. `.` matches a line's end too.
"""

import re
import subprocess
import sys


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    pattern, *command = sys.argv[1:]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = done.stdout.decode(errors="replace")
    print(output, end="")
    if done.returncode != 0:
        print(f"exit status {done.returncode}, expected 0")
        return 1
    if not re.search(pattern, output, re.DOTALL):
        print(f"the output does not match {pattern!r}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
