# SPDX-License-Identifier: Apache-2.0
"""Programs that say how arrays are spread over eight devices give what they give on one.

The plugin partitions them. The other side is the same program on one device of the plugin, and for
the shardings of outputs what JAX's built-in CPU shows.
"""

import textwrap

import pytest

from processes import run_python

pytestmark = pytest.mark.plugin_only

START = """
    import numpy as np, jax, jax.numpy as jnp
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    def spread(value, *spec):
        return jax.device_put(value, NamedSharding(mesh, P(*spec)))
    rng = np.random.default_rng(0)
    A = rng.integers(-9, 9, (8, 8)).astype(np.float32)
    def same(function, *specs, out=None):
        # Arguments are A, spread each in its way.
        want = jax.jit(function)(*[A for _ in specs])
        got = jax.jit(function, out_shardings=out)(*[spread(A, *spec) for spec in specs])
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5), got, want)
        return got
"""


def _on_eight(program: str):
    run_python(textwrap.dedent(START) + textwrap.dedent(program), JAX_NUM_CPU_DEVICES="8")


@pytest.mark.parametrize("first, second, batch", [
    ("P()", "P()", "P('x')"),
    ("P(None, 'y')", "P('y', None)", "P()"),
    ("P(None, 'y')", "P('y', None)", "P('x')"),
    ("P('x', None)", "P('x', None)", "P('x')"),
    ("P('x', 'y')", "P('y', 'x')", "P(('x', 'y'))"),
])
def test_training(first, second, batch):
    _on_eight(f"""
    def loss(w, x, y):
        return jnp.mean((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2)
    def step(w, x, y):
        value, grads = jax.value_and_grad(loss)(w, x, y)
        return jax.tree.map(lambda a, g: a - 0.1 * g, w, grads), value
    key = jax.random.PRNGKey(0)
    w = [jax.random.normal(key, (16, 32)), jax.random.normal(key, (32, 8))]
    x, y = jax.random.normal(key, (64, 16)), jax.random.normal(key, (64, 8))
    own = [jax.device_put(a, NamedSharding(mesh, s)) for a, s in zip(w, ({first}, {second}))]
    x8, y8 = (jax.device_put(a, NamedSharding(mesh, {batch})) for a in (x, y))
    for _ in range(3):
        w, value = jax.jit(step)(w, x, y)
        own, value8 = jax.jit(step)(own, x8, y8)
        np.testing.assert_allclose(value8, value, rtol=1e-4)
    for a, b in zip(own, w):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)
    """)


def test_ops_over_spread_dimensions():
    _on_eight("""
    assert same(lambda a: (a @ a.T).sum(0) + 1, ("x", "y")).sharding.is_fully_replicated
    assert same(lambda a, b: a @ b, ("x",), (None, "y")).sharding.spec == P("x", "y")
    same(lambda a: (a[2:6], a[1::3], jnp.pad(a, 3), jnp.roll(a, 5, 1)), ("x", "y"))
    same(lambda a: jnp.roll(a, 1, 0) + jnp.cumsum(a, 0) + a[::-1], ("x", "y"))
    same(lambda a: jnp.sort(a, axis=1), ("x", "y"))
    same(lambda a: a.reshape(4, 2, 8).transpose(2, 0, 1), ("y", "x"))
    same(lambda a: a[2:6, ::2], ("y",))
    same(lambda a: jnp.concatenate([a, a + 1], axis=0), ("x",))
    same(lambda a: a.argmax(1), (None, "y"))
    same(lambda a: jnp.take(a, jnp.array([3, 1, 7]), axis=0), ("y",))
    same(lambda a: a.at[jnp.array([1, 2])].add(5), ("x", "y"))
    same(lambda a: jax.lax.dynamic_slice(a, (a[0, 0].astype(int), 1), (3, 4)), ("x", "y"))
    same(lambda a: jnp.linalg.cholesky(a @ a.T + 200 * jnp.eye(8)), ("x", "y"))
    same(lambda a: jnp.fft.fft(a).real, ("x", "y"))
    same(lambda a: jax.random.normal(jax.random.PRNGKey(1), (8, 8)) + a, ("x", "y"))
    """)


