# SPDX-License-Identifier: Apache-2.0
"""The programs of ../jax-0.10.2, as JAX sent them, with arguments and what NumPy makes of them."""

import math
import pathlib

import numpy as np

from element_types import BF16, F32, S4, S32, ordinary, small_integers
from program import Op, Program, Result

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "jax-0.10.2"
# Of StableHLO: what JAX sends to a plugin that says nothing, and to one that reads the newest.
FILES = {"1.13": ".mlirbc", "1.17": ".vhlo-1.17.mlirbc"}


def vector(*seed) -> np.ndarray:
    return ordinary(F32, (16,), *seed)


def few_bits(*arguments, **options) -> np.ndarray:
    """Of 8 bits each: JAX asks for no precision, and a device that then multiplies bf16 numbers
    loses nothing of these."""
    return ordinary(BF16, *arguments, **options).astype(np.float32)


def elementary(value, ulps=8) -> Result:
    return Result(np.asarray(value).astype(np.asarray(value).dtype if np.iscomplexobj(value)
                                           else np.float32), "elementary", ulps)


def summed(value, ulps=32) -> Result:
    made = np.asarray(value)
    return Result(made.astype(np.complex64 if np.iscomplexobj(made) else np.float32), "algorithm",
                  ulps, of_max=True)


def exact(value) -> Result:
    return Result(np.asarray(value), any_zero_sign=True)


def wide(x):
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def symmetric() -> np.ndarray:
    x = ordinary(F32, (4, 4), "symmetric", low=-1, high=1)
    return (x @ x.T + 4 * np.eye(4, dtype=np.float32)).astype(np.float32)


def convolved(x, kernel) -> np.ndarray:
    x = np.pad(wide(x), ((0, 0), (0, 0), (1, 1), (1, 1)))
    value = np.zeros((1, 4, 8, 8))
    for i in range(3):
        for j in range(3):
            value += np.einsum("bihw,oi->bohw", x[:, :, i:i + 8, j:j + 8], wide(kernel[:, :, i, j]))
    return value


ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def threefry(key, x0, x1):
    """Threefry-2x32 with 20 rounds, as its authors published it."""
    keys = [np.uint32(k) for k in key] + [np.uint32(key[0] ^ key[1] ^ np.uint32(0x1BD11BDA))]
    x0, x1 = x0 + keys[0], x1 + keys[1]
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x0 = x0 + x1
            x1 = (x1 << np.uint32(rotation)) | (x1 >> np.uint32(32 - rotation))
            x1 = x1 ^ x0
        x0 = x0 + keys[(group + 1) % 3]
        x1 = x1 + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x0, x1


def inverse_erf(y: float) -> float:
    x = 0.0
    for _ in range(100):
        x -= (math.erf(x) - y) / (2 / math.sqrt(math.pi) * math.exp(-x * x))
    return x


