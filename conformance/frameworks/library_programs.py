# SPDX-License-Identifier: Apache-2.0
"""What libraries on top of JAX do with eight devices: chains in parallel, a model over a mesh, an FFT.

Numbers are compared with JAX's own CPU. What takes long is timed beside it: see the log of a run.
"""

from __future__ import annotations

import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from programs import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def mesh(*shape):
    """Over all devices; the axes are "x" and "y"."""
    return jax.make_mesh(shape, ("x", "y")[:len(shape)], axis_types=(AxisType.Auto,) * len(shape))


def spread(array, over, *spec):
    return jax.device_put(array, NamedSharding(over, PartitionSpec(*spec)))


@program(1e-3)
def numpyro_four_chains_in_parallel():
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS

    random = np.random.RandomState(0)
    x = random.standard_normal((200, 3)).astype(np.float32)
    y = x @ np.array([1.0, -2.0, 0.5], np.float32) + 0.1 * random.standard_normal(200).astype(np.float32)

    def regression(x, y):
        w = numpyro.sample("w", dist.Normal(jnp.zeros(3), 1).to_event(1))
        scale = numpyro.sample("scale", dist.HalfNormal(1.0))
        numpyro.sample("y", dist.Normal(x @ w, scale), obs=y)

    sampler = MCMC(NUTS(regression), num_warmup=200, num_samples=200, num_chains=4, chain_method="parallel",
                   progress_bar=False)
    started = time.perf_counter()
    sampler.run(jax.random.PRNGKey(0), x, y)
    samples = jax.device_get(sampler.get_samples(group_by_chain=True))
    print(f"four chains: {time.perf_counter() - started:.2f} s", flush=True)
    # Two roundings apart, a chain is soon another one: what it says of the posterior stays.
    means = samples["w"].mean((0, 1))
    spread_of_chains = np.abs(samples["w"].mean(1) - means).max()
    return {"shape": list(samples["w"].shape), "means": np.round(means, 1), "chains agree": bool(spread_of_chains < 0.02),
            "scale": bool(0.08 < samples["scale"].mean() < 0.12)}


@program(1e-4)
def flax_model_with_optax_on_a_mesh():
    """Parameters over "y", batches over "x": as on one device, and beside JAX's own CPU."""
    import flax.linen as nn
    import optax

    class Classifier(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.LayerNorm()(nn.relu(nn.Dense(64)(x)))
            x = x + nn.MultiHeadDotProductAttention(num_heads=4)(x, x)
            return nn.Dense(8)(nn.gelu(nn.Dense(128)(x.mean(1))))

    model = Classifier()
    random = np.random.RandomState(1)
    images = random.standard_normal((16, 12, 32)).astype(np.float32)
    labels = random.randint(0, 8, 16)
    start = model.init(jax.random.PRNGKey(0), images)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-2))

    @jax.jit
    def step(parameters, state, x, y):
        def loss(parameters):
            return optax.softmax_cross_entropy_with_integer_labels(model.apply(parameters, x), y).mean()

        value, gradients = jax.value_and_grad(loss)(parameters)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, value

    def train(parameters, x, y):
        state, losses = optimizer.init(parameters), []
        for _ in range(8):
            parameters, state, value = step(parameters, state, x, y)
            losses.append(value)
        return np.array(losses)

    grid = mesh(2, 4)

    def place(leaf):
        fits = leaf.ndim > 0 and leaf.shape[-1] % 4 == 0
        return spread(leaf, grid, *[None] * (leaf.ndim - 1), "y") if fits else spread(leaf, grid)

    alone = train(start, images, labels)
    together = train(jax.tree.map(place, start), spread(images, grid, "x"), spread(labels, grid, "x"))
    np.testing.assert_allclose(together, alone, rtol=1e-3, atol=1e-5)
    return [alone, together]


@program(1e-5)
def fft_in_three_dimensions():
    """Over two spread dimensions of three, and back."""
    grid = mesh(2, 4)
    random = np.random.RandomState(2)
    a = (random.standard_normal((8, 16, 12)) + 1j * random.standard_normal((8, 16, 12))).astype(np.complex64)
    there = jax.jit(lambda a: jnp.fft.fftn(a))(spread(a, grid, "x", "y"))
    back = jax.jit(lambda a: jnp.fft.ifftn(a))(there)
    np.testing.assert_allclose(there, jax.jit(jnp.fft.fftn)(a), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(back, a, rtol=1e-4, atol=1e-4)
    return [there, back]
