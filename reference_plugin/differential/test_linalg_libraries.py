# SPDX-License-Identifier: Apache-2.0
"""jnp.linalg without OpenBLAS, and with the one that SciPy brings: in processes of their own."""

import glob
import pathlib
import site

import pytest

from processes import run_python

pytestmark = pytest.mark.plugin_only
SITE_PACKAGES = site.getsitepackages()[0]

# Factors are checked by what they promise.
COMMON_FACTORS = """
    import sys
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

    def functions(a, b, positive):
        l = jnp.linalg.cholesky(positive)
        return (jnp.linalg.inv(a), jnp.linalg.solve(a, b), jnp.linalg.slogdet(a)[1], jnp.linalg.det(a),
                *jnp.linalg.qr(a), l, jax.scipy.linalg.solve_triangular(l, b, lower=True))

    dtype = np.dtype(sys.argv[1])
    for shape in ((0, 0), (1, 1), (5, 5), (3, 17, 17), (0, 4, 4), (90, 90)):
        n = shape[-1]
        a = random.uniform(-1, 1, shape)
        if dtype.kind == "c":
            a = a + 1j * random.uniform(-1, 1, shape)
        a = (a + 2 * np.sqrt(n) * np.eye(n)).astype(dtype)
        b = random.uniform(-1, 1, (*shape[:-1], 3)).astype(dtype)
        positive = (a @ h(a) / max(n, 1) + np.eye(n)).astype(dtype)
        one = np.broadcast_to(np.eye(n), shape)
        inverse, x, log, det, q, r, l, y = map(np.asarray, jax.jit(functions)(a, b, positive))
        close(a @ inverse, one, dtype)
        close(a @ x, b, dtype)
        np.testing.assert_allclose(log, np.linalg.slogdet(a)[1], rtol=1e-4)
        if n < 50:
            close(det, np.linalg.det(a), dtype)
        close(q @ r, a, dtype)
        close(h(q) @ q, one, dtype)
        assert np.array_equal(r, np.triu(r))
        close(l @ h(l), positive, dtype)
        close(l @ y, b, dtype)
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


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_common_factors_without_openblas(dtype):
    out = run_python(COMMON_FACTORS, dtype, PLINTH_BLAS="none")
    assert out.strip() == "common factors work"


def test_others_say_in_one_line_what_to_install():
    out = run_python("""
        import jax, jax.numpy as jnp
        for function in (jnp.linalg.svd, jnp.linalg.eigh, jnp.linalg.eig):
            try:
                function(jnp.eye(4))
            except jax.errors.JaxRuntimeError as error:
                print(error)
    """, PLINTH_BLAS="none")
    messages = out.splitlines()
    assert len(messages) == 3, out
    for message, name in zip(messages, ("gesdd", "syevd", "geev")):
        for word in ("FAILED_PRECONDITION", name, "scipy-openblas32", "libopenblas0", "PLINTH_BLAS"):
            assert word in message, message


def scipys_own():
    found, = glob.glob(f"{SITE_PACKAGES}/scipy.libs/libscipy_openblas-*.so")
    return found


# SciPy's own has three threads, or as many as there are cores; the plugin sets one in its own.
SCIPYS_THREADS = """
    import ctypes, sys
    import numpy as np

    def load_scipy():
        import scipy.linalg
        assert np.allclose(scipy.linalg.inv(np.eye(300) * 2), np.eye(300) / 2)
        return ctypes.CDLL(sys.argv[1])

    def run_plugin():
        import jax.numpy as jnp
        print(np.asarray(jnp.linalg.svd(np.diag([1.0, 3.0, 2.0]), compute_uv=False)).tolist())

    if sys.argv[2] == "before":
        load_scipy().scipy_openblas_set_num_threads(3)
    run_plugin()
    print(load_scipy().scipy_openblas_get_num_threads())
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_scipys_threads_stay_as_they_are(when):
    out = run_python(SCIPYS_THREADS, scipys_own(), when, PLINTH_BLAS=scipys_own())
    alone = run_python("""
        import ctypes, sys, scipy.linalg
        print(ctypes.CDLL(sys.argv[1]).scipy_openblas_get_num_threads())
    """, scipys_own())
    threads = "3" if when == "before" else alone.strip()
    assert out.splitlines() == ["[3.0, 2.0, 1.0]", threads]


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
