# SPDX-License-Identifier: Apache-2.0
"""Random programs: loops and branches inside of each other, several updates of one array, many types, donated arguments
that are also returned; with arrays of a few elements, or of more than one tile and for more than one thread.

Integers wrap, and floats are whole numbers below 2^24 (float16: 2^11), so that results are equal to the last bit.
"""

import collections
import random
import re

import jax
import numpy as np
import pytest

import backends
from compare import Tolerance
from random_program import NAMESPACE, Program, check

EQUAL = Tolerance(zero_sign=False)
DTYPES = ("float32", "float32", "int32", "int32", "uint8", "uint32", "int16", "int64", "float16", "bool")
BOUNDS = {"float32": 97, "float16": 31}  # what floats are kept below
MOST_DIMENSIONS, MOST_DEPTH, MOST_TURNS = 4, 3, 200

Type = collections.namedtuple("Type", "shape dtype")
# Sizes of dimensions; elements of an argument, and of any value.
SizeClass = collections.namedtuple("SizeClass", "sizes least most_of_argument most")
SMALL = SizeClass((1, 2, 3, 4, 5), 1, 125, 300)
LARGE = SizeClass((1, 1, 2, 3, 8, 17, 64, 130, 700, 3000), 500, 60_000, 120_000)

INDEX = Type((), "int32")


class Builder:
    """A program whose arguments are a0, a1, ... and an index i, and whose other values have numbers of their own."""

    def __init__(self, seed, size_class):
        self.rng, self.size_class, self.names = random.Random(seed), size_class, 0
        arguments = {f"a{n}": self.argument() for n in range(self.rng.randint(1, 3))}
        body = Scope(self, arguments | {"i": INDEX})
        body.add_lines(self.rng.randint(3, 12))
        computed = [name for name in body.types if name not in arguments and name != "i"]
        outputs = ([name for name in computed if self.rng.random() < 0.5] or computed[-1:])
        outputs += [name for name in arguments if self.rng.random() < 0.3] or ["i"]
        if self.rng.random() < 0.2:
            outputs.append(self.rng.choice(outputs))
        text = "\n".join(definition("program", body.parameters, body.lines, f"[{', '.join(outputs)}]"))
        values = np.random.default_rng(seed)
        inputs = [values.integers(-5, 6, shape).astype(dtype) for shape, dtype in arguments.values()]
        inputs.append(np.int32(values.integers(0, 4)))
        donated = tuple(n for n in range(len(arguments)) if self.rng.random() < 0.6)
        self.program = Program(text, inputs, donated)

    def argument(self):
        limits = self.size_class
        while True:
            shape = tuple(self.rng.choice(limits.sizes) for _ in range(self.rng.choice([0, 1, 2, 2, 3, 3])))
            if limits.least <= np.prod(shape) <= limits.most_of_argument or not shape:
                return Type(shape, self.rng.choice(DTYPES))

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"


