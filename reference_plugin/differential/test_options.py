# SPDX-License-Identifier: Apache-2.0
"""Compiled without fusion, and without simplification, programs give the same results."""

import threading

import jax
import numpy as np
import pytest

import backends
import test_control_flow
import test_dot
import test_elementwise
import test_gather_scatter
import test_movement
import test_reduce
import test_window
import values
from compare import Tolerance, difference
from models import MODELS

pytestmark = pytest.mark.plugin_only
F32 = np.float32

# name: table of functions, their arguments, and how far apart the two may be: no bit where every
# op is rounded the same way.
SAMPLES = {
    "unary": (test_elementwise.UNARY_FUNCTIONS, (values.spread(F32, 300),), Tolerance(ulps=4)),
    "binary": (test_elementwise.BINARY_EXACT | test_elementwise.BINARY_ORDERED,
               values.edge_pairs(F32), Tolerance()),
    "movement": (test_movement.UNARY, (values.with_edges(F32, (5, 7, 3)),), Tolerance()),
    "reduce": (test_reduce.FUSED, (values.random(F32, (17, 33)),), Tolerance(of_max=64)),
    "dot": (test_dot.FUSED, tuple(values.random(F32, s) for s in ((6, 10), (10, 12), (12,))),
            Tolerance(of_max=32)),
    "loops": (test_control_flow.LOOPS, (np.int64(27), values.random(F32, (13,))),
              Tolerance(of_max=32)),
    "scans": (test_control_flow.SCANS, (values.random(F32, (11, 5)),), Tolerance(of_max=64)),
    "indexing": (test_gather_scatter.INDEXING,
                 (values.random(F32, (5, 7, 3)), np.array([0, 2, 4, 1, 3, 3, 0], np.int32),
                  np.array([6, 5, 0, 2, 1, 3, 4], np.int32)), Tolerance(of_max=8)),
    "scatter": (test_gather_scatter.SCATTERS,
                (values.random(F32, (8, 3)), np.array([0, 5, 2, 6, 7, 3, 1], np.int32),
                 values.random(F32, (7, 3))), Tolerance(of_max=8)),
    "pools": ({"max": test_window.windows(jax.lax.max, -np.inf)}, (values.random(F32, (9, 11)),),
              Tolerance()),
}


@pytest.mark.parametrize("option", ["fusion", "simplify"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_same_results_without(option, sample):
    table, args, tolerance = SAMPLES[sample]
    _compare(lambda *a: [f(*a) for f in table.values()], args, option, tolerance, list(table))


@pytest.mark.parametrize("option", ["fusion", "simplify"])
@pytest.mark.parametrize("model", MODELS)
def test_models_without(option, model):
    make, loss = MODELS[model]
    parameters, data = make(2)
    _compare(lambda p, d, s: jax.grad(loss)(p, d, jax.random.key(s)), (parameters, data, np.int64(4)),
             option, Tolerance(of_max=256), None)


def _compare(program, args, option, tolerance, names):
    expected = backends.run_on_plugin(program, *args, options={option: True})
    got = backends.run_on_plugin(program, *args, options={option: False})
    expected = expected if names else jax.tree.leaves(expected)
    got = got if names else jax.tree.leaves(got)
    for i, (e, g) in enumerate(zip(expected, got)):
        for a, b in zip(jax.tree.leaves(e), jax.tree.leaves(g)):
            wrong = difference(a, b, tolerance)
            assert not wrong, f"{names[i] if names else i}: {wrong}"


@pytest.mark.plugin_only
def test_options_of_xla_change_nothing():
    with jax.default_device(backends.plugin_device()):
        options = {"xla_embed_ir_in_executable": True, "xla_dump_max_hlo_modules": 200}
        assert float(jax.jit(lambda x: x + 1, compiler_options=options)(1.0)) == 2


@pytest.mark.plugin_only
def test_stages_are_dumped_where_asked(tmp_path):
    """Each program into its own folder, at the same time."""
    def compiled(i):
        with jax.default_device(backends.plugin_device()):
            options = {"xla_dump_to": str(tmp_path / f"new/{i}"), "xla_dump_hlo_as_text": True}
            assert float(jax.jit(lambda x: x + i, compiler_options=options)(1.0)) == 1 + i

    threads = [threading.Thread(target=compiled, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        stages = {file.name.split(".")[-2]: file.read_text() for file in (tmp_path / f"new/{i}").iterdir()}
        assert {"import", "schedule", "plan"} <= set(stages) and f"{i}" in stages["import"]
    with jax.default_device(backends.plugin_device()):
        with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT: cannot write '/proc/nothing"):
            jax.jit(lambda x: x * 5, compiler_options={"xla_dump_to": "/proc/nothing/here"})(1.0)
        with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT.*is not the name of a folder"):
            jax.jit(lambda x: x * 7, compiler_options={"xla_dump_to": 7})(1.0)
