# SPDX-License-Identifier: Apache-2.0
"""The same as products.py, on PyTorch."""

import json
import sys
import time

import torch

result = {}
for size in map(int, sys.argv[1:]):
    for kind, dtype, tf32 in (
        ("bf16", torch.bfloat16, True),
        ("tf32", torch.float32, True),
        ("f32", torch.float32, False),
    ):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        a, b = (torch.randn(size, size, device="cuda").to(dtype) for _ in range(2))
        torch.matmul(a, b)
        torch.cuda.synchronize()
        best = 1e9
        for _ in range(3):
            begin = time.perf_counter()
            for _ in range(10):
                c = torch.matmul(a, b)
            torch.cuda.synchronize()
            best = min(best, (time.perf_counter() - begin) / 10)
        result[f"{kind} {size}"] = 2 * size**3 / best / 1e12
print(json.dumps(result))
