# SPDX-License-Identifier: Apache-2.0
"""rng_bit_generator and jax.random: bits are equal, what is computed from them is close."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import values
from cases import Case, check
from compare import EXACT, Tolerance
from values import name

SHAPES = [(), (1,), (7,), (4, 5), (0,), (1001,)]
CLOSE = Tolerance(ulps=64, absolute=2e-6)

EXACT_DRAWS = {
    "split": lambda k: jax.random.key_data(jax.random.split(k, 5)),
    "fold_in": lambda k: jax.random.key_data(jax.random.fold_in(k, 77)),
    "permutation": lambda k: jax.random.permutation(k, 103),
    "shuffle_rows": lambda k: jax.random.permutation(k, jnp.arange(60.0).reshape(20, 3)),
    "randint": lambda k: jax.random.randint(k, (50,), -3, 1000),
    "randint8": lambda k: jax.random.randint(k, (50,), -3, 100, np.int8),
    "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (200,)),
    "choice": lambda k: jax.random.choice(k, 40, (10,), replace=False),
    "choice_replace": lambda k: jax.random.choice(k, 40, (10,)),
    "rademacher": lambda k: jax.random.rademacher(k, (40,)),
}
CLOSE_DRAWS = {
    "normal": lambda k: jax.random.normal(k, (301,)),
    "normal_f64": lambda k: jax.random.normal(k, (301,), np.float64).astype(np.float32),
    "truncated_normal": lambda k: jax.random.truncated_normal(k, -1, 2, (101,)),
    "exponential": lambda k: jax.random.exponential(k, (101,), np.float32),
    "gumbel": lambda k: jax.random.gumbel(k, (101,), np.float32),
    "laplace": lambda k: jax.random.laplace(k, (101,), np.float32),
    "logistic": lambda k: jax.random.logistic(k, (101,), np.float32),
}
SLOW_DRAWS = {
    "gamma": lambda k: jax.random.gamma(k, 2.5, (11,), np.float32),
    "beta": lambda k: jax.random.beta(k, 2.0, 3.0, (11,), np.float32),
    "dirichlet": lambda k: jax.random.dirichlet(k, jnp.ones(4, np.float32)),
    "poisson": lambda k: jax.random.poisson(k, 4.0, (30,)),
    "multivariate": lambda k: jax.random.t(k, 3.0, (11,), np.float32),
}


def _with_key(draw, implementation):
    return lambda seed: draw(jax.random.key(seed, impl=implementation))


@pytest.mark.parametrize("implementation", ["threefry2x32", "rbg", "unsafe_rbg"])
@pytest.mark.parametrize("seed", [0, 2**40 + 7])
def test_draws(implementation, seed):
    cases = [Case(n, _with_key(f, implementation), (np.int64(seed),), tolerance)
             for table, tolerance in ((EXACT_DRAWS, EXACT), (CLOSE_DRAWS, CLOSE))
             for n, f in table.items()]
    check(cases)


@pytest.mark.full
@pytest.mark.parametrize("draw", SLOW_DRAWS)
def test_slow_draws(draw):
    check([Case(draw, _with_key(SLOW_DRAWS[draw], "threefry2x32"), (np.int64(3),),
                Tolerance(ulps=512, absolute=1e-5))])


@pytest.mark.parametrize("dtype", values.FLOATS, ids=name)
def test_uniform(dtype):
    def uniforms(seed):
        key = jax.random.key(seed)
        return [jax.random.uniform(key, s, dtype) for s in SHAPES] + [
            jax.random.uniform(key, (50,), dtype, -3, 5)]

    check([Case("uniform", uniforms, (np.int64(5),), Tolerance(ulps=1, absolute=1e-6))])


@pytest.mark.parametrize("dtype", values.UNSIGNED, ids=name)
def test_bits(dtype):
    check([Case("bits", lambda seed: [jax.random.bits(jax.random.key(seed), s, dtype)
                                      for s in SHAPES], (np.int64(9),))])


def test_categorical_and_dropout():
    logits = values.random(np.float32, (6, 11))

    def dropout(seed, x):
        keep = jax.random.bernoulli(jax.random.key(seed), 0.8, x.shape)
        return jnp.where(keep, x / 0.8, 0)

    check([
        Case("categorical", lambda s, x: jax.random.categorical(jax.random.key(s), x, shape=(40, 6)),
             (np.int64(1), logits)),
        Case("dropout", dropout, (np.int64(1), logits), Tolerance(ulps=2)),
        Case("vmap", lambda s, x: jax.vmap(lambda k: jax.random.normal(k, (5,)))(
            jax.random.split(jax.random.key(s), 9)), (np.int64(1), logits), CLOSE),
        Case("in_scan", lambda s, x: lax.scan(
            lambda k, _: (jax.random.split(k)[0], jax.random.uniform(k)), jax.random.key(s),
            length=7)[1], (np.int64(1), logits), CLOSE),
    ])


# Algorithm, and words of its state: four of 32 bits or two of 64.
ALGORITHMS = {
    "default": (lax.RandomAlgorithm.RNG_DEFAULT, 4),
    "three_fry": (lax.RandomAlgorithm.RNG_THREE_FRY, 4),
    "three_fry_u64": (lax.RandomAlgorithm.RNG_THREE_FRY, 2),
    "philox": (lax.RandomAlgorithm.RNG_PHILOX, 4),
    "philox_u64": (lax.RandomAlgorithm.RNG_PHILOX, 2),
}


@pytest.mark.parametrize("dtype", values.UNSIGNED, ids=name)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_rng_bit_generator(algorithm, dtype):
    number, words = ALGORITHMS[algorithm]
    state = (np.array([1, 2, 3, 2**31 + 5], np.uint32) if words == 4
             else np.array([2**63 + 11, 2**40 + 3], np.uint64))
    shapes = [(1,), (2,), (3,), (4,), (5,), (8,), (33,), (4, 7), (3, 5, 2)]
    check([Case(f"{shape}", functools.partial(
        lambda k, s: lax.rng_bit_generator(k, s, dtype, algorithm=number), s=shape), (state,))
        for shape in shapes])


@pytest.mark.plugin_only
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32], ids=name)
def test_rng_uniform(dtype):
    """rng has no seed that two backends could share: the range and the spread are checked."""
    import backends

    draw = lambda: lax.rng_uniform(jnp.asarray(-3, dtype), jnp.asarray(40, dtype), (10000,))
    first, second = (backends.run_on_plugin(draw, again=False) for _ in range(2))
    for sample in (first, second):
        assert sample.min() >= -3 and sample.max() < 40
        assert abs(sample.mean() - 18.5) < 1
        assert abs(sample.std() - 43 / 12**0.5) < 1
