# SPDX-License-Identifier: Apache-2.0
"""The first kernel and the first product on the plugin, and which libraries it opened for them."""

import json

import jax
import jax.numpy as jnp

device = jax.devices()[0]
x = jnp.ones((256, 256))
jax.block_until_ready(jax.jit(lambda x: jnp.exp(x) + x.T)(x))
jax.block_until_ready(jax.jit(lambda x: x @ x)(x))
mapped = sorted(
    {
        line.split()[-1]
        for line in open("/proc/self/maps")
        if "libcuda.so" in line or "libnvrtc.so" in line or "libcublasLt.so" in line
    }
)
print(
    json.dumps(
        {
            "device": device.device_kind,
            "attributes": {
                k: str(getattr(device, k, "")) for k in ("compute_capability", "core_count")
            },
            "version": device.client.platform_version,
            "libraries": mapped,
            "memory": device.memory_stats(),
        }
    )
)
