# SPDX-License-Identifier: Apache-2.0
"""1,000 dependent tiny kernels, in one program too; a while loop of unknown length: us for each"""

from processes import jax_program, need_jax, on_gpu


def measure(rows) -> None:
    need_jax()
    for name in on_gpu():
        for what, microseconds in jax_program(name, "chains").items():
            rows.add(f"{what} on {name}", f"{microseconds:.2f} us each")
