# SPDX-License-Identifier: Apache-2.0
"""The same program gives the same bits for any number of threads: every op for every type, and the models.

Arrays are so large that the work is split; many small cases become one large one by vmap.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src import compiler
from jaxlib import _jax, xla_client

import backends
import test_convolution
import test_dot
import test_elementwise as elementwise
import test_fft
import test_gather_scatter
import test_movement
import test_random
import test_reduce
import test_rows
import test_sort
import test_window
import values
from models import MODELS, adam_step

pytestmark = pytest.mark.plugin_only
ids = {"ids": values.name}
COUNT = (1 << 15) + 37
THREADS = (1, 2)


@functools.cache
def _clients():
    backends.plugin_device()  # Loads the plugin.
    return [xla_client.make_c_api_client(backends.PLUGIN, {"num_threads": n}) for n in THREADS]


def _bits(array):
    return np.ascontiguousarray(np.asarray(array)).reshape(-1).view(np.uint8)


def same_bits(table, *args):
    """Fails with the names of the functions in {name: function} whose results depend on the threads."""
    functions = list(table.values())
    lowered = jax.jit(lambda *a: [f(*a) for f in functions], keep_unused=True).lower(*args)
    names = [name for name, tree in zip(table, lowered.out_info) for _ in jax.tree.leaves(tree)]
    options = compiler.get_compile_options(1, 1, env_options_overrides=backends.plugin_options())
    results = []
    for client in _clients():
        device = client.devices()[0]
        program = client.compile_and_load(lowered.as_text(), _jax.DeviceList((device,)), options)
        arrays = jax.device_put(jax.tree.leaves(args), device)
        results.append([_bits(a) for a in program.execute(arrays)])
    differ = {name for other in results[1:] for name, a, b in zip(names, results[0], other, strict=True)
              if not np.array_equal(a, b)}
    assert not differ, sorted(differ)


def many(table, *args):
    """The same of many copies of small arguments, each a little different."""
    copies = max(2, COUNT // max(np.size(a) for a in args))
    stacked = [np.stack([np.roll(a, i) for i in range(copies)]) for a in args]
    same_bits({name: jax.vmap(f) for name, f in table.items()}, *stacked)


def _next(dimensions):
    return tuple(d + 1 for d in dimensions)


def _numbers(dtype, shape, seed=0, low=0.25, high=2.0):
    return values.random(dtype, shape, seed, low, high)


@pytest.mark.parametrize("dtype", values.REAL, **ids)
def test_elementwise(dtype):
    e = elementwise
    x, y = (values.spread(dtype, COUNT, seed) for seed in (1, 2))
    unary = e.UNARY_EXACT | ((e.UNARY_FLOAT_EXACT | e.UNARY_FUNCTIONS | e.PERIODIC | {"lgamma": lax.lgamma})
                             if values.is_float(dtype) else e.UNARY_INTEGER)
    binary = e.BINARY_EXACT | e.BINARY_ORDERED | e.TERNARY | (
        {"atan2": lax.atan2, "pow": lax.pow} if values.is_float(dtype) else e.BINARY_INTEGER)
    same_bits(unary, x)
    same_bits(binary, x, y)
    same_bits({values.name(t): lambda x, t=t: lax.convert_element_type(x, t) for t in values.ALL}, x)


@pytest.mark.parametrize("dtype", values.COMPLEX, **ids)
def test_complex(dtype):
    x, y = (values.random(dtype, (COUNT,), seed, -3, 3) for seed in (1, 2))
    same_bits({"add": lax.add, "mul": lax.mul, "div": lax.div, "pow": lax.pow, "eq": lax.eq,
               "real": lambda x, y: lax.real(x), "abs": lambda x, y: lax.abs(x)}, x, y)
    same_bits({f.__name__: f for f in (lax.exp, lax.log, lax.sqrt, lax.rsqrt, lax.tanh, lax.sin, lax.cos, lax.tan,
                                       lax.log1p, lax.expm1, lax.logistic, lax.sign)}, x)


@pytest.mark.parametrize("dtype", values.ALL, **ids)
def test_movement_and_sort(dtype):
    x = values.with_edges(dtype, test_movement.SHAPE)
    many(test_movement.UNARY, x)
    many(test_movement.DYNAMIC, x, np.int32(1), np.int32(2))
    many(test_sort.SORTS, values.with_edges(dtype, (6, 41)))


@pytest.mark.parametrize("dtype", values.NUMBERS, **ids)
def test_reduce_and_cumulate(dtype):
    is_complex = values.is_complex(dtype)
    reducers = {"sum": lambda x, a: jnp.sum(x, a, dtype=x.dtype), "prod": lambda x, a: jnp.prod(x, a, dtype=x.dtype)}
    cumulative = {"cumsum": lax.cumsum, "cumprod": lax.cumprod}
    if not is_complex:
        reducers |= {"max": jnp.max, "argmin": lambda x, a: jnp.argmin(x, a[0])}
        cumulative |= {"cummax": lax.cummax}
    for shape in ((3, COUNT, 1), (COUNT, 1, 3), (37, 40, 41)):
        x = _numbers(dtype, shape)
        same_bits({f"{n}{a}": lambda x, f=f, a=a: f(x, a) for n, f in reducers.items() for a in test_reduce.AXES}, x)
        same_bits({f"{n}{d}": lambda x, f=f, d=d: f(x, axis=d) for n, f in cumulative.items() for d in (0, 1)}, x)


@pytest.mark.parametrize("dtype", values.FLOATS, **ids)
def test_rows_and_windows(dtype):
    x, scale, shift = (_numbers(dtype, s, i) for i, s in enumerate(((300, 129), (129,), (129,))))
    same_bits(test_rows.FUNCTIONS, x, scale, shift)
    same_bits(test_reduce.FUSED, x)
    same_bits({n: jax.grad(lambda *a, f=f: sum(jnp.sum(r * r) for r in jax.tree.leaves(f(*a))))
               for n, f in test_rows.FUNCTIONS.items() if n != "masked_softmax"}, x, scale, shift)
    pool = test_window._max_pool((1, 3, 3, 1), (1, 1, 2, 1), "SAME")
    same_bits({"pool": pool, "gradient": jax.grad(lambda x: jnp.sum(pool(x) ** 2))}, _numbers(dtype, (7, 31, 33, 5)))


@pytest.mark.parametrize("dtype", values.NUMBERS, **ids)
def test_windows_scatters_gathers(dtype):
    if not values.is_complex(dtype):
        many({"max": test_window.windows(lax.max, 0), "sum": test_window.windows(lax.add, 0)}, _numbers(dtype, (9, 11)))
    scatters = {n: f for n, f in test_gather_scatter.SCATTERS.items()
                if not values.is_complex(dtype) or n not in ("min", "max")}
    i = np.array([0, 5, 2, 6, 7, 3, 1], np.int32)
    many(scatters, _numbers(dtype, (8, 3), 1), i, _numbers(dtype, (7, 3), 2))
    x, u = _numbers(dtype, (5000, 7), 1), _numbers(dtype, (20_000, 7), 2)
    i = values.random(np.int32, (20_000,), 3, 0, 4999)
    same_bits({n: scatters[n] for n in ("add", "mul", "add_drop", "into_zeros", "segment_sum", "histogram")}
              | {"gather": lambda x, i, u: x[i]}, x, i, u)


@pytest.mark.parametrize("dtype", values.ALL, **ids)
def test_products(dtype):
    def batched(numbers):
        (left, right), (left_batch, right_batch) = numbers
        return ((_next(left), _next(right)), ((0, *_next(left_batch)), (0, *_next(right_batch))))

    cases = [test_dot._case(name, (200, *left), (200, *right), batched(numbers), dtype)
             for name, (left, right, numbers) in test_dot.FORMS.items()]
    cases += [test_dot._case(f"{n}x{k}x{m}", (n, k), (k, m), (((1,), (0,)), ((), ())), dtype)
              for n, k, m in ((130, 301, 170), (1, 3001, 70), (900, 300, 1))]
    if dtype != np.dtype(bool):
        cases += [test_convolution._case(name, (24, 19, 18, 8), (3, 2, 8, 16), dtype, **window)
                  for name, window in test_convolution.WINDOWS.items()]
    same_bits({case.name: lambda *a, i=2 * i, f=case.function: f(a[i], a[i + 1]) for i, case in enumerate(cases)},
              *(a for case in cases for a in case.args))


@pytest.mark.parametrize("dtype", [np.float32, np.complex64], **ids)
def test_products_by_blas(dtype):
    n = 700 if dtype == np.float32 else 200
    same_bits({"dot": jnp.dot}, values.random(dtype, (n, n), 1), values.random(dtype, (n, n + 3), 2))


@pytest.mark.parametrize("dtype", test_fft.TYPES, **ids)
def test_fft_of_every_kind(dtype):
    for shape in ((400, 60), (70, 337), (3, 1 << 13)):
        same_bits(test_fft.transforms(shape[1]), values.random(dtype, shape))
    same_bits({"fft2": lambda x: jnp.fft.fft2(x)}, values.random(dtype, (3, 128, 90)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128], **ids)
def test_linear_algebra(dtype):
    x = values.random(dtype, (40, 24, 24))
    positive = x @ np.conj(np.swapaxes(x, 1, 2)) + 30 * np.eye(24, dtype=dtype)
    same_bits({"lu": lambda x, p: lax.linalg.lu(x), "qr": lambda x, p: jnp.linalg.qr(x),
               "svd": lambda x, p: jnp.linalg.svd(x), "eigh": lambda x, p: jnp.linalg.eigh(p),
               "schur": lambda x, p: lax.linalg.schur(x[0]), "cholesky": lambda x, p: jnp.linalg.cholesky(p),
               "eig": lambda x, p: lax.linalg.eig(x[:2]), "solve": lambda x, p: jnp.linalg.solve(p, x),
               "triangular": lambda x, p: lax.linalg.triangular_solve(p, x, left_side=True, lower=True)}, x, positive)
    same_bits({"triangular": lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True),
               "lu": lambda a, b: lax.linalg.lu(a), "cholesky": lambda a, b: lax.linalg.cholesky(a)},
              np.eye(300, dtype=dtype) * 40 + values.random(dtype, (300, 300)), values.random(dtype, (300, 90)))


@pytest.mark.parametrize("implementation", ["threefry2x32", "rbg"])
def test_draws(implementation):
    table = {n: jax.vmap(test_random._with_key(f, implementation))
             for n, f in (test_random.EXACT_DRAWS | test_random.CLOSE_DRAWS).items()}
    same_bits(table, np.arange(200))
    same_bits({"uniform": lambda s: jax.random.uniform(jax.random.key(s, impl=implementation), (COUNT,)),
               "bits": lambda s: jax.random.bits(jax.random.key(s, impl=implementation), (COUNT,), np.uint8)}, np.int64(3))


@pytest.mark.parametrize("model", MODELS)
def test_models(model):
    """A step of training, of many examples and of many models side by side."""
    make, loss = MODELS[model]
    parameters, data = make(1)
    zeros = jax.tree.map(np.zeros_like, parameters)
    many_examples = jax.tree.map(lambda a: np.concatenate([np.roll(a, i) for i in range(60)]), data)

    def train(parameters, data):
        state, losses = (parameters, (zeros, zeros), jnp.float32(0)), []
        for i in range(2):
            value, *state = adam_step(loss, *state, data, jax.random.key(i))
            losses.append(value)
        return losses, state[0]

    same_bits({"examples": train}, parameters, many_examples)
    side_by_side = jax.tree.map(lambda a: np.stack([np.roll(a, i) for i in range(12)]), (parameters, data))
    same_bits({"models": jax.vmap(train)}, *side_by_side)
