# SPDX-License-Identifier: Apache-2.0
"""The commands of this package: programs that lie in its folder bin, beside their libraries."""

import os
import sys
from pathlib import Path

from plinth_pjrt import _platform


def main() -> None:
    """Runs the program whose name this command has."""
    name = Path(sys.argv[0]).name
    program = Path(__file__).resolve().parent / "bin" / name
    if not program.is_file():
        sys.exit(f"{name}: this wheel was made from a build without it; `scripts/build release` builds all")
    try:
        _platform.check(program)
    except OSError as error:
        sys.exit(f"{name}: {error}")
    if sys.prefix != sys.base_prefix:  # where the plugins of this environment are looked for
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    os.execv(program, [name, *sys.argv[1:]])
