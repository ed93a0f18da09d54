# SPDX-License-Identifier: Apache-2.0
"""Whether the binaries of this package are for this machine: pip checks it, copies of the folder do not."""

from __future__ import annotations

import os
import platform
import struct
from pathlib import Path

_MACHINES = {3: "i686", 62: "x86_64", 183: "aarch64", 243: "riscv64"}  # e_machine of ELF
_ADVICE = "install plinth-pjrt with pip on this machine, or build it here (CONTRIBUTING.md)"


def check(binary: Path) -> None:
    """Raises OSError, with what was found and what to do."""
    with open(binary, "rb") as file:
        head = file.read(20)
    if len(head) < 20 or not head.startswith(b"\x7fELF"):
        raise OSError(f"{binary} is not a binary of Linux: {_ADVICE}")
    (number,) = struct.unpack_from("<H", head, 18)
    found, wanted = _MACHINES.get(number, f"machine {number} of ELF"), platform.machine()
    if found != wanted:
        raise OSError(f"{binary} is for {found}, this machine is {wanted}: {_ADVICE}")
    try:
        os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        raise OSError(f"{binary} needs glibc, which this Python does not run on (musl?): use a distribution with "
                      "glibc, as its name manylinux says, or build Plinth here") from None
