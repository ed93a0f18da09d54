# SPDX-License-Identifier: Apache-2.0
"""Arrays from PyTorch to JAX and back by DLPack: what is copied, what is wrong."""

import json
import sys

import torch

for version in (12, 13):
    sys.modules[f"jax_plugins.xla_cuda{version}"] = None  # the name is ours here
import jax
from jax._src import hardware_utils

hardware_utils.has_visible_nvidia_gpu = lambda: True
problems = (
    []
    if "plinth" in jax.devices()[0].client.platform_version
    else ["another plugin took the name cuda"]
)
for size in (1000, 1 << 22):
    x = torch.arange(size, dtype=torch.float32, device="cuda")
    for _ in range(20):
        x = x * 1.0
    y = jax.dlpack.from_dlpack(x)
    if y.unsafe_buffer_pointer() != x.data_ptr():
        problems.append("PyTorch to JAX copies")
    z = y + 1
    for _ in range(20):
        z = z * 1.0
    back = torch.from_dlpack(z)
    if back.data_ptr() != z.unsafe_buffer_pointer():
        problems.append("JAX to PyTorch copies")
    if not torch.equal(back, torch.arange(size, dtype=torch.float32, device="cuda") + 1):
        problems.append("wrong numbers")
print(json.dumps(problems))
