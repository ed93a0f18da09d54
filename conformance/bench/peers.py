#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CPU plugin beside others on the same work: a table of 12 cases, times in ms, the least of --seconds.

  peers.py [--only RE] [--seconds S] [--plugin FILE]

Columns: JAX's built-in CPU and the plugin (bench.py, in processes of their own), NumPy, and PyTorch eager.
PyTorch is optional: where it cannot be imported, the column stays empty and the table says so. The last
column is the best peer's time over the plugin's: above 1, nobody is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
PLUGIN = HERE.parent.parent / "build/release/lib/pjrt_plinth_cpu.so"
MB = 1 << 20
R = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return R.standard_normal(shape, dtype=np.float32)


def numpy_softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# The bench's case, its arguments, and the function of NumPy and of PyTorch; None: it has none.
CASES: list[tuple[str, Callable, Callable | None, Callable | None]] = [
    ("mm/f32_512", lambda: (normal(512, 512), normal(512, 512)), np.matmul, lambda t, a, b: a @ b),
    ("mm/f32_2048", lambda: (normal(2048, 2048), normal(2048, 2048)), np.matmul, lambda t, a, b: a @ b),
    ("conv/3x3_64_56_b8_NCHW", lambda: (normal(8, 64, 56, 56), normal(64, 64, 3, 3)), None,
     lambda t, x, w: t.nn.functional.conv2d(x, w, padding=1)),
    ("red/softmax_6144x512", lambda: (normal(6144, 512),), numpy_softmax, lambda t, x: t.softmax(x, -1)),
    ("red/layernorm_4096x1024", lambda: (normal(4096, 1024), normal(1024), normal(1024)), None,
     lambda t, x, g, b: t.nn.functional.layer_norm(x, (1024,), g, b)),
    ("red/argmax_last_64MB", lambda: (normal(4096, 4096),), lambda x: x.argmax(-1), lambda t, x: x.argmax(-1)),
    ("ew/gelu_16MB", lambda: (normal(4 * MB),), None,
     lambda t, x: t.nn.functional.gelu(x, approximate="tanh")),
    ("sort/f32_1M", lambda: (normal(MB),), np.sort, lambda t, x: t.sort(x)[0]),
    ("sort/argsort_1M", lambda: (normal(MB),), np.argsort, lambda t, x: t.argsort(x)),
    ("scan/cumsum_1M", lambda: (normal(MB),), np.cumsum, lambda t, x: t.cumsum(x, 0)),
    ("scan/cummax_1M", lambda: (normal(MB),), np.maximum.accumulate, lambda t, x: t.cummax(x, 0)[0]),
    ("scatter/segment_sum_1M_1000", lambda: (normal(MB), R.integers(0, 1000, MB)),
     lambda u, i: np.bincount(i, u, 1000), lambda t, u, i: t.zeros(1000).index_add_(0, i, u)),
]


def least_ms(function: Callable[[], object], seconds: float) -> float:
    function()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end or best == float("inf"):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def jax_times(names: list[str], platform: str, seconds: float) -> dict[str, float]:
    """What bench.py measures of these cases on a platform: "cpu", or "name:/path/plugin.so"."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "PJRT_"))}
    environment["JAX_PLATFORMS"] = platform.split(":")[0]
    if ":" in platform:
        environment["PJRT_NAMES_AND_LIBRARY_PATHS"] = platform
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "times.json"
        only = "^(" + "|".join(map(re.escape, names)) + ")$"
        subprocess.run([sys.executable, HERE / "bench.py", "--out", out, "--only", only, "--budget", str(seconds),
                        "--quiet"], env=environment, check=True, stdout=subprocess.DEVNULL)
        return {name: row["ms"] for name, row in json.loads(out.read_text()).items() if "ms" in row}


def import_torch():
    try:
        import torch
    except ImportError:
        return None
    torch.set_grad_enabled(False)
    return torch


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=".")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--plugin", type=Path, default=PLUGIN)
    options = parser.parse_args()
    if not options.plugin.exists():
        sys.exit(f"no plugin at {options.plugin}: build it with `scripts/build release pjrt_plinth_cpu`")
    cases = [case for case in CASES if re.search(options.only, case[0])]
    if not cases:
        sys.exit(f"no case matches {options.only}")
    names = [name for name, *_ in cases]
    built_in = jax_times(names, "cpu", options.seconds)
    ours = jax_times(names, f"plinth:{options.plugin.resolve()}", options.seconds)
    torch = import_torch()
    print(f"| {'case (ms)':28s} | built-in |   Plinth |    NumPy |  PyTorch | best peer / Plinth |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, make, in_numpy, in_torch in cases:
        arguments = make()
        peers = [None, None]
        if in_numpy is not None:
            peers[0] = least_ms(lambda: in_numpy(*arguments), options.seconds)
        if in_torch is not None and torch is not None:
            tensors = [torch.from_numpy(x) for x in arguments]
            peers[1] = least_ms(lambda: in_torch(torch, *tensors), options.seconds)
        times = [built_in.get(name), ours.get(name), *peers]
        found = [x for x in peers if x is not None]
        ratio = f"{min(found) / ours[name]:.2f}" if found and name in ours else "-"
        print(f"| {name:28s} | " + " | ".join("       -" if x is None else f"{x:8.3f}" for x in times) + f" | {ratio} |")
    if torch is None:
        print("PyTorch is not installed: pip install torch --index-url https://download.pytorch.org/whl/cpu")
    return 0


if __name__ == "__main__":
    sys.exit(main())