@pytest.mark.parametrize("algorithm", ["RNG_DEFAULT", "RNG_THREE_FRY", "RNG_PHILOX"])
def test_random_bits(algorithm):
    # Each device makes its part of the stream, of any dimensions, in regions that are manual in
    # part, too.
    _on_eight(f"""
    algorithm = jax.lax.RandomAlgorithm.{algorithm}
    key = jnp.array([3, 0xffffffff, 0xfffffffe, 0xffffffff], np.uint32)
    for dtype in (np.uint8, np.uint16, np.uint32):
        for shape, spec in [((8, 12), P("x", "y")), ((8, 12), P("y", "x")), ((7, 16), P(None, ("x", "y"))),
                            ((4, 3, 6), P("x", None, None)), ((40,), P(("y", "x"))), ((2, 4, 8, 3), P("x", None, "y"))]:
            def bits(key):
                key, made = jax.lax.rng_bit_generator(key, shape, dtype, algorithm)
                return key, made, jax.lax.rng_bit_generator(key, shape, dtype, algorithm)[1]
            want = jax.jit(bits)(key)
            at = NamedSharding(mesh, spec)
            compiled = jax.jit(bits, out_shardings=(NamedSharding(mesh, P()), at, at)).lower(key).compile()
            assert "plinth.rng_bit_generator" in compiled.as_text()
            got = compiled(key)
            jax.tree.map(np.testing.assert_array_equal, got, want)
            assert got[1].sharding.is_equivalent_to(at, len(shape))
    def inside(key):
        part = jax.lax.rng_bit_generator(key, (8, 8), np.uint32, algorithm)[1]
        return jax.lax.with_sharding_constraint(part, P(None, "y"))
    spread_bits = jax.jit(jax.shard_map(inside, mesh=mesh, in_specs=P(), out_specs=P("x"), axis_names={{"x"}},
                                        check_vma=False))(key)
    one = jax.lax.rng_bit_generator(key, (8, 8), np.uint32, algorithm)[1]
    np.testing.assert_array_equal(spread_bits, np.concatenate([one, one]))
    """)


def test_windows_over_spread_dimensions():
    # Built-in CPU over several devices puts what one window is padded with into others, too.
    _on_eight("""
    from jax import lax
    def f(a, kernel):
        pooled = lax.reduce_window(a, np.int32(-1000), lax.max, (1, 3, 3, 1), (1, 1, 1, 1), "SAME")
        strided = lax.reduce_window(a, np.int32(0), lax.add, (1, 5, 2, 1), (1, 2, 2, 1),
                                    ((0, 0), (2, 1), (0, 0), (0, 0)))
        def conv(strides, padding, **more):
            return lax.conv_general_dilated(a, kernel, strides, padding, dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                            **more)
        # The fourth reaches further than to the next device.
        return (pooled, strided, conv((1, 1), "SAME"), conv((1, 1), "SAME", rhs_dilation=(4, 1)), conv((2, 2), "SAME"),
                conv((1, 1), ((2, 1), (1, 1)), lhs_dilation=(2, 1)))
    a = rng.integers(-9, 9, (2, 16, 8, 3)).astype(np.int32)
    kernel = rng.integers(-9, 9, (3, 3, 3, 4)).astype(np.int32)
    want = jax.jit(f)(a, kernel)
    for spec in ((None, "y", "x"), (None, "x", None, None), (None, ("y", "x")), (None, "y", None, None)):
        compiled = jax.jit(f).lower(spread(a, *spec), kernel).compile()
        assert "all-gather(" not in compiled.as_text(), compiled.as_text()
        jax.tree.map(np.testing.assert_array_equal, compiled(spread(a, *spec), kernel), want)
    # What is cut at several places moves at once.
    a = rng.integers(-9, 9, (4, 48)).astype(np.int32)
    split = jax.jit(lambda a: jnp.split(a, 3, axis=1), out_shardings=spread(a, None, "x").sharding)
    compiled = split.lower(spread(a, None, "x")).compile()
    import re
    assert len(re.findall(r"custom-call\\(", compiled.as_text())) == 1, compiled.as_text()
    jax.tree.map(np.testing.assert_array_equal, compiled(spread(a, None, "x")), list(np.split(a, 3, axis=1)))
    # What is not neutral counts once.
    same(lambda a: lax.reduce_window(a, np.float32(3), lax.add, (3, 3), (1, 1), "SAME"), ("x", "y"))
    """)


