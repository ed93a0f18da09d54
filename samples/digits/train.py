# SPDX-License-Identifier: Apache-2.0
"""Trains a small convolutional network on scikit-learn's scanned digits with JAX.

Runs on whichever platform JAX selects and writes what it measured: OUT.json (accuracy, losses,
times) and OUT.npz (the final parameters). Nothing here knows about plugins.
"""

import argparse
import json
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from sklearn.datasets import load_digits

BATCH = 64
LEARNING_RATE = 2e-3
HELD_OUT = 360  # of 1,797 images


def load():
    """Images [n, 8, 8, 1] in [0, 1] and labels [n], shuffled, as (train, held out)."""
    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images = (digits.images[order, :, :, None] / 16.0).astype(np.float32)
    labels = digits.target[order].astype(np.int32)
    return (images[HELD_OUT:], labels[HELD_OUT:]), (images[:HELD_OUT], labels[:HELD_OUT])


def init(key):
    def layer(key, shape):
        fan_in = np.prod(shape[:-1])
        weights = jax.random.normal(key, shape) * np.sqrt(2.0 / fan_in).astype(np.float32)
        return {"w": weights, "b": jnp.zeros(shape[-1])}

    keys = jax.random.split(key, 4)
    shapes = {"conv1": (3, 3, 1, 32), "conv2": (3, 3, 32, 64), "dense1": (256, 64), "dense2": (64, 10)}
    return {name: layer(k, shape) for (name, shape), k in zip(shapes.items(), keys)}


def network(params, images, dropout_key=None):
    def convolve(x, layer):
        y = lax.conv_general_dilated(
            x, layer["w"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        y = jax.nn.relu(y + layer["b"])
        return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    x = convolve(images, params["conv1"])
    x = convolve(x, params["conv2"])
    x = x.reshape(x.shape[0], -1)
    x = jax.nn.relu(x @ params["dense1"]["w"] + params["dense1"]["b"])
    if dropout_key is not None:
        x = jnp.where(jax.random.bernoulli(dropout_key, 0.9, x.shape), x / 0.9, 0.0)
    return x @ params["dense2"]["w"] + params["dense2"]["b"]


def loss_of(params, images, labels, dropout_key):
    log_probabilities = jax.nn.log_softmax(network(params, images, dropout_key))
    return -jnp.mean(jnp.take_along_axis(log_probabilities, labels[:, None], axis=1))


def train_step(state, images, labels):
    """One step of Adam."""
    params, mean, variance, step, key = state
    key, dropout_key = jax.random.split(key)
    loss, gradient = jax.value_and_grad(loss_of)(params, images, labels, dropout_key)
    step += 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    variance = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, variance, gradient)
    m_scale = 1 / (1 - 0.9**step)
    v_scale = 1 / (1 - 0.999**step)
    rate = LEARNING_RATE * 0.998**step
    params = jax.tree.map(
        lambda p, m, v: p - rate * m * m_scale / (jnp.sqrt(v * v_scale) + 1e-8),
        params, mean, variance)
    return (params, mean, variance, step, key), loss


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="prefix of the files to write")
    parser.add_argument("--epochs", type=int, default=20)
    arguments = parser.parse_args()

    (images, labels), held_out = load()
    key, init_key = jax.random.split(jax.random.key(0))
    params = init(init_key)
    # Two sets of zeros: the step gives its state away, so no array may be in it twice.
    mean, variance = (jax.tree.map(jnp.zeros_like, params) for _ in range(2))
    state = (params, mean, variance, jnp.float32(0), key)

    started = time.perf_counter()
    lowered = jax.jit(train_step, donate_argnums=0).lower(state, images[:BATCH], labels[:BATCH])
    lowering_seconds = time.perf_counter() - started
    started = time.perf_counter()
    step = lowered.compile()
    compile_seconds = time.perf_counter() - started
    accuracy_of = jax.jit(lambda p, x, y: jnp.mean(jnp.argmax(network(p, x), axis=1) == y))

    losses, step_seconds = [], []
    for epoch in range(arguments.epochs):
        order = np.random.RandomState(epoch + 1).permutation(len(labels))
        epoch_losses = []
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[begin:begin + BATCH]
            x, y = jax.device_put(images[batch]), jax.device_put(labels[batch])
            started = time.perf_counter()
            state, loss = step(state, x, y)
            loss.block_until_ready()
            step_seconds.append(time.perf_counter() - started)
            epoch_losses.append(float(loss))
        losses.append(float(np.mean(epoch_losses)))
        accuracy = float(accuracy_of(state[0], *held_out))
        print(f"  epoch {epoch + 1:2d}  loss {losses[-1]:.4f}  held-out accuracy {accuracy:.2%}",
              flush=True)

    result = {
        "platform": jax.extend.backend.get_backend().platform_version,
        "accuracy": accuracy,
        "losses": losses,
        "lowering_seconds": lowering_seconds,
        "compile_seconds": compile_seconds,
        "step_seconds": float(np.median(step_seconds)),
        "fastest_step_seconds": float(np.min(step_seconds)),
    }
    with open(arguments.out + ".json", "w") as file:
        json.dump(result, file, indent=1)
    leaves = jax.tree_util.tree_leaves_with_path(state[0])
    np.savez(arguments.out + ".npz",
             **{jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves})


if __name__ == "__main__":
    import jax.extend

    main()
