# SPDX-License-Identifier: Apache-2.0
"""jnp.linalg without OpenBLAS, and with the one that SciPy brings: in processes of their own."""

import glob
import pathlib
import site

import pytest

from processes import run_python

pytestmark = pytest.mark.plugin_only
SITE_PACKAGES = site.getsitepackages()[0]

# Factors are checked by what they promise, against f64 products of NumPy.
COMMON_FACTORS = """
    import jax, jax.numpy as jnp, numpy as np
    jax.config.update("jax_enable_x64", True)
    random = np.random.default_rng(3)

    def close(a, b, dtype, factor=400):
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape and a.dtype == dtype, (a.shape, b.shape, a.dtype)
        if a.size:
            assert np.max(np.abs(a - b)) <= factor * jnp.finfo(dtype).eps * max(1, np.max(np.abs(b)))

    def h(x):
        return np.conj(np.swapaxes(x, -1, -2))

    for dtype in (np.float32, np.float64, np.complex64, np.complex128):
        for shape in ((0, 0), (1, 1), (5, 5), (3, 17, 17), (0, 4, 4), (90, 90), (450, 450)):
            n = shape[-1]
            wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
            a = random.uniform(-1, 1, shape)
            if wide is np.complex128:
                a = a + 1j * random.uniform(-1, 1, shape)
            a = (a + 2 * np.sqrt(n) * np.eye(n)).astype(dtype)
            b = random.uniform(-1, 1, (*shape[:-1], 3)).astype(dtype)
            exact, one = a.astype(wide), np.broadcast_to(np.eye(n), shape)  # "exact": no rounding is added
            close(a @ np.asarray(jnp.linalg.inv(a)), one, dtype)
            close(a @ np.asarray(jnp.linalg.solve(a, b)), b, dtype)
            log = jnp.linalg.slogdet(a)[1]
            if n < 50:
                close(np.asarray(jnp.linalg.det(a)), np.linalg.det(exact), dtype)
            np.testing.assert_allclose(log, np.linalg.slogdet(exact)[1], rtol=1e-4)
            q, r = map(np.asarray, jnp.linalg.qr(a))
            close(q @ r, a, dtype)
            close(h(q) @ q, one, dtype)
            assert np.array_equal(r, np.triu(r))
            positive = (exact @ h(exact) / max(n, 1) + np.eye(n)).astype(dtype)
            l = np.asarray(jnp.linalg.cholesky(positive))
            close(l @ h(l), positive, dtype)
            x = np.asarray(jax.scipy.linalg.solve_triangular(l, b, lower=True))
            close(l @ x, b, dtype)
        tall = random.uniform(-1, 1, (2, 9, 4)).astype(dtype)
        for mode, columns in (("reduced", 4), ("complete", 9)):
            q, r = map(np.asarray, jnp.linalg.qr(tall, mode=mode))
            close(q @ r, tall, dtype)
            close(h(q) @ q, np.broadcast_to(np.eye(columns), (2, columns, columns)), dtype)
        bad = np.stack([np.eye(40), -np.eye(40)]).astype(dtype)
        l = np.asarray(jnp.linalg.cholesky(bad))
        assert np.isfinite(l[0]).all() and np.isnan(l[1]).any()
        lu, _ = jax.scipy.linalg.lu_factor(np.zeros((40, 40), dtype))
        assert np.array_equal(lu, np.zeros((40, 40)))
        grad = jax.grad(lambda a: jnp.linalg.slogdet(a)[1].sum())(jnp.eye(3, dtype=dtype) * 2)
        close(grad, np.eye(3) / 2, dtype)
    print("common factors work")
"""


def test_common_factors_without_openblas():
    out = run_python(COMMON_FACTORS, PLINTH_BLAS="none")
    assert out.strip() == "common factors work"


@pytest.mark.parametrize("function", ["svd", "eigh", "eig"])
def test_others_say_in_one_line_what_to_install(function):
    message = run_python(f"""
        import jax, jax.numpy as jnp
        try:
            jnp.linalg.{function}(jnp.eye(4))
        except jax.errors.JaxRuntimeError as error:
            print(error)
    """, PLINTH_BLAS="none").strip()
    for word in ("FAILED_PRECONDITION", "lapack_s", "scipy-openblas32", "libopenblas0", "PLINTH_BLAS"):
        assert word in message, message
    assert "\n" not in message


def scipys_own():
    found, = glob.glob(f"{SITE_PACKAGES}/scipy.libs/libscipy_openblas-*.so")
    return found


# Both start with three threads; the plugin sets one in its own.
SCIPYS_THREADS = """
    import ctypes, sys
    import numpy as np

    def scipys_threads():
        import scipy.linalg
        assert np.allclose(scipy.linalg.inv(np.eye(300) * 2), np.eye(300) / 2)
        return ctypes.CDLL(sys.argv[1]).scipy_openblas_get_num_threads()

    def plugins_svd():
        import jax.numpy as jnp
        return np.asarray(jnp.linalg.svd(np.diag([1.0, 3.0, 2.0]), compute_uv=False)).tolist()

    first, second = (scipys_threads, plugins_svd) if sys.argv[2] == "before" else (plugins_svd, scipys_threads)
    print(first(), second(), scipys_threads())
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_scipys_threads_stay_as_they_are(when):
    out = run_python(SCIPYS_THREADS, scipys_own(), when, PLINTH_BLAS=scipys_own(), OPENBLAS_NUM_THREADS="3")
    expected = {"before": "3 [3.0, 2.0, 1.0] 3", "after": "[3.0, 2.0, 1.0] 3 3"}
    assert out.strip() == expected[when]


def test_scipys_own_is_found_where_there_is_no_other(tmp_path):
    """The packages of the environment but scipy-openblas32; Debian's is passed over, being loaded already."""
    packages = tmp_path / "site-packages"
    packages.mkdir()
    for entry in pathlib.Path(SITE_PACKAGES).iterdir():
        if not entry.name.startswith("scipy_openblas32"):
            (packages / entry.name).symlink_to(entry)
    log = tmp_path / "log"
    out = run_python("""
        import sys
        sys.path = [path for path in sys.path if "-packages" not in path] + [sys.argv[1]]
        import ctypes
        try:
            ctypes.CDLL("libopenblas.so.0")
        except OSError:
            pass
        import jax.numpy as jnp
        print(jnp.linalg.svd(jnp.eye(3), compute_uv=False))
    """, str(packages), PLINTH_LOG=f"debug:{log}", VIRTUAL_ENV="")
    assert out.strip() == "[1. 1. 1.]"
    lines = log.read_text().splitlines()
    assert lines[-1].startswith(f"plinth debug: OpenBLAS {packages}/scipy.libs/libscipy_openblas-")
    assert lines[-1].endswith(": used")
    assert any(line.startswith(f"plinth debug: OpenBLAS {packages}/scipy_openblas32/") for line in lines)
