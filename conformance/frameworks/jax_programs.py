# SPDX-License-Identifier: Apache-2.0
"""Small programs for JAX from 0.4.34 on: what users do, each on the default device unless it says otherwise."""

from __future__ import annotations

import contextlib
import inspect
import io
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from programs import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
DEVICES = 4  # the driver asks for that many


def values(*shape, seed=0, dtype=np.float32):
    """Numbers that every release gets alike."""
    random = np.random.RandomState(seed)
    array = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * random.standard_normal(shape)
    return array.astype(dtype)


def positive(n, dtype=np.float32, seed=0):
    a = values(n, n, seed=seed, dtype=dtype)
    return (a @ a.conj().T + n * np.eye(n)).astype(dtype)


@contextlib.contextmanager
def wide_types():
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", False)


@program()
def devices():
    found = jax.devices()
    return [len(found), [d.id for d in found], found[0].platform == "cpu"]


@program()
def jit():
    return jax.jit(lambda x, y: jnp.sin(x) @ y + 1)(values(8, 16), values(16, 4))


@program(1e-4)
def mlp_training_with_donation():
    def loss(params, x, y):
        for w, b in params[:-1]:
            x = jnp.tanh(x @ w + b)
        w, b = params[-1]
        return jnp.mean((x @ w + b - y) ** 2)

    def step(params, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads), value

    sizes = (16, 32, 32, 4)
    params = [(jnp.asarray(values(m, n, seed=m) / np.sqrt(m, dtype=np.float32)), jnp.zeros(n)) for m, n in zip(sizes, sizes[1:])]
    step = jax.jit(step, donate_argnums=0)
    losses = []
    for _ in range(10):
        given = params[0][0]
        params, value = step(params, values(64, 16), values(64, 4, seed=1))
        assert given.is_deleted()
        losses.append(float(value))
    assert losses[-1] < losses[0]
    return [losses, [np.asarray(w) for w, _ in params]]


@program()
def scan_while_and_cond():
    scanned = jax.jit(lambda x: lax.scan(lambda c, a: (c * 0.5 + a, c), jnp.zeros(4), x))(values(9, 4))
    looped = jax.jit(lambda n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 1.1), (0, 1.0)))(7)
    branch = jax.jit(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda v: v + 1], x))
    return [scanned, looped, [branch(i, values(5)) for i in range(3)]]


@program(1e-4)
def convolution_gradient():
    def loss(w, x):
        return jnp.sum(lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2)

    return jax.jit(jax.grad(loss, argnums=(0, 1)))(values(3, 3, 4, 8), values(2, 9, 10, 4))


@program()
def random_threefry():
    key = jax.random.PRNGKey(7)
    a, b, c = jax.random.split(key, 3)
    return [jax.random.normal(a, (33,)), jax.random.randint(b, (20,), 0, 1000), jax.random.permutation(c, 17)]


@program()
def random_rbg():
    key = jax.random.key(3, impl="rbg")
    return [jax.random.uniform(key, (64,)), jax.random.bits(jax.random.split(key)[1], (8,))]


@program()
def sort_and_top_k():
    x = values(6, 50)
    return [jnp.sort(x, axis=0), jnp.argsort(x), lax.top_k(x, 7), jnp.unique(jnp.asarray(values(20) > 0))]


@program(2e-5)
def special_functions():
    x = np.linspace(-0.9, 0.9, 41, dtype=np.float32)
    functions = (lax.erf, lax.erf_inv, jnp.tan, jnp.sinh, jnp.cosh, jnp.arcsinh, jnp.arctanh, jnp.arcsin, jnp.arccos,
                 jnp.cbrt, jnp.log1p, jnp.expm1, lax.bessel_i1e)
    above = (lax.lgamma, lax.digamma, jnp.arccosh)
    return [jax.jit(f)(x) for f in functions] + [jax.jit(f)(x + 2.5) for f in above] + [
        jax.jit(lax.igamma)(x + 1, x + 2), jnp.nextafter(x, x + 1)]


@program()
def cumulative_sums():
    x = values(5, 33)
    return [jnp.cumsum(x, axis=1), lax.cummax(x, axis=0), lax.cumlogsumexp(x, axis=1), jnp.cumprod(x[:, :5], axis=1)]


