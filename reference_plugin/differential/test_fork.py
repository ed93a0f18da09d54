# SPDX-License-Identifier: Apache-2.0
"""What a child of the process can still do with arrays that were made before fork()."""

import pytest
from processes import run_python

# The child ends by its status alone; what it got wrong is in what it printed.
PROGRAM = """
    import os, signal, sys
    import jax, jax.numpy as jnp, numpy as np
    square = jax.jit(lambda x: x @ x)
    ready = square(jnp.ones((600, 600))).block_until_ready()
    small = jnp.arange(5).block_until_ready()
    narrow = jnp.ones((3, 700000), jnp.int4).block_until_ready()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            {child}
        except BaseException as error:
            print("failed:", error)
            sys.stdout.flush()
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert float(square(ready)[0, 0]) == 600 ** 3
    print("status", status)
"""


@pytest.mark.plugin_only
@pytest.mark.parametrize("child, printed", [
    ("print(np.asarray(ready)[0, 0])", "600.0"),
    ("print(jax.device_get(small))", "[0 1 2 3 4]"),
    ("print(np.asarray(narrow).astype(np.int32).sum())", "2100000"),
    ("print(np.from_dlpack(small).sum())", "10"),
    ("print(small, small.dtype, small.sharding.memory_kind, small.devices())", "[0 1 2 3 4] int32 device {CpuDevice(id=0)}"),
    ("print(ready.block_until_ready().is_deleted(), ready.is_ready())", "False True"),
    ("ready.delete(); print(ready.is_deleted())", "True"),
])
def test_arrays_are_read(child, printed):
    assert run_python(PROGRAM.format(child=child)) == f"{printed}\nstatus 0\n"


@pytest.mark.plugin_only
@pytest.mark.parametrize("child", ["square(ready).block_until_ready()", "jax.device_put(np.ones(3))"])
def test_work_is_refused(child):
    out = run_python(PROGRAM.format(child=child))
    assert out.startswith("failed: ") and "created before fork()" in out and out.endswith("\nstatus 256\n")
