# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of test_random_*.py on both backends and compares what they return.

A program is Python text, so that a failure shows what to run.
"""

import dataclasses
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
from compare import Tolerance, difference

NAMESPACE = {"jax": jax, "jnp": jnp, "lax": lax, "np": np}


@dataclasses.dataclass(frozen=True)
class Program:
    text: str  # of a function `program`
    arguments: list
    donated: tuple  # numbers of arguments

    def function(self):
        namespace = dict(NAMESPACE)
        exec(self.text, namespace)
        return namespace["program"]

    def __str__(self):
        arguments = ", ".join(f"{a.dtype}{list(a.shape)}" if a.ndim else f"{a.dtype}({a})" for a in self.arguments)
        return f"{self.text}\n(arguments {arguments}; donated {self.donated})"


def run(program, device, options):
    jitted = jax.jit(program.function(), donate_argnums=program.donated, compiler_options=options or None)
    return jax.device_get(jitted(*[jax.device_put(a.copy(), device) for a in program.arguments]))


def differences(program, expected, options, tolerance):
    try:
        got = run(program, backends.plugin_device(), options)
    except jax.errors.JaxRuntimeError as error:
        return str(error)
    return next((f"output {n}: {found}" for n, (e, g) in enumerate(zip(expected, got, strict=True))
                 if (found := difference(e, g, tolerance))), None)


def op_by_op(program):
    with jax.disable_jit(), jax.default_device(backends.builtin_device()):
        return jax.device_get(program.function()(*jax.device_put(program.arguments)))


def first_difference(program, all_options, tolerance):
    expected = run(program, backends.builtin_device(), backends.BUILTIN_OPTIONS)
    for options in all_options:
        # The built-in backend gets a few of these wrong when it updates in place: its ops one by one decide.
        wrong = differences(program, expected, options, tolerance)
        wrong = wrong and differences(program, op_by_op(program), options, tolerance)
        if wrong:
            return f"{wrong}\n{program}\n(options {options})"
    return None


def check(make, seeds, tolerance: Tolerance, options=lambda seed: [backends.plugin_options()]):
    """Fails with the text of the programs make(seed) whose results differ, compiled with any of options(seed)."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Some donated buffers were not usable")
        wrong = [f"seed {seed}: {found}" for seed in seeds
                 if (found := first_difference(make(seed), options(seed), tolerance))]
    jax.clear_caches()
    if wrong:
        pytest.fail(f"{len(wrong)} of {len(seeds)} programs differ:\n\n" + "\n\n".join(wrong[:5]), pytrace=False)