@program()
def gather_and_scatter():
    x, i = values(10, 6), np.array([3, 1, 9, 3])
    f = jax.jit(lambda x, i: [x[i], x.at[i].add(1.5), x.at[i, 2].set(0.0), jnp.take(x, i, axis=0, mode="clip")])
    g = jax.jit(jax.grad(lambda x, i: jnp.sum(x[i] ** 2)))
    return [f(x, i), g(x, i)]


@program(1e-2)
def bfloat16():
    x = jnp.asarray(values(16, 16), jnp.bfloat16)
    return jax.jit(lambda x: [x @ x, jnp.exp(x), jnp.sum(x, axis=0)])(x)


@program()
def fft():
    x = values(4, 30)
    return [jnp.fft.fft(x), jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(x)), jnp.fft.fft2(values(6, 10, dtype=np.complex64))]


TYPES = (np.float32, np.float64, np.complex64, np.complex128)


def in_every_type(function):
    """The results for all four types of LAPACK."""
    with wide_types():
        return [function(dtype) for dtype in TYPES]


@program(1e-4)
def cholesky():
    return in_every_type(lambda t: jnp.linalg.cholesky(np.stack([positive(7, t), positive(7, t, 1)])))


@program(1e-4)
def qr():
    def of(dtype):
        q, r = jnp.linalg.qr(values(9, 5, dtype=dtype))
        return [jnp.abs(r), q @ r]

    return in_every_type(of)


@program(1e-4)
def svd():
    def of(dtype):
        a = values(8, 5, dtype=dtype)
        u, s, v = jnp.linalg.svd(a, full_matrices=False)
        return [s, (u * s.astype(u.dtype)) @ v, jnp.linalg.svd(a, compute_uv=False)]

    return in_every_type(of)


@program(1e-4)
def eigh():
    def of(dtype):
        w, v = jnp.linalg.eigh(positive(6, dtype))
        return [w, (v * w.astype(v.dtype)) @ v.conj().T]

    return in_every_type(of)


@program(1e-4)
def eig():
    def of(dtype):
        a = values(6, 6, dtype=dtype)
        w, v = jnp.linalg.eig(a)
        return [np.sort_complex(np.asarray(w)), a @ v - v * w + 1]

    return in_every_type(of)


@program(1e-4)
def solve():
    return in_every_type(lambda t: [jnp.linalg.solve(positive(6, t), values(6, 3, dtype=t)),
                                    jnp.linalg.inv(positive(5, t)), jnp.linalg.slogdet(positive(5, t))])


@program(1e-4)
def lu():
    return in_every_type(lambda t: lax.linalg.lu(values(7, 5, dtype=t)))


@program(1e-4)
def triangular_solve():
    def of(dtype):
        a = np.tril(values(2, 6, 6, dtype=dtype)) + 4 * np.eye(6, dtype=dtype)
        left, right = values(2, 6, 3, dtype=dtype), values(2, 3, 6, dtype=dtype)
        return [lax.linalg.triangular_solve(a, left, left_side=True, lower=True),
                lax.linalg.triangular_solve(a, right, lower=True, transpose_a=True),
                lax.linalg.triangular_solve(a, left, left_side=True, lower=True, conjugate_a=True, transpose_a=True),
                lax.linalg.triangular_solve(np.swapaxes(a, 1, 2), left, left_side=True, unit_diagonal=True)]

    return in_every_type(of)


@program(1e-4)
def schur():
    def of(dtype):
        a = values(5, 5, dtype=dtype)
        t, q = lax.linalg.schur(a)
        return [q @ t @ q.conj().T, jnp.abs(jnp.trace(t))]

    return in_every_type(of)


@program(1e-4)
def hessenberg():
    def of(dtype):
        a = values(6, 6, dtype=dtype)
        h, taus = lax.linalg.hessenberg(a)
        q = lax.linalg.householder_product(h[1:, :-1], taus)
        return [h, taus, q]

    return in_every_type(of)


@program(1e-4)
def tridiagonal():
    return in_every_type(lambda t: lax.linalg.tridiagonal(positive(6, t))[:3])


@program(1e-4)
def tridiagonal_solve():
    def of(dtype):
        lower, upper = values(7, dtype=dtype), values(7, seed=1, dtype=dtype)
        lower[0] = upper[-1] = 0
        return lax.linalg.tridiagonal_solve(lower, values(7, seed=2, dtype=dtype) + 5, upper, values(7, 2, seed=3, dtype=dtype))

    with wide_types():
        return [of(t) for t in TYPES[:2]]


