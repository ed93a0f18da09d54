# SPDX-License-Identifier: Apache-2.0
"""dot_general: dimension numbers, types, preferred element types, sizes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values
from cases import Case, check
from compare import EXACT, NARROW, Tolerance

ids = {"ids": values.name}

# left shape, right shape, ((left contracting, right contracting), (left batch, right batch))
FORMS = {
    "matrix": ((7, 5), (5, 9), (((1,), (0,)), ((), ()))),
    "left_transposed": ((5, 7), (5, 9), (((0,), (0,)), ((), ()))),
    "right_transposed": ((7, 5), (9, 5), (((1,), (1,)), ((), ()))),
    "both_transposed": ((5, 7), (9, 5), (((0,), (1,)), ((), ()))),
    "vectors": ((11,), (11,), (((0,), (0,)), ((), ()))),
    "matrix_vector": ((13, 11), (11,), (((1,), (0,)), ((), ()))),
    "vector_matrix": ((11,), (11, 13), (((0,), (0,)), ((), ()))),
    "outer": ((6,), (7,), (((), ()), ((), ()))),
    "scalars": ((), (), (((), ()), ((), ()))),
    "batch": ((3, 4, 5), (3, 5, 6), (((2,), (1,)), ((0,), (0,)))),
    "batch_last": ((4, 5, 3), (5, 6, 3), (((1,), (0,)), ((2,), (2,)))),
    "batch_middle": ((4, 3, 5), (6, 5, 3), (((2,), (1,)), ((1,), (2,)))),
    "two_batches": ((2, 3, 4, 5), (3, 2, 6, 5), (((3,), (3,)), ((0, 1), (1, 0)))),
    "two_contracted": ((4, 3, 5), (5, 6, 3), (((1, 2), (2, 0)), ((), ()))),
    "free_dims": ((2, 5, 3), (4, 5, 2), (((1,), (1,)), ((), ()))),
    "all_contracted": ((3, 4), (4, 3), (((0, 1), (1, 0)), ((), ()))),
    "only_batch": ((3, 4), (3, 4), (((), ()), ((0, 1), (0, 1)))),
    "batch_vectors": ((6, 9), (6, 9), (((1,), (1,)), ((0,), (0,)))),
    "of_size_one": ((1, 1), (1, 8), (((1,), (0,)), ((), ()))),
    "nothing_contracted": ((3, 0), (0, 4), (((1,), (0,)), ((), ()))),
    "empty": ((0, 3), (3, 4), (((1,), (0,)), ((), ()))),
}


def _tolerance(dtype):
    if values.is_narrow(dtype):
        return NARROW
    rough = values.is_float(dtype) or values.is_complex(dtype)
    return Tolerance(of_max=16, ulps=4, zero_sign=False) if rough else EXACT


def _case(name, left, right, numbers, dtype, **options):
    x, y = values.random(dtype, left, 1), values.random(dtype, right, 2)
    result = options.get("preferred_element_type", dtype)
    coarser = result if values.is_float(result) and (
        jnp.finfo(result).eps > jnp.finfo(dtype).eps if values.is_float(dtype) else True) else dtype
    return Case(name, lambda x, y: lax.dot_general(x, y, numbers, **options), (x, y),
                _tolerance(coarser), wide=True)


@pytest.mark.parametrize("dtype", values.ALL, **ids)
def test_forms(dtype):
    check([_case(name, left, right, numbers, np.dtype(dtype))
           for name, (left, right, numbers) in FORMS.items()])


@pytest.mark.parametrize("operands, result", [
    (np.int8, np.int32), (np.uint8, np.int32), (np.uint8, np.uint32), (np.int16, np.int32),
    (np.int8, np.float32), (values.BF16, np.float32), (np.float16, np.float32),
    (np.float32, np.float64), (values.BF16, values.BF16)], ids=str)
def test_preferred_element_type(operands, result):
    check([_case(name, left, right, numbers, np.dtype(operands),
                 preferred_element_type=np.dtype(result))
           for name, (left, right, numbers) in FORMS.items()])


def _is_sum_of(operands, result):
    """JAX refuses what is narrower than the operands, but for floats; built-in real sums of complex products."""
    if values.is_complex(operands) and not values.is_complex(result):
        return False
    try:
        jax.eval_shape(lambda x: lax.dot(x, x, preferred_element_type=result), jax.ShapeDtypeStruct((2, 2), operands))
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("operands", values.ALL, **ids)
def test_every_preferred_element_type(operands):
    """Multiples of a half, so that sums are exact in every type and truncation shows."""
    x, y = (values.random(operands, s, i, low=-4, high=4) for i, s in enumerate([(7, 5), (5, 9)]))
    if values.is_float(operands) or values.is_complex(operands):
        x, y = np.round(x.real).astype(operands), (np.round(2 * y.real) / 2).astype(operands)
    check([Case(values.name(t), lambda x, y, t=t: lax.dot(x, y, preferred_element_type=t), (x, y))
           for t in values.ALL if _is_sum_of(operands, t)])


@pytest.mark.plugin_only
def test_rounded_once():
    x, y = values.random(np.float32, (6, 300), 1), values.random(np.float32, (300, 5), 2)
    with jax.default_device(backends.plugin_device()):
        got, wide = jax.jit(lambda x, y: (lax.dot(x, y, preferred_element_type=values.BF16), lax.dot(x, y)))(x, y)
    np.testing.assert_array_equal(np.asarray(got), np.asarray(wide).astype(values.BF16))


@pytest.mark.plugin_only
def test_real_sums_of_complex():
    x, y = values.random(np.complex64, (6, 30), 1), values.random(np.complex64, (30, 5), 2)
    with jax.default_device(backends.plugin_device()):
        real, whole, wide = jax.jit(lambda x, y: [lax.dot(x, y, preferred_element_type=t) for t in
                                                  (np.float32, np.int32, np.complex64)])(x, y)
    np.testing.assert_array_equal(real, np.asarray(wide).real)
    np.testing.assert_array_equal(whole, np.asarray(wide).real.astype(np.int32))


def test_mixed_operands():
    x, y = values.random(values.BF16, (7, 5), 1), values.random(np.float32, (5, 9), 2)
    check([Case(np.dtype(t).name, lambda x, y, t=t: lax.dot_general(
        x, y, (((1,), (0,)), ((), ())), preferred_element_type=t), (x, y),
        Tolerance(of_max=16)) for t in (np.float32, values.BF16)])


SIZES = [(1, 1, 1), (1, 300, 257), (257, 300, 1), (17, 1, 19), (31, 33, 29), (64, 64, 64),
         (128, 257, 130), (300, 5, 7), (5, 700, 3)]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, values.BF16, np.float16, np.float32, np.float64,
                                   np.complex64, np.complex128], **ids)
def test_sizes(dtype):
    cases = []
    for m, k, n in SIZES:
        x, y = values.random(dtype, (m, k), 1), values.random(dtype, (k, n), 2)
        tolerance = _tolerance(dtype)
        if not (tolerance.exact or values.is_narrow(dtype)):
            tolerance = Tolerance(of_max=32, ulps=4, zero_sign=False)
        cases.append(Case(f"{m}x{k}x{n}", lax.dot, (x, y), tolerance, wide=True))
    check(cases)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, values.BF16, np.complex64], **ids)
def test_large(dtype):
    """Beyond the size from which another library may do it."""
    x, y = values.random(dtype, (513, 511), 1), values.random(dtype, (511, 517), 2)
    tolerance = Tolerance(of_max=64)
    check([Case("plain", lax.dot, (x, y), tolerance),
           Case("left_transposed", lambda x, y: x.T @ y[:, :500], (x[:511], y), tolerance),
           Case("batch", lambda x, y: jnp.einsum("bij,bjk->bik", x[:128].reshape(4, 32, 511),
                                                 y[None].repeat(4, 0)), (x, y), tolerance)])


def test_not_finite():
    x = np.array([[np.nan, 1], [np.inf, 2], [-np.inf, 0], [1, 2]], np.float32)
    y = np.array([[0, 1, 2], [1, np.inf, 0]], np.float32)
    check([Case("dot", lax.dot, (x, y)), Case("transposed", lambda x, y: (y.T @ x.T), (x, y))])


FUSED = {
    "bias": lambda x, w, b: x @ w + b,
    "bias_relu": lambda x, w, b: jnp.maximum(x @ w + b, 0),
    "scaled": lambda x, w, b: (x * 0.5) @ (w * 2) * 3,
    "of_transpose": lambda x, w, b: (w.T @ x.T).T,
    "of_slice": lambda x, w, b: x[:, 1:8] @ w[2:9, ::2],
    "of_broadcast": lambda x, w, b: jnp.broadcast_to(b[:10], (4, 10)) @ w,
    "reduced": lambda x, w, b: jnp.sum(jnp.tanh(x @ w), 0),
    "gelu": lambda x, w, b: jax.nn.gelu(x @ w + b),
    "residual": lambda x, w, b: jax.nn.softmax(x @ w) + b,
    "chain": lambda x, w, b: (x @ w) @ w.T @ w,
    "of_converted": lambda x, w, b: x.astype(np.float16) @ w.astype(np.float16),
    "gradients": jax.grad(lambda x, w, b: jnp.sum(jnp.tanh(x @ w + b) ** 2), (0, 1, 2)),
}


@pytest.mark.parametrize("dtype", [values.BF16, np.float32, np.float64], **ids)
def test_fused(dtype):
    x, w, b = (values.random(dtype, s, i) for i, s in enumerate([(6, 10), (10, 12), (12,)]))
    tolerance = Tolerance(of_max=32)
    rounded = {"of_converted": Tolerance(of_max=64 if dtype != np.float64 else 64)}
    check([Case(name, f, (x, w, b), rounded.get(name, tolerance)) for name, f in FUSED.items()])
