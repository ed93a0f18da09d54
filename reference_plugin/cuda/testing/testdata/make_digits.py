# SPDX-License-Identifier: Apache-2.0
"""Writes the programs of samples/digits beside this file, as JAX lowers them for platform cuda:
the training step and the accuracy of the network."""
import pathlib
import sys

import jax
import jax.numpy as jnp

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "samples/digits"))
import train  # noqa: E402


def write(name, function, *arguments, donate=()):
    traced = jax.jit(function, donate_argnums=donate).trace(*arguments)
    lowered = traced.lower(lowering_platforms=("cuda",))
    text = lowered.as_text()
    (HERE / f"{name}.mlir").write_text(text)
    print(name, len(text), "bytes;", text.count(" = "), "ops")


params = jax.eval_shape(train.init, jax.random.key(0))
images = jax.ShapeDtypeStruct((train.BATCH, 8, 8, 1), jnp.float32)
labels = jax.ShapeDtypeStruct((train.BATCH,), jnp.int32)
held_out = [jax.ShapeDtypeStruct((train.HELD_OUT, *s.shape[1:]), s.dtype) for s in (images, labels)]
state = (params, params, params, jax.ShapeDtypeStruct((), jnp.float32), jax.eval_shape(lambda: jax.random.key(0)))
write("digits_step", train.train_step, state, images, labels, donate=0)
write("digits_accuracy", lambda p, x, y: jnp.mean(jnp.argmax(train.network(p, x), axis=1) == y), params, *held_out)