@program()
def pure_callback():
    def twice(x):
        return np.asarray(x) * 2

    f = jax.jit(lambda x: jax.pure_callback(twice, jax.ShapeDtypeStruct(x.shape, x.dtype), x) + 1)
    return f(values(5))


@program()
def debug_print():
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        jax.jit(lambda x: jax.debug.print("x is {}", x))(np.int32(42))
        jax.effects_barrier()
    return text.getvalue()


@program()
def ahead_of_time():
    lowered = jax.jit(lambda x: jnp.cos(x) @ x.T).lower(jax.ShapeDtypeStruct((3, 4), np.float32))
    compiled = lowered.compile()
    cost = compiled.cost_analysis()
    assert cost is not None and compiled.memory_analysis() is not None
    return compiled(values(3, 4))


@program()
def serialized_executable():
    from jax.experimental import serialize_executable

    compiled = jax.jit(lambda x: x * 3).lower(values(4)).compile()
    load = serialize_executable.deserialize_and_load
    # Releases from 0.6 on take all devices of the process unless they are told.
    takes_devices = "execution_devices" in inspect.signature(load).parameters
    more = {"execution_devices": jax.devices()[:1]} if takes_devices else {}
    return load(*serialize_executable.serialize(compiled), **more)(values(4))


@program()
def dlpack_export():
    return [np.from_dlpack(jnp.arange(12).reshape(3, 4)), np.from_dlpack(jax.jit(lambda x: x + 1)(values(5)))]


@program()
def dlpack_import():
    aligned = np.zeros(64 + 1024, np.uint8)
    aligned = aligned[-aligned.ctypes.data % 64:][:1024].view(np.float32)
    aligned[:] = np.arange(256)
    return jnp.sum(jax.dlpack.from_dlpack(aligned)) + 1


@program()
def dlpack_import_with_a_copy():
    aligned = np.zeros(64 + 1024, np.uint8)
    aligned = aligned[-aligned.ctypes.data % 64:][:1024].view(np.float32)
    aligned[:] = np.arange(256)
    turned = jax.dlpack.from_dlpack(aligned.reshape(16, 16).T)
    np.testing.assert_array_equal(turned, aligned.reshape(16, 16).T)  # jaxlib 0.6.2's own CPU forgets the strides
    return [jax.dlpack.from_dlpack(aligned[1:]) + 1, turned]


@program()
def memory_kinds():
    from jax.sharding import SingleDeviceSharding

    device = jax.devices()[0]
    pinned = jax.device_put(values(6), SingleDeviceSharding(device, memory_kind="pinned_host"))
    back = jax.device_put(pinned, SingleDeviceSharding(device))
    return [pinned.sharding.memory_kind, back + 1]


@program()
def strided_arrays():
    x = values(8, 12)
    return [jax.device_put(a) + 0 for a in (x.T, x[::2, ::-3], x[3:, 1], np.broadcast_to(x[0], (3, 12)))]


@program(1e-4)
def hessian():
    return jax.jit(jax.hessian(lambda x: jnp.sum(jnp.sin(x) ** 3 * x[::-1])))(values(6))


@program()
def rematerialization():
    f = jax.checkpoint(lambda x: jnp.sin(jnp.sin(x) @ x))
    return jax.jit(jax.grad(lambda x: jnp.sum(f(x))))(values(5, 5))


@program(1e-2)
def int4_and_float8():
    x = jnp.asarray(values(32) * 3)
    return [x.astype(jnp.int4).astype(jnp.int32), x.astype(jnp.float8_e4m3fn).astype(jnp.float32),
            jax.device_put(jnp.arange(-4, 4, dtype=jnp.int4)).astype(jnp.int8)]


@program(1e-12)
def wide_types_of_64_bits():
    with wide_types():
        x = values(9, dtype=np.float64)
        return [jax.jit(lambda x: jnp.exp(x) * 2)(x), jnp.arange(3) + 2**40, jnp.sum(x.astype(np.complex128) * 1j)]


@program()
def export():
    from jax import export as jax_export

    exported = jax_export.export(jax.jit(lambda x: jnp.tanh(x) * 2))(jax.ShapeDtypeStruct((4,), np.float32))
    return jax_export.deserialize(exported.serialize()).call(values(4))


@program()
def copy_to_a_second_device():
    second = jax.devices()[1]
    x = jax.device_put(jax.device_put(values(5), jax.devices()[0]), second)
    return [next(iter(x.devices())).id, x]


