# SPDX-License-Identifier: Apache-2.0
"""while, scan, cond, switch, calls and composites."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import values
from cases import Case, check, check_functions_of
from compare import Tolerance

F32 = np.float32
CLOSE = Tolerance(of_max=32, ulps=32)


def _collatz(n):
    def step(carry):
        n, count = carry
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), count + 1
    return lax.while_loop(lambda c: c[0] != 1, step, (n, 0))


def _fibonacci(n):
    return lax.fori_loop(0, n, lambda i, c: (c[1], c[0] + c[1]), (jnp.int64(0), jnp.int64(1)))


LOOPS = {
    "collatz": lambda n, x: _collatz(n),
    "fibonacci": lambda n, x: _fibonacci(n),
    "no_iteration": lambda n, x: lax.fori_loop(0, 0, lambda i, c: c + 1, x),
    "dynamic_bound": lambda n, x: lax.fori_loop(0, n, lambda i, c: c + i, x),
    "swap": lambda n, x: lax.fori_loop(0, 7, lambda i, c: (c[1], c[0]), (x, x + 1)),
    "rotate": lambda n, x: lax.fori_loop(0, 8, lambda i, c: (c[1], c[2], c[0]), (x, x * 2, x * 3)),
    "same_twice": lambda n, x: lax.fori_loop(0, 3, lambda i, c: (c[0] + c[1], c[0]), (x, x)),
    "invariant": lambda n, x: lax.fori_loop(0, 5, lambda i, c: (c[0] + c[1], c[1]), (x, x * 2)),
    "constant_carry": lambda n, x: lax.fori_loop(0, 5, lambda i, c: (x, c[0] + c[1]), (x, x)),
    "captured": lambda n, x: lax.fori_loop(0, 4, lambda i, c: c * 0.5 + x, x),
    "update_in_place": lambda n, x: lax.fori_loop(0, 9, lambda i, c: c.at[i].set(c[i - 1] + 1), x),
    "shift": lambda n, x: lax.fori_loop(0, 5, lambda i, c: jnp.roll(c, 1).at[0].set(i), x),
    "read_while_written": lambda n, x: lax.fori_loop(
        0, 5, lambda i, c: lax.dynamic_update_slice(c, c[::-1][:4], (i,)), x),
    "nested": lambda n, x: lax.fori_loop(0, 4, lambda i, c: lax.fori_loop(
        0, i, lambda j, d: d + j * i, c), x),
    "while_in_cond": lambda n, x: lax.cond(n > 3, lambda: lax.fori_loop(
        0, n, lambda i, c: c + 1, x), lambda: x),
    "data_dependent": lambda n, x: lax.while_loop(lambda c: jnp.sum(c) < 100, lambda c: c * 2 + 1, x),
    "vmapped": lambda n, x: jax.vmap(lambda v: lax.while_loop(lambda c: c < 10, lambda c: c * 2 + 1, v))(
        jnp.abs(x)),
    "array_predicate": lambda n, x: lax.while_loop(
        lambda c: jnp.all(c[1] < 20), lambda c: (c[0] + 1, c[1] + jnp.abs(x) + 1), (0, x)),
}


def test_loops():
    check_functions_of((np.int64(27), values.random(F32, (13,))), LOOPS, default=CLOSE)


def _newton(x):
    def step(carry):
        y, _, count = carry
        following = 0.5 * (y + x / y)
        return following, jnp.abs(following - y), count + 1
    return lax.while_loop(lambda c: (c[1] > 1e-6) & (c[2] < 50), step, (x, jnp.float32(1), 0))


def _scalar_loops(dtype):
    """Loops whose every turn is a few tiny kernels, on a scalar and on a few elements of a type."""
    integer = np.issubdtype(dtype, np.integer)
    factor = np.asarray(3 if integer else 0.75).astype(dtype)
    return {
        "fori": lambda n, x: lax.fori_loop(0, n, lambda i, c: c * factor + i.astype(dtype), x),
        "two": lambda n, x: lax.fori_loop(
            0, n, lambda i, c: (c[1], c[0] * factor + c[1]), (x, x + 1)),
        "select": lambda n, x: lax.fori_loop(
            0, n, lambda i, c: jnp.where(i % 3 == 0, c + 1, c * factor), x),
        "nested": lambda n, x: lax.fori_loop(0, 5, lambda i, c: lax.fori_loop(
            0, i, lambda j, d: d * factor + 1, c), x),
        "branch": lambda n, x: lax.fori_loop(0, n, lambda i, c: lax.cond(
            i % 2 == 0, lambda v: v + 1, lambda v: v * factor, c), x),
        "switch": lambda n, x: lax.fori_loop(0, n, lambda i, c: lax.switch(
            i % 4, [lambda v: v, lambda v: v + 1, lambda v: v * factor], c), x),
        "no_turn": lambda n, x: lax.fori_loop(n, 0, lambda i, c: c + 1, x),
        "table": lambda n, x: lax.fori_loop(
            0, n, lambda i, c: c.at[i % 7].add(c[(i + 3) % 7]), jnp.stack([x] * 7)),
    }


def test_loops_of_scalars():
    for dtype in (np.uint8, np.int64, F32, jnp.bfloat16, np.complex64):
        x = np.asarray(3).astype(dtype)
        check_functions_of((np.int32(11), x), _scalar_loops(dtype), default=CLOSE)
    check_functions_of((np.int32(11), np.arange(5, dtype=F32)), _scalar_loops(F32), default=CLOSE)
    check([
        Case("float_condition", _newton, (F32(2.0),), CLOSE),
        Case("scan", lambda x: lax.scan(lambda c, v: (c * F32(0.5) + v, (c, v > c)), F32(0), x),
             (values.random(F32, (101,)),), CLOSE),
        Case("scan_back", lambda x: lax.scan(lambda c, v: (c - v, c), np.uint8(7), x, reverse=True),
             (values.random(np.uint8, (33,)),)),
        Case("vmapped", lambda x: jax.vmap(_newton)(x), (np.arange(1, 9, dtype=F32),), CLOSE),
        Case("bool", lambda n: lax.fori_loop(0, n, lambda i, c: ~c | (i == 3), True), (np.int32(9),)),
        Case("searchsorted", lambda a, v: jnp.searchsorted(a, v),
             (np.arange(100, dtype=F32), F32(41.5))),
    ])


SCANS = {
    "sum": lambda x: lax.scan(lambda c, v: (c + v, c), jnp.zeros(x.shape[1:]), x),
    "reverse": lambda x: lax.scan(lambda c, v: (c * 0.5 + v, c), jnp.zeros(x.shape[1:]), x,
                                  reverse=True),
    "unrolled": lambda x: lax.scan(lambda c, v: (c + v, c * v), jnp.ones(x.shape[1:]), x, unroll=3),
    "no_input": lambda x: lax.scan(lambda c, _: (c * 1.1, c), x, length=6),
    "tree": lambda x: lax.scan(lambda c, v: ({"a": c["b"], "b": c["a"] + v}, (v, c["a"])),
                               {"a": x[0], "b": x[1]}, x),
    "gradient": jax.grad(lambda x: jnp.sum(lax.scan(
        lambda c, v: (jnp.tanh(c + v), c * v), jnp.zeros(x.shape[1:]), x)[1])),
    "remat": jax.grad(lambda x: lax.scan(jax.checkpoint(
        lambda c, v: (jnp.sin(c) * v, None)), x[0], x)[0].sum()),
    "associative": lambda x: lax.associative_scan(jnp.add, x),
    "associative_even": lambda x: lax.associative_scan(jnp.maximum, x[:8], reverse=True),
    "map": lambda x: lax.map(lambda v: jnp.sort(v) * 2, x),
    "jacobian": lambda x: jax.jacfwd(lambda v: lax.scan(lambda c, w: (c * w, c), v[0], v)[0])(x[:4, 0]),
    "hessian": lambda x: jax.hessian(lambda v: jnp.sum(jnp.sin(v) * v[::-1] ** 2))(x[0]),
}


def test_scans():
    check_functions_of((values.random(F32, (11, 5)),), SCANS, default=CLOSE)


def test_branches():
    x = values.random(F32, (4, 6))
    branches = [lambda x: x + 1, lambda x: x * x, lambda x: x, lambda x: jnp.flip(x) - 2]

    def switch(i, x):
        return lax.switch(i, branches, x)

    cases = [Case(f"switch{i}", switch, (np.int32(i), x)) for i in (-7, 0, 1, 2, 3, 9)]
    for p in (True, False):
        cases += [
            Case(f"cond_{p}", lambda p, x: lax.cond(p, lambda x: (x, x + 1), lambda x: (x * 2, x), x),
                 (np.bool_(p), x)),
            Case(f"captured_{p}", lambda p, x: lax.cond(p, lambda: x[0], lambda: x[1] * 2),
                 (np.bool_(p), x)),
            Case(f"nested_{p}", lambda p, x: lax.cond(
                p, lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), lambda x: x, x),
                 (np.bool_(p), x), CLOSE),
            Case(f"grad_{p}", lambda p, x: jax.grad(lambda x: jnp.sum(lax.cond(
                p, lambda x: x ** 3, lambda x: x * 5, x)))(x), (np.bool_(p), x), CLOSE),
        ]
    check(cases)
    index = np.array([2, 0, 3, 1], np.int32)
    check([Case("vmapped_switch", lambda i, x: jax.vmap(switch)(i, x), (index, x))])


def test_calls():
    x = values.random(F32, (5, 3))

    @jax.jit
    def inner(x, y):
        return x * y, y

    @jax.custom_jvp
    def custom(x):
        return jnp.sin(x)

    custom.defjvp(lambda p, t: (custom(p[0]), t[0] * 3))

    @functools.partial(lax.composite, name="plinth_test.scaled", version=2)
    def composite(x, *, scale):
        return x * scale, jnp.sum(x)

    check([
        Case("twice", lambda x: inner(*inner(x, x + 1)), (x,)),
        Case("deep", lambda x: functools.reduce(lambda v, _: inner(v, v)[0], range(4), x), (x,)),
        Case("custom_jvp", jax.grad(lambda x: jnp.sum(custom(x))), (x,), CLOSE),
        Case("composite", lambda x: composite(x, scale=np.float32(3)), (x,), CLOSE),
        Case("barrier", lambda x: lax.optimization_barrier((x, x + 1)), (x,)),
        Case("barrier_of_constant", lambda x: lax.optimization_barrier((x, np.float32(2)))[1] + x, (x,)),
        Case("barrier_in_between", lambda x: lax.optimization_barrier(x * 3)[::-1] + x * 3, (x,)),
        Case("update_behind_barrier",
             lambda x: lax.optimization_barrier(x).at[1:].set(x[:-1]) + x, (x,)),
        Case("barrier_in_loop", lambda x: lax.fori_loop(
            0, 4, lambda i, c: (lax.optimization_barrier(c[1]), c[0] + c[1]), (x, x)), (x,)),
        Case("rematerialized", jax.grad(lambda x: jax.checkpoint(
            lambda x: jnp.tanh(x * jnp.tanh(x * 2)))(x).sum()), (x,), CLOSE),
        Case("chlo", lambda x: [f(x * 0.4) for f in (
            lax.erf, lax.sinh, lax.cosh, lax.asinh, lax.atanh, lax.asin, lax.acos)], (x,),
             Tolerance(ulps=32)),
    ])


@pytest.mark.full
def test_long_loop():
    check([Case("long", lambda x: lax.fori_loop(0, 100000, lambda i, c: c * 0.999 + 0.001 * i, x),
                (values.random(F32, (3,)),), Tolerance(of_max=1000))])


def _scan_of_cells(cell, reverse=False):
    def program(w, u, b, xs):
        def loss(w, u, b):
            step = lambda h, x: (cell(w, u, b, h, x),) * 2
            return lax.scan(step, jnp.zeros_like(xs[0] @ w), xs, reverse=reverse)[1]
        hs, pull = jax.vjp(loss, w, u, b)
        return hs, pull(jnp.cos(hs))
    return program


def _every_other(w, u, b, xs):
    """Products of some of the slices, and of a slice in an order of its own."""
    def step(i, c):
        h, total = c
        x = lax.dynamic_index_in_dim(xs, (i * 5) % 11, keepdims=False)
        h = jnp.tanh(x @ w + h @ u + b)
        return h, total + x.T @ h
    return lax.fori_loop(0, 9, step, (jnp.zeros_like(xs[0] @ w), jnp.ones((xs.shape[2], w.shape[1]), xs.dtype)))


PRODUCTS_IN_SCANS = {
    "cell": _scan_of_cells(lambda w, u, b, h, x: jnp.tanh(x @ w + h @ u + b)),
    "reverse": _scan_of_cells(lambda w, u, b, h, x: jnp.tanh(x @ w + h @ u + b), reverse=True),
    "gated": _scan_of_cells(lambda w, u, b, h, x: jax.nn.sigmoid(x @ w + b) * h + jnp.sin((h * (x @ w)) @ u)),
    "of_one_vector": lambda w, u, b, xs: lax.scan(
        lambda h, x: (jnp.tanh(w.T @ x + u @ h), h), b, xs[:, 0]),
    "each_step_sums": lambda w, u, b, xs: lax.scan(
        lambda c, x: ((c[0] + x.T @ jnp.sin(c[1]), c[1] * 0.5), c[1].sum()),
        (jnp.ones((xs.shape[2], u.shape[0]), xs.dtype), xs[0] @ w), xs),
    "partial_sums_are_seen": lambda w, u, b, xs: lax.scan(
        lambda c, x: (c + x.T @ (x @ w), c.sum()), jnp.zeros_like(w), xs),
    "every_other": _every_other,
    "vmapped": jax.vmap(_scan_of_cells(lambda w, u, b, h, x: jnp.tanh(x @ w + h @ u + b)),
                        in_axes=(None, None, None, 1)),
}


def test_products_with_large_weights_in_scans():
    """They leave the loop; more than a core's cache holds, as cpu/target.cc says."""
    w, xs, ys = (values.random(F32, dims, seed) * F32(0.1)
                 for seed, dims in enumerate([(401, 403), (11, 3, 401), (11, 403)]))
    def seen(step):
        return lambda w, xs, ys: lax.scan(lambda c, at: (c * 0.5 + step(w, xs, ys, *at), c), jnp.float32(1),
                                          (xs, ys, jnp.arange(11)))
    check_functions_of((w, xs, ys), {
        "matrix": seen(lambda w, xs, ys, x, y, i: jnp.sin(x @ w).sum()),
        "vector": seen(lambda w, xs, ys, x, y, i: jnp.sin(w @ y).sum()),
        "two_of_one": seen(lambda w, xs, ys, x, y, i: jnp.sin(jnp.sin(x @ w) @ (w.T @ x.T)).sum()),
        "other_order": seen(lambda w, xs, ys, x, y, i: jnp.cos(
            lax.dynamic_index_in_dim(xs, 4 * i % 13, keepdims=False) @ w).sum()),
        "inner_dimension": seen(lambda w, xs, ys, x, y, i: jnp.cos(
            lax.dynamic_index_in_dim(xs.transpose(1, 0, 2), 10 - i, 1, keepdims=False) @ w).sum()),
    }, default=Tolerance(of_max=256))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, jnp.bfloat16], ids=lambda t: t.__name__)
def test_products_in_scans(dtype):
    """Sums of small products leave loops of known turns."""
    w, u, b, xs = (values.random(F32, dims, seed).astype(dtype) * dtype(0.3)
                   for seed, dims in enumerate([(7, 6), (6, 6), (6,), (11, 3, 7)]))
    programs = dict(PRODUCTS_IN_SCANS)
    vmapped = programs.pop("vmapped")
    close = Tolerance(of_max=64, ulps=64)
    check_functions_of((w, u, b, xs), programs, default=close)
    check_functions_of((w, u, b, values.random(F32, (5, 2, 3, 7), 9).astype(dtype)), {"vmapped": vmapped}, default=close)