def test_gradients_of_kernels():
    # Each device adds up its part; numbers are whole, so in any order the sums are the same.
    _on_eight("""
    from jax import lax
    kernel = rng.integers(-3, 3, (3, 3, 3, 4)).astype(np.float32)
    a = rng.integers(-3, 3, (2, 16, 8, 3)).astype(np.float32)
    for options in (dict(window_strides=(1, 1), padding="SAME"), dict(window_strides=(2, 2), padding="SAME"),
                    dict(window_strides=(1, 1), padding=((3, 1), (0, 2)), rhs_dilation=(2, 1)),
                    dict(window_strides=(1, 1), padding=((2, 1), (1, 1)), lhs_dilation=(2, 1))):
        def loss(kernel, a):
            made = lax.conv_general_dilated(a, kernel, dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)
            return jnp.sum(made * (jnp.arange(made.size) % 5 - 2).reshape(made.shape))
        grad = jax.jit(jax.grad(loss))
        want = grad(kernel, a)
        for spec in ((None, "y", "x"), (None, "x"), (None, ("y", "x")), ("x", "y")):
            compiled = grad.lower(kernel, spread(a, *spec)).compile()
            assert "all-gather(" not in compiled.as_text(), (options, spec, compiled.as_text())
            np.testing.assert_array_equal(compiled(kernel, spread(a, *spec)), want)
    """)


def test_partial_results():
    # Totals and largest elements of parts are exchanged, no arrays.
    _on_eight("""
    import re
    from jax import lax
    def f(a):
        return (jnp.cumsum(a, 0), jnp.cumsum(a[::-1], 0), lax.cummax(a, 0, reverse=True), jnp.cumprod(a % 2, 0), a.argmax(0),
                jnp.argmin(a[:, 1:], 0), jnp.argmax(a))
    for dtype in (np.int32, np.float32):
        a = rng.integers(-9, 9, (16, 8)).astype(dtype)
        if dtype is np.float32: a[3, 4] = a[7, 4] = np.nan
        want = jax.jit(f)(a)
        for spec in (("y",), ("y", "x"), (("x", "y"),), ("x", "y")):
            out = (NamedSharding(mesh, P(*spec)),) * 4 + (None,) * 3
            compiled = jax.jit(f, out_shardings=out).lower(spread(a, *spec)).compile()
            largest = [np.prod(list(map(int, dims.split(",")))) for dims in re.findall(r"\\[([\\d,]+)\\]\\S* all-gather\\(", compiled.as_text())]
            assert largest and max(largest) <= 64, compiled.as_text()
            jax.tree.map(np.testing.assert_array_equal, compiled(spread(a, *spec)), want)
    pool = lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID").sum()
    compiled = jax.jit(jax.grad(pool)).lower(spread(A, "y", "x")).compile()
    assert not re.search("all-(gather|to-all)", compiled.as_text()), compiled.as_text()
    same(jax.grad(pool), ("y", "x"))
    overlapping = lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (3, 2), (1, 1), "SAME").sum()
    same(jax.grad(overlapping), ("y", "x"))
    """)


