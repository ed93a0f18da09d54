# SPDX-License-Identifier: Apache-2.0
"""products by cuBLASLt of any size: types, transposes, batches, lists of addresses, epilogues"""

import json
import shutil

import failures
import suite
from processes import need_jax, plugins, program, run


def measure(rows) -> None:
    need_jax()
    for name, profile in (("TF32", "plinth_cuda_tf32"), ("f32", "plinth_cuda_f32")):
        what = f"dots of the suite by cuBLASLt, {name}"
        suite.measure(rows, what, profile, ["--cases", "L4/op/dot_general/*"], None, 100)
    first, good, end = 0, 0, 200
    while first < end:
        dump = failures.FOLDER / f"cublaslt-{first}"
        out = run(
            program("right_products", first),
            200,
            dump=dump,
            JAX_PJRT_CLIENT_CREATE_OPTIONS="cublaslt:all",
            **plugins()["plinth_cuda"],
        )
        results = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        for result in results:
            good += result["holds"]
            if not result["holds"] or result["name"] == "relu of NaN":
                value = f"{result.get('error', '')} {result.get('detail', '')}"
                rows.add(f"product {result['name']}", value, result["holds"])
        if all(result["holds"] for result in results):
            shutil.rmtree(dump, ignore_errors=True)
        end = first if not results or not results[-1].get("lost") else end
        first = results[-1]["number"] + 1 if results else end
    rows.add("products by cuBLASLt", f"{good} right", good > 0)
