# SPDX-License-Identifier: Apache-2.0
"""Trains a small network on scikit-learn's scanned digits, and shows what the device took."""

import jax
import jax.numpy as jnp
import numpy as np
from sklearn.datasets import load_digits

HELD_OUT, BATCH, RATE = 360, 64, 0.2


def network(params, x):
    hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def loss_of(params, x, labels):
    scores = jax.nn.log_softmax(network(params, x))
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


@jax.jit
def train_step(params, x, labels):
    gradient = jax.grad(loss_of)(params, x, labels)
    return jax.tree.map(lambda p, g: p - RATE * g, params, gradient)


print("devices:", jax.devices())
digits = load_digits()
order = np.random.RandomState(0).permutation(len(digits.target))
images = (digits.data[order] / 16).astype(np.float32)
labels = digits.target[order].astype(np.int32)
random = np.random.RandomState(1)
params = {"w1": random.normal(0, 0.2, (64, 64)), "b1": np.zeros(64),
          "w2": random.normal(0, 0.2, (64, 10)), "b2": np.zeros(10)}
params = jax.tree.map(lambda p: p.astype(np.float32), params)

for epoch in range(10):
    for begin in range(HELD_OUT, len(labels) - BATCH + 1, BATCH):
        params = train_step(params, images[begin:begin + BATCH], labels[begin:begin + BATCH])
guesses = jnp.argmax(network(params, images[:HELD_OUT]), axis=1)
accuracy = float(jnp.mean(guesses == labels[:HELD_OUT]))
print(f"held-out accuracy {accuracy:.2%}")
assert accuracy > 0.9

cost = train_step.lower(params, images[:BATCH], labels[:BATCH]).compile().cost_analysis()
on_host = {key.split(".", 1)[1]: int(value) for key, value in cost.items()
           if key.startswith("plinth_fallback.")}
print("the host runs:", on_host)
assert on_host and "dot_general" not in on_host
print("OK")
