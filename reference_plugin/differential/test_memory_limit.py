# SPDX-License-Identifier: Apache-2.0
"""RESOURCE_EXHAUSTED instead of the kernel's end of the process, and life goes on."""

import pytest

from processes import run_python

pytestmark = pytest.mark.plugin_only

PROGRAM = """
    import sys
    import jax, jax.numpy as jnp, numpy as np
    MB = 1 << 20
    device = jax.devices()[0]
    client = device.client

    def stats():
        return device.memory_stats()

    def refused(function, *words):
        try:
            jax.block_until_ready(function())
        except (jax.errors.JaxRuntimeError, MemoryError) as error:
            assert "RESOURCE_EXHAUSTED" in str(error), error
            for word in words:
                assert word in str(error), error
        else:
            raise AssertionError("not refused")
        # What follows an error still works, and nothing is kept.
        assert float(jax.jit(lambda x: x + 1)(np.float32(1))) == 2

    def zeros(megabytes):
        return jax.device_put(np.zeros(megabytes * MB // 4, np.float32), device) + 0

    limit = int(sys.argv[1])
    assert stats()["bytes_limit"] == limit, stats()
    assert stats()["bytes_in_use"] < MB
    # One array that cannot be, one that can.
    refused(lambda: jnp.zeros((2**58,), np.float32), str(2**60), "limit")
    large = jax.jit(lambda: jnp.ones((30 * MB // 4,), np.float32))
    refused(lambda: jax.jit(lambda: jnp.ones((101 * MB // 4,), np.float32))(), "memory_limit_bytes")
    # Several, each of which can be.
    kept = [jax.block_until_ready(large()) for _ in range(3)]
    assert 90 * MB <= stats()["bytes_in_use"] <= limit
    refused(large)
    refused(lambda: jnp.concatenate([kept[0], kept[1]]))
    kept.pop()
    kept.append(jax.block_until_ready(large()))
    del kept
    assert stats()["bytes_in_use"] < MB, stats()
    assert stats()["peak_bytes_in_use"] <= limit
    # What a program needs while it runs counts: sorts and products that are larger than its results.
    x = jax.block_until_ready(large())
    refused(lambda: jax.jit(lambda x: jnp.sort(jnp.concatenate([x, x * 2, x * 3])).reshape(3, -1).sum(0))(x))
    assert 30 * MB <= stats()["bytes_in_use"] < 31 * MB, stats()
    del x
    # Results of asynchronous runs, until memory is there again.
    for _ in range(20):
        jax.block_until_ready(large())
    print("done")
"""


def test_option():
    limit = 100 << 20
    assert "done" in run_python(PROGRAM, str(limit), JAX_PJRT_CLIENT_CREATE_OPTIONS=f"memory_limit_bytes:{limit}")


def test_default():
    out = run_python("""
        import os, jax, jax.numpy as jnp
        device = jax.devices()[0]
        limit = device.memory_stats()["bytes_limit"]
        assert 0 < limit <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), limit
        try:
            jax.block_until_ready(jax.jit(lambda: jnp.zeros((limit + 1,), jnp.uint8))())
        except jax.errors.JaxRuntimeError as error:
            assert "RESOURCE_EXHAUSTED" in str(error), error
            print("refused")
        assert int(jax.jit(lambda x: x + 1)(1)) == 2
    """)
    assert "refused" in out