def test_slices_that_begin_anywhere():
    _on_eight("""
    from jax import lax
    def f(a, i, j):
        piece = lax.dynamic_slice(a, (i, j), (5, 3))
        row = lax.dynamic_index_in_dim(a, j, 0)
        put = lax.dynamic_update_slice(a, piece * 2, (j, i))
        def turn(c, k):
            return lax.dynamic_update_index_in_dim(c, lax.dynamic_index_in_dim(c, k, 0) + 1, 15 - k, 0), c[k, 0] > 0
        return piece, row, put, lax.scan(turn, a, jnp.arange(16, dtype=jnp.int32)), lax.dynamic_slice(a > 0, (i, j), (5, 3))
    for dtype in (np.int32, np.float32, np.uint8):
        a = rng.integers(0, 9, (16, 8)).astype(dtype)
        if dtype is np.float32: a[a == 0] = -0.0
        for index, i, j in ((np.int32, -3, 2), (np.uint8, 200, 9), (np.uint32, 3_000_000_000, 14), (np.int32, 6, 0)):
            want = jax.jit(f)(a, index(i), index(j))
            for spec in (("y", "x"), ("x",), (("x", "y"),), (None, "y")):
                compiled = jax.jit(f).lower(spread(a, *spec), index(i), index(j)).compile()
                assert "all-gather(" not in compiled.as_text(), (spec, compiled.as_text())
                def exact(x, y):
                    assert np.asarray(x).tobytes() == np.asarray(y).tobytes(), (x, y, spec, dtype, i, j)
                jax.tree.map(exact, compiled(spread(a, *spec), index(i), index(j)), want)
    """)


def test_indices_into_spread_dimensions():
    # A table stays where it is; what is outside of it is so before anybody's part is looked at.
    _on_eight("""
    from jax import lax
    ids = np.array([[3, -1, 63], [64, 0, -70], [200, 31, 32], [17, 17, 16]])
    def check(function, *arguments):
        want = jax.jit(function)(*arguments)
        for spec in (("y",), (("x", "y"),), ("y", "x"), ("x",)):
            spreads = [spread(arguments[0], *spec), *arguments[1:]]
            compiled = jax.jit(function).lower(*spreads).compile()
            text = compiled.as_text()
            assert "all-gather(" not in text and "all-to-all(" not in text, (spec, text)
            def exact(x, y):
                assert np.asarray(x).tobytes() == np.asarray(y).tobytes(), (x, y, spec)
            jax.tree.map(exact, compiled(*spreads), want)
    for dtype in (np.float32, np.int8, np.bool_):
        table = rng.integers(-9, 9, (64, 8)).astype(dtype)
        if dtype is np.float32: table[table == 0] = -0.0
        for index in (np.int32, np.uint8, np.int8, np.uint32):
            at = ids.astype(index)
            for mode in ("clip", "fill"):
                check(lambda t, i: jnp.take(t, i, axis=0, mode=mode), table, at)
            check(lambda t, i: t[i], table, at)
            values = rng.integers(-9, 9, (4, 3, 8)).astype(dtype)
            check(lambda t, i, v: t.at[i].set(v[0, 0]), table, at, values)
            check(lambda t, i, v: t.at[i].max(v), table, at, values)
            if dtype is not np.bool_: check(lambda t, i, v: t.at[i].add(v), table, at, values)
        # Two dimensions at once, and windows that are in two parts.
        check(lambda t, i: t[i, i % 8], table, ids)
        check(lambda t, i, v: t.at[i, i % 8].set(v[..., 0], mode="drop"), table, ids % 64, values)
        check(lambda t, i: jax.vmap(lambda k: lax.dynamic_slice(t, (k, k), (5, 2)))(i), table, ids[:, 0])
        check(lambda t, i: jax.vmap(lambda k: lax.dynamic_slice(t, (0, k), (64, 2)))(i[:1]).sum(1), table, ids[:, 0])
    # The gradient of an embedding is a sum by index.
    table, weights = rng.integers(-9, 9, (64, 8)).astype(np.float32), rng.integers(-9, 9, (16, 3, 8)).astype(np.float32)
    at = rng.integers(0, 64, (16, 3))
    loss = lambda t, i, w: (jnp.take(t, i, axis=0) * w).sum()
    want = jax.grad(loss)(table, at, weights)
    for spec in (("y",), (("x", "y"),), ("y", "x")):
        for batch in ((), ("x",), (("x", "y"),)):
            grad = jax.jit(jax.grad(loss), out_shardings=NamedSharding(mesh, P(*spec)))
            np.testing.assert_array_equal(grad(spread(table, *spec), spread(at, *batch), spread(weights, *batch)), want)
    # Of flags: all of them, any of them.
    flags, at = rng.integers(0, 2, (16, 8)) > 0, rng.integers(0, 4, (16,))
    both = lambda f, i: [jnp.zeros((4, 8), bool).at[i].max(f), jnp.ones((4, 8), bool).at[i].min(f)]
    jax.tree.map(np.testing.assert_array_equal, jax.jit(both)(spread(flags, "y"), spread(at, "y")), jax.jit(both)(flags, at))
    """)