def normal(key) -> np.ndarray:
    high, low = threefry(key, np.zeros(8, np.uint32), np.arange(8, dtype=np.uint32))
    bits = high ^ low
    fraction = ((bits >> np.uint32(9)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)
    lowest = np.nextafter(np.float32(-1), np.float32(0))
    uniform = np.maximum(lowest, fraction * (np.float32(1) - lowest) + lowest)
    return np.array([math.sqrt(2) * inverse_erf(float(u)) for u in uniform])


def factored(a) -> tuple:
    """P, L and U with a = P L U, by rows of the largest pivots."""
    a, count = a.copy(), len(a)
    rows = np.arange(count)
    for k in range(count):
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        a[[k, pivot]], rows[[k, pivot]] = a[[pivot, k]], rows[[pivot, k]]
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return np.eye(count)[:, rows], np.tril(a, -1) + np.eye(count), np.triu(a)


def one_device() -> dict:
    """name -> (arguments, results)"""
    x, matrix, square = vector("x"), ordinary(F32, (4, 8), "matrix"), ordinary(F32, (4, 4), "square")
    three = ordinary(F32, (3,), "three")
    table = {}
    order = np.argsort(-x, kind="stable")[:3].astype(np.int32)
    table["approx_max_k"] = table["top_k"] = ([x], [exact(x[order]), exact(order)])
    layout = ordinary(F32, (3, 4), "layout")
    table["auto_layout"] = ([layout], [exact(layout * 2)])
    spd = symmetric()
    table["cholesky"] = table["cpuplatform_cholesky"] = (
        [spd], [summed(np.linalg.cholesky(wide(spd)))])
    z = ordinary(F32, (4,), "z") + 1j * ordinary(F32, (4,), "z", 2)
    z = z.astype(np.complex64)
    functions = (np.sqrt, np.tan, np.log1p, np.arcsin)
    table["complex_exp"] = ([z], [elementary(f(wide(z)).astype(np.complex64), 32)
                                  for f in functions])
    table["composite"] = ([x], [exact(x * 2)])
    table["compute_on"] = ([three], [exact(three * 2 + 1)])
    table["cond"] = ([np.array(True), x], [elementary(np.sin(wide(x)))])
    image, kernel = few_bits((1, 3, 8, 8), "image"), few_bits((4, 3, 3, 3), "kernel")
    table["conv"] = ([image, kernel], [summed(convolved(image, kernel))])
    for name in ("donate", "cpuplatform_donate"):
        table[name] = ([matrix], [exact(matrix + 1)])
    a, b = few_bits((2, 3, 4), "a"), few_bits((2, 4, 5), "b")
    table["einsum"] = ([a, b], [summed(wide(a) @ wide(b))])
    table["erf"] = ([x], [elementary([math.erf(v) for v in x])])
    table["fft"] = ([x], [summed(np.fft.fft(wide(x)))])
    indices = np.array([3, -1, 15], np.int32)
    table["gather"] = ([x, indices], [exact(x[indices])])
    added = x.copy()
    np.add.at(added, indices, np.float32(1))
    table["scatter_add"] = ([x, indices], [exact(added)])
    left, right = (small_integers(S32, (4, 4), side, limit=7) for side in ("left", "right"))
    table["int4_dot"] = ([left.astype(S4.dtype), right.astype(S4.dtype)], [exact(left @ right)])
    table["jit_host_out"] = ([square], [exact(square * 2)])
    large = ordinary(F32, (10000,), "large")
    table["large_const"] = ([large], [exact(large + np.arange(10000, dtype=np.float32))])
    table["named_call_nested_jit"] = ([x], [elementary(2 * np.sin(wide(x)))])
    table["random.normal"] = ([np.array([7, 42], np.uint32)],
                              [summed(normal(np.array([7, 42], np.uint32)), 64)])
    table["random.rbg"] = ([np.array(5, np.int32)], None)
    table["reduce_window"] = ([x], [exact(np.maximum(x[:-1], x[1:]))])
    carried, products = np.float32(0), []
    for value in x:
        products.append(carried * value)
        carried = carried + value
    table["scan"] = ([x], [exact(carried), exact(np.array(products))])
    table["sort"] = ([x], [exact(np.sort(x))])
    table["switch"] = ([np.array(2, np.int32), x], [elementary(np.tan(wide(x)))])
    triangle = np.triu(ordinary(F32, (4, 4), "triangle", low=-0.3, high=0.3)) + 2 * np.eye(
        4, dtype=np.float32)
    table["triangular_solve"] = table["cpuplatform_triangular_solve"] = (
        [triangle, square], [summed(np.linalg.solve(wide(triangle), wide(square)))])
    table["while"] = ([x], [exact(np.array(3, np.int32)), exact(x * 8)])
    table["cpuplatform_lu"] = ([square], [summed(part, 64) for part in factored(wide(square))])
    table["qr"] = ([square], None)
    # Of LAPACK's results the signs are not unique; eigenvalues are.
    table["cpuplatform_eigh"] = ([spd], [summed(np.linalg.eigvalsh(wide(spd))), None])
    return table


def two_devices() -> dict:
    """name -> (arguments, results), of the first device and then of the second."""
    x = ordinary(F32, (8, 4), "sharded")
    halves = [x[:4], x[4:]]
    table = {}
    rows = ordinary(F32, (2, 3), "rows")
    together = (rows[:1] + rows[1:]).astype(np.float32)
    table["pmap"] = ([rows[:1], rows[1:]], [exact(together), exact(together)])
    columns = [x[:, :2] * 2, x[:, 2:] * 2]
    table["shard_out"] = (halves, [exact(np.array(c)) for c in columns])
    # Small numbers of quarters: also sums of them have 8 bits, whatever a compiler adds up first.
    quarters = small_integers(F32, (8, 4), "quarters") / np.float32(4)
    products = summed((wide(quarters) @ wide(quarters).T).sum(0))
    table["shard_jit"] = ([quarters[:4], quarters[4:]], [products, products])
    both = exact(halves[0] + halves[1])
    table["shard_map_psum"] = (halves, [both, both])
    # Sharded by an older way of saying it; how the result lies is the plugin's choice.
    table["gspmd_shard_out"] = ([], [])
    stacked = np.stack(halves)
    results = []
    for i in range(2):
        other = halves[1 - i]
        swapped = np.concatenate([h[:, 2 * i:2 * i + 2] for h in halves])
        part = (halves[0] + halves[1])[:, 2 * i:2 * i + 2]
        results += [exact(stacked), exact(other), exact(swapped), exact(part.copy()),
                    exact(halves[i] + np.float32(i))]
    table["shard_map_many"] = (halves, results)
    return table


def result_types(text: str) -> list[np.ndarray]:
    """Arrays of the types and shapes that @main returns."""
    line = next(l for l in text.splitlines() if "@main(" in l)
    made = []
    for part in line.split("->", 1)[1].split("tensor<")[1:]:
        *dims, element = part[:part.index(">")].split("x") if "complex" not in part else [
            *part.split("complex")[0].split("x")[:-1], "c64"]
        kind = {"f32": np.float32, "i32": np.int32, "ui32": np.uint32, "c64": np.complex64,
                "i1": bool}[element]
        made.append(np.zeros([int(d) for d in dims], kind))
    return made


def read(name: str, devices: int, arguments, results) -> Program:
    text = (FOLDER / f"{name}.mlir.txt").read_text()
    shapes = result_types(text)
    if results is None:
        results = [None] * len(shapes)
    # What is not computed here is looked at nevertheless: same type and shape, and the same again.
    results = [r if r is not None else Result(shape, not_asked=np.ones(shape.shape, bool))
               for r, shape in zip(results, shapes * devices)]
    return Program(name, text, arguments, results,
                   options=(FOLDER / f"{name}.compileopts.pb").read_bytes(), devices=devices,
                   artifacts={version: (FOLDER / f"{name}{suffix}").read_bytes()
                              for version, suffix in FILES.items()})


def programs(_) -> list[Program]:
    made = [read(name, 1, *row) for name, row in one_device().items()]
    made += [read(name, 2, *row) for name, row in two_devices().items()]
    known = {program.name for program in made}
    # What nobody can run without more: compiled, or refused with the name of what is missing.
    for path in sorted(FOLDER.glob("*.mlir.txt")):
        name = path.name.removesuffix(".mlir.txt")
        if name not in known:
            made.append(read(name, 1, [], []))
    return sorted(made, key=lambda program: program.name)


ROWS = [Op("jax", [F32], programs, "frameworks")]
