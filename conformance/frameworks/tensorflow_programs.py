# SPDX-License-Identifier: Apache-2.0
"""Small programs for TensorFlow on /device:PLINTH, the device of impl/tensorflow: results have to be those of its CPU.

PLINTH_TENSORFLOW names libplinth_tensorflow.so; without it all runs on TensorFlow's CPU.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

LIBRARY = os.environ.get("PLINTH_TENSORFLOW")
if LIBRARY:
    # TensorFlow compiles through PJRT only where it is told to.
    os.environ["TF_XLA_FLAGS"] = ("--tf_xla_use_device_api=true --tf_xla_use_device_api_for_xla_launch=true "
                                  "--tf_xla_use_device_api_for_compile_on_demand=true")
import tensorflow as tf  # noqa: E402  It reads the flags when it is imported.

from programs import Programs  # noqa: E402

if LIBRARY:
    from tensorflow.python.framework import load_library

    load_library.load_pluggable_device_library(LIBRARY)

PROGRAMS = Programs()
program = PROGRAMS.add
DEVICE = "/device:PLINTH:0" if LIBRARY else "/device:CPU:0"


def values(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def classes(n, of, seed=1):
    return np.random.RandomState(seed).randint(0, of, n)


def train(variables, loss, x, y, rate=0.1, steps=8):
    """Losses of gradient descent, each step one program, and the variables at the end."""

    @tf.function(jit_compile=True)
    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(x, y)
        for variable, gradient in zip(variables, tape.gradient(value, variables)):
            variable.assign_sub(rate * gradient)
        return value

    with tf.device(DEVICE):
        losses = [step(tf.constant(x), tf.constant(y)).numpy() for _ in range(steps)]
    assert losses[-1] < losses[0]
    return [losses, [variable.numpy() for variable in variables]]


def cross_entropy(logits, y):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))


@program()
def devices_are_listed():
    if LIBRARY:
        found = tf.config.list_physical_devices("PLINTH")
        assert len(found) >= 1, found
        assert found[0].name == "/physical_device:PLINTH:0", found
    return True


@program()
def another_release():
    """The library is for one release of TensorFlow, and says so to another; with these words TensorFlow ends the process."""
    if LIBRARY:
        code = "import os; os.environ['PLINTH_TENSORFLOW'] = os.environ['PLINTH_TENSORFLOW_OTHER']; import tensorflow_programs"
        done = subprocess.run([sys.executable, "-c", code], cwd=os.path.dirname(__file__), capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert f"was built for TensorFlow 2.0.0 and this is TensorFlow {tf.__version__}; build it" in done.stderr, done.stderr[-300:]
    return True


@program()
def client_options():
    """Those of PLINTH_CLIENT_OPTIONS; what cannot be read is named."""
    if LIBRARY:
        code = "import tensorflow_programs as t; print('devices:', len(t.tf.config.list_physical_devices('PLINTH')))"

        def devices(options):
            done = subprocess.run([sys.executable, "-c", code], cwd=os.path.dirname(__file__), capture_output=True, text=True, check=False,
                                  env=os.environ | {"PLINTH_CLIENT_OPTIONS": options})
            return done.stdout + done.stderr

        assert "devices: 3" in (out := devices("num_devices=3;num_threads=1")), out[-500:]
        assert 'the option "num_devices" is not of the form name=value' in (out := devices("num_devices")), out[-500:]
    return True


@program()
def several_devices():
    """Each computes. The driver asks for four."""
    if not LIBRARY:
        return [values(4) + values(4, seed=1)] * 4
    results = []
    for device in tf.config.list_logical_devices("PLINTH"):
        with tf.device(device.name):
            results.append((tf.constant(values(4)) + tf.constant(values(4, seed=1))).numpy())
    return results


@program()
def constants():
    with tf.device(DEVICE):
        return [tf.constant(v).numpy() for v in (values(3, 4), np.arange(5), np.array([True, False]), np.float32(2))]


@program()
def eager_operations():
    with tf.device(DEVICE):
        x, y = tf.constant(values(4, 5)), tf.constant(values(4, 5, seed=1))
        return [t.numpy() for t in (x + y, x * y - x, tf.exp(x), tf.tanh(y), tf.nn.relu(x), tf.maximum(x, y), x > y)]


@program(1e-4)
def one_function():
    @tf.function(jit_compile=True)
    def f(x, w):
        return tf.nn.softmax(tf.tanh(x @ w)), tf.reduce_sum(x, 0), tf.argmax(x, axis=1), tf.transpose(x)

    with tf.device(DEVICE):
        return [t.numpy() for t in f(tf.constant(values(4, 6)), tf.constant(values(6, 3, seed=1)))]


@program()
def sort():
    f = tf.function(lambda x: tf.sort(x, axis=1), jit_compile=True)
    with tf.device(DEVICE):
        return f(tf.constant(values(4, 6))).numpy()


@program(1e-4)
def eager_reduction():
    """Its axes are a constant operand."""
    with tf.device(DEVICE):
        return tf.reduce_mean(tf.constant(values(4, 6)), 1).numpy()


@program(1e-4)
def loops_and_branches():
    @tf.function(jit_compile=True)
    def f(x):
        total = tf.zeros_like(x)
        for _ in tf.range(5):
            total = total * 0.5 + x
        return tf.cond(tf.reduce_sum(x) > 0, lambda: total, lambda: -total)

    with tf.device(DEVICE):
        return [f(tf.constant(values(6))).numpy(), f(tf.constant(-values(6))).numpy()]


@program(1e-3)
def mlp_with_variables():
    with tf.device(DEVICE):
        w = [tf.Variable(values(16, 32) * 0.3), tf.Variable(np.zeros(32, np.float32)), tf.Variable(values(32, 4, seed=1) * 0.3)]
    return train(w, lambda x, y: cross_entropy(tf.nn.relu(x @ w[0] + w[1]) @ w[2], y), values(64, 16), classes(64, 4))


@program(2e-3)
def convnet_with_variables():
    with tf.device(DEVICE):
        w = [tf.Variable(values(3, 3, 3, 8) * 0.2), tf.Variable(values(3, 3, 8, 16, seed=1) * 0.2), tf.Variable(values(16, 5, seed=2))]

    def loss(x, y):
        x = tf.nn.relu(tf.nn.conv2d(x, w[0], 1, "SAME"))
        x = tf.nn.max_pool2d(x, 2, 2, "SAME")
        x = tf.nn.relu(tf.nn.conv2d(x, w[1], 1, "VALID"))
        return cross_entropy(tf.reduce_mean(x, [1, 2]) @ w[2], y)

    return train(w, loss, values(16, 12, 12, 3), classes(16, 5))


def keras_layers(make, *shape):
    """The model's layers, with weights that do not depend on the back end's random numbers."""
    with tf.device("/device:CPU:0"):
        model = make()
        model.build((None, *shape))
    with tf.device(DEVICE):
        weights = [tf.Variable(values(*w.shape, seed=i) * 0.2) for i, w in enumerate(model.trainable_variables)]

    def call(x):
        return model.stateless_call(weights, [tf.constant(v.numpy()) for v in model.non_trainable_variables], x, training=True)[0]

    return weights, call


@program(1e-3)
def keras_mlp():
    layers = tf.keras.layers
    weights, call = keras_layers(lambda: tf.keras.Sequential([layers.Dense(32, "relu"), layers.Dense(4)]), 16)
    return train(weights, lambda x, y: cross_entropy(call(x), y), values(64, 16), classes(64, 4))


@program(2e-3)
def keras_convnet():
    layers = tf.keras.layers
    weights, call = keras_layers(lambda: tf.keras.Sequential([
        layers.Conv2D(8, 3, padding="same"), layers.ReLU(), layers.MaxPooling2D(), layers.Conv2D(16, 3), layers.ReLU(),
        layers.GlobalAveragePooling2D(), layers.Dense(5)]), 12, 12, 3)
    return train(weights, lambda x, y: cross_entropy(call(x), y), values(16, 12, 12, 3), classes(16, 5))


@program(0.05)
def demo_training():
    """The network of scripts/demo in TensorFlow, two epochs; accuracy: on the images that it did not see."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images = (digits.images[order, :, :, None] / 16.0).astype(np.float32)
    labels = digits.target[order]
    shapes = ((3, 3, 1, 32), (3, 3, 32, 64), (256, 64), (64, 10))
    weights = [values(*shape, seed=i) * np.float32(np.sqrt(2 / np.prod(shape[:-1]))) for i, shape in enumerate(shapes)]
    start = weights + [np.zeros(shape[-1], np.float32) for shape in shapes]
    with tf.device(DEVICE):
        w = [tf.Variable(v) for v in start]
        mean, variance = ([tf.Variable(np.zeros_like(v)) for v in start] for _ in range(2))
        count = tf.Variable(np.float32(0))

    def network(x):
        for i in range(2):
            x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w[i], 1, "SAME") + w[4 + i]), 2, 2, "VALID")
        x = tf.nn.relu(tf.reshape(x, [-1, 256]) @ w[2] + w[6])
        return x @ w[3] + w[7]

    @tf.function(jit_compile=True)
    def step(x, y):
        """One of Adam."""
        with tf.GradientTape() as tape:
            loss = cross_entropy(network(x), y)
        count.assign_add(1.0)
        for v, m, s, g in zip(w, mean, variance, tape.gradient(loss, w)):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * g * g)
            v.assign_sub(2e-3 * (m / (1 - 0.9 ** count)) / (tf.sqrt(s / (1 - 0.999 ** count)) + 1e-8))
        return loss

    guess = tf.function(lambda x: tf.argmax(network(x), axis=1), jit_compile=True)
    with tf.device(DEVICE):
        for epoch in range(2):
            order = np.random.RandomState(epoch + 1).permutation(len(labels) - 360)
            for begin in range(0, len(order) - 63, 64):
                batch = order[begin:begin + 64] + 360
                loss = step(tf.constant(images[batch]), tf.constant(labels[batch]))
        right = np.mean(guess(tf.constant(images[:360])).numpy() == labels[:360])
    return {"loss": loss.numpy(), "accuracy": float(right)}
