# SPDX-License-Identifier: Apache-2.0
"""products of matrices in bf16, TF32 and f32, of 1k to 8k; at least 0.95 of PyTorch's speed"""

import os

from processes import Failed, jax_program, last_line, need_jax, on_gpu, program, run


def measure(rows) -> None:
    need_jax()
    sizes = os.environ.get("PLINTH_GPU_PRODUCTS", "1024 2048 4096 8192").split()
    speeds = {name: jax_program(name, "products", *sizes) for name in on_gpu()}
    torch = {}
    try:
        torch = last_line(run(program("torch_products", *sizes)))
    except Failed as error:
        rows.add("products on PyTorch", f"not run: {str(error).strip().splitlines()[-1]}")
    for name, own in speeds.items():
        for what, speed in own.items():
            compared = torch.get(what)
            value, holds = f"{speed:.3g} TFLOP/s", None
            if compared is not None:
                value += f", {speed / compared:.2f} of PyTorch's"
                holds = speed >= 0.95 * compared if name == "plinth_cuda" else None
            rows.add(f"product {what} on {name}", value, holds)