class Scope:
    """The body of a function: its lines, and the types of the values that they can use, by name."""

    def __init__(self, builder, parameters, outer=(), depth=0, turns=1):
        self.builder, self.rng, self.depth, self.turns = builder, builder.rng, depth, turns
        self.parameters, self.lines = list(parameters), []
        self.types = dict(outer) | parameters

    def add_lines(self, count):
        for _ in range(count):
            op, suits = self.rng.choice(OPS)
            names = list(self.types)[-6:] if self.rng.random() < 0.6 else list(self.types)
            names = [name for name in names if suits(self.types[name])]
            if names:
                x = self.rng.choice(names)
                op(self, x, self.types[x])

    def inner(self, values=(), turns=1):
        """The body of a function that takes such values, which also sees i and some of the values of this one."""
        outer = {name: type_ for name, type_ in self.types.items() if name == "i" or self.rng.random() < 0.4}
        parameters = {self.builder.fresh("p"): self.types.get(value, value) for value in values}
        return Scope(self.builder, parameters, outer, self.depth + 1, self.turns * turns)

    def add_function(self, letter, scope, result):
        name = self.builder.fresh(letter)
        self.lines += definition(name, scope.parameters, scope.lines, result)
        return name

    def define(self, expression):
        """The name of a value, or names of a tuple's, defined as that; none if it is too large."""
        used = {name: jax.ShapeDtypeStruct(*type_) for name, type_ in self.types.items()
                if re.search(rf"\b{name}\b", expression)}
        found = jax.eval_shape(eval(f"lambda {', '.join(used)}: {expression}", dict(NAMESPACE)), *used.values())
        types = [Type(value.shape, value.dtype.name) for value in jax.tree.leaves(found)]
        if any(np.prod(shape) > self.builder.size_class.most or len(shape) > MOST_DIMENSIONS for shape, _ in types):
            return None
        if isinstance(found, (list, tuple)):
            return self.assign(types, expression)
        return self.assign(types, expression, "{0}")[0]

    def assign(self, types, expression, targets=None):
        names = [self.builder.fresh("v") for _ in types]
        self.lines.append(f"{targets.format(*names) if targets else listed(names)} = {expression}")
        self.types |= zip(names, types)
        return names

    def bounded(self, expression, dtype):
        return f"lax.rem({expression}, np.{dtype}({BOUNDS[dtype]}))" if dtype in BOUNDS else expression

    def some(self, suits=lambda type_: True):
        return self.rng.choice([name for name, type_ in self.types.items() if suits(type_)])

    def like(self, x):
        return self.some(lambda type_: type_ == self.types[x])

    def of_type(self, wanted):
        """An expression of that type, mostly a recent value."""
        same = [name for name, type_ in self.types.items() if type_ == wanted][-3:]
        if same and self.rng.random() < 0.85:
            return self.rng.choice(same)
        x = self.some()
        shape, dtype = self.types[x]
        return converted(x if shape == wanted.shape else f"jnp.resize({x}, {wanted.shape})", dtype, wanted.dtype)

    def results(self, types):
        """Expressions to return, some of which may have changed places."""
        found = [self.of_type(type_) for type_ in types]
        for a in range(1, len(found)):
            if types[a] == types[a - 1] and self.rng.random() < 0.3:
                found[a - 1], found[a] = found[a], found[a - 1]
        return listed(found)

    def index(self, size):
        """A scalar that may lie out of range."""
        x = self.some()
        at = self.rng.randrange(int(np.prod(self.types[x].shape)))
        return self.rng.choice([
            f"jnp.int32({self.rng.randint(-2, size + 1)})",
            f"{self.some(lambda type_: type_ == INDEX)} + {self.rng.randint(-2, 2)}",
            f"{x}.reshape(-1)[{at}].astype(jnp.int32) % {size + 3} - 1"])

    def starts(self, shape):
        return listed([self.index(size) for size in shape])

    def part(self, shape):
        return tuple(self.rng.randint(1, size) for size in shape)

    def axis(self, shape):
        return self.rng.randrange(len(shape))

    def axes(self, shape):
        return tuple(d for d in range(len(shape)) if self.rng.random() < 0.6)

    def rows(self, shape, count):
        """Numbers of rows, which may lie out of range."""
        return f"{self.of_type(Type((count,), 'int32'))} % {shape[0] + 2} - 1"

    def fold(self, dtype):
        return self.rng.choice(["max", "min"] if dtype == "float16" else ["add", "add", "max", "min"])


def listed(names):
    return "(" + "".join(f"{name}, " for name in names) + ")"


def definition(name, parameters, lines, result):
    return [f"def {name}({', '.join(parameters)}):", *(f"    {line}" for line in [*lines, f"return {result}"])]


def converted(x, dtype, to):
    if to in BOUNDS and dtype not in ("bool", "uint8"):
        x = f"lax.rem({x}, np.{dtype}({BOUNDS[to]}))"
    elif dtype in BOUNDS and to.startswith("u"):
        x = f"abs({x})"
    return x if dtype == to else f"{x}.astype(jnp.{to})"


# What an op takes.
anything = lambda type_: True
array = lambda type_: bool(type_.shape)
number = lambda type_: type_.dtype != "bool"
numbers = lambda type_: number(type_) and array(type_)
integer = lambda type_: number(type_) and type_.dtype not in BOUNDS


# Ops on values of any type.


def select(s, x, type_):
    y = s.like(x)
    s.define(f"jnp.where({s.rng.choice([f'{x} > {y}', f'{x} == {s.like(x)}', f'jnp.max({x}) > {y}'])}, {x}, {y})")


def move(s, x, type_):
    shape, rank = type_.shape, len(type_.shape)
    count = int(np.prod(shape))
    first = s.rng.choice([d for d in range(1, count + 1) if count % d == 0])
    s.define(s.rng.choice([
        f"lax.rev({x}, {s.axes(shape)})",
        f"lax.transpose({x}, {tuple(s.rng.sample(range(rank), rank))})",
        f"{x}.reshape({first}, {count // first})",
        f"jnp.broadcast_to({x}[None], {(s.rng.randint(1, 3), *shape)})",
        f"jnp.broadcast_to({x}[..., None], {(*shape, s.rng.randint(1, 3))})",
        f"lax.dynamic_slice({x}, {s.starts(shape)}, {s.part(shape)})",
        f"lax.pad({x}, np.{type_.dtype}(1), {[tuple(s.rng.choices((0, 0, 1), k=3)) for _ in shape]})",
    ]))


