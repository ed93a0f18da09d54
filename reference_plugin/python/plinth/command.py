# SPDX-License-Identifier: Apache-2.0
"""The command `plinth`, run where libplinth lies beside it."""

import os
import sys
from pathlib import Path


def main() -> None:
    command = Path(__file__).resolve().parent / "bin/plinth"
    if not command.is_file():
        sys.exit("this wheel was made from a build without the command: scripts/build release")
    if sys.prefix != sys.base_prefix:  # where the plugins of this environment are looked for
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    os.execv(command, ["plinth", *sys.argv[1:]])
