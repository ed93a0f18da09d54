# SPDX-License-Identifier: Apache-2.0
#!/usr/bin/env python3
"""Writes mlp_grad.mlirbc and mlp_grad.compileopts.pb: what JAX sends for `compile/mlp_grad` of the bench.

Needs jaxlib 0.10.2; the program is at VHLO 1.17.0, the version that the plugin asks for.
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import compiler
from jaxlib import _jax

SIZES, BATCH = (784, 1024, 1024, 10), 256


def loss(parameters, x, y):
    for w, b in parameters[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = parameters[-1]
    logits = jax.nn.log_softmax(x @ w + b)
    return -jnp.mean(jnp.take_along_axis(logits, y[:, None], 1))


def main():
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # No paths of this machine.
    parameters = [(np.zeros((a, b), np.float32), np.zeros(b, np.float32))
                  for a, b in zip(SIZES, SIZES[1:])]
    x, y = np.zeros((BATCH, SIZES[0]), np.float32), np.zeros(BATCH, np.int32)
    lowered = jax.jit(jax.value_and_grad(loss)).lower(parameters, x, y)
    program = _jax.mlir.serialize_portable_artifact(lowered.compiler_ir("stablehlo"), "1.17.0", True)
    options = compiler.get_compile_options(
        num_replicas=1, num_partitions=1, device_assignment=np.array([[0]]))
    target = pathlib.Path(__file__).with_name("mlp_grad.mlirbc")
    target.write_bytes(program)
    target.with_suffix(".compileopts.pb").write_bytes(options.SerializeAsString())
    print(f"{target}: {len(program)} bytes")


if __name__ == "__main__":
    main()
