# SPDX-License-Identifier: Apache-2.0
"""the same program in two processes, three times each: the same bits"""

from processes import jax_program, need_jax


def measure(rows) -> None:
    need_jax()
    seen = {bits for _ in range(2) for bits in jax_program("plinth_cuda", "bits")}
    value = "the same bits" if len(seen) == 1 else f"{len(seen)} different"
    rows.add("results of six runs", value, len(seen) == 1)
