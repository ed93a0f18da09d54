# SPDX-License-Identifier: Apache-2.0
"""elementwise, softmax, layer norm, sums, transposes of 1 GB, as parts of the driver's copy"""

import os

from processes import jax_program, need_jax, on_gpu

NOTHING_ASKED = ("copy", "sum with the transpose", "column maxima")


def measure(rows) -> None:
    need_jax()
    size = os.environ.get("PLINTH_GPU_ELEMENTS", str(1 << 28))
    for name in on_gpu():
        speeds = jax_program(name, "bandwidth", size)
        for what, speed in speeds.items():
            share = speed / speeds["copy"]
            asked = name == "plinth_cuda" and what not in NOTHING_ASKED
            value = f"{speed:.0f} GB/s, {share:.0%}"
            rows.add(f"{what} on {name}", value, share >= 0.75 if asked else None)
