# SPDX-License-Identifier: Apache-2.0
"""Factorizations. Where factors are not unique, what they promise is checked instead."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src.lax import linalg as lax_linalg
from jax.experimental import sparse

import backends
import values
from cases import Case, check, check_functions_of
from compare import Tolerance, difference

TYPES = [np.dtype(t) for t in (np.float32, np.float64, np.complex64, np.complex128)]
SHAPES = [(1, 1), (4, 4), (6, 3), (3, 6), (2, 5, 5), (3, 2, 4, 3), (40, 40)]
SQUARE = [s for s in SHAPES if s[-1] == s[-2]]
NEAR = Tolerance(of_max=400)
each_type = pytest.mark.parametrize("dtype", TYPES, ids=values.name)


def t(x):
    return np.swapaxes(x, -1, -2)


def h(x):
    return np.conj(t(x))


def close(a, b, dtype, factor=200):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    if a.size:
        scale = max(1.0, np.max(np.abs(b)))
        eps = jnp.finfo(dtype).eps
        assert np.max(np.abs(a - b)) <= factor * float(eps) * scale


def unitary(q, dtype):
    close(h(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *[q.shape[-1]] * 2)), dtype)


def positive(dtype, shape):
    a = values.random(dtype, shape)
    return (a @ h(a) + shape[-1] * np.eye(shape[-1])).astype(dtype)


run = backends.run_on_plugin


@each_type
def test_cholesky(dtype):
    for shape in SQUARE + [(0, 3, 3), (130, 130)]:
        a = positive(dtype, shape)
        l = run(lax.linalg.cholesky, a)
        close(l @ h(l), a, dtype)
    check([Case("cholesky", lambda a: lax.linalg.cholesky(a), (positive(dtype, (3, 6, 6)),), NEAR)])


@each_type
def test_cholesky_of_what_is_not_positive(dtype):
    a = np.stack([np.eye(4), -np.eye(4), np.full((4, 4), np.nan), np.ones((4, 4))]).astype(dtype)
    got = run(lax.linalg.cholesky, a)
    assert np.isfinite(got[0]).all()
    lower = np.tril(np.ones((4, 4), bool))
    assert np.isnan(got[1][lower]).all() and np.isnan(got[2][lower]).any()


# The built-in backend hangs in many solves of one program; the equation is the oracle.
@pytest.mark.plugin_only
@each_type
def test_triangular_solve(dtype):
    names = ("left_side", "lower", "unit_diagonal", "transpose_a", "conjugate_a")
    flags = [{name: bool(bits >> i & 1) for i, name in enumerate(names)} for bits in range(32)]
    for n, m in ((1, 1), (5, 3), (40, 70)):
        a = (values.random(dtype, (2, n, n)) / (2 * n) + 2 * np.eye(n)).astype(dtype)
        left, right = values.random(dtype, (2, n, m), 1), values.random(dtype, (2, m, n), 2)
        solved = run(lambda a, left, right: [lax.linalg.triangular_solve(
            a, left if f["left_side"] else right, **f) for f in flags], a, left, right)
        for f, x in zip(flags, solved):
            op = np.tril(a) if f["lower"] else np.triu(a)
            if f["unit_diagonal"]:
                op = op * (1 - np.eye(n)) + np.eye(n)
            op = np.conj(op) if f["conjugate_a"] else op
            op = t(op) if f["transpose_a"] else op
            close(op @ x if f["left_side"] else x @ op, left if f["left_side"] else right, dtype)


@each_type
def test_lu(dtype):
    for shape in SHAPES + [(0, 0), (0, 2, 2), (3, 0)]:
        a = values.random(dtype, shape)
        lu, _, permutation = run(lambda a: lax.linalg.lu(a), a)
        k = min(shape[-2:])
        l = np.tril(lu[..., :, :k], -1) + np.eye(shape[-2], k)
        close(l @ np.triu(lu[..., :k, :]), np.take_along_axis(a, permutation[..., None], -2), dtype)
    check([Case(str(s), lambda a: lax.linalg.lu(a), (values.random(dtype, s),), NEAR)
           for s in ((5, 5), (2, 7, 4))])


def test_lu_of_singular_matrices():
    a = np.stack([np.zeros((3, 3)), np.ones((3, 3)), np.diag([1.0, 0, 2])])
    check_functions_of((a,), {"lu": lambda a: lax.linalg.lu(a)}, default=NEAR)
    check_functions_of((a[1:2] * np.nan,), {"lu": lambda a: lax.linalg.lu(a)[0]}, default=NEAR)


@each_type
def test_qr(dtype):
    for shape in SHAPES + [(0, 4, 3), (0, 3), (3, 0)]:
        a = values.random(dtype, shape)
        for full in (False, True):
            q, r = run(lambda a, full=full: lax.linalg.qr(a, full_matrices=full), a)
            close(q @ r, a, dtype)
            unitary(q, dtype)
            assert np.array_equal(r, np.triu(r))
            q, r, p = run(lambda a, full=full: lax.linalg.qr(a, full_matrices=full, pivoting=True), a)
            close(q @ r, np.take_along_axis(a, p[..., None, :], -1), dtype)
            unitary(q, dtype)


@each_type
def test_products_of_reflectors(dtype):
    a, c = values.random(dtype, (2, 6, 4)), values.random(dtype, (2, 6, 6), 1)
    q, _ = np.linalg.qr(a, mode="complete")
    factors, taus = run(lax_linalg.geqrf, a)
    got = run(lambda a, t: lax.linalg.householder_product(a, t), factors, taus)
    close(np.abs(got), np.abs(q[..., :4]), dtype)
    for left in (False, True):
        for transpose in (False, True):
            operand = np.concatenate([factors, np.zeros((2, 6, 2), dtype)], -1)
            full = run(lambda a, t: lax.linalg.householder_product(a, t), operand, taus)
            full = h(full) if transpose else full
            got = run(lambda a, t, c, left=left, transpose=transpose: lax_linalg.ormqr(
                a, t, c, left=left, transpose=transpose), factors, taus, c)
            close(got, full @ c if left else c @ full, dtype)


@each_type
@pytest.mark.parametrize("algorithm", [lax.linalg.SvdAlgorithm.DEFAULT, lax.linalg.SvdAlgorithm.QR],
                         ids=["divide_and_conquer", "qr"])
def test_svd(dtype, algorithm):
    for shape in SHAPES + [(0, 4, 3)]:
        a = values.random(dtype, shape)
        for full in (False, True):
            u, s, vt = run(lambda a, full=full: lax.linalg.svd(
                a, full_matrices=full, algorithm=algorithm), a)
            k = min(shape[-2:])
            close(u[..., :k] * s[..., None, :] @ vt[..., :k, :], a, dtype)
            unitary(u, dtype)
            unitary(h(vt), dtype)
            alone = run(lambda a, full=full: lax.linalg.svd(
                a, full_matrices=full, compute_uv=False, algorithm=algorithm), a)
            close(alone, s, dtype)
            close(s, np.linalg.svd(a, compute_uv=False), dtype)


@each_type
@pytest.mark.parametrize("routine", ["gesdd", "gesvd"])
def test_svd_of_empty_matrices(dtype, routine):
    letter = {np.float32: "s", np.float64: "d", np.complex64: "c", np.complex128: "z"}[dtype.type]
    matrix = (1, 0)  # column-major
    for shape in ((0, 3), (3, 0), (0, 0)):
        # JAX itself answers these without a call, which is what programs of others get.
        u, s, vt = backends.run_on_builtin(lambda a: lax.linalg.svd(a), np.zeros(shape, dtype))
        results = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in (np.zeros(shape, dtype), s, u, vt)]
        call = jax.ffi.ffi_call(
            f"lapack_{letter}{routine}_ffi", results + [jax.ShapeDtypeStruct((), np.int32)],
            input_layouts=[matrix], output_layouts=[matrix, (0,), matrix, matrix, ()])
        got = run(lambda a: call(a, mode=np.uint8(ord("A"))), np.zeros(shape, dtype))
        for wanted, x in zip((s, u, vt, np.int32(0)), got[1:]):
            assert np.array_equal(wanted, x), shape


@each_type
def test_eigh(dtype):
    for shape in SQUARE + [(0, 0), (0, 2, 2)]:
        a = values.random(dtype, shape)
        for lower in (True, False):
            v, w = run(lambda a, lower=lower: lax.linalg.eigh(a, lower=lower,
                                                              symmetrize_input=False), a)
            b = np.tril(a, -1) if lower else t(np.conj(np.triu(a, 1)))
            whole = b + h(b) + np.eye(shape[-1]) * a.real
            close(whole @ v, v * w[..., None, :], dtype)
            unitary(v, dtype)


@each_type
def test_eig(dtype):
    for shape in SQUARE + [(0, 2, 2)]:
        a = values.random(dtype, shape)
        w, left, right = run(lambda a: lax.linalg.eig(a), a)
        close(a @ right, right * w[..., None, :], dtype, 1000)
        close(h(left) @ a, w[..., None] * h(left), dtype, 1000)
        only, = run(lambda a: lax.linalg.eig(a, compute_left_eigenvectors=False,
                                             compute_right_eigenvectors=False), a)
        close(np.sort_complex(only), np.sort_complex(w), dtype, 1000)


@each_type
def test_schur_hessenberg_tridiagonal(dtype):
    for shape in SQUARE:
        a = values.random(dtype, shape)
        form, vectors = run(lambda a: lax.linalg.schur(a), a)
        close(vectors @ form @ h(vectors), a, dtype)
        unitary(vectors, dtype)
        form, taus = run(lambda a: lax.linalg.hessenberg(a), a)
        reduced = np.triu(form, -1)
        q = np.broadcast_to(np.eye(shape[-1], dtype=dtype), shape).copy()
        if shape[-1] > 1:
            q[..., 1:, 1:] = run(lambda a, t: lax.linalg.householder_product(a, t),
                                 form[..., 1:, :-1], taus)
        close(q @ reduced @ h(q), a, dtype)
        symmetric = a + h(a)
        _, d, e, _ = run(lambda a: lax.linalg.tridiagonal(a), symmetric)
        n = shape[-1]
        tri = np.zeros(shape, d.dtype)
        tri[..., range(n), range(n)] = d
        tri[..., range(1, n), range(n - 1)] = tri[..., range(n - 1), range(1, n)] = e
        close(np.linalg.eigvalsh(tri), np.linalg.eigvalsh(symmetric), dtype)


@each_type
def test_tridiagonal_solve(dtype):
    for shape in ((1,), (2,), (7,), (3, 12), (0, 4)):
        lower, diagonal, upper = (values.random(dtype, shape, i) for i in range(3))
        diagonal = (diagonal + 4).astype(dtype)
        lower[..., 0] = 0
        upper[..., -1] = 0
        b = values.random(dtype, (*shape, 3), 3)
        for perturb in (False, True):
            x = run(lambda *a, p=perturb: lax.linalg.tridiagonal_solve(*a, perturb_singular=p),
                    lower, diagonal, upper, b)
            product = diagonal[..., None] * x
            product[..., 1:, :] += lower[..., 1:, None] * x[..., :-1, :]
            product[..., :-1, :] += upper[..., :-1, None] * x[..., 1:, :]
            close(product, b, dtype)


def test_perturbed_singular_systems_are_finite():
    zero = np.zeros(5)
    x = run(lambda *a: lax.linalg.tridiagonal_solve(*a, perturb_singular=True),
            zero, zero, zero, np.ones((5, 2)))
    assert np.isfinite(x).all()


@each_type
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_matrices_that_are_not_finite(dtype, bad):
    a = positive(dtype, (2, 5, 5))
    a[1, 2, 3] = bad
    functions = {
        "svd": lambda a: lax.linalg.svd(a, full_matrices=False),
        "singular_values": lambda a: lax.linalg.svd(a, compute_uv=False),
        "eigh": lambda a: lax.linalg.eigh(a, symmetrize_input=False),
        "eig": lambda a: lax.linalg.eig(a),
        "schur": lambda a: lax.linalg.schur(a),
        "qr": lambda a: lax.linalg.qr(a, full_matrices=False),
        "lu": lambda a: lax.linalg.lu(a)[0],
    }
    for name, function in functions.items():
        for part in jax.tree.leaves(run(function, a)):
            assert np.isfinite(part[0]).all(), name
            if name in ("svd", "singular_values", "eig", "schur"):
                assert np.isnan(part[1]).all(), name


def test_numpy_functions():
    a = values.random(np.float64, (4, 5, 5)) + 3 * np.eye(5)
    b = values.random(np.float64, (4, 5, 2), 1)
    check_functions_of((a, b), {
        "solve": lambda a, b: jnp.linalg.solve(a, b),
        "inv": lambda a, b: jnp.linalg.inv(a),
        "det": lambda a, b: jnp.linalg.det(a),
        "slogdet": lambda a, b: jnp.linalg.slogdet(a),
        "pinv": lambda a, b: jnp.linalg.pinv(b),
        "lstsq": lambda a, b: jax.vmap(lambda a, b: jnp.linalg.lstsq(a, b)[0])(b, a[..., :1]),
        "rank": lambda a, b: jnp.linalg.matrix_rank(a),
        "grad": lambda a, b: jax.grad(lambda a: jnp.linalg.slogdet(a)[1].sum())(a),
        "expm": lambda a, b: jax.scipy.linalg.expm(a / 8),
    }, default=NEAR)


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), values.BF16], ids=values.name)
def test_approximate_top_k(dtype):
    x = values.random(dtype, (6, 50))
    check_functions_of((x,), {
        "max": lambda x: lax.approx_max_k(x, 5)[0],
        "min": lambda x: lax.approx_min_k(x, 5)[0],
        "first": lambda x: lax.approx_max_k(x, 3, reduction_dimension=0)[0],
        "not_aggregated": lambda x: lax.approx_max_k(x, 3, aggregate_to_topk=False)[0],
    })


STABLEHLO_CHOLESKY = """
module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%%a: tensor<2x%(n)dx%(n)dxf32>, %%b: tensor<2x%(n)dx3xf32>)
      -> (tensor<2x%(n)dx%(n)dxf32>, tensor<2x%(n)dx3xf32>) {
    %%l = stablehlo.cholesky %%a, lower = true : tensor<2x%(n)dx%(n)dxf32>
    %%x = "stablehlo.triangular_solve"(%%l, %%b) {left_side = true, lower = true,
      unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}
      : (tensor<2x%(n)dx%(n)dxf32>, tensor<2x%(n)dx3xf32>) -> tensor<2x%(n)dx3xf32>
    return %%l, %%x : tensor<2x%(n)dx%(n)dxf32>, tensor<2x%(n)dx3xf32>
  }
}
"""


@pytest.mark.plugin_only
@pytest.mark.parametrize("n", [4, 40])
def test_stablehlo_ops(n):
    a, b = positive(np.float32, (2, n, n)), values.random(np.float32, (2, n, 3))
    l, x = backends.run_text_on_plugin(STABLEHLO_CHOLESKY % {"n": n}, a, b)
    close(l @ t(l), a, np.float32)
    close(l @ x, b, np.float32)


@pytest.mark.plugin_only
@pytest.mark.parametrize("dtype, name", [(np.float16, "f16"), (jnp.bfloat16, "bf16")])
def test_narrow_floats(dtype, name):
    # Of exactly these elements the factor and the solution are what f32 finds, rounded.
    a, b = positive(np.float32, (2, 4, 4)).astype(dtype), values.random(np.float32, (2, 4, 3)).astype(dtype)
    program = STABLEHLO_CHOLESKY % {"n": 4}
    exact, _ = backends.run_text_on_plugin(program, a.astype(np.float32), b.astype(np.float32))
    l, x = backends.run_text_on_plugin(program.replace("xf32", "x" + name), a, b)
    assert l.dtype == x.dtype == dtype
    np.testing.assert_array_equal(l, exact.astype(dtype))
    close(l.astype(np.float64) @ x.astype(np.float64), b.astype(np.float64), dtype, 8)


@pytest.mark.parametrize("dtype", [np.float16, jnp.bfloat16], ids=values.name)
def test_triangular_solve_of_narrow_floats(dtype):
    a = (values.random(np.float32, (5, 5)) / 10 + 2 * np.eye(5)).astype(dtype)
    b = values.random(np.float32, (5, 3)).astype(dtype)
    check_functions_of((a, b), {
        "lower": lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True),
        "transposed": lambda a, b: lax.linalg.triangular_solve(a, b.T, transpose_a=True),
    }, default=Tolerance(of_max=4))


# What JAX writes for a platform that it knows nothing of.
QR = """
module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<2x5x3xf32>) -> tensor<2x5x3xf32> {
    %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x5x3xf32>)
      -> (tensor<2x5x3xf32>, tensor<2x3xf32>)
    %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1)
      : (tensor<2x5x3xf32>, tensor<2x3xf32>) -> tensor<2x5x3xf32>
    return %1 : tensor<2x5x3xf32>
  }
}
"""


@pytest.mark.plugin_only
def test_row_major_qr():
    a = values.random(np.float32, (2, 5, 3))
    q, = backends.run_text_on_plugin(QR, a)
    unitary(q, np.float32)
    close(q @ (t(q) @ a), a, np.float32)


@pytest.mark.plugin_only
def test_calls_with_wrong_attributes_are_refused():
    call = ('module @m { func.func public @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {'
            ' %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {CONFIG},'
            ' operand_layouts = [dense<[0, 1]> : tensor<2xindex>],'
            ' result_layouts = [dense<[LAYOUT]> : tensor<2xindex>, dense<> : tensor<0xindex>]}'
            ' : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)'
            ' return %0#0 : tensor<3x3xf32> } }')
    for config, message in (("", "uplo"), ("uplo = 65 : ui8", "LU")):
        with pytest.raises(jax.errors.JaxRuntimeError, match=f"(?s)INVALID_ARGUMENT.*{message}"):
            backends.run_text_on_plugin(call.replace("CONFIG", config).replace("LAYOUT", "0, 1"),
                                        np.eye(3, dtype=np.float32))
    # jaxlib's handlers read and write columns, whatever the layout says: so it is another matrix.
    call = call.replace("CONFIG", "uplo = 76 : ui8")
    a = np.array([[4, 0, 0], [2, 5, 0], [2, 3, 6]], np.float32)
    columns, rows = (backends.run_text_on_plugin(call.replace("LAYOUT", layout), a @ a.T)[0]
                     for layout in ("0, 1", "1, 0"))
    np.testing.assert_allclose(np.tril(columns), a, rtol=1e-5)
    np.testing.assert_array_equal(rows, columns.T)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64, np.complex64, np.complex128],
                         ids=values.name)
@pytest.mark.parametrize("index", [np.int32, np.int64], ids=values.name)
@pytest.mark.plugin_only
def test_compressed_rows(dtype, index):
    """jax.experimental.sparse.BCSR times vectors and matrices, with entries that fill up."""
    m = values.random(dtype, (40, 30), 1, low=-9, high=9) * (values.random(np.float32, (40, 30), 2) > 1)
    m[7] = 0
    v, w = values.random(dtype, (30,), 3), values.random(dtype, (30, 17), 4)
    tolerance = Tolerance(of_max=16)
    for nse in (None, int((m != 0).sum()) + 5):
        s = sparse.BCSR.fromdense(m, index_dtype=index, nse=nse)

        def product(data, indices, indptr, x):
            return sparse.BCSR((data, indices, indptr), shape=m.shape) @ x
        args = tuple(np.asarray(a) for a in (s.data, s.indices, s.indptr))
        with jax.default_device(backends.plugin_device()):
            text = jax.jit(product).lower(*args, v).as_text()
            assert "cpu_csr_sparse_dense_ffi" in text
            for x in (v, w):
                got = np.asarray(jax.jit(product)(*args, x))
                wrong = difference((m @ x).astype(dtype), got, tolerance)
                assert wrong is None, wrong


@pytest.mark.plugin_only
def test_compressed_rows_are_data():
    """Starts and indices outside of everything read nothing else; wrong types are told."""
    def product(data, starts, indices, x):
        return jax.ffi.ffi_call("cpu_csr_sparse_dense_ffi", jax.ShapeDtypeStruct((3,), np.float32))(data, starts, indices, x)
    data, x = np.array([1, 2, 4], np.float32), np.array([1, 10], np.float32)
    starts, indices = np.array([-5, 2, 1, 2**31 - 1], np.int32), np.array([1, -1, 2], np.int32)
    with jax.default_device(backends.plugin_device()):
        np.testing.assert_array_equal(jax.jit(product)(data, starts, indices, x), [10, 0, 0])
        for wrong in ((data, starts[1:], indices, x), (data, starts, indices.astype(np.int64), x),
                      (data, starts, indices[1:], x), (data, starts, indices, x.astype(np.float64)),
                      (data.astype(np.float16), starts, indices, x.astype(np.float16))):
            with pytest.raises(jax.errors.JaxRuntimeError, match="cpu_csr_sparse_dense_ffi"):
                jax.jit(product)(*wrong)
