# SPDX-License-Identifier: Apache-2.0
"""Programs as users write them, spread over eight devices, give what they give on one.

Every program runs twice on the plugin, in one process of eight devices: on the first alone, and with
its arguments spread over a mesh of 2 x 4.
"""

import json

import pytest

from processes import run_python

pytestmark = pytest.mark.plugin_only

START = """
    import json
    import numpy as np, jax, jax.numpy as jnp
    from jax import lax
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    jax.config.update("jax_enable_x64", True)
    mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    rng = np.random.default_rng(0)
    F32, F64, BF16 = jnp.float32, jnp.float64, jnp.bfloat16
    # Of the largest element: sums are made in another order.
    TOLERANCE = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-11, "complex128": 1e-11,
                 "bfloat16": 5e-2}
    def normal(dtype, *shape):
        return jnp.asarray(rng.standard_normal(shape), dtype)
    def ints(limit, *shape):
        return jnp.asarray(rng.integers(0, limit, shape), jnp.int32)
    def spread(arguments, specs):
        return [jax.device_put(a, NamedSharding(mesh, s)) for a, s in zip(arguments, specs, strict=True)]
    def compare(got, want):
        got, want = jax.tree.leaves(got), jax.tree.leaves(want)
        assert len(got) == len(want)
        for a, b in zip(got, want):
            assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
            for shard in a.addressable_shards:
                part, whole = np.asarray(shard.data), np.asarray(b)[shard.index]
                if str(a.dtype) not in TOLERANCE:
                    np.testing.assert_array_equal(part, whole)
                    continue
                wide = np.complex128 if np.iscomplexobj(part) else np.float64
                part, whole = part.astype(wide), whole.astype(wide)
                most = np.max(np.abs(np.asarray(b).astype(wide)), initial=0)
                difference = np.max(np.abs(part - whole), initial=0)
                assert difference <= TOLERANCE[str(a.dtype)] * most, (shard.device, difference, most)
    results = {}
    def program(*specs, arguments, out=None, name=None):
        def register(function):
            key = name or function.__name__
            try:
                want = jax.jit(function)(*arguments)
                compare(jax.jit(function, out_shardings=out)(*spread(arguments, specs)), want)
                results[key] = "as on one device"
            except Exception as error:
                results[key] = f"{type(error).__name__}: {error}"
            return function
        return register
    whole = NamedSharding(mesh, P())
"""