def concatenate(s, x, type_):
    axis = s.axis(type_.shape)
    parts = [s.some(lambda other: other.dtype == type_.dtype and len(other.shape) == len(type_.shape)
                    and all(d == axis or a == b for d, (a, b) in enumerate(zip(other.shape, type_.shape))))
             for _ in range(s.rng.randint(1, 3))]
    s.define(f"lax.concatenate([{', '.join(parts)}, {x}], {axis})")


def update(s, x, type_):
    sizes = s.part(type_.shape)
    s.define(f"lax.dynamic_update_slice({x}, {s.of_type(Type(sizes, type_.dtype))}, {s.starts(type_.shape)})")


def updates(s, x, type_):
    """Several updates of one array, in between of which parts are read."""
    sizes, places = s.part(type_.shape), [s.starts(type_.shape) for _ in range(3)]
    part = s.define(f"lax.dynamic_slice({x}, {places[0]}, {sizes})")
    once = s.define(f"lax.dynamic_update_slice({x}, lax.rev({part}, (0,)), {places[1]})")
    again = s.define(f"lax.dynamic_slice({once}, {s.rng.choice(places)}, {sizes})")
    s.define(f"lax.dynamic_update_slice({once}, {again}, {places[2]})")


def swap(s, x, type_):
    sizes, here, there = s.part(type_.shape), s.starts(type_.shape), s.starts(type_.shape)
    first, second = (s.define(f"lax.dynamic_slice({x}, {at}, {sizes})") for at in (here, there))
    s.define(f"lax.dynamic_update_slice(lax.dynamic_update_slice({x}, {second}, {here}), {first}, {there})")


def update_reshaped(s, x, type_):
    count = int(np.prod(type_.shape))
    rows = s.rng.choice([d for d in range(1, count + 1) if count % d == 0])
    view = s.define(f"{x}.reshape({rows}, {count // rows})")
    if view:
        new = s.define(f"lax.dynamic_update_slice({view}, lax.rev({view}[:1], (1,)), ({s.index(rows)}, jnp.int32(0)))")
        s.define(f"{new}.reshape({type_.shape})")


def gather(s, x, type_):
    axis = s.axis(type_.shape)
    rows = s.rows(type_.shape[axis:], s.rng.randint(1, 4))
    s.define(f"jnp.take({x}, {rows}, axis={axis}, mode='{s.rng.choice(['clip', 'wrap', 'fill'])}', fill_value=1)")


def scatter(s, x, type_):
    count, mode = s.rng.randint(1, 4), s.rng.choice(["drop", "clip"])
    if type_.dtype == "bool" or s.rng.random() < 0.3:
        row = s.of_type(Type(type_.shape[1:], type_.dtype))
        return s.define(f"{x}.at[{s.index(type_.shape[0])}].set({row}, mode='{mode}')")
    values = s.of_type(Type((count, *type_.shape[1:]), type_.dtype))
    method = s.rng.choice(["add", "max", "min"])
    s.define(s.bounded(f"{x}.at[{s.rows(type_.shape, count)}].{method}({values}, mode='{mode}')", type_.dtype))


def sort(s, x, type_):
    axis = s.axis(type_.shape)
    s.define(s.rng.choice([
        f"lax.sort({x}, dimension={axis})",
        f"tuple(lax.sort(({x}, {s.like(x)}), dimension={axis}, num_keys={s.rng.choice([1, 2])}))",
        f"jnp.argsort({x}, axis={axis}, descending={s.rng.random() < 0.4}).astype(jnp.int32)"]))


def barrier(s, x, type_):
    s.define(f"lax.optimization_barrier(({x}, {s.some()}))")


def convert(s, x, type_):
    s.define(converted(x, type_.dtype, s.rng.choice([dtype for dtype in DTYPES if dtype != type_.dtype])))


def logic(s, x, type_):
    y = s.like(x)
    bits = ["{0} & {1}", "{0} | {1}", "{0} ^ {1}", "~{0}"] if type_.dtype not in BOUNDS else []
    s.define(s.rng.choice([*bits, "{0} > {1}", "{0} != {1}"]).format(x, y))


