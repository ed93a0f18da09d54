# SPDX-License-Identifier: Apache-2.0
"""Products by cuBLASLt, each compared with NumPy in f64. The argument is the first to try: a lost
device ends the process, and the next one goes on after the program that lost it.
"""

import json
import sys
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

first = int(sys.argv[1])
random = np.random.RandomState(0)


def array(*shape, dtype=np.float32):
    return jnp.asarray(random.randn(*shape), dtype)


def widened(a):
    if jnp.iscomplexobj(a):
        return np.asarray(a, np.complex128)
    return np.asarray(a, np.int64 if a.dtype == jnp.int8 else np.float64)


cases = []


def case(name, bound, f, g, *arrays):
    cases.append((name, bound, f, g, arrays))


for name, dtype, precision, bound in (
    ("f32", jnp.float32, "highest", 1e-5),
    ("tf32", jnp.float32, "default", 3e-3),
    ("bf16", jnp.bfloat16, None, 2e-2),
    ("f16", jnp.float16, None, 3e-3),
    ("c64", jnp.complex64, "highest", 1e-5),
):
    for left in (False, True):
        for right in (False, True):
            for m, n, k in ((256, 512, 128), (33, 65, 129)):
                a = array(*((k, m) if left else (m, k)), dtype=dtype)
                b = array(*((n, k) if right else (k, n)), dtype=dtype)
                dims = (((0 if left else 1,), (1 if right else 0,)), ((), ()))
                f = lambda a, b, dims=dims, p=precision: lax.dot_general(a, b, dims, precision=p)
                g = lambda a, b, left=left, right=right: (
                    (a.T if left else a) @ (b.T if right else b)
                )
                forms = ("T" if left else "N") + ("T" if right else "N")
                case(f"{name} {m}x{n}x{k} {forms}", bound, f, g, a, b)
a, b = array(4, 64, 96), array(4, 96, 80)
case(
    "batch",
    1e-5,
    lambda a, b: lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,))), precision="highest"),
    np.matmul,
    a,
    b,
)
q, k = array(2, 70, 4, 64), array(2, 90, 4, 64)
case(
    "attention: lists of addresses",
    1e-5,
    lambda q, k: jnp.einsum("bthd,bshd->bhts", q, k, precision="highest"),
    lambda q, k: np.einsum("bthd,bshd->bhts", q, k),
    q,
    k,
)
case(
    "vector",
    1e-5,
    lambda a, b: jnp.matmul(a, b, precision="highest"),
    np.matmul,
    array(300, 200),
    array(200),
)
i8 = jnp.asarray(random.randint(-100, 100, (64, 128)), jnp.int8)
case(
    "s8",
    0,
    lambda a: lax.dot_general(a, a, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32),
    lambda a: a @ a.T,
    i8,
)
x, w, bias = array(128, 256), array(256, 512), array(512)
gelu = lambda v: v / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))
for dtype, bound in ((jnp.float32, 1e-5), (jnp.bfloat16, 2e-2), (jnp.float16, 4e-3)):
    parts = [p.astype(dtype) for p in (x, w, bias)]
    dot = lambda x, w: jnp.matmul(x, w, precision="highest")
    case(
        f"bias {dtype.__name__}",
        bound,
        lambda x, w, b: dot(x, w) + b,
        lambda x, w, b: x @ w + b,
        *parts,
    )
    case(
        f"bias and relu {dtype.__name__}",
        bound,
        lambda x, w, b: jax.nn.relu(dot(x, w) + b),
        lambda x, w, b: np.maximum(x @ w + b, 0),
        *parts,
    )
    case(
        f"bias and gelu {dtype.__name__}",
        bound,
        lambda x, w, b: jax.nn.gelu(dot(x, w) + b),
        lambda x, w, b: gelu(x @ w + b),
        *parts,
    )
    case(
        f"gelu {dtype.__name__}",
        bound,
        lambda x, w: jax.nn.gelu(dot(x, w)),
        lambda x, w: gelu(x @ w),
        *parts[:2],
    )
for number, (name, bound, f, g, arrays) in enumerate(cases):
    if number < first:
        continue
    result = {"number": number, "name": name}
    try:
        wanted = g(*map(widened, arrays))
        got = np.asarray(jax.jit(f)(*arrays))
        got = got.astype(np.complex128 if np.iscomplexobj(got) else np.float64)
        error = float(np.max(np.abs(got - wanted)) / np.max(np.abs(wanted)))
        result |= {"error": error, "holds": bool(got.shape == wanted.shape and error <= bound)}
        if not result["holds"]:
            worst = np.unravel_index(np.argmax(np.abs(got - wanted)), wanted.shape)
            rows = f"first row {got.reshape(-1)[:6]} for {wanted.reshape(-1)[:6]}"
            at = f"at {worst}: {got[worst]} for {wanted[worst]}"
            result["detail"] = f"bound {bound}; {at}; {rows}"
    except Exception as error:
        result |= {
            "holds": False,
            "detail": traceback.format_exc().splitlines()[-1][:300] + str(error)[-1500:],
            "lost": "is lost" in str(error),
        }
    print(json.dumps(result), flush=True)
    if result.get("lost"):
        sys.exit(0)
nan = jax.jit(lambda x, w: jax.nn.relu(x @ w))(jnp.full((128, 256), jnp.nan), w)
result = {"number": len(cases), "name": "relu of NaN", "holds": True}
print(json.dumps(result | {"detail": str(np.asarray(nan)[0, 0])}))
