# SPDX-License-Identifier: Apache-2.0
"""Many launches on the same eight devices: from several threads, thousands of them, and what becomes
of those that wait when the process forks or ends."""

import textwrap

import pytest

from processes import run_python

pytestmark = pytest.mark.plugin_only

START = """
    import gc, os, signal, sys, threading
    import numpy as np, jax, jax.numpy as jnp
    from jax import lax
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((8,), ("x",))
    def manual(function, out=P("x")):
        return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=P("x"), out_specs=out, check_vma=False))
"""

# The callback of device 3 waits, the others are at the sum.
PARKED = """
    entered, go_on = threading.Event(), threading.Event()
    def wait(v):
        entered.set()
        go_on.wait()
        return np.asarray(v)
    def sum_when_told(v):
        w = lax.cond(lax.axis_index("x") == 3,
                     lambda v: jax.pure_callback(wait, jax.ShapeDtypeStruct(v.shape, v.dtype), v), lambda v: v, v)
        return lax.psum(w, "x")
    ready = jax.device_put(np.arange(16), NamedSharding(mesh, P("x"))).block_until_ready()
    waiting = manual(sum_when_told, P())(jax.device_put(np.ones(8), NamedSharding(mesh, P("x"))))
    entered.wait()
    assert not waiting.is_ready()
"""


def _on_eight(*programs: str) -> str:
    # jax.pure_callback puts what it gets on JAX's own CPU.
    return run_python("".join(map(textwrap.dedent, (START, *programs))), JAX_PLATFORMS="plinth,cpu", JAX_NUM_CPU_DEVICES="8")


def test_four_threads_with_programs_of_their_own_on_the_same_devices():
    # Each enqueues its programs in another order; results go into later programs of any thread.
    _on_eight("""
    mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    a = np.arange(64 * 32, dtype=np.int32).reshape(64, 32) % 97
    spread = [jax.device_put(a, NamedSharding(mesh, spec)) for spec in (P("x", "y"), P(("y", "x")), P(None, "x"))]
    def in_parts(function):
        return jax.shard_map(function, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"))
    def sum_of_parts(v):
        return np.tile(v.reshape(2, 32, 4, 8).sum((0, 2), dtype=np.int32), (2, 4))
    def three_times(v):
        for _ in range(3):
            v = v - v.max()
        return v
    programs = [
        (lambda v: v + 1, lambda v: v + 1),
        (in_parts(lambda v: v + lax.psum(v, ("x", "y"))), lambda v: v + sum_of_parts(v)),
        (in_parts(lambda v: lax.ppermute(lax.ppermute(v, "y", [(i, (i + 1) % 4) for i in range(4)]), "y",
                                       [((i + 1) % 4, i) for i in range(4)])), lambda v: v),
        (in_parts(lambda v: lax.all_to_all(lax.all_to_all(v, "x", 0, 1, tiled=True), "x", 1, 0, tiled=True) * 3),
         lambda v: v * 3),
        (lambda v: (v @ v.T) @ v % 1000, lambda v: (v @ v.T) @ v % 1000),
        (lambda v: jnp.roll(v, 5, 0) + jnp.cumsum(v, 1), lambda v: np.roll(v, 5, 0) + np.cumsum(v, 1, dtype=np.int32)),
        (lambda v: lax.fori_loop(0, 3, lambda _, w: w - jnp.max(w), v), three_times),
        (lambda v: jnp.sort(v, 0)[::-1], lambda v: np.sort(v, 0)[::-1]),
    ]
    jitted = [jax.jit(function) for function, _ in programs]
    wrong = []
    def work(thread):
        order = np.random.default_rng(thread)
        try:
            for _ in range(12):
                device_value, value = spread[order.integers(len(spread))], a
                for number in order.integers(len(programs), size=15):
                    device_value, value = jitted[number](device_value), programs[number][1](value)
                    if order.integers(20) == 0:
                        device_value.block_until_ready()
                np.testing.assert_array_equal(device_value, value)
        except BaseException as error:
            wrong.append((thread, error))
            raise
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
        assert not thread.is_alive(), "it hangs"
    assert not wrong, wrong
    """)


def test_launches_take_no_memory():
    # As test_leaks does it for one device. What waits is bounded by a wait now and then.
    _on_eight("""
    x = jax.device_put(np.arange(8 * 512, dtype=np.float32), NamedSharding(mesh, P("x")))
    programs = [jax.jit(lambda v: v + 1), manual(lambda v: lax.psum(v, "x") + v),
                manual(lambda v: lax.all_to_all(v.reshape(8, -1), "x", 0, 1).reshape(-1)),
                manual(lambda v: lax.all_gather(v, "x", tiled=True)[:512]),
                manual(lambda v: lax.fori_loop(0, 3, lambda _, w: w + lax.ppermute(w, "x", [(0, 1), (3, 2)]), v))]
    def resident():
        gc.collect()
        return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    sizes = []
    for sixth in range(6):
        for number in range(2000):
            result = programs[number % 5](x)
            if number % 50 == 0:
                result.block_until_ready()
        result.block_until_ready()
        sizes.append(resident())
    # The first sixth warms up; 64 bytes per launch would be 640 KB.
    assert sizes[-1] - sizes[0] < 512 << 10, sizes
    """)


@pytest.mark.parametrize("how", ["os._exit(0)", "go_on.set(); sys.exit(0)"])
def test_exit_with_parked_lanes(how):
    _on_eight(PARKED, how)


def test_fork_with_parked_lanes():
    # The child has no lanes: what waits there never comes, what was ready can be read.
    out = _on_eight(PARKED, """
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        right = not waiting.is_ready() and np.array_equal(ready, np.arange(16))
        os._exit(0 if right else 1)
    _, status = os.waitpid(child, 0)
    go_on.set()
    np.testing.assert_array_equal(waiting, [8])
    print("status", status)
    """)
    assert out == "status 0\n"
