# SPDX-License-Identifier: Apache-2.0
"""What cases_devices.py measures, in a process that has so many devices: prints a JSON object.

  XLA_FLAGS=--xla_force_host_platform_device_count=8 python devices.py psum 1024
"""

import json
import os
import sys
import threading
import time
from functools import partial

BUDGET = 0.3  # seconds per timed thing


def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / (1 << 20)


def least(call, block):
    """The least time of a call that returns before its result is there, and of one that waits."""
    block(call())
    times = {"async": [], "sync": []}
    for name, waits in (("async", False), ("sync", True)):
        end = time.perf_counter() + BUDGET
        while len(times[name]) < 3 or time.perf_counter() < end:
            t = time.perf_counter()
            for _ in range(10):
                result = call()
                if waits:
                    block(result)
            block(result)
            times[name].append((time.perf_counter() - t) / 10)
    return {f"{name}_us": min(values) * 1e6 for name, values in times.items()}


def client():
    """A client of all devices: how long it takes, and how many threads and how much memory."""
    import jax
    import jax.numpy  # noqa: F401

    before = resident_mb()
    t = time.perf_counter()
    jax.devices()
    return {"ms": (time.perf_counter() - t) * 1e3, "rss_mb": resident_mb() - before,
            "threads": len(os.listdir("/proc/self/task"))}


def mesh_of_all():
    import jax
    import numpy as np

    return jax.sharding.Mesh(np.array(jax.devices()), ("x",))


def call(name, count):
    """A shard_map over all devices: each has `count` floats."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import NamedSharding, PartitionSpec

    mesh = mesh_of_all()
    devices = mesh.size
    bodies = {
        "add_one": lambda a: a + 1,
        "psum": lambda a: jax.lax.psum(a, "x"),
        "all_gather": lambda a: jax.lax.all_gather(a, "x", tiled=True),
        "all_to_all": lambda a: jax.lax.all_to_all(a, "x", 0, 0, tiled=True),
        "ppermute": lambda a: jax.lax.ppermute(a, "x", [(i, (i + 1) % devices) for i in range(devices)]),
        "psum_scatter": lambda a: jax.lax.psum_scatter(a, "x", tiled=True),
    }
    spec = PartitionSpec("x")
    out = PartitionSpec() if name == "psum" else spec
    function = jax.jit(jax.shard_map(bodies[name], mesh=mesh, in_specs=spec, out_specs=out))
    x = jax.device_put(np.arange(count * devices, dtype=np.float32) % 97, NamedSharding(mesh, spec))
    result = least(partial(function, x), jax.block_until_ready)
    result["chk"] = float(jnp.mean(jnp.abs(np.asarray(function(x)))))
    return result


def fails(name):
    """How long it takes until a program that cannot end raises, and whether the next one runs."""
    import jax
    import numpy as np
    from jax.sharding import PartitionSpec

    mesh = mesh_of_all()
    spec = PartitionSpec("x")

    def raises(a):
        def host(i, b):
            if i == 1:
                raise ValueError("one device fails")
            return b

        index = jax.lax.axis_index("x")
        return jax.lax.psum(jax.pure_callback(host, a, index, a), "x")

    def diverges(a):
        index = jax.lax.axis_index("x")
        return jax.lax.while_loop(lambda c: c[0] <= index, lambda c: (c[0] + 1, jax.lax.psum(c[1], "x")),
                                  (0, a))[1]

    body = {"raises": raises, "diverges": diverges}[name]
    shard_map = partial(jax.shard_map, mesh=mesh, in_specs=spec, check_vma=False)
    x = np.arange(4 * mesh.size, dtype=np.float32)
    t = time.perf_counter()
    try:
        jax.block_until_ready(jax.jit(shard_map(body, out_specs=spec))(x))
        raise SystemExit("the program ended")
    except jax.errors.JaxRuntimeError:
        seconds = time.perf_counter() - t
    after = jax.jit(shard_map(lambda a: jax.lax.psum(a, "x"), out_specs=PartitionSpec()))(x)
    assert np.array_equal(after, x.reshape(mesh.size, 4).sum(0))
    return {"ms": seconds * 1e3}


def compile_gpt():
    """A training step of which each matrix is spread along both axes, and the batch along the first."""
    import jax
    import numpy as np
    from jax.sharding import NamedSharding, PartitionSpec

    from models import gpt, sgd

    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(-1, 2), ("d", "m"))

    def spread(*axes):
        return NamedSharding(mesh, PartitionSpec(*axes))

    parameters, x, y, _, loss, _ = gpt(B=mesh.size)
    block = {"ln1": spread(), "ln2": spread(), "qkv": spread("d", "m"), "o": spread("m", "d"),
             "f1": spread("d", "m"), "f2": spread("m", "d"), "b1": spread("m"), "b2": spread()}
    shardings = {"blocks": [block] * len(parameters["blocks"]), "wte": spread("m", "d"),
                 "wpe": spread(None, "d"), "lnf": spread()}
    step = jax.jit(sgd(loss), in_shardings=(shardings, spread("d"), spread("d")))
    times = []
    for _ in range(3):
        jax.clear_caches()
        lowered = step.lower(parameters, x, y)
        t = time.perf_counter()
        lowered.compile()
        times.append(time.perf_counter() - t)
    return {"compile_ms": min(times) * 1e3}


def main():
    threading.stack_size(1 << 20)
    name = sys.argv[1]
    if name == "client":
        result = client()
    elif name == "compile_gpt":
        result = compile_gpt()
    elif name in ("raises", "diverges"):
        result = fails(name)
    else:
        result = call(name, int(sys.argv[2]))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
