# SPDX-License-Identifier: Apache-2.0
"""Random programs: what fusion, work in place and the memory plan make of many small ops together.

Its values are small floats: whole numbers, or smooth functions of such, and thresholds lie between them, so that
rounding decides nothing.
"""

import random

import jax
import numpy as np
import pytest

from compare import Tolerance
from random_program import NAMESPACE, Program, check

CLOSE = Tolerance(of_max=512, ulps=64, absolute=1e-4, zero_sign=False)
SIZES = (1, 2, 3, 4, 6)
MOST_ELEMENTS, MOST_DIMENSIONS = 600, 5


class Builder:
    """Lines that define v0, v1, ... from arrays a0, a1, ... and an index i."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        arguments = {f"a{n}": tuple(self.rng.choice(SIZES) for _ in range(self.rng.randint(1, 3)))
                     for n in range(self.rng.randint(1, 3))}
        self.shapes = dict(arguments)  # of what can be used
        self.lines = []
        self.indices = ["i", "i * 2 - 1"]
        for _ in range(self.rng.randint(4, 16)):
            self.add_line()
        computed = [name for name in self.shapes if name not in arguments]
        outputs = [name for name in computed if self.rng.random() < 0.5] or computed[-1:] or ["a0"]
        text = "\n".join([f"def program({', '.join(arguments)}, i):",
                          *(f"    {line}" for line in self.lines),
                          f"    return [{', '.join(outputs)}]"])
        values = np.random.default_rng(seed)
        inputs = [values.integers(-5, 6, shape).astype(np.float32) for shape in arguments.values()]
        inputs.append(np.int32(values.integers(0, 4)))
        donated = tuple(n for n in range(len(arguments)) if self.rng.random() < 0.5)
        self.program = Program(text, inputs, donated)

    def add_line(self):
        recent = list(self.shapes)[-4:] if self.rng.random() < 0.6 else list(self.shapes)
        x = self.rng.choice(recent)
        expression = self.rng.choice(OPS)(self, x, self.shapes[x])
        if expression is not None:
            self.define(expression)

    def define(self, expression):
        """The name of a value that has been defined as that; none if it is too large."""
        shape = self.shape_of(expression)
        if np.prod(shape) > MOST_ELEMENTS or len(shape) > MOST_DIMENSIONS:
            return None
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        self.shapes[name] = shape
        return name

    def shape_of(self, expression):
        evaluate = eval(f"lambda i, {', '.join(self.shapes)}: {expression}", dict(NAMESPACE))
        values = [jax.ShapeDtypeStruct(shape, np.float32) for shape in self.shapes.values()]
        return jax.eval_shape(evaluate, jax.ShapeDtypeStruct((), np.int32), *values).shape

    def axis(self, shape):
        return self.rng.randrange(len(shape))

    def axes(self, shape):
        return tuple(d for d in range(len(shape)) if self.rng.random() < 0.6)

    def sizes(self, shape):
        return tuple(self.rng.randint(1, size) for size in shape)

    def like(self, shape, axis=None):
        """A value of that shape, but for one axis."""
        return self.rng.choice([name for name, other in self.shapes.items() if len(other) == len(shape)
                                and all(d == axis or a == b for d, (a, b) in enumerate(zip(shape, other)))])

    def index(self):
        x = self.rng.choice(list(self.shapes))
        at = self.rng.randrange(int(np.prod(self.shapes[x])))
        of_values = f"jnp.floor({x}.reshape(-1)[{at}] + 0.31).astype(jnp.int32) % 7 - 2"
        return self.rng.choice([*self.indices, of_values])

    def starts(self, shape):
        return "(" + "".join(f"{self.index()}, " for _ in shape) + ")"


def binary(p, x, shape):
    return f"jnp.{p.rng.choice(['add', 'subtract', 'maximum', 'minimum'])}({x}, {p.like(shape)})"


def elementwise(p, x, shape):
    return p.rng.choice(["{0} * 3 + 1", "jnp.tanh({0} * 0.125)", "jnp.where({0} > 0.31, {0}, -{0})", "{0} * 0.5"]).format(x)


def reverse(p, x, shape):
    return f"lax.rev({x}, {p.axes(shape)})"


def transpose(p, x, shape):
    return f"lax.transpose({x}, {tuple(p.rng.sample(range(len(shape)), len(shape)))})"


def reshape(p, x, shape):
    count = int(np.prod(shape))
    first = p.rng.choice([d for d in range(1, count + 1) if count % d == 0])
    second = p.rng.choice([d for d in range(1, count // first + 1) if count // first % d == 0])
    return f"{x}.reshape({first}, {second}, {count // first // second})"


def broadcast(p, x, shape):
    times = p.rng.randint(1, 4)
    if p.rng.random() < 0.5:
        return f"jnp.broadcast_to({x}[None], {(times, *shape)})"
    return f"jnp.broadcast_to({x}[..., None], {(*shape, times)})"


def slice_(p, x, shape):
    starts = [p.rng.randrange(size) for size in shape]
    limits = [p.rng.randint(start + 1, size) for start, size in zip(starts, shape)]
    return f"lax.slice({x}, {starts}, {limits}, {[p.rng.randint(1, 3) for _ in shape]})"


def dynamic_slice(p, x, shape):
    return f"lax.dynamic_slice({x}, {p.starts(shape)}, {p.sizes(shape)})"


def dynamic_update_slice(p, x, shape):
    part = p.define(dynamic_slice(p, x, shape))
    if p.rng.random() < 0.4:
        part = p.define(f"{part} - {part}.sum({p.axis(shape)}, keepdims=True)")
    return f"lax.dynamic_update_slice({x}, {part} * 2 + {p.rng.choice([0, 1])}, {p.starts(shape)})"


def read_and_update(p, x, shape):
    """A part, what its elements are of their sum, and the array with another part in its place."""
    at = p.starts(shape)
    part = p.define(f"lax.dynamic_slice({x}, {at}, {p.sizes(shape)})")
    p.define(f"{part} / (1 + abs({part}).sum({p.axis(shape)}, keepdims=True))")
    return f"lax.dynamic_update_slice({x}, {part} * 2, {at})"


def pad(p, x, shape):
    config = []
    for size in shape:
        low, high, interior = p.rng.randint(-1, 2), p.rng.randint(-1, 2), p.rng.choice([0, 0, 1])
        if size + (size - 1) * interior + low + high <= 0:
            low = high = 1
        config.append((low, high, interior))
    value = p.rng.choice(["np.float32(0)", "np.float32(7)", "(i + 5).astype(jnp.float32)"])
    return f"lax.pad({x}, {value}, {config})"


def concatenate(p, x, shape):
    axis = p.axis(shape)
    parts = [p.like(shape, axis) for _ in range(p.rng.randint(1, 4))] + [x]
    return f"lax.concatenate([{', '.join(parts)}], {axis})"


def iota(p, x, shape):
    return f"lax.broadcasted_iota(jnp.float32, {shape}, {p.axis(shape)})"


def iota_slice(p, x, shape):
    sizes = p.sizes(shape)
    return f"lax.dynamic_slice(2 * lax.broadcasted_iota(jnp.float32, {shape}, {p.axis(shape)}), {p.starts(shape)}, {sizes})"


def reduce(p, x, shape):
    return f"jnp.{p.rng.choice(['sum', 'max', 'min'])}({x}, axis={p.axes(shape)}, keepdims={p.rng.random() < 0.5})"


def normalize(p, x, shape):
    return f"{x} / (1 + abs({x}).sum({p.axis(shape)}, keepdims=True))"


def windows(p, x, shape):
    window = [p.rng.randint(1, 3) for _ in shape]
    padding = [(p.rng.randint(0, w - 1) + max(0, w - size), p.rng.randint(0, w - 1)) for w, size in zip(window, shape)]
    op, initial = p.rng.choice([("add", 0.0), ("add", 3.0), ("max", -9.0), ("min", 9.0)])
    strides = [p.rng.randint(1, 2) for _ in shape]
    return f"lax.reduce_window({x}, np.float32({initial}), lax.{op}, {window}, {strides}, {padding})"


def cumulative(p, x, shape):
    return f"lax.{p.rng.choice(['cumsum', 'cummax'])}({x}, axis={p.axis(shape)}, reverse={p.rng.random() < 0.5})"


def sort(p, x, shape):
    return f"jnp.sort({x}, axis={p.axis(shape)})"


def gather_or_scatter(p, x, shape):
    rows = f"(jnp.arange(3) + i) % {shape[0]}"
    return p.rng.choice([f"{x}[{rows}]", f"{x}.at[{rows}].add(1.5)", f"{x}.at[{rows}].max(0.5)"])


def loop(p, x, shape):
    """Carries c and d, rows of one written to the other, exchanged, or summed up."""
    y = p.like(shape)
    row = f"lax.dynamic_slice(d, (k,{' 0,' * (len(shape) - 1)}), {(1, *shape[1:])})"
    at = f"(k,{' 0,' * (len(shape) - 1)})"
    body = p.rng.choice([
        f"(lax.dynamic_update_slice(c, {row} + 1, {at}), c + d)",
        f"(lax.dynamic_update_slice(c, {row}, {at}), lax.dynamic_update_slice(d, {row} * 2 - c[:1], {at}))",
        f"(lax.dynamic_update_slice(d, {row} - {row}.sum(keepdims=True), {at}), c)",
        "(d, c + k)",
        "(jnp.where(c > d, c, d), lax.rev(d, (0,)))",
        f"lax.cond(c.sum() > 0.31, lambda: (c + 1, d), lambda: (d.at[k % {shape[0]}].set(c[0]), -c))",
    ])
    return f"lax.fori_loop(0, {p.rng.randint(1, 4)}, lambda k, cd: (lambda c, d: {body})(*cd), ({x}, {y}))[{p.rng.randrange(2)}]"


# Movement and updates in place are most of it.
OPS = [binary, elementwise, elementwise, reverse, transpose, reshape, broadcast, slice_, dynamic_slice,
       dynamic_update_slice, dynamic_update_slice, read_and_update, pad, concatenate, iota, iota_slice, reduce, reduce,
       normalize, windows, cumulative, sort, gather_or_scatter, loop]
# A scalar has neither dimensions to move nor rows.
OPS = [lambda p, x, shape, op=op: op(p, x, shape) if shape or op in (binary, elementwise, broadcast) else None
       for op in OPS]


def make(seed):
    return Builder(seed).program


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_random_programs(first):
    check(make, range(first, first + 40), CLOSE)


@pytest.mark.full
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_more_random_programs(first):
    check(make, range(first, first + 100), CLOSE)
