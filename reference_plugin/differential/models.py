# SPDX-License-Identifier: Apache-2.0
"""Four models, each as (make parameters and data from a seed, loss)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def _normal(rng, *shape):
    return np.asarray(rng.normal(size=shape) / max(1, shape[0]) ** 0.5, np.float32)


def make_mlp(seed):
    rng = np.random.default_rng(seed)
    sizes = [17, 32, 31, 5]
    parameters = [(_normal(rng, a, b), _normal(rng, b)) for a, b in zip(sizes, sizes[1:])]
    return parameters, (_normal(rng, 12, 17), rng.integers(0, 5, 12))


def mlp_loss(parameters, data, key):
    x, labels = data
    for w, b in parameters[:-1]:
        x = jax.nn.relu(x @ w + b)
        x = jnp.where(jax.random.bernoulli(key, 0.9, x.shape), x / 0.9, 0)  # Dropout.
    w, b = parameters[-1]
    return _cross_entropy(x @ w + b, labels)


def make_cnn(seed):
    rng = np.random.default_rng(seed)
    parameters = {"c1": _normal(rng, 3, 3, 1, 6), "c2": _normal(rng, 3, 3, 6, 8),
                  "scale": np.ones(8, np.float32), "w": _normal(rng, 32, 10), "b": _normal(rng, 10)}
    return parameters, (_normal(rng, 5, 8, 8, 1), rng.integers(0, 10, 5))


def _convolve(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def _max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def cnn_loss(parameters, data, key):
    images, labels = data
    x = _max_pool(jax.nn.relu(_convolve(images, parameters["c1"])))
    x = _convolve(x, parameters["c2"])
    x = (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-3) * parameters["scale"]
    x = _max_pool(jax.nn.relu(x)).reshape(len(images), -1)
    return _cross_entropy(x @ parameters["w"] + parameters["b"], labels)


def make_lstm(seed):
    rng = np.random.default_rng(seed)
    parameters = {"x": _normal(rng, 7, 4 * 16), "h": _normal(rng, 16, 4 * 16),
                  "b": np.zeros(4 * 16, np.float32), "out": _normal(rng, 16, 7)}
    return parameters, (_normal(rng, 9, 4, 7), rng.integers(0, 7, (9, 4)))


def lstm_loss(parameters, data, key):
    inputs, labels = data

    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ parameters["x"] + h @ parameters["h"] + parameters["b"], 4, -1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    start = jnp.zeros((inputs.shape[1], 16), inputs.dtype)
    _, states = lax.scan(step, (start, start), inputs)
    return _cross_entropy(states @ parameters["out"], labels)


def make_transformer(seed):
    rng = np.random.default_rng(seed)
    d, vocabulary = 24, 29
    parameters = {"embedding": _normal(rng, vocabulary, d), "position": _normal(rng, 10, d),
                  "qkv": _normal(rng, d, 3 * d), "project": _normal(rng, d, d),
                  "up": _normal(rng, d, 4 * d), "down": _normal(rng, 4 * d, d),
                  "norms": np.ones((3, d), np.float32)}
    tokens = rng.integers(0, vocabulary, (3, 11))
    return parameters, (tokens[:, :-1], tokens[:, 1:])


def _layer_norm(x, scale):
    x = x - x.mean(-1, keepdims=True)
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale


def transformer_loss(parameters, data, key):
    tokens, targets = data
    p, heads = parameters, 4
    x = p["embedding"][tokens] + p["position"]
    batch, length, d = x.shape
    q, k, v = jnp.split(_layer_norm(x, p["norms"][0]) @ p["qkv"], 3, -1)
    q, k, v = (a.reshape(batch, length, heads, -1) for a in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / (d // heads) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(batch, length, d)
    x = x + mixed @ p["project"]
    x = x + jax.nn.gelu(_layer_norm(x, p["norms"][1]) @ p["up"]) @ p["down"]
    keep = jax.random.bernoulli(key, 0.9, x.shape)
    x = _layer_norm(jnp.where(keep, x / 0.9, 0), p["norms"][2])
    return _cross_entropy(x @ p["embedding"].T, targets)


def _cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1))


def adam_step(loss, parameters, moments, step, data, key):
    """One step of Adam; everything it changes is returned."""
    value, gradients = jax.value_and_grad(loss)(parameters, data, key)
    first, second = moments
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, second, gradients)
    step = step + 1
    rate = 1e-2 * jnp.sqrt(1 - 0.99**step) / (1 - 0.9**step)
    parameters = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-4), parameters, first,
                              second)
    return value, parameters, (first, second), step


MODELS = {"mlp": (make_mlp, mlp_loss), "cnn": (make_cnn, cnn_loss), "lstm": (make_lstm, lstm_loss),
          "transformer": (make_transformer, transformer_loss)}
