# SPDX-License-Identifier: Apache-2.0
"""JAX's persistent compilation cache: the next process finds what this one compiled."""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxlib import _jax

import backends
from processes import run_python

pytestmark = pytest.mark.plugin_only

PROGRAM = """
    import json, sys, warnings
    import jax, jax.numpy as jnp, numpy as np
    from jax import monitoring

    events = []
    monitoring.register_event_listener(lambda event, **_: events.append(event.rsplit("/", 1)[-1]))

    @jax.jit
    def step(x, w):
        return jax.lax.fori_loop(0, 3, lambda i, a: jnp.tanh(a @ w) + i, x).sum()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = float(step(np.full((4, 8), 0.25, np.float32), np.full((8, 8), 0.5, np.float32)))
    print(json.dumps({"result": result, "hits": events.count("cache_hits"), "misses": events.count("cache_misses"),
                      "warnings": [str(w.message) for w in caught if "compilation cache" in str(w.message)]}))
"""


def run_with_cache(folder, **environment):
    settings = {"JAX_COMPILATION_CACHE_DIR": str(folder), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    return json.loads(run_python(PROGRAM, **settings, **environment))


def entries(folder):
    return sorted(p for p in folder.iterdir() if p.name.endswith("-cache"))


def test_the_second_process_hits(tmp_path):
    first = run_with_cache(tmp_path)
    assert first["hits"] == 0 and first["misses"] > 0 and not first["warnings"]
    written = entries(tmp_path)
    assert written
    second = run_with_cache(tmp_path)
    assert second["hits"] == first["misses"] and second["misses"] == 0
    assert second["result"] == first["result"] and not second["warnings"]
    assert entries(tmp_path) == written


def test_other_instruction_sets_are_another_machine(tmp_path):
    first = run_with_cache(tmp_path, PLINTH_SIMD="")
    other = run_with_cache(tmp_path, PLINTH_SIMD="baseline")
    if " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
        assert other["hits"] == first["misses"]  # The baseline is all there is.
        return
    assert other["hits"] == 0 and other["misses"] == first["misses"]
    assert len(entries(tmp_path)) == 2 * first["misses"]


def test_damaged_entries_cost_a_compilation(tmp_path):
    first = run_with_cache(tmp_path)
    for entry in entries(tmp_path):
        data = bytearray(entry.read_bytes())
        data[len(data) // 2] ^= 1
        entry.write_bytes(data)
    again = run_with_cache(tmp_path)
    assert again["result"] == first["result"] and again["warnings"]


def test_what_is_refused():
    device = backends.plugin_device()
    client = device.client
    with jax.default_device(device):
        compiled = jax.jit(lambda x: jnp.sin(x) + 1).lower(np.ones(3)).compile()
    data = client.serialize_executable(compiled.runtime_executable())
    # jaxlib puts words of its own around it.
    start = data.index(b"plinth-cpu-exec\n")

    def load(serialized):
        return client.deserialize_executable(serialized, _jax.DeviceList((device,)))

    load(data)
    for at in range(start, len(data), 5):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT|FAILED_PRECONDITION"):
            load(bytes(damaged))
    newer = bytearray(data)
    newer[start + 16] += 1
    with pytest.raises(jax.errors.JaxRuntimeError,
                       match=f"FAILED_PRECONDITION.*version.*found {newer[start + 16]}, expected {data[start + 16]}; compile"):
        load(bytes(newer))
    with jax.default_device(device):
        assert float(jax.jit(lambda x: x + 1)(1.0)) == 2