def test_dimensions_that_are_needed_whole():
    # Batches stay where they are; other axes move to a batch dimension.
    _on_eight("""
    from jax import lax
    def check(function, *specs, shape=(8, 16, 4), gathers=False, exchanges=True, rtol=1e-5, atol=1e-4):
        a = rng.integers(-9, 9, shape).astype(np.float32)
        want = jax.jit(function)(a)
        for spec in specs:
            compiled = jax.jit(function).lower(spread(a, *spec)).compile()
            text = compiled.as_text()
            assert gathers in (None, "all-gather(" in text) and ("all-to-all(" in text) == exchanges, (spec, text)
            jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=rtol, atol=atol), compiled(spread(a, *spec)), want)
    lines = ((None, "y"), ("x", "y"), (None, ("y", "x")), (None, "y", "x"))
    check(lambda a: jnp.sort(a, 1), *lines)
    check(lambda a: jnp.argsort(a, 1, stable=True), *lines)
    check(lambda a: lax.top_k(a, 4), (None, None, "y"), ("x", None, "y"))
    check(lambda a: jnp.fft.fft(a).real, (None, None, "y"), ("x", None, "y"))
    check(lambda a: jnp.fft.irfft(jnp.fft.rfft(a, axis=1), axis=1) + a, (None, "y"))
    # Of several spread dimensions one at a time is whole.
    spectra = (("x", "y"), ("y", None, "x"), (None, ("x", "y")), ("x", None, None))
    check(lambda a: jnp.fft.fftn(a).real, *spectra, shape=(8, 16, 8), atol=2e-3)
    check(lambda a: jnp.fft.ifftn(a).imag, *spectra, shape=(8, 16, 8))
    # Of what remains of the last dimension no axis is a divisor, so results are gathered.
    check(lambda a: abs(jnp.fft.rfftn(a)), *spectra, shape=(8, 16, 8), gathers=None, atol=2e-3)
    check(lambda a: jnp.fft.irfftn(a + 1j * a, s=(8, 16, 6)), *spectra, shape=(8, 16, 8), gathers=None)
    check(lambda a: jnp.fft.fft2(a).real, ("x", "y", None), (None, None, "y"), shape=(8, 16, 8))
    check(lambda a: jnp.fft.fft2(a).real, ("x", "y"), (None, ("x", "y")), shape=(16, 16))
    square = lambda a: a @ a.swapaxes(1, 2) + 2000 * jnp.eye(16)
    batched = ((None, "y"), ("x", "y"), (None, "x", "y"))
    for function in (lambda a: jnp.linalg.cholesky(square(a)), lambda a: jnp.linalg.inv(square(a)),
                     lambda a: jnp.linalg.eigvalsh(square(a)), lambda a: jnp.abs(jnp.linalg.qr(square(a))[1]),
                     lambda a: jnp.linalg.svd(square(a), compute_uv=False), lambda a: jnp.linalg.det(square(a) / 2000)):
        a = rng.integers(-9, 9, (8, 16, 16)).astype(np.float32)
        want = jax.jit(function)(a)
        for spec in batched:
            compiled = jax.jit(function).lower(spread(a, *spec)).compile()
            assert "custom-call(f32[8,16,16]" not in compiled.as_text(), compiled.as_text()
            np.testing.assert_allclose(compiled(spread(a, *spec)), want, rtol=1e-3, atol=1e-3)
    # Nothing divides.
    check(lambda a: jnp.sort(a, 0), ("y",), ("y", None), shape=(8, 3), gathers=True, exchanges=False)
    """)


