# SPDX-License-Identifier: Apache-2.0
"""Writes mlp_grad.mlirbc: loss and gradient of a small MLP with Adam, as JAX lowers them."""
import pathlib
import sys

import jax
import jax.numpy as jnp
from jax._src.interpreters import mlir
from jaxlib.mlir.dialects import stablehlo


def loss(params, x, y):
    for w, b in params[:-1]:
        x = jax.nn.gelu(x @ w + b)
    w, b = params[-1]
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(x @ w + b) * y, axis=-1))


def step(params, m, v, t, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    t = t + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, grads)
    scale = jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    params = jax.tree.map(lambda p, m, v: p - 1e-3 * scale * m / (jnp.sqrt(v) + 1e-8), params, m, v)
    return params, m, v, t, value


sizes = [64, 128, 128, 10]
params = [(jnp.zeros((a, b)), jnp.zeros(b)) for a, b in zip(sizes[:-1], sizes[1:])]
zeros = jax.tree.map(jnp.zeros_like, params)
lowered = jax.jit(step, donate_argnums=(0, 1, 2)).lower(
    params, zeros, zeros, jnp.float32(0), jnp.zeros((32, 64)), jnp.zeros((32, 10)))
text = mlir.module_to_bytecode(lowered.compiler_ir("stablehlo"))
artifact = stablehlo.serialize_portable_artifact_str(text, "1.13.7")
path = pathlib.Path(sys.argv[0]).parent / "mlp_grad.mlirbc"
path.write_bytes(artifact)
print(len(artifact), "bytes;", lowered.as_text().count(" = "), "ops")
