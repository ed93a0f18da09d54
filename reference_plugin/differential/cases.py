# SPDX-License-Identifier: Apache-2.0
"""Cases, and the check that runs many of them as one program on both backends."""

import dataclasses
from typing import Callable

import jax
import numpy as np
import pytest

import backends
import values
from compare import EXACT, Tolerance, difference


@dataclasses.dataclass(frozen=True)
class Case:
    """A function of arrays whose result (an array or a tree of arrays) both backends must give.

    wide: the built-in backend gets the same values in f32, and its results are rounded. What it makes
      of sums and chains in 16 bits depends on the processor: with AVX512-FP16 it rounds every partial
      sum, in an order of its own. The tolerance is then ours alone, and holds on every machine.
    """

    name: str
    function: Callable
    args: tuple
    tolerance: Tolerance = EXACT
    wide: bool = False


def check(cases: list[Case]) -> None:
    """Fails the test with one line per case that differs: op, types, shapes, first element."""
    functions = [case.function for case in cases]
    args = tuple(case.args for case in cases)

    def program(args):
        return tuple(f(*a) for f, a in zip(functions, args))

    expected = backends.run_on_builtin(
        program, tuple(_widened(case.args) if case.wide else case.args for case in cases))
    expected = [_rounded(case, e) if case.wide else e for case, e in zip(cases, expected)]
    try:
        got = backends.run_on_plugin(program, args)
    except jax.errors.JaxRuntimeError:
        got = [_alone(case) for case in cases]  # To name the case that fails.
    report(cases, expected, got)


def _widened(args):
    return jax.tree.map(lambda a: a.astype(np.float32) if values.is_narrow(np.asarray(a).dtype) else a, args)


def _rounded(case, expected):
    """The results in the types that they have when nothing is widened."""
    types = jax.eval_shape(case.function, *case.args)
    with np.errstate(over="ignore"):
        return jax.tree.map(lambda e, t: np.asarray(e).astype(t.dtype), expected, types)


def check_functions_of(args, table: dict, tolerances=None, default=EXACT, wide=False) -> None:
    """check() of {name: function}, all with the same arguments."""
    check([Case(name, function, args, (tolerances or {}).get(name, default), wide)
           for name, function in table.items()])


def _alone(case):
    try:
        return backends.run_on_plugin(case.function, *case.args)
    except jax.errors.JaxRuntimeError as error:
        return error


def report(cases, expected, got):
    lines = []
    for case, e, g in zip(cases, expected, got):
        wrong = str(g) if isinstance(g, Exception) else _first_difference(case, e, g)
        if wrong:
            types = ", ".join(f"{np.asarray(a).dtype}{list(np.shape(a))}"
                              for a in jax.tree.leaves(case.args))
            lines.append(f"{case.name}({types}): {wrong}")
    if lines:
        more = f"\n... and {len(lines) - 25} more" if len(lines) > 25 else ""
        pytest.fail(f"{len(lines)} of {len(cases)} cases differ:\n" + "\n".join(lines[:25]) + more,
                    pytrace=False)


def _first_difference(case, expected, got):
    expected, structure = jax.tree.flatten(expected)
    got = structure.flatten_up_to(got)
    for i, (e, g) in enumerate(zip(expected, got)):
        wrong = difference(e, g, case.tolerance)
        if wrong:
            return f"output {i}: {wrong}" if len(expected) > 1 else wrong
    return None
