# SPDX-License-Identifier: Apache-2.0
"""Trains the network of samples/digits on four devices, in three ways, and compares the losses.

Needs a platform with four devices, such as the CPU plugin with JAX_NUM_CPU_DEVICES=4:

- one device;
- data parallel: every device has all parameters and a quarter of each batch;
- model parallel: two by two devices; one axis has halves of the batch, the other halves of the
  channels, so that no device has all parameters.

The program is the same each time. Only the shardings of its arguments differ.
"""

import argparse
import importlib.util
import pathlib

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

# samples/digits/train.py, which this file has the name of.
spec = importlib.util.spec_from_file_location(
    "digits", pathlib.Path(__file__).parents[1] / "digits" / "train.py")
digits = importlib.util.module_from_spec(spec)
spec.loader.exec_module(digits)

# How the parameters lie on the mesh of the model parallel run. What a layer makes in halves, the
# next one takes in halves: its products are summed over the devices.
MODEL_PARALLEL = {
    "conv1": {"w": (None, None, None, "model"), "b": ("model",)},
    "conv2": {"w": (None, None, "model", None), "b": ()},
    "dense1": {"w": (None, "model"), "b": ("model",)},
    "dense2": {"w": ("model", None), "b": ()},
}


def train(mesh, layout, steps):
    """The losses of `steps` steps, and where a layer lies at their end."""
    def sharding(axes):
        return NamedSharding(mesh, PartitionSpec(*axes))

    replicated, batch = sharding(()), sharding(("batch",))
    params = digits.init(jax.random.key(0))
    placed = jax.tree.map(lambda p, axes: jax.device_put(p, sharding(axes)), params, layout)
    zeros = jax.tree.map(lambda p: jax.device_put(np.zeros_like(p), p.sharding), placed)
    state = (placed, zeros, zeros, jax.device_put(np.float32(0), replicated),
             jax.device_put(jax.random.key(1), replicated))
    step = jax.jit(digits.train_step)

    (images, labels), _ = digits.load()
    losses = []
    for i in range(steps):
        rows = np.arange(i * digits.BATCH, (i + 1) * digits.BATCH) % len(labels)
        state, loss = step(state, jax.device_put(images[rows], batch),
                           jax.device_put(labels[rows], batch))
        losses.append(float(loss))
    return np.array(losses), state[0]["dense1"]["w"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40)
    steps = parser.parse_args().steps
    devices = jax.devices()
    if len(devices) < 4:
        raise SystemExit(f"there are {len(devices)} devices on `{devices[0].platform}`; expected 4 "
                         "(for the CPU plugin: JAX_NUM_CPU_DEVICES=4)")

    whole = {name: {"w": (), "b": ()} for name in MODEL_PARALLEL}
    runs = {
        "one device": (Mesh(devices[:1], "batch"), whole),
        "data parallel": (Mesh(devices[:4], "batch"), whole),
        "model parallel": (Mesh(np.reshape(devices[:4], (2, 2)), ("batch", "model")),
                           MODEL_PARALLEL),
    }
    expected = None
    for name, (mesh, layout) in runs.items():
        losses, weights = train(mesh, layout, steps)
        expected = losses if expected is None else expected
        difference = np.max(np.abs(losses - expected) / expected)
        print(f"{name}: loss {losses[0]:.4f} to {losses[-1]:.4f}, "
              f"largest relative difference {difference:.1e}; dense1 {weights.sharding.spec}:")
        jax.debug.visualize_array_sharding(weights, use_color=False)
        if not difference < 1e-3:
            raise SystemExit(f"{name} trains another network than one device")


if __name__ == "__main__":
    main()
