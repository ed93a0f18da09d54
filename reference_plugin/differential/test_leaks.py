# SPDX-License-Identifier: Apache-2.0
"""Compiling, running and calling back, thousands of times, takes no memory. jaxlib takes milliseconds to hand a program
over, so most of the runs share one; `cpu_plugin_test` compiles as often as it runs."""

import pytest

from processes import run_python

pytestmark = pytest.mark.plugin_only

PROGRAM = """
    import gc, os
    import jax, jax.numpy as jnp, numpy as np
    from jax._src import compiler
    from jaxlib import _jax

    device = jax.devices()[0]
    shape = jax.ShapeDtypeStruct((64,), np.float32)
    calls = 0

    def callback(a):
        global calls
        calls += 1
        return np.asarray(a) * 2

    def function(x, w):
        doubled = jax.pure_callback(callback, shape, jnp.sin(x) + 1)
        return jnp.tanh(doubled @ w), jnp.sort(x)[:5], jax.lax.fori_loop(0, 3, lambda i, a: a * 0.5 + x, x)

    x, w = jax.device_put((np.linspace(0, 1, 64, dtype=np.float32), np.ones((64, 32), np.float32)), device)
    lowering = jax.jit(function).lower(x, w)._lowering
    module, callbacks = lowering.stablehlo(), lowering.compile_args["host_callbacks"]
    wrong = str(module).replace("stablehlo.sine", "stablehlo.no_such_op")
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    devices = _jax.DeviceList((device,))
    expected = np.tanh(np.sum((np.sin(np.asarray(x)) + 1) * 2))

    def cycle(number):
        executable = device.client.compile_and_load(module, devices, options, callbacks)
        for run in range(20):
            result = executable.execute([x, w])
            if run != 7:  # That one is dropped while it may still be computed.
                assert np.asarray(result[0])[0] == expected
        if number % 20 == 0:
            try:
                device.client.compile_and_load(wrong, devices, options)
            except jax.errors.JaxRuntimeError as error:
                assert "no_such_op" in str(error), error
            else:
                raise AssertionError("an operation that there is not was compiled")

    def resident():
        gc.collect()
        return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    sizes = []
    for fifth in range(5):
        for number in range(100):
            cycle(number)
        sizes.append(resident())
    assert calls >= 9900
    # The first fifth warms up; 64 bytes per run would be 512 KB, and so would be 1.3 KB per compilation.
    assert sizes[-1] - sizes[0] < 512 << 10, sizes
    print([size - sizes[0] for size in sizes])
    assert device.memory_stats()["bytes_in_use"] < 1 << 20, device.memory_stats()
"""


def test_ten_thousand_cycles():
    print(run_python(PROGRAM, JAX_PLATFORMS="plinth,cpu"))