# Ops on numbers.


def arithmetic(s, x, type_):
    y = s.like(x)
    s.define(s.bounded(s.rng.choice([
        f"{x} + {y}", f"{x} - {y}", f"{x} * {y}", f"lax.max({x}, {y})", f"{x} * 2 + 1", f"-{x}", f"lax.sign({x}) * 2",
        f"lax.clamp({s.of_type(Type((), type_.dtype))}, {x}, {s.of_type(Type((), type_.dtype))})",
        f"jax.jit(lambda a, b: a - b * 2)({x}, {y})"]), type_.dtype))


def initial(op, dtype):
    """What changes no other value: any other may be combined with the elements more or less often."""
    low, high = (-1000, 1000) if dtype in BOUNDS else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return f"np.{dtype}({ {'add': 0, 'max': low, 'min': high}[op]})"


def reduce(s, x, type_):
    op = s.fold(type_.dtype)
    s.define(s.bounded(f"lax.reduce({x}, {initial(op, type_.dtype)}, lax.{op}, {s.axes(type_.shape)})", type_.dtype))


LARGEST = "(a[0] > b[0]) | ((a[0] == b[0]) & (a[1] > b[1]))"


def reduce_two(s, x, type_):
    # Inside of loops the built-in compiler ends the process over some of these.
    if s.depth or type_.dtype not in ("float32", "int32"):
        return
    ops = s.fold(type_.dtype), s.fold(type_.dtype)
    combiner = f"(lax.{ops[0]}(a[0], b[0]), lax.{ops[1]}(a[1], b[1]))"
    if s.rng.random() < 0.3:
        ops, combiner = ("max", "max"), f"tuple(jnp.where({LARGEST}, p, q) for p, q in zip(a, b))"
    starts, axes = listed([initial(op, type_.dtype) for op in ops]), s.axes(type_.shape) or (0,)
    results = s.define(f"lax.reduce(({x}, {s.like(x)}), {starts}, lambda a, b: {combiner}, {axes})")
    for name in results if type_.dtype in BOUNDS else []:
        s.lines.append(f"{name} = {s.bounded(name, type_.dtype)}")


def windows(s, x, type_):
    window = [s.rng.randint(1, 3) for _ in type_.shape]
    padding = [(s.rng.randint(0, w - 1) + max(0, w - size), s.rng.randint(0, w - 1)) for w, size in zip(window, type_.shape)]
    op = s.fold(type_.dtype)
    start, strides = initial(op, type_.dtype), [s.rng.randint(1, 2) for _ in type_.shape]
    s.define(s.bounded(f"lax.reduce_window({x}, {start}, lax.{op}, {window}, {strides}, {padding})", type_.dtype))


def cumulative(s, x, type_):
    op = "cummax" if s.fold(type_.dtype) != "add" else "cumsum"
    s.define(s.bounded(f"lax.{op}({x}, axis={s.axis(type_.shape)}, reverse={s.rng.random() < 0.5})", type_.dtype))


def arg_reduce(s, x, type_):
    s.define(f"jnp.{s.rng.choice(['argmax', 'argmin'])}({x}, axis={s.axis(type_.shape)}).astype(jnp.int32)")


def top_k(s, x, type_):
    s.define(f"tuple(lax.top_k({x}, {s.rng.randint(1, min(8, type_.shape[-1]))}))")


def bitcast(s, x, type_):
    size, last = np.dtype(type_.dtype).itemsize, (type_.shape or (1,))[-1]
    to = [dtype for dtype in ("uint8", "int16", "int32", "uint32", "int64")
          if np.dtype(dtype).itemsize <= size or np.dtype(dtype).itemsize == size * last]
    s.define(f"lax.bitcast_convert_type({x}, jnp.{s.rng.choice(to)})")


# Control flow.


def loop(s, x, type_):
    carries = [x, *(s.some() for _ in range(s.rng.randint(0, 2)))]
    types = [s.types[name] for name in carries]
    body = s.inner([INDEX, *carries], turns=3)
    body.add_lines(s.rng.randint(1, 4))
    body = s.add_function("body", body, body.results(types))
    turns = s.rng.choice(["0", "1", "2", "3", "3", "i % 4"])
    function = f"lambda k, c: {body}(jnp.int32(k), *c)"
    s.assign(types, f"lax.fori_loop(jnp.int32(0), jnp.int32({turns}), {function}, {listed(carries)})")


