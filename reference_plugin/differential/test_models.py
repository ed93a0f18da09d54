# SPDX-License-Identifier: Apache-2.0
"""Models: loss, gradients, vmap, training steps with donation, a whole training loop as scan."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
from cases import Case, check
from compare import Tolerance, difference
from models import MODELS, adam_step

# Of the largest element; the sums of both sides go in different orders.
TOLERANCE = {np.float32: Tolerance(of_max=256), jnp.bfloat16: Tolerance(of_max=16),
             np.float64: Tolerance(of_max=512)}


def _cast(tree, dtype):
    return jax.tree.map(lambda a: a.astype(dtype) if a.dtype == np.float32 else a, tree)


@pytest.mark.parametrize("dtype", [np.float32, jnp.bfloat16, np.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize("model", MODELS)
def test_loss_and_gradients(model, dtype):
    make, loss = MODELS[model]
    parameters, data = _cast(make(1), dtype)

    def gradients(parameters, data, seed):
        return jax.value_and_grad(loss)(parameters, data, jax.random.key(seed))

    check([Case(model, gradients, (parameters, data, np.int64(3)), TOLERANCE[dtype])])


@pytest.mark.parametrize("model", MODELS)
def test_vmap_over_seeds(model):
    make, loss = MODELS[model]
    made = [make(seed) for seed in range(3)]
    parameters, data = jax.tree.map(lambda *a: np.stack(a), *made)

    def gradients(parameters, data, seeds):
        keys = jax.vmap(jax.random.key)(seeds)
        return jax.vmap(jax.grad(loss))(parameters, data, keys)

    check([Case(model, gradients, (parameters, data, np.arange(3)), TOLERANCE[np.float32])])


def _train(model, seed, device, options, steps=20):
    """Losses and parameters after some steps, each an execution that donates its state."""
    make, loss = MODELS[model]
    parameters, data = make(seed)
    zeros = jax.tree.map(np.zeros_like, parameters)
    with jax.default_device(device):
        step = jax.jit(functools.partial(adam_step, loss), donate_argnums=(0, 1, 2),
                       compiler_options=options or None)
        state = jax.device_put((parameters, (zeros, jax.tree.map(np.copy, zeros)), jnp.float32(0)),
                               device)
        data = jax.device_put(data, device)
        losses = []
        for i in range(steps):
            value, *state = step(*state, data, jax.random.key(i))
            losses.append(value)
        return jax.device_get((losses, state[0]))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("model", MODELS)
def test_training(model, seed):
    expected, expected_parameters = _train(model, seed, backends.builtin_device(), None)
    got, parameters = _train(model, seed, backends.plugin_device(),
                             backends.plugin_options())
    assert not difference(np.array(expected), np.array(got), Tolerance(ulps=4096)), (expected, got)
    assert expected[-1] < expected[0]
    # Adam divides by what may be near zero: parameters drift apart more than losses do.
    for e, g in zip(jax.tree.leaves(expected_parameters), jax.tree.leaves(parameters)):
        np.testing.assert_allclose(g, e, rtol=0, atol=2e-3 * max(1, np.abs(e).max()))


@pytest.mark.parametrize("model", MODELS)
def test_training_as_one_program(model):
    make, loss = MODELS[model]
    parameters, data = make(5)

    def train(parameters, data):
        zeros = jax.tree.map(jnp.zeros_like, parameters)

        def step(state, key):
            value, *state = adam_step(loss, *state, data, key)
            return tuple(state), value

        state = (parameters, (zeros, zeros), jnp.float32(0))
        _, losses = lax.scan(step, state, jax.random.split(jax.random.key(0), 12))
        return losses

    check([Case(model, train, (parameters, data), Tolerance(ulps=4096))])
