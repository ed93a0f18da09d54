# SPDX-License-Identifier: Apache-2.0
"""sort (keys, orders, stability, NaN and signed zero) and top_k."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values
from cases import Case, check, check_functions_of

ids = {"ids": values.name}

SORTS = {
    "last": lambda x: lax.sort(x),
    "first": lambda x: lax.sort(x, dimension=0),
    "descending": lambda x: jnp.sort(x, descending=True),
    "argsort": lambda x: jnp.argsort(x),
    "argsort_descending": lambda x: jnp.argsort(x, descending=True),
    "argsort_first": lambda x: jnp.argsort(x, axis=0),
    "with_payload": lambda x: lax.sort((x, lax.broadcasted_iota(np.int32, x.shape, 1)), num_keys=1),
    "with_two_payloads": lambda x: lax.sort(
        (x, lax.broadcasted_iota(np.uint8, x.shape, 1), x[::-1]), num_keys=1),
}


@pytest.mark.parametrize("dtype", values.ALL, **ids)
def test_sort(dtype):
    for x in (values.with_edges(dtype, (6, 41)), values.random(dtype, (3, 130), low=-3, high=3)):
        check_functions_of((x,), SORTS)


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, values.BF16, np.float32, np.float64], **ids)
def test_keys(dtype):
    a = np.round(values.random(dtype, (4, 50), 1, -3, 3).astype(np.float64)).astype(dtype)
    b = values.random(np.int16, (4, 50), 2, -2, 2)
    c = values.random(np.float32, (4, 50), 3)

    check_functions_of((a, b, c), {
        "two_keys": lambda a, b, c: lax.sort((a, b, c), num_keys=2),
        "three_keys": lambda a, b, c: lax.sort((b, a, c), num_keys=3),
        "first_dim": lambda a, b, c: lax.sort((b, a, c), dimension=0, num_keys=2),
        "lexsort": lambda a, b, c: jnp.lexsort((a, b)),
        "unique": lambda a, b, c: jnp.unique(a, size=20, fill_value=0),
        "median": lambda a, b, c: jnp.median(c, 1),
    })


@pytest.mark.plugin_only
@pytest.mark.parametrize("less,equal,expected", [
    ("TOTALORDER", "TOTALORDER", [2, 1, 0]), ("TOTALORDER", "FLOAT", [0, 1, 2])])
def test_equality_of_another_order(less, equal, expected):
    # NaNs are equal in total order, and the second key decides; otherwise they stay where they are.
    x, k = np.full(3, np.nan, np.float32), np.int32([2, 1, 0])
    got = backends.run_text_on_plugin(f"""module @m {{
      func.func public @main(%a: tensor<3xf32>, %k: tensor<3xi32>, %i: tensor<3xi32>) -> tensor<3xi32> {{
        %0:3 = "stablehlo.sort"(%a, %k, %i) ({{
          ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>, %i0: tensor<i32>, %i1: tensor<i32>):
            %lt = stablehlo.compare LT, %x, %y, {less} : (tensor<f32>, tensor<f32>) -> tensor<i1>
            %eq = stablehlo.compare EQ, %x, %y, {equal} : (tensor<f32>, tensor<f32>) -> tensor<i1>
            %lk = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
            %both = stablehlo.and %eq, %lk : tensor<i1>
            %c = stablehlo.or %lt, %both : tensor<i1>
            stablehlo.return %c : tensor<i1>
        }}) {{dimension = 0 : i64, is_stable = true}}
          : (tensor<3xf32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<3xi32>)
        return %0#2 : tensor<3xi32> }} }}""", x, k, np.arange(3, dtype=np.int32))
    np.testing.assert_array_equal(got[0], expected)


@pytest.mark.parametrize("dtype", values.REAL, **ids)
def test_top_k(dtype):
    for x in (values.with_edges(dtype, (5, 37)), values.random(dtype, (5, 37), low=-3, high=3)):
        check_functions_of((x,), {f"top{k}": lambda x, k=k: lax.top_k(x, k) for k in (1, 3, 37)})


def test_shapes():
    shapes = [(0,), (1,), (2,), (3, 0), (0, 4), (1009,), (2, 3, 5, 7), (70001,)]
    check([Case(f"sort{d}", lambda x, d=d: lax.sort(x, dimension=d),
                (values.random(np.float32, s),)) for s in shapes for d in range(len(s))])


def test_signed_zeros_are_equal_and_stable():
    x = np.array([0.0, -0.0, 1, -0.0, 0.0, np.nan, -np.nan, -1, np.inf, -np.inf], np.float32)
    check_functions_of((x,), {"sort": lax.sort, "argsort": jnp.argsort,
                              "descending": lambda x: jnp.argsort(x, descending=True)})


def test_gradient_and_permutation():
    x = values.random(np.float32, (4, 19))
    check([Case("grad", jax.grad(lambda x: jnp.sum(jnp.sort(x) * jnp.arange(19.0))), (x,)),
           Case("searchsorted", lambda x: jnp.searchsorted(jnp.sort(x[0]), x[1]), (x,))])
