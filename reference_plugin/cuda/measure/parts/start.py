# SPDX-License-Identifier: Apache-2.0
"""the first result of jit(x + 1), nothing kept on disk: 3 times sooner than XLA; device memory"""

from processes import jax_program, need_jax, on_gpu


def measure(rows) -> None:
    need_jax()
    firsts = {}
    for name in on_gpu():
        ours = name == "plinth_cuda"
        result = jax_program(name, "start", *(["ours"] if ours else []), PLINTH_CUDA_CACHE="off")
        rows.add(f"client on {name}", f"{1e3 * result['client']:.0f} ms")
        rows.add(f"first result on {name}", f"{1e3 * result['first']:.0f} ms")
        firsts[name] = result["first"]
        if result["memory"].isdigit():
            holds = int(result["memory"]) <= 1024 if ours else None
            rows.add(f"device memory on {name}", f"{result['memory']} MiB", holds)
        rows.machine.setdefault("device", result["device"])
    rows.compare("first result", firsts, 3)
