# SPDX-License-Identifier: Apache-2.0
"""Threads that compile, execute, transfer, donate and destroy at the same time."""

import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import backends
from models import MODELS, adam_step


def _churn(seed, until, failures):
    """Random work on arrays of its own; every result is checked against NumPy."""
    rng = np.random.default_rng(seed)
    device = backends.plugin_device()
    rounds = 0
    try:
        with jax.default_device(device):
            while time.monotonic() < until:
                rounds += 1
                size = int(rng.integers(1, 200_000 if rounds % 7 == 0 else 500))
                factor = float(rng.integers(1, 9))
                x = rng.random(size).astype(np.float32)
                # A constant of its own: compiled anew.
                function = jax.jit(lambda a, b: (a * factor + b, jnp.sum(a)), donate_argnums=1)
                a = jax.device_put(x, device)
                outputs = [function(a, jax.device_put(x, device)) for _ in range(3)]
                view = np.asarray(outputs[0][0])
                a.delete()
                del outputs[1:], outputs
                np.testing.assert_allclose(view, x * factor + x, rtol=1e-5)
    except BaseException as error:
        failures.append(error)


def _run(threads, seconds):
    until, failures = time.monotonic() + seconds, []
    workers = [threading.Thread(target=_churn, args=(i, until, failures)) for i in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=seconds + 60)
        assert not worker.is_alive(), "hangs"
    if failures:
        raise failures[0]


def test_two_threads():
    _run(2, 4)


@pytest.mark.full
def test_many_threads():
    _run(8, 30)


def test_one_executable_from_many_threads():
    """An executable is shared; its executions are not."""
    device = backends.plugin_device()
    make, loss = MODELS["mlp"]
    parameters, data = jax.device_put(make(0), device)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    with jax.default_device(device):
        step = jax.jit(lambda p, key: adam_step(loss, p, (zeros, zeros), jnp.float32(0), data, key)[:2],
                       compiler_options=backends.plugin_options() or None)
        expected = [jax.device_get(step(parameters, jax.random.key(k))) for k in range(4)]
    failures = []

    def work(k):
        try:
            with jax.default_device(device):
                for _ in range(20):
                    got = jax.device_get(step(parameters, jax.random.key(k)))
                    jax.tree.map(np.testing.assert_array_equal, got, expected[k])
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
        assert not worker.is_alive(), "hangs"
    if failures:
        raise failures[0]


def test_same_bits_every_time():
    """A result depends on the program and its input, not on which thread got which part."""
    x = np.random.default_rng(0).normal(size=(700, 900)).astype(np.float32)

    def program(x):
        return jnp.sum(x), jnp.sum(x, 0), jax.nn.softmax(x), x @ x.T, jnp.cumsum(x, 1)

    first = backends.run_on_plugin(program, x)
    for _ in range(5):
        for e, g in zip(first, backends.run_on_plugin(program, x)):
            np.testing.assert_array_equal(g, e)
