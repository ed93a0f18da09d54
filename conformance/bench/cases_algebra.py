# SPDX-License-Identifier: Apache-2.0
"""Products, convolutions, FFT, linear algebra."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from measure import MB, R, f32, run_case

for n in (32, 128, 512, 2048):
    run_case(
        f"mm/f32_{n}",
        partial(lambda n: (lambda a, b: a @ b, (f32(n, n), f32(n, n))), n),
        flops=2 * n**3,
        kind="f32",
    )
run_case(
    "mm/f32_512_AtB",
    lambda: (lambda a, b: a.T @ b, (f32(512, 512), f32(512, 512))),
    flops=2 * 512**3,
    kind="f32",
)
run_case(
    "mm/f32_512_ABt",
    lambda: (lambda a, b: a @ b.T, (f32(512, 512), f32(512, 512))),
    flops=2 * 512**3,
    kind="f32",
)
run_case(
    "mm/f32_batch64x128",
    lambda: (lambda a, b: a @ b, (f32(64, 128, 128), f32(64, 128, 128))),
    flops=64 * 2 * 128**3,
    kind="f32",
)
run_case(
    "mm/f32_batch1024x16",
    lambda: (lambda a, b: a @ b, (f32(1024, 16, 16), f32(1024, 16, 16))),
    flops=1024 * 2 * 16**3,
    kind="f32",
)
run_case(
    "mm/matvec_4096",
    lambda: (lambda a, b: a @ b, (f32(4096, 4096), f32(4096))),
    bytes=64 * MB,
    kind="mem",
)
run_case(
    "mm/vecmat_4096",
    lambda: (lambda a, b: b @ a, (f32(4096, 4096), f32(4096))),
    bytes=64 * MB,
    kind="mem",
)
run_case(
    "mm/skinny_4096x4096x8",
    lambda: (lambda a, b: a @ b, (f32(4096, 4096), f32(4096, 8))),
    flops=2 * 8 * 4096**2,
    bytes=64 * MB,
    kind="mem",
)
run_case(
    "mm/skinny_8x4096x4096",
    lambda: (lambda a, b: a @ b, (f32(8, 4096), f32(4096, 4096))),
    flops=2 * 8 * 4096**2,
    bytes=64 * MB,
    kind="mem",
)
run_case(
    "mm/dense_bias_relu_256x1024x1024",
    lambda: (lambda x, w, b: jax.nn.relu(x @ w + b), (f32(256, 1024), f32(1024, 1024), f32(1024))),
    flops=2 * 256 * 1024**2,
    kind="f32",
)
run_case(
    "mm/bf16_1024",
    lambda: (
        lambda a, b: a @ b,
        (f32(1024, 1024).astype(jnp.bfloat16), f32(1024, 1024).astype(jnp.bfloat16)),
    ),
    flops=2 * 1024**3,
    kind="bf16",
)
run_case(
    "mm/f16_1024",
    lambda: (
        lambda a, b: a @ b,
        (f32(1024, 1024).astype(np.float16), f32(1024, 1024).astype(np.float16)),
    ),
    flops=2 * 1024**3,
    kind="f32",
)
run_case(
    "mm/f64_1024",
    lambda: (
        lambda a, b: a @ b,
        (f32(1024, 1024).astype(np.float64), f32(1024, 1024).astype(np.float64)),
    ),
    flops=2 * 1024**3,
    kind="f64",
    x64=True,
)
run_case(
    "mm/int8_1024",
    lambda: (
        lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32),
        (
            R.randint(-99, 99, (1024, 1024)).astype(np.int8),
            R.randint(-99, 99, (1024, 1024)).astype(np.int8),
        ),
    ),
    flops=2 * 1024**3,
    kind="int8",
)
run_case(
    "mm/int32_512",
    lambda: (
        lambda a, b: a @ b,
        (
            R.randint(-99, 99, (512, 512)).astype(np.int32),
            R.randint(-99, 99, (512, 512)).astype(np.int32),
        ),
    ),
    flops=2 * 512**3,
    kind="f32",
)
run_case(
    "mm/c64_512",
    lambda: (
        lambda a, b: a @ b,
        (
            (f32(512, 512) + 1j * f32(512, 512)).astype(np.complex64),
            (f32(512, 512) + 1j * f32(512, 512)).astype(np.complex64),
        ),
    ),
    flops=8 * 512**3,
    kind="f32",
)


# Convolutions.
def _conv(x, w, g=1, s=1, dn=("NHWC", "HWIO", "NHWC")):
    return lax.conv_general_dilated(
        x, w, (s, s), "SAME", dimension_numbers=dn, feature_group_count=g
    )


run_case(
    "conv/3x3_64_56_b8",
    lambda: (_conv, (f32(8, 56, 56, 64), f32(3, 3, 64, 64))),
    flops=2 * 8 * 56 * 56 * 64 * 64 * 9,
    kind="f32",
)
run_case(
    "conv/3x3_64_56_b8_NCHW",
    lambda: (partial(_conv, dn=("NCHW", "OIHW", "NCHW")), (f32(8, 64, 56, 56), f32(64, 64, 3, 3))),
    flops=2 * 8 * 56 * 56 * 64 * 64 * 9,
    kind="f32",
)
run_case(
    "conv/1x1_256_28_b8",
    lambda: (_conv, (f32(8, 28, 28, 256), f32(1, 1, 256, 256))),
    flops=2 * 8 * 28 * 28 * 256 * 256,
    kind="f32",
)
run_case(
    "conv/7x7s2_3_64_224_b2",
    lambda: (partial(_conv, s=2), (f32(2, 224, 224, 3), f32(7, 7, 3, 64))),
    flops=2 * 2 * 112 * 112 * 49 * 3 * 64,
    kind="f32",
)
run_case(
    "conv/depthwise3x3_64_56_b8",
    lambda: (partial(_conv, g=64), (f32(8, 56, 56, 64), f32(3, 3, 1, 64))),
    flops=2 * 8 * 56 * 56 * 64 * 9,
    bytes=8 * 8 * 56 * 56 * 64,
)


def _cg(x, w):
    return jax.grad(lambda x, w: (_conv(x, w) ** 2).sum(), (0, 1))(x, w)


run_case(
    "conv/3x3_64_28_b8_grad",
    lambda: (_cg, (f32(8, 28, 28, 64), f32(3, 3, 64, 64))),
    flops=3 * 2 * 8 * 28 * 28 * 64 * 64 * 9,
    kind="f32",
)

# FFT, linear algebra.
run_case(
    "fft/c64_1M",
    lambda: (jnp.fft.fft, ((f32(MB) + 1j * f32(MB)).astype(np.complex64),)),
    flops=5 * MB * 20,
)
run_case("fft/rfft2_1024", lambda: (jnp.fft.rfft2, (f32(1024, 1024),)), flops=2.5 * MB * 20)


def _spd(n):
    a = f32(n, n)
    return (a @ a.T + n * np.eye(n)).astype(np.float32)


run_case(
    "linalg/cholesky_512", lambda: (jnp.linalg.cholesky, (_spd(512),)), flops=512**3 / 3, kind="f32"
)
run_case(
    "linalg/qr_512",
    lambda: (lambda a: jnp.abs(jnp.linalg.qr(a)[1]), (f32(512, 512),)),
    flops=4 / 3 * 2 * 512**3,
    kind="f32",
)
run_case(
    "linalg/solve_512",
    lambda: (jnp.linalg.solve, (_spd(512), f32(512, 16))),
    flops=2 / 3 * 512**3,
    kind="f32",
)
run_case(
    "linalg/eigh_512",
    lambda: (lambda a: jnp.linalg.eigh(a)[0], (_spd(512),)),
    flops=9 * 512**3,
    kind="f32",
)
run_case(
    "linalg/svd_256",
    lambda: (lambda a: jnp.linalg.svd(a, full_matrices=False)[1], (f32(256, 256),)),
    flops=22 * 256**3,
    kind="f32",
)
run_case(
    "linalg/trisolve_512",
    lambda: (
        lambda l, b: jax.scipy.linalg.solve_triangular(l, b, lower=True),
        (np.linalg.cholesky(_spd(512)), f32(512, 512)),
    ),
    flops=512**3,
    kind="f32",
)
run_case(
    "linalg/inv_batch_1000x8", lambda: (jnp.linalg.inv, (np.stack([_spd(8) for _ in range(1000)]),))
)