def while_loop(s, x, type_):
    """Goes on as long as a value allows that its body changes."""
    carries = [x, *(s.some() for _ in range(s.rng.randint(0, 2)))]
    types = [s.types[name] for name in carries]
    more, body = s.inner([INDEX, *carries]), s.inner([INDEX, *carries], turns=4)
    turn, first, last = more.parameters[0], more.parameters[1], more.parameters[-1]
    condition = s.rng.choice([
        "True", f"(jnp.max({first}).astype(jnp.int32) % 7 != 3)", f"jnp.any({first} != {s.like(x)})",
        f"(jnp.max({last}).astype(jnp.int32) <= jnp.max({more.some()}).astype(jnp.int32) + 3)"])
    more = s.add_function("more", more, f"({turn} < {s.rng.randint(1, 4)}) & {condition}")
    body.add_lines(s.rng.randint(1, 4))
    body = s.add_function("body", body, f"({body.parameters[0]} + 1, {body.results(types)[1:]}")
    functions = f"lambda c: {more}(*c), lambda c: {body}(*c)"
    s.assign([INDEX, *types], f"lax.while_loop({functions}, {listed(['jnp.int32(0)', *carries])})")


def scan(s, x, type_):
    """Over the rows of x."""
    count, *row = type_.shape
    if count * s.turns > MOST_TURNS:
        return
    carries = [s.some() for _ in range(s.rng.randint(1, 3))]
    types = [s.types[name] for name in carries]
    body = s.inner([Type(tuple(row), type_.dtype), *carries], turns=count)
    body.add_lines(s.rng.randint(1, 4))
    y = body.some(lambda of_y: np.prod(of_y.shape) * count <= s.builder.size_class.most
                  and len(of_y.shape) < MOST_DIMENSIONS)
    of_y = body.types[y]
    body = s.add_function("body", body, f"{body.results(types)}, {y}")
    targets = listed([f"{{{n}}}" for n in range(len(types))]) + f", {{{len(types)}}}"
    s.assign([*types, Type((count, *of_y.shape), of_y.dtype)],
             f"lax.scan(lambda c, x: {body}(x, *c), {listed(carries)}, {x}, reverse={s.rng.random() < 0.4})", targets)


def branches(s, x, type_):
    """Some branches return what lies outside of them, as it is."""
    outputs = [x, *(s.some() for _ in range(s.rng.randint(0, 2)))]
    types = [s.types[name] for name in outputs]
    passed = [s.some() for _ in range(s.rng.randint(0, 2))]
    names = []
    for _ in range(s.rng.randint(1, 4)):
        branch = s.inner(passed)
        if s.rng.random() < 0.25:
            result = listed(outputs)
        else:
            branch.add_lines(s.rng.randint(0, 4))
            result = branch.results(types)
        names.append(s.add_function("branch", branch, result))
    operands = "".join(f", {name}" for name in passed)
    if len(names) == 2 and s.rng.random() < 0.7:
        s.assign(types, f"lax.cond({s.index(3)} > 0, {', '.join(names)}{operands})")
    else:
        s.assign(types, f"lax.switch({s.index(len(names))}, [{', '.join(names)}]{operands})")


def nested(op, suits):
    return lambda s, x, type_: op(s, x, type_) if s.depth < MOST_DEPTH and s.turns <= MOST_TURNS else None, suits


# An op, and the types that it takes; updates in place and control flow are most of it.
OPS = [(select, anything), (move, anything), (move, anything), (barrier, anything), (convert, anything), (logic, anything),
       (concatenate, array), (update, array), (update, array), (updates, array), (updates, array), (swap, array),
       (update_reshaped, anything), (gather, array), (scatter, array), (scatter, array), (sort, array),
       (arithmetic, number), (arithmetic, number), (reduce, number), (reduce_two, numbers), (windows, numbers),
       (cumulative, numbers), (arg_reduce, numbers), (top_k, numbers), (bitcast, integer),
       nested(loop, anything), nested(loop, anything), nested(while_loop, anything), nested(scan, array),
       nested(branches, anything), nested(branches, anything)]


def options(seed):
    return [backends.plugin_options()] + ([backends.unoptimized_options()] if seed % 2 else [])


def make(seed):
    return Builder(seed, LARGE if seed % 4 > 1 else SMALL).program


@pytest.mark.parametrize("first", range(0, 40, 20))
def test_random_control_flow(first):
    check(make, range(first, first + 20), EQUAL, options)


@pytest.mark.full
@pytest.mark.parametrize("first", range(1000, 2000, 50))
def test_more_random_control_flow(first):
    check(make, range(first, first + 50), EQUAL, options)