@program()
def run_on_a_second_device():
    second = jax.devices()[1]
    y = jax.jit(lambda x: x * 2)(jax.device_put(values(5), second))
    return [next(iter(y.devices())).id, y]


def mesh(*names):
    shape = (DEVICES,) if len(names) == 1 else (2, DEVICES // 2)
    return Mesh(np.array(jax.devices()[:DEVICES]).reshape(shape), names)


@program()
def sharded_device_put():
    x = jax.device_put(values(8, 4), NamedSharding(mesh("x"), PartitionSpec("x")))
    return [[s.device.id for s in x.addressable_shards], [np.asarray(s.data) for s in x.addressable_shards]]


@program(1e-4)
def sharded_jit():
    grid = mesh("x", "y")
    a = jax.device_put(values(8, 4), NamedSharding(grid, PartitionSpec("x", "y")))
    b = jax.device_put(values(4, 6), NamedSharding(grid, PartitionSpec("y", None)))
    y = jax.jit(lambda a, b: jnp.tanh(a @ b) + jnp.sum(a))(a, b)
    constrained = jax.jit(lambda a: lax.with_sharding_constraint(a * 2, NamedSharding(grid, PartitionSpec(None, "x"))))(a)
    again = jax.jit(lambda y, c: jnp.sum(y) + jnp.sum(c))(y, constrained)
    return [y, constrained, again, sorted((s.device.id, str(s.index)) for s in constrained.addressable_shards)]


def per_device(function, grid, *, in_specs, out_specs):
    if hasattr(jax, "shard_map"):
        return jax.shard_map(function, mesh=grid, in_specs=in_specs, out_specs=out_specs)
    from jax.experimental.shard_map import shard_map

    return shard_map(function, mesh=grid, in_specs=in_specs, out_specs=out_specs)


@program()
def shard_map():
    def body(x):
        total = lax.psum(x, "x")
        turned = lax.ppermute(x, "x", [(i, (i + 1) % DEVICES) for i in range(DEVICES)])
        return total + turned * lax.axis_index("x")

    spec = PartitionSpec("x")
    return jax.jit(per_device(body, mesh("x"), in_specs=spec, out_specs=spec))(values(8, 3))


@program()
def pmap():
    f = jax.pmap(lambda x: x / lax.psum(jnp.sum(x), "i"), axis_name="i")
    return [f(values(DEVICES, 6) + 9), jax.pmap(lambda x: x + 1)(values(DEVICES, 2))]


@program(1e-4)
def data_parallel_training():
    grid = mesh("x")
    everywhere, spread = NamedSharding(grid, PartitionSpec()), NamedSharding(grid, PartitionSpec("x"))

    def loss(w, x, y):
        return jnp.mean((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2)

    @jax.jit
    def step(w, x, y):
        value, grads = jax.value_and_grad(loss)(w, x, y)
        return [a - 0.1 * g for a, g in zip(w, grads)], value

    w = [jax.device_put(values(6, 8), everywhere), jax.device_put(values(8, 2, seed=1), everywhere)]
    x, y = jax.device_put(values(16, 6), spread), jax.device_put(values(16, 2, seed=2), spread)
    losses = []
    for _ in range(5):
        w, value = step(w, x, y)
        losses.append(value)
    return [losses, w]


def digits():
    """The demo's module."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "samples/digits"))
    import train

    return train


@program(0.02)
def demo_training():
    """The network of scripts/demo, two epochs; accuracy: on the 360 images that it did not see."""
    train = digits()
    (images, labels), held_out = train.load()
    key, init_key = jax.random.split(jax.random.key(0))
    params = train.init(init_key)
    mean, variance = (jax.tree_util.tree_map(jnp.zeros_like, params) for _ in range(2))
    state = (params, mean, variance, jnp.float32(0), key)
    step = jax.jit(train.train_step, donate_argnums=0)
    losses = []
    for epoch in range(2):
        order = np.random.RandomState(epoch + 1).permutation(len(labels))
        for begin in range(0, len(order) - train.BATCH + 1, train.BATCH):
            batch = order[begin:begin + train.BATCH]
            state, loss = step(state, images[batch], labels[batch])
        losses.append(float(loss))
    right = jax.jit(lambda p, x, y: jnp.mean(jnp.argmax(train.network(p, x), axis=1) == y))(state[0], *held_out)
    return {"losses": losses, "accuracy": float(right)}
