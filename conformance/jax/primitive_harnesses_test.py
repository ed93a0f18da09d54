# SPDX-License-Identifier: Apache-2.0
"""Every primitive harness of JAX, as one more test file.

On built-in CPU a test runs the harness and keeps its results in $JAX_TESTS_RESULTS; on a plugin it compares with
them.
"""

import os
import pickle
import unittest
import zlib
from pathlib import Path

import jax
import numpy as np

jax.config.parse_flags_with_absl()

np.random.seed(0)  # Some harnesses draw their operands when they are made.
from jax._src.internal_test_util import test_harnesses  # noqa: E402

# Results that are one of many right ones: vectors up to sign, order or basis, and what random bits become.
SHAPES_ONLY = ("eig", "eigh", "svd", "qr", "schur", "householder_product", "tridiagonal", "hessenberg",
               "geqrf", "geqp3", "lu_pivots_to_permutation", "random_categorical", "rng_uniform")
# Relative to an element or to one part in a hundred of the largest, whichever is more.
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-5, "float64": 1e-13, "complex64": 1e-5,
             "complex128": 1e-13, "float8_e5m2": 0.26, "float8_e4m3fn": 0.13,
             "float8_e4m3b11fnuz": 0.13, "float8_e4m3fnuz": 0.13, "float8_e5m2fnuz": 0.26}
# Of functions that are computed by series or long recurrences, of ill-conditioned ones, and of sums that round in between.
LOOSER = {name: 100 for name in (
    "igamma", "igammac", "igamma_grad_a", "random_gamma", "random_gamma_grad", "regularized_incomplete_beta",
    "fft", "reduce_window_add", "triangular_solve", "cholesky", "lu", "custom_linear_solve", "lgamma", "digamma")}


def results_of(harness):
    arguments = harness.dyn_args_maker(np.random.RandomState(zlib.crc32(harness.fullname.encode())))
    found = []
    for leaf in jax.tree.leaves(jax.jit(harness.dyn_fun)(*arguments)):
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        found.append(np.asarray(leaf))
    return found


class PrimitiveHarnesses(unittest.TestCase):

    def check(self, harness):
        if not harness.filter("cpu"):
            self.skipTest("JAX says that built-in CPU does not do this")
        folder = Path(os.environ["JAX_TESTS_RESULTS"])
        file = folder / f"{harness.fullname[:150]}-{zlib.crc32(harness.fullname.encode()):08x}.pickle"
        if "JAX_TESTS_BUILT_IN" in os.environ and file.exists():
            return
        found = results_of(harness)
        if "JAX_TESTS_BUILT_IN" in os.environ:
            folder.mkdir(parents=True, exist_ok=True)
            kept = [(str(x.dtype), x.shape, zlib.compress(np.ascontiguousarray(x).tobytes(), 1)) for x in found]
            file.write_bytes(pickle.dumps(kept))
            return
        kept = pickle.loads(file.read_bytes())
        self.assertEqual(len(found), len(kept))
        for x, (dtype, shape, data) in zip(found, kept):
            self.assertEqual((str(x.dtype), x.shape), (dtype, shape))
            if harness.group_name in SHAPES_ONLY:
                continue
            expected = np.frombuffer(zlib.decompress(data), jax.numpy.dtype(dtype)).reshape(shape)
            tolerance = TOLERANCE.get(dtype, 0) * LOOSER.get(harness.group_name, 1)
            if tolerance == 0:
                np.testing.assert_array_equal(x, expected)
                continue
            wide = np.complex128 if expected.dtype.kind == "c" else np.float64
            with np.errstate(all="ignore"):
                x, expected = x.astype(wide), expected.astype(wide)
                size = np.abs(expected[np.isfinite(expected)]).max(initial=0)
                np.testing.assert_allclose(x, expected, rtol=tolerance, atol=tolerance * size / 100)


def add_tests():
    for harness in test_harnesses.all_harnesses:
        setattr(PrimitiveHarnesses, f"test_{harness.fullname}",
                lambda self, harness=harness: self.check(harness))


add_tests()

if __name__ == "__main__":
    unittest.main()
