# SPDX-License-Identifier: Apache-2.0
"""Writes programs beside this file, as JAX lowers them for platform cuda: the training step and the
accuracy of samples/digits, and softmax and layer norm of rows of many lengths and types."""
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


def rows(arrays):
    def layer_norm(x):
        mean = jnp.mean(x, axis=1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(jnp.mean((x - mean) ** 2, axis=1, keepdims=True) + 1e-5)

    return [(jax.nn.softmax(x, axis=1), layer_norm(x)) for x in arrays]


jax.config.update("jax_enable_x64", True)
shapes = [((4096, 1024), "float32"), ((2000, 8192), "float32"), ((300, 32768), "float32"), ((300, 20001), "float32"), ((300, 32768), "bfloat16"),
          ((4096, 1000), "float16"), ((300, 16384), "float64"), ((5, 100000), "float32")]
write("rows", rows, [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes])
