#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Callbacks and custom calls of unmodified JAX on the simulated driver: jax_calls_test.py PLUGIN SIMULATOR FOLDER

The plugin is registered as `cuda`, without which JAX itself refuses callbacks."""

import os
import pathlib
import sys


def main() -> None:
    plugin, simulator, folder = sys.argv[1:]
    out = pathlib.Path(folder)
    (out / "kernels").mkdir(parents=True, exist_ok=True)
    report = out / "report.txt"
    report.unlink(missing_ok=True)
    os.environ |= {"PJRT_NAMES_AND_LIBRARY_PATHS": f"cuda:{plugin}", "JAX_PLATFORMS": "cuda,cpu",
                   "PLINTH_CUDA_LIBRARY_PATH": simulator, "PLINTH_CUDA_CACHE": "off",
                   "PLINTH_SIMULATOR_CACHE": str(out / "kernels"), "PLINTH_SIMULATOR": f"report={report},seed=1"}

    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax._src import hardware_utils

    # JAX looks for the files of a GPU before it makes a client of this name.
    hardware_utils.has_visible_nvidia_gpu = lambda: True

    x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)

    # A callback in the middle of a program, in a loop, and one that is told something.
    doubled = jax.jit(lambda a: jax.pure_callback(lambda v: 2 * np.asarray(v), shape, a + 1) + 1)(x)
    np.testing.assert_array_equal(doubled, 2 * (np.arange(6).reshape(2, 3) + 1) + 1)

    def turn(_, a):
        return jax.pure_callback(lambda v: np.asarray(v) + 1, shape, a)

    np.testing.assert_array_equal(jax.jit(lambda a: jax.lax.fori_loop(0, 5, turn, a))(x),
                                  np.arange(6).reshape(2, 3) + 5)
    told = []
    jax.jit(lambda a: jax.debug.callback(lambda v: told.append(float(v)), a.sum()))(x)
    jax.effects_barrier()
    assert told == [15.0], told

    def fails(_):
        raise ValueError("not today")

    failed = jax.jit(lambda a: jax.pure_callback(fails, shape, a))(x)
    # The second way to ask is that of JAX when the process ends.
    for ask in (lambda: jax.block_until_ready(failed), jax.effects_barrier):
        try:
            ask()
        except jax.errors.JaxRuntimeError as error:
            assert "not today" in str(error), error
        else:
            raise AssertionError("a callback that raises is no error")
    jax._src.dispatch.runtime_tokens.clear()

    # Calls that the plugin prints itself.
    matrix = np.array([[4, 2, 0], [2, 5, 1], [0, 1, 3]], np.float32)
    np.testing.assert_allclose(jnp.linalg.cholesky(matrix), np.linalg.cholesky(matrix), rtol=1e-6)
    assert np.isnan(np.diag(jnp.linalg.cholesky(-matrix))).all()
    np.testing.assert_allclose(jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(matrix), True), np.ones(3, np.float32)),
                               np.linalg.solve(matrix, np.ones(3)), rtol=1e-5)
    pivots = jnp.array([[2, 1, 2], [0, 2, 2]], jnp.int32)
    np.testing.assert_array_equal(jax.lax.linalg.lu_pivots_to_permutation(pivots, 4), [[2, 1, 0, 3], [0, 2, 1, 3]])

    # Compiled for GPUs that are not here.
    from jax.experimental import topologies
    topology = topologies.get_topology_desc("sm_80", platform="cuda")
    assert topology.devices[0].compute_capability == "8.0", topology.devices[0]
    assert not report.exists(), report.read_text()


if __name__ == "__main__":
    main()
