# SPDX-License-Identifier: Apache-2.0
"""LAPACK as JAX before 0.5.1 asked for it: flags as operands, a factor beside a triangular system."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import backends
import values

TYPES = [np.dtype(t) for t in (np.float32, np.float64, np.complex64, np.complex128)]
each_type = pytest.mark.parametrize("dtype", TYPES, ids=values.name)


def letter(dtype):
    return "sdcz"[TYPES.index(dtype)]


def call(target, operands, results, *, matrices, result_matrices, **attributes):
    """Untyped without attributes; `matrices` are the operands that are stored column by column."""

    def layout(array, is_matrix):
        rank = len(array.shape)
        return (*range(rank - 2), rank - 1, rank - 2) if is_matrix else tuple(range(rank))

    version = {} if attributes else {"custom_call_api_version": 2}

    def run(*arrays):
        return jax.ffi.ffi_call(
            target, results, input_layouts=[layout(a, i in matrices) for i, a in enumerate(arrays)],
            output_layouts=[layout(r, i in result_matrices) for i, r in enumerate(results)], **version)(*arrays, **attributes)

    # What LAPACK leaves in its workspace is a result too.
    return backends.run_on_plugin(run, *operands, again=False)


def close(a, b, dtype):
    np.testing.assert_allclose(a, b, rtol=0, atol=300 * float(jnp.finfo(dtype).eps) * max(1.0, float(np.max(np.abs(b)))))


def shape(*dims, dtype):
    return jax.ShapeDtypeStruct(dims, dtype)


def triangular(dtype, n, lower, unit):
    a = values.random(dtype, (2, n, n)) / n + 2 * np.eye(n)
    a = (np.tril(a) if lower else np.triu(a)).astype(dtype)
    effective = a.copy()
    if unit:
        effective[:, range(n), range(n)] = 1
    return a, effective


@each_type
def test_triangular_solve(dtype):
    n = 5
    for left, lower, trans, unit in itertools.product((0, 1), (0, 1), (0, 1, 2), (0, 1)):
        a, effective = triangular(dtype, n, lower, unit)
        b = values.random(dtype, (2, n, 3) if left else (2, 3, n))
        op = (effective, np.swapaxes(effective, 1, 2), np.conj(np.swapaxes(effective, 1, 2)))[trans]
        sizes = [np.int32(s) for s in (*b.shape[1:], 2)]
        x, = call(f"blas_{letter(dtype)}trsm",
                  [np.int32(left), np.int32(lower), np.int32(trans), np.int32(unit), *sizes, dtype.type(2), a, b],
                  [shape(*b.shape, dtype=dtype)], matrices=(8, 9), result_matrices=(0,))
        close(op @ x if left else x @ op, 2 * b, dtype)
        attributes = {"side": b"RL"[left], "uplo": b"UL"[lower], "trans_x": b"NTC"[trans], "diag": b"NU"[unit]}
        y, = call(f"lapack_{letter(dtype)}trsm_ffi", [a, b, dtype.type(2)], [shape(*b.shape, dtype=dtype)],
                  matrices=(0, 1), result_matrices=(0,), **{k: np.uint8(v) for k, v in attributes.items()})
        np.testing.assert_array_equal(x, y)


@each_type
def test_schur(dtype):
    n, is_complex = 6, dtype.kind == "c"
    a = values.random(dtype, (2, n, n))
    real = np.zeros(1, dtype).real.dtype
    parts = [shape(n, dtype=real), shape(2, n, dtype=dtype)] if is_complex else [shape(2, n, dtype=dtype)] * 2
    results = [shape(*a.shape, dtype=dtype), *parts, shape(*a.shape, dtype=dtype), *[shape(2, dtype=np.int32)] * 2]
    for mode in b"VN":
        t, _, _, v, _, info = call(f"lapack_{letter(dtype)}gees", [np.int32(2), np.int32(n), np.uint8(mode), np.uint8(ord("N")), a],
                                   results, matrices=(4,), result_matrices=(0, 3))
        assert not info.any()
        if mode == ord("V"):
            close(v @ t @ np.conj(np.swapaxes(v, 1, 2)), a, dtype)


@each_type
def test_tridiagonal(dtype):
    n = 6
    a = values.random(dtype, (2, n, n))
    a = (a + np.conj(np.swapaxes(a, 1, 2))).astype(dtype)
    real = np.zeros(1, dtype).real.dtype
    name = f"lapack_{letter(dtype)}{'hetrd' if dtype.kind == 'c' else 'sytrd'}"
    results = [shape(*a.shape, dtype=dtype), shape(2, n, dtype=real), shape(2, n - 1, dtype=real),
               shape(2, n - 1, dtype=dtype), shape(2, dtype=np.int32), shape(64, dtype=dtype)]
    for lower in (0, 1):
        _, d, e, _, info, _ = call(name, [np.int32(s) for s in (n, lower, n, 2, 64)] + [a], results, matrices=(5,),
                                   result_matrices=(0,))
        assert not info.any()
        for i in range(2):
            close(np.linalg.eigvalsh(np.diag(d[i]) + np.diag(e[i], 1) + np.diag(e[i], -1)), np.linalg.eigvalsh(a[i]), dtype)


def test_flags_that_are_none_are_refused():
    a, b = np.eye(3, dtype=np.float32), np.ones((3, 2), np.float32)

    def solve(*flags, unit=np.int32(0)):
        return call("blas_strsm", [*map(np.int32, flags), unit, np.int32(3), np.int32(2), np.int32(1), np.float32(1), a, b],
                    [shape(3, 2, dtype=np.float32)], matrices=(8, 9), result_matrices=(0,))

    solve(1, 1, 0)
    for flags, words in (((2, 1, 0), "flag side, is 2"), ((1, -1, 0), "flag uplo, is -1"), ((1, 1, 3), "flag trans_x, is 3"),
                         ((0, 1, 0), "expected matrices of 3 columns")):
        with pytest.raises(Exception, match=words):
            solve(*flags)
    with pytest.raises(Exception, match="operand 3 to be the flag diag, a s32"):
        solve(1, 1, 0, unit=np.float32(0))


@pytest.mark.plugin_only
def test_results_in_a_tuple():
    text = ('module @m { func.func public @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {'
            ' %0 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8},'
            ' operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = ['
            ' #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>],'
            ' result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}'
            ' : (tensor<3x3xf32>) -> tuple<tensor<3x3xf32>, tensor<i32>>'
            ' %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<3x3xf32>, tensor<i32>>) -> tensor<3x3xf32>'
            ' return %1 : tensor<3x3xf32> } }')
    a = values.random(np.dtype(np.float32), (3, 3))
    a = a @ a.T + 3 * np.eye(3, dtype=np.float32)
    found = np.tril(np.asarray(backends.run_text_on_plugin(text, a)[0]))
    np.testing.assert_allclose(found, np.linalg.cholesky(a), rtol=1e-5)


@pytest.mark.plugin_only
def test_callbacks_of_old_releases_say_what_to_do():
    text = ('module @m { func.func public @main(%a: tensor<5xf32>) -> tensor<5xf32> {'
            ' %p = stablehlo.constant dense<1234> : tensor<i64>'
            ' %0 = stablehlo.custom_call @xla_python_cpu_callback(%p, %a) {api_version = 2 : i32, backend_config = "1234",'
            ' operand_layouts = [dense<> : tensor<0xindex>, dense<[0]> : tensor<1xindex>],'
            ' result_layouts = [dense<[0]> : tensor<1xindex>]}'
            ' : (tensor<i64>, tensor<5xf32>) -> tuple<tensor<5xf32>>'
            ' %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<5xf32>>) -> tensor<5xf32>'
            ' return %1 : tensor<5xf32> } }')
    with pytest.raises(jax.errors.JaxRuntimeError, match="(?s)UNIMPLEMENTED.*use JAX 0.6.0 or newer"):
        backends.run_text_on_plugin(text, np.ones(5, np.float32))