def test_control_flow():
    _on_eight("""
    same(lambda a: jax.lax.scan(lambda c, _: (c * 0.5 + a, c.sum()), a, None, length=5), ("x", "y"))
    same(lambda a: jax.lax.while_loop(lambda c: c.sum() < 1e4, lambda c: c * c + 1, a), ("x", "y"))
    same(lambda a: jax.lax.cond(a[0, 0] > 0, lambda b: b + 1, lambda b: b @ b, a), ("x", "y"))
    """)


def test_constraints_and_outputs():
    _on_eight("""
    def moved(a):
        return jax.lax.with_sharding_constraint(a * 2, NamedSharding(mesh, P("y", "x")))
    out = same(moved, ("x", "y"), out=NamedSharding(mesh, P(None, ("x", "y"))))
    assert out.sharding.spec == P(None, ("x", "y")), out.sharding
    # Six rows over four devices: the constraint gives up what does not divide.
    uneven = lambda a: jax.lax.with_sharding_constraint(a[:6], NamedSharding(mesh, P("y")))
    same(uneven, ("x",))
    assert same(lambda a: a + 1, ("x", "y")).sharding.spec == P("x", "y")
    """)


def test_manual_computations_among_others():
    _on_eight("""
    def body(a):
        return jax.lax.psum(a, "x") + jax.lax.axis_index("y")
    mapped = jax.shard_map(body, mesh=mesh, in_specs=P("x", "y"), out_specs=P(None, "y"))
    def whole(a):
        return mapped(a * 2).T @ A[:4]
    got = jax.jit(whole)(spread(A, "x", "y"))
    sums = 2 * (A[:4] + A[4:]) + np.repeat(np.arange(4), 2)
    np.testing.assert_allclose(got, sums.T @ A[:4], rtol=1e-5)
    """)


def test_manual_computations_on_narrow_types():
    # Their bodies name types in another way than the rest of a program.
    _on_eight("""
    from jax import lax
    names = ("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
             "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn", "bfloat16", "float16", "int2", "int4", "uint4")
    values = {name: jnp.asarray(1 + A % 2, name) for name in names}
    swap = lambda all: jax.tree.map(lambda a: lax.ppermute(lax.all_gather(a, "x"), "x", [(0, 1), (1, 0)]), all)
    got = jax.jit(jax.shard_map(swap, mesh=mesh, in_specs=P("x"), out_specs=P("x")))(values)
    for name in names:
        want = np.tile(np.asarray(values[name]).reshape(2, 4, 8), (2, 1, 1))
        np.testing.assert_array_equal(np.asarray(got[name]), want, name)
    """)


def test_several_meshes():
    # The same devices in other axes: what JAX's built-in CPU shows of outputs.
    _on_eight("""
    line = jax.make_mesh((8,), ("n",), axis_types=(AxisType.Auto,))
    named = jax.make_mesh((2, 4), ("u", "v"), axis_types=(AxisType.Auto,) * 2)
    def place(mesh, *spec):
        return jax.device_put(A, NamedSharding(mesh, P(*spec)))
    def is_spread(array, mesh, *spec):
        assert array.sharding.is_equivalent_to(NamedSharding(mesh, P(*spec)), array.ndim), array
    a, b, c = spread(A, "x", "y"), place(line, "n"), place(named, "u", "v")
    total = jax.jit(lambda a, b: a + b)(a, b)
    np.testing.assert_array_equal(total, A + A)
    is_spread(total, mesh, ("x", "y"))
    product = jax.jit(lambda a, c: a @ c)(a, c)
    np.testing.assert_array_equal(product, A @ A)
    is_spread(product, mesh, "x", "y")
    def inner(a):
        return jax.lax.ppermute(a, "n", [(i, (i + 1) % 8) for i in range(8)])
    rolled = jax.shard_map(inner, mesh=line, in_specs=P("n"), out_specs=P("n"))
    half = jax.shard_map(lambda a: jax.lax.psum(a, "v"), mesh=named, in_specs=P("v", None),
                         out_specs=P(None, None), axis_names={"v"})
    got = jax.jit(lambda a: (rolled(a * 2) + a, half(a)))(a)
    np.testing.assert_array_equal(got[0], np.roll(A * 2, 1, 0) + A)
    np.testing.assert_array_equal(got[1], A.reshape(4, 2, 8).sum(0))
    """)