PROGRAMS = """
    def norm(x):
        wide = x.astype(jnp.promote_types(x.dtype, F32))
        centered = wide - wide.mean(-1, keepdims=True)
        return (centered * lax.rsqrt((centered ** 2).mean(-1, keepdims=True) + 1e-5)).astype(x.dtype)

    for dtype in (F32, F64, BF16):
        @program(P("x"), P(None, "y"), P("y"), P("x"), name=f"perceptron_{jnp.dtype(dtype)}",
                 arguments=[normal(dtype, 32, 16), normal(dtype, 16, 64), normal(dtype, 64, 8), ints(8, 32)])
        def perceptron(x, v, w, labels):
            def loss(v, w):
                logits = jax.nn.gelu(norm(x @ v)) @ w
                logits = logits.astype(jnp.promote_types(logits.dtype, F32))
                return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))
            return jax.value_and_grad(loss, (0, 1))(v, w)

    # Heads along one axis, the batch along the other.
    @program(P("x", None, "y"), P("x", None, "y"), P("x", None, "y"),
             arguments=[normal(F32, 4, 24, 8, 16) for _ in range(3)])
    def attention(q, k, v):
        def attend(q, k, v):
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 4
            mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
            return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, scores, -1e30)), v)
        out, back = jax.vjp(attend, q, k, v)
        return out, back(jnp.cos(out))

    # Positions along an axis: keys and values meet all queries.
    @program(P(None, "y"), P(None, "y"), P(None, "y"), arguments=[normal(F64, 2, 32, 8) for _ in range(3)])
    def attention_over_spread_positions(q, k, v):
        return jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k)) @ v

    @program(P("x"), P(None, None, None, "y"), P("y"),
             arguments=[normal(F32, 4, 12, 12, 3), normal(F32, 3, 3, 3, 8), normal(F32, 8, 5)])
    def convolutions(images, kernel, w):
        def loss(kernel, w):
            x = lax.conv_general_dilated(images, kernel, (1, 1), "SAME",
                                         dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
            return jnp.sum(jnp.tanh(x.mean((1, 2)) @ w) ** 2)
        return jax.value_and_grad(loss, (0, 1))(kernel, w)

    @program(P("y"), P("x"), P("x"), arguments=[normal(F32, 64, 16), ints(64, 8, 12), normal(F32, 8, 12)])
    def embedding(table, ids, weights):
        def loss(table):
            return jnp.sum(jnp.sin(table[ids]) * weights[..., None])
        return jax.value_and_grad(loss)(table)

    @program(P(None, "x"), P(None, "y"), P("y"), P("x", "y"),
             arguments=[normal(F32, 10, 8, 4), 0.3 * normal(F32, 4, 16), 0.3 * normal(F32, 16, 16),
                        normal(F32, 8, 16)])
    def recurrent(xs, w_in, w, start):
        def loss(w_in, w):
            def turn(h, x):
                h = jnp.tanh(x @ w_in + h @ w)
                return h, h.sum(-1)
            last, sums = lax.scan(turn, start, xs)
            return jnp.sum(last ** 2) + jnp.mean(sums)
        return jax.value_and_grad(loss, (0, 1))(w_in, w)

    @program(P(("x", "y")), P(("x", "y")), arguments=[normal(F32, 16, 6, 6), normal(F32, 16, 6, 2)])
    def batches_of_solutions(a, b):
        spd = a @ a.mT + 6 * jnp.eye(6, dtype=a.dtype)
        factor = jnp.linalg.cholesky(spd)
        half = lax.linalg.triangular_solve(factor, b, left_side=True, lower=True)
        return factor, half, jnp.linalg.slogdet(spd)[1], jnp.linalg.solve(spd, b)

    @program(P("x", "y"), arguments=[normal(F32, 16, 32)])
    def filtered_spectrum(image):
        spectrum = jnp.fft.rfft2(image)
        return jnp.fft.irfft2(spectrum * jnp.exp(-jnp.arange(17, dtype=F32)), image.shape), spectrum

    @program(P("x", "y"), P("y"), arguments=[normal(F32, 8, 64), ints(1000, 64)])
    def ordered(rows, keys):
        order = jnp.argsort(keys, stable=True)
        values, indices = lax.top_k(rows, 5)
        return (jnp.sort(rows, -1), order, jnp.sort(keys)[::-1], values, indices, rows.argmax(0),
                jnp.searchsorted(jnp.sort(keys), keys), jnp.median(rows, 0))

    @program(P("y"), P("y"), arguments=[ints(50, 96, 4), ints(12, 96)])
    def segments(values, owners):
        return (jax.ops.segment_sum(values, owners, 12), jax.ops.segment_max(values, owners, 12),
                jnp.bincount(owners, length=12), jnp.cumsum(values, 0), jnp.diff(values, axis=0))

    # Tokens go to one of eight experts.
    @program(P("x"), P(None, "y"), P("y"), P("y"),
             arguments=[normal(F32, 32, 16), normal(F32, 16, 8), normal(F32, 8, 16, 24), normal(F32, 8, 24, 16)])
    def experts(tokens, router, w1, w2):
        gates, chosen = lax.top_k(jax.nn.softmax(tokens @ router), 2)
        mixed = jnp.einsum("tke,tk->te", jax.nn.one_hot(chosen, 8, dtype=F32), gates)
        each = jnp.einsum("teh,ehd->ted", jax.nn.silu(jnp.einsum("td,edh->teh", tokens, w1)), w2)
        return jnp.einsum("ted,te->td", each, mixed), chosen

    @program(P("x"), P(None, "y"), arguments=[normal(F32, 8, 12), normal(F32, 12, 8)], out=whole)
    def chosen_by_data(a, b):
        def more(c):
            n, x = c
            return (n < 20) & (jnp.sum(jnp.abs(x)) > 1)
        turns, left = lax.while_loop(more, lambda c: (c[0] + 1, 0.5 * c[1]), (0, a @ b))
        return turns, lax.cond(turns % 2 == 0, jnp.sin, jnp.cos, left), left @ left.T

    @program(P("y"), P("x"), arguments=[normal(F64, 16, 3), normal(F64, 8, 3)])
    def derivatives(points, centers):
        def energy(point):
            return jnp.sum(jnp.exp(-jnp.sum((point - centers) ** 2, -1)))
        return jax.vmap(energy)(points), jax.vmap(jax.grad(energy))(points), jax.vmap(jax.hessian(energy))(points)

    @program(P("x", "y"), arguments=[normal(F32, 8, 16)])
    def waves(field):
        def turn(_, c):
            now, before = c
            around = sum(jnp.roll(now, s, d) for s in (-1, 1) for d in (0, 1)) - 4 * now
            return 2 * now - before + 0.1 * around, now
        return lax.fori_loop(0, 10, turn, (field, field))

    # Random numbers do not depend on how they are spread.
    @program(P("x"), arguments=[normal(F32, 16, 8)])
    def noise(x):
        key = jax.random.key(3)
        return (jax.random.bits(key, (16, 8)), x + jax.random.normal(key, x.shape, F32),
                jax.random.permutation(key, 64))

    # Parameters that all devices have together from a gather, and give away: nobody may write them
    # while others read.
    def steps_with_shared_state():
        def step(w, x, y):
            return w - 0.1 * jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2))(w)
        parts = NamedSharding(mesh, P(("x", "y")))
        x, y, w = normal(F32, 32, 16), normal(F32, 32, 16), normal(F32, 16, 16)
        x8, y8, w8 = spread((x, y, w), (parts.spec,) * 3)
        gathered = jax.jit(lambda w: w, out_shardings=whole)
        together = jax.jit(step, donate_argnums=0, out_shardings=whole)
        for _ in range(4):
            w = jax.jit(step)(w, x, y)
            w8 = together(gathered(w8), x8, y8)
            compare(w8, w)
            w8 = jax.jit(lambda w: w, out_shardings=parts)(w8)
    try:
        steps_with_shared_state()
        results["steps_with_shared_state"] = "as on one device"
    except Exception as error:
        results["steps_with_shared_state"] = f"{type(error).__name__}: {error}"
    print(json.dumps(results))
"""

NAMES = ("perceptron_float32", "perceptron_float64", "perceptron_bfloat16", "attention",
         "attention_over_spread_positions", "convolutions", "embedding", "recurrent", "batches_of_solutions",
         "filtered_spectrum", "ordered", "segments", "experts", "chosen_by_data", "derivatives", "waves", "noise",
         "steps_with_shared_state")


@pytest.fixture(scope="module")
def results():
    return json.loads(run_python(START + PROGRAMS, JAX_NUM_CPU_DEVICES="8").splitlines()[-1])


def test_every_program_is_named(results):
    assert sorted(results) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_as_on_one_device(results, name):
    assert results[name] == "as on one device"
