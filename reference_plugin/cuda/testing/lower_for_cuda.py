# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: what the differential suite runs on the CPU plugin is lowered by JAX for platform `cuda` instead,
and compiled ahead of time for sm_90, kernels included. No GPU is needed, and nothing runs.

    PLINTH_CUDA_PLUGIN=build/release/lib/pjrt_plinth_cuda.so PYTHONPATH=reference_plugin/cuda/testing:reference_plugin/differential \
        python -m pytest -p lower_for_cuda --against-itself reference_plugin/differential/test_linalg.py

A program that does not compile fails its test, unless it is UNIMPLEMENTED for a name that docs/using/cuda.md lists, or
JAX itself has no lowering of it for `cuda`. Results are the built-in backend's: a test that fails because of them is
skipped.
"""

import collections
import contextlib
import os
import pathlib
import re

import backends
import jax
import pytest
from jax._src import compiler, xla_bridge
from jax._src.interpreters import mlir
from jaxlib import _jax
from jaxlib.mlir import ir

ARCHITECTURE = "sm_90"
PLATFORM = "plinth_cuda"
DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs/using/cuda.md"
# What an error names: a custom call's target, or an op.
NAMED = re.compile(r"UNIMPLEMENTED: (?:custom_call @)?([\w.$]+)")

compiled = collections.Counter()  # programs: "compiled", or the name that is refused
_failed = []  # what did not compile, of the test that runs
_device = None


def device():
    global _device
    if _device is None:
        jax.devices()  # Finds the plugins.
        _device = xla_bridge.make_pjrt_topology(PLATFORM, ARCHITECTURE)._make_compile_only_devices()[0]
    return _device


def compile_program(program) -> None:
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    try:
        device().client.compile(program, _jax.DeviceList((device(),)), options)
    except jax.errors.JaxRuntimeError as error:
        named = NAMED.match(str(error))
        # Some tests write calls of the CPU by their names.
        refused = named and (named[1].startswith("lapack_") or f"`{named[1]}`" in DOCS.read_text())
        if not refused:
            raise
        compiled[named[1]] += 1
    else:
        compiled["compiled"] += 1


@contextlib.contextmanager
def told():
    try:
        yield
    except Exception as error:
        _failed.append(error)
        raise


def lowered(function, *args):
    """None where JAX has no lowering."""
    traced = jax.jit(lambda *a: function(*a)).trace(*args)
    try:
        return traced.lower(lowering_platforms=("cuda",)).compiler_ir("stablehlo")
    except NotImplementedError as error:
        if "not found for platform cuda" not in str(error):
            raise
        compiled["without a lowering"] += 1
        return None


def run_on_plugin(function, *args, options=None, again=True):
    with told():
        if (program := lowered(function, *args)) is not None:
            compile_program(program)
    return backends.run_on_builtin(function, *args)


def run_text_on_plugin(text, *args):
    with told(), mlir.make_ir_context():
        compile_program(ir.Module.parse(text))
    return backends.run_text_on_builtin(text, *args)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    _failed.clear()
    try:
        return (yield)
    except (Exception, pytest.fail.Exception) as error:
        if _failed or not compiled:
            raise
        pytest.skip(f"compiled; the built-in backend: {error}")


def pytest_configure(config):
    os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"{PLATFORM}:{os.environ['PLINTH_CUDA_PLUGIN']}"
    jax.config.update("jax_platforms", "cpu")  # The plugin makes topologies; no client can be made.
    backends.run_on_plugin = run_on_plugin
    backends.run_text_on_plugin = run_text_on_plugin


def pytest_terminal_summary(terminalreporter):
    names = ", ".join(f"{name} {count}" for name, count in sorted(compiled.items()) if name != "compiled")
    terminalreporter.write_line(f"programs that compile for {ARCHITECTURE}: {compiled['compiled']}; "
                                f"refused by name: {names or 'none'}")


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and not compiled["compiled"]:
        session.exitstatus = 1  # The suite has gone around this.