def test_donation():
    _on_eight("""
    a = spread(A, "x", "y")
    step = jax.jit(lambda a: a + 1, donate_argnums=0)
    pointers = [s.data.unsafe_buffer_pointer() for s in a.addressable_shards]
    b = step(a)
    assert a.is_deleted()
    assert [s.data.unsafe_buffer_pointer() for s in b.addressable_shards] == pointers
    np.testing.assert_array_equal(b, A + 1)
    """)


def test_one_all_reduce_for_all_gradients():
    _on_eight("""
    import glob, os, tempfile
    folder = tempfile.mkdtemp()
    w = [spread(A), spread(A)]
    def loss(w, x):
        return ((x @ w[0] @ w[1]) ** 2).sum()
    x = spread(A, ("x", "y"))
    step = jax.jit(jax.value_and_grad(loss), compiler_options={"xla_dump_to": folder})
    jax.block_until_ready(step(w, x))
    text = open(glob.glob(os.path.join(folder, "*mapping*"))[0]).read()
    assert text.count("all_reduce(") == 1 and "all_gather" not in text, text
    """)


def test_gspmd_texts():
    run_python(textwrap.dedent("""
    import jax
    jax.config.update("jax_use_shardy_partitioner", False)
    """) + textwrap.dedent(START) + textwrap.dedent("""
    assert same(lambda a, b: a @ b, ("x",), (None, "y")).sharding.spec == P("x", "y")
    same(lambda a: jax.lax.with_sharding_constraint(a.T, NamedSharding(mesh, P("y", "x"))), ("x", "y"))
    """), JAX_NUM_CPU_DEVICES="8")


def test_partly_manual_regions_in_gspmd_texts():
    # XLA 0.10.2 ends the process on these: the other side is Shardy's form.
    _on_eight("""
    from jax import lax
    def product(a, w):
        return lax.psum(jnp.tanh(a) @ w, "x") + lax.axis_index("x")
    def inner(a):
        return lax.ppermute(a, "y", [(i, (i + 1) % 4) for i in range(4)]) + lax.axis_index("x")
    def outer(a):
        b = lax.all_gather(a, "x", axis=1, tiled=True)
        return jax.shard_map(inner, in_specs=P("y"), out_specs=P("y"), axis_names={"y"}, check_vma=False)(b)
    def results():
        over_x = dict(mesh=mesh, axis_names={"x"}, check_vma=False)
        first = jax.shard_map(product, in_specs=(P(None, "x"), P("x")), out_specs=P("x"), **over_x)
        second = jax.shard_map(outer, in_specs=P(None, "x"), out_specs=P("x"), **over_x)
        with jax.set_mesh(mesh):
            arrays = [jax.jit(first)(spread(A, "y", "x"), spread(A, "x")), jax.jit(second)(spread(A, "y", "x")),
                      jax.jit(jax.grad(lambda a: first(a, a).sum()))(spread(A, "x", "y"))]
        return [np.asarray(a) for a in arrays]
    want = results()
    jax.config.update("jax_use_shardy_partitioner", False)
    for a, b in zip(results(), want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
    """)


