# SPDX-License-Identifier: Apache-2.0
"""one op at a time, beside XLA's: sorts, scans, gathers, scatters, small products, a convolution"""

from processes import jax_program, need_jax, on_gpu


def measure(rows) -> None:
    need_jax()
    figures = {name: jax_program(name, "speeds") for name in on_gpu()}
    for what, own in figures["plinth_cuda"].items():
        others = figures.get("xla_cuda", {}).get(what)
        if isinstance(own, str):
            rows.add(what, own, False)
            continue
        compared = isinstance(others, float)
        xla = f", XLA {others:.3f} ms, {others / own:.2f}x" if compared else ""
        rows.add(what, f"{own:.3f} ms{xla}")