def test_text_of_a_compiled_program():
    # What jaxlib makes of it has the collectives, and the shapes of one device.
    _on_eight("""
    import re
    def collectives(function, *specs):
        text = jax.jit(function).lower(*[spread(A, *spec) for spec in specs]).compile().as_text()
        assert "num_partitions=8" in text, text
        return re.findall(r"= \\S+ (all-\\w+(?:-\\w+)?|collective-permute|reduce-scatter)\\(", text)
    assert collectives(lambda a: a.sum(), ("x", "y")) == ["all-reduce"]
    assert collectives(lambda a, b: a @ b, ("x",), (None, "y")) == []
    everywhere = NamedSharding(mesh, P())
    assert collectives(lambda a: jax.lax.with_sharding_constraint(a * 2, everywhere), ("x",)) == ["all-gather"]
    def local(a):
        b = jax.lax.ppermute(a, "y", [(0, 1)]) + jax.lax.axis_index("x")
        c = jax.lax.all_to_all(a, "x", 1, 0, tiled=True).sum()
        return b + c + jax.lax.psum_scatter(jnp.ones(2), "x")
    mapped = jax.shard_map(local, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=False)
    assert sorted(collectives(mapped, ("x", "y"))) == ["all-to-all", "collective-permute", "reduce-scatter"]
    text = jax.jit(lambda a: jax.lax.erf(a) * 2, donate_argnums=0).lower(spread(A, "x")).compile().as_text()
    assert "f32[4,8]" in text and "f32[8,8]" not in text and "buffer_donor" in text, text
    """)


# Of a matrix and an index; what they are written as, jaxlib reads.
OPS = [
    "jnp.cumsum(a, 0) + jax.lax.cummax(a, 1, reverse=True)",
    "jnp.sort(a, 0) + jnp.argsort(a, 1)",
    "jax.lax.top_k(a, 3), jax.lax.erf(a), a.argmax(1)",
    "jax.lax.conv_general_dilated(a[None, :, :, None], a[:3, :3, None, None], (1, 1), 'SAME', "
    "dimension_numbers=('NHWC', 'HWIO', 'NHWC'))",
    "jax.grad(lambda a: jax.lax.reduce_window(a, -jnp.inf, jax.lax.max, (2, 2), (2, 2), 'VALID').sum())(a)",
    "a[jnp.array([1, 2]), jnp.array([3, 1])], a.at[jnp.array([1, 2])].add(1.)",
    "jax.lax.dynamic_update_slice(a, jax.lax.dynamic_slice(a, (i, 1), (2, 2)), (i, 0))",
    "jax.lax.fori_loop(0, 3, lambda _, x: x @ a, a), jax.lax.scan(lambda c, x: (c + x, c * x), a[0], a)",
    "jax.lax.cond(i > 0, lambda x: x + 1, lambda x: x * a, a), jax.lax.switch(i, [lambda: a, lambda: a * 2])",
    "a + jax.random.normal(jax.random.key(0), (8, 8)), jax.random.bits(jax.random.key(0, impl='rbg'), (8, 8))",
    "[jax.lax.with_sharding_constraint(b, NamedSharding(mesh, P(None, 'x'))) for b in (a * 2, a - 1)]",
    "jnp.fft.fft(a).real, jnp.linalg.cholesky(a @ a.T + 900 * jnp.eye(8)), jnp.linalg.svd(a)",
    "jax.lax.linalg.triangular_solve(a, a), jax.lax.optimization_barrier((a, i))",
    "jax.lax.reduce_precision(a, 5, 10) + jnp.pad(a, ((1, 0), (0, 1)))[:8, :8] + a[::-1].T",
    "(a + 1j * a).conj().real + jnp.concatenate([a, a], 0)[::2] + np.random.rand(8, 8) + (np.random.rand(8, 8) > 0.5)",
]


def test_texts_of_ops_are_read():
    _on_eight("".join(f"""
    def f(a):
        i = a[0, 0].astype(int)
        return {function}
    for spec in [("x",), ("x", "y")]:
        assert "num_partitions=8" in jax.jit(f).lower(spread(A, *spec)).compile().as_text()
    """ for function in OPS))


def test_layout_constraints_say_nothing_of_devices():
    _on_eight("""
    from jax.experimental.layout import Format, Layout, with_layout_constraint
    def f(a):
        return with_layout_constraint(a * 2, Layout(major_to_minor=(1, 0))).sum(0)
    same(f, ("x", "y"))
    """)
