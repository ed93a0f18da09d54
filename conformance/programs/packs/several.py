# SPDX-License-Identifier: Apache-2.0
"""Collective ops among several devices: every type, every form of groups and every id mode.

A device is known by its place in the device assignment, replica by replica; what NumPy computes here
follows the specification's definition of each op over lists of such places.
"""

import numpy as np

from element_types import (ALL, F32, NARROW, PRED, S32,
                           ElementType, small_integers)
from elementwise import signature
from movement import marked
from program import Op, Program, Result, main_of, tensor, tensor_of

CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"
GLOBAL = f"{CHANNEL}, use_global_device_ids"
ADD = "%z = stablehlo.add %x, %y : T"
# The version of StableHLO that has groups by mesh axes, and start and done of collectives.
NEWEST = ["1.17"]
PAIR, FOUR = [[0, 1]], [[0, 1], [2, 3]]


def module(replicas: int, partitions: int, text: str) -> str:
    return (f"module @several attributes {{mhlo.num_partitions = {partitions} : i32, "
            f"mhlo.num_replicas = {replicas} : i32}} {{\n{text}}}\n")


def dense(groups) -> str:
    """Shorter groups are padded with -1."""
    if not groups:
        return "replica_groups = dense<> : tensor<0x0xi64>"
    width = max(map(len, groups))
    rows = [group + [-1] * (width - len(group)) for group in groups]
    return f"replica_groups = dense<{rows}> : tensor<{len(rows)}x{width}xi64>"


def region(element: ElementType, line: str) -> str:
    scalar = tensor(element, ())
    return (f" ({{\n^bb0(%x: {scalar}, %y: {scalar}):\n{line.replace('T', scalar)}\n"
            f"stablehlo.return %z : {scalar}\n}})")


# What each op gives to each device: from the arrays of all, and the groups of their places.
def reduced(arrays, groups, combine=np.add):
    made = [None] * len(arrays)
    for group in groups:
        total = arrays[group[0]]
        for place in group[1:]:
            total = combine(total, arrays[place]).astype(total.dtype)
        for place in group:
            made[place] = total
    return made


def gathered(arrays, groups, dim):
    return {place: np.concatenate([arrays[p] for p in group], dim)
            for group in groups for place in group}


def scattered(arrays, groups, dim, combine=np.add):
    total = reduced(arrays, groups, combine)
    return {place: np.split(total[place], len(group), dim)[i]
            for group in groups for i, place in enumerate(group)}


def exchanged(arrays, groups, split, concat):
    return {place: np.concatenate([np.split(arrays[p], len(group), split)[i] for p in group], concat)
            for group in groups for i, place in enumerate(group)}


def sent(arrays, pairs):
    made = [np.zeros_like(a) for a in arrays]
    for source, target in pairs:
        made[target] = arrays[source]
    return made


def spread_out(arrays, groups):
    made = [np.zeros_like(a) for a in arrays]
    for group in groups:
        for place in group:
            made[place] = arrays[group[0]]
    return made


def one_op(name, op, arrays, values, attributes, shape=(1, 0), inner="", newest=False, before="",
           line=None, any_zero_sign=False):
    """A program of one collective. shape: replicas and partitions; 0 for as many as there are."""
    devices = len(arrays)
    replicas = shape[0]
    values = [np.ascontiguousarray(values[i]) for i in range(devices)]
    types = signature([arrays[0]], values[0])
    text = line or f'%r = "stablehlo.{op}"(%a0){inner} {{{attributes}}} : {types}'
    return Program(name, module(replicas, devices // replicas,
                                main_of([arrays[0]], [values[0]], text, before=before)),
                   arrays, [Result(v, any_zero_sign=any_zero_sign) for v in values],
                   devices=devices, versions=NEWEST if newest else None)


def started(op, arrays, values, attributes, inner=""):
    """The same op as a start and a done, with another computation between them."""
    kind, result = tensor_of(arrays[0]), tensor_of(values[0])
    line = f"""%s = "stablehlo.async_start"(%a0) ({{
^bb0(%b: {kind}):
%q = "stablehlo.{op}"(%b){inner} {{{attributes}}} : ({kind}) -> {result}
stablehlo.return %q : {result}
}}) : ({kind}) -> !stablehlo.future<{result}>
%n = stablehlo.negate %a0 : {kind}
%r = "stablehlo.async_done"(%s) : (!stablehlo.future<{result}>) -> {result}"""
    return one_op("form/async", op, arrays, values, attributes, newest=True, line=line)


def arrays_of(element, count, shape=(4, 3), moved=False):
    if moved and element not in NARROW:
        return [marked(element, shape, "several", i) for i in range(count)]
    limit = 1 if element in NARROW else 4
    return [small_integers(element, shape, "several", i, limit=limit) for i in range(count)]


def modes(lists, replicas, partitions, mode):
    """The groups of places that lists of ids mean."""
    if not lists:
        count = {"replica": replicas, "both": replicas, "partition": partitions}
        lists = [list(range(count.get(mode, replicas * partitions)))]
    if mode == "replica":
        return [[r * partitions + p for r in ids] for ids in lists for p in range(partitions)]
    if mode == "partition":
        return [[r * partitions + p for p in ids] for ids in lists for r in range(replicas)]
    if mode == "both":
        return [[r * partitions + p for p in range(partitions) for r in ids] for ids in lists]
    return lists


def mesh_groups(mesh: str, *axes: str) -> str:
    refs = ", ".join(f'#stablehlo.axis_ref<name = "{a}">' for a in axes)
    return f"replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @{mesh}, axes = [{refs}]>"


MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>\nsdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>\n'

# name, the attribute, its mode, replicas, the groups of places
BOTH_FORMS = [
    ("form/dense", dense(FOUR), "flat", 1, FOUR),
    ("form/strided", dense([[0, 2], [1, 3]]), "flat", 1, [[0, 2], [1, 3]]),
    ("form/turned", dense([[3, 1], [2, 0]]), "flat", 1, [[3, 1], [2, 0]]),
    ("form/all", dense([[2, 0, 3, 1]]), "flat", 1, [[2, 0, 3, 1]]),
    ("form/alone", dense([[0], [1], [2], [3]]), "flat", 1, [[0], [1], [2], [3]]),
    ("form/mesh_axis_x", mesh_groups("mesh", "x"), "mesh", 1, [[0, 2], [1, 3]]),
    ("form/mesh_axis_y", mesh_groups("mesh", "y"), "mesh", 1, [[0, 1], [2, 3]]),
    ("form/mesh_axes", mesh_groups("mesh", "x", "y"), "mesh", 1, [[0, 1, 2, 3]]),
    ("form/mesh_of_turned_devices", mesh_groups("turned", "x"), "mesh", 1, [[3, 2], [1, 0]]),
    ("mode/cross_replica", dense([[1, 0]]), "replica", 2, [[2, 0], [3, 1]]),
    ("mode/cross_replica_and_partition", dense([[0], [1]]), "both", 2, [[0, 1], [2, 3]]),
    ("mode/flattened_ids", dense([[0, 3], [2, 1]]), "flat", 2, [[0, 3], [2, 1]]),
]
ID_ATTRIBUTES = {"flat": GLOBAL, "mesh": GLOBAL, "both": CHANNEL, "partition": CHANNEL}


def formed(op, make, attributes="", inner="", shape=(4, 3), forms=BOTH_FORMS):
    for name, groups, mode, replicas, places in forms:
        arrays = arrays_of(S32, 4, shape)
        more = [groups] + [a for a in (attributes, ID_ATTRIBUTES.get(mode)) if a]
        yield one_op(name, op, arrays, make(arrays, places), ", ".join(more), (replicas, 0), inner,
                     newest=mode == "mesh", before=MESH if mode == "mesh" else "")


UNEQUAL = [("form/unequal", dense([[0, 1, 2], [3]]), "flat", 1, [[0, 1, 2], [3]]),
           ("form/padded", dense([[2], [3, 1, 0]]), "flat", 1, [[2], [3, 1, 0]])]
EMPTY = [("form/empty", dense([]), "replica", 4, [[0, 1, 2, 3]]),
         ("form/empty_of_replicas", dense([]), "replica", 2, [[0, 2], [1, 3]])]
# Ops that know replicas or partitions only.
SIMPLE_FORMS = [
    ("form/dense", dense(FOUR), "partition", 1, FOUR),
    ("form/turned", dense([[3, 1], [2, 0]]), "partition", 1, [[3, 1], [2, 0]]),
    ("form/alone", dense([[0], [1], [2], [3]]), "partition", 1, [[0], [1], [2], [3]]),
    ("form/replicas", dense([[0, 2], [1, 3]]), "replica", 4, [[0, 2], [1, 3]]),
    ("mode/cross_replica", dense([[1, 0]]), "replica", 2, [[2, 0], [3, 1]]),
    ("mode/cross_partition", dense([[1, 0]]), "partition", 2, [[1, 0], [3, 2]]),
]

REDUCTIONS = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
              "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def all_reduce(element: ElementType):
    arrays = arrays_of(element, 2)
    names = (["and", "or"] if element is PRED else ["maximum"] if element in NARROW else
             list(REDUCTIONS) if element is S32 else
             ["add", "multiply", "maximum", "minimum"] if element is F32 else ["add"])
    for name in names:
        line = ADD.replace("add", name)
        yield one_op(element.name if name == names[0] else f"{element.name}/{name}", "all_reduce",
                     arrays, reduced(arrays, PAIR, REDUCTIONS[name]), f"{dense(PAIR)}, {GLOBAL}",
                     inner=region(element, line), any_zero_sign=True)
    if element is not S32:
        return
    plus = region(S32, ADD)
    yield from formed("all_reduce", reduced, inner=plus, forms=BOTH_FORMS + UNEQUAL + EMPTY)
    # x + y + xy: any region will do.
    line = "%p = stablehlo.multiply %x, %y : T\n%s = stablehlo.add %x, %y : T\n%z = stablehlo.add %p, %s : T"
    four = arrays_of(S32, 4)
    yield one_op("form/region", "all_reduce", four,
                 reduced(four, [[0, 1, 2, 3]], lambda x, y: x + y + x * y),
                 f"{dense([[0, 1, 2, 3]])}, {GLOBAL}", inner=region(S32, line))
    values = reduced(arrays, PAIR)
    yield started("all_reduce", arrays, values, f"{dense(PAIR)}, {GLOBAL}", plus)
    # Two arrays of other shapes in one op.
    first, second = arrays_of(S32, 2, (5,)), arrays_of(S32, 2, (2, 3))
    body = (f'%r:2 = "stablehlo.all_reduce"(%a0, %a1){plus} {{{dense(PAIR)}, {GLOBAL}}} : '
            f"({tensor_of(first[0])}, {tensor_of(second[0])}) -> "
            f"({tensor_of(first[0])}, {tensor_of(second[0])})")
    one, two = reduced(first, PAIR), reduced(second, PAIR)
    yield Program("form/variadic", module(1, 2, main_of([first[0], second[0]], [one[0], two[0]],
                                                        body, "%r#0, %r#1")),
                  [first[0], second[0], first[1], second[1]],
                  [Result(v) for v in (one[0], two[0], one[1], two[1])], devices=2)
    # In a loop of three turns, each on the sum of the last, and on one side of a branch.
    value = arrays
    for _ in range(3):
        value = reduced(value, PAIR)
    kind = tensor_of(arrays[0])
    loop = f"""%zero = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%three = stablehlo.constant dense<3> : tensor<i32>
%w:2 = stablehlo.while(%i = %zero, %v = %a0) : tensor<i32>, {kind}
cond {{
%c = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c : tensor<i1>
}} do {{
%n = stablehlo.add %i, %one : tensor<i32>
%s = "stablehlo.all_reduce"(%v){plus} {{{dense(PAIR)}, {GLOBAL}}} : ({kind}) -> {kind}
stablehlo.return %n, %s : tensor<i32>, {kind}
}}
%r = stablehlo.negate %w#1 : {kind}"""
    yield one_op("form/in_a_loop", "all_reduce", arrays, [-v for v in value], "", line=loop)
    large = [np.arange(70001, dtype=np.int32) % 13 * (i + 1) for i in range(4)]
    yield one_op("form/large", "all_reduce", large, reduced(large, FOUR), f"{dense(FOUR)}, {GLOBAL}",
                 inner=plus)


def all_gather(element: ElementType):
    arrays = arrays_of(element, 2, moved=True)
    for dim in (0, 1) if element in (F32, S32) else (0,):
        yield one_op(element.name if dim == 0 else f"{element.name}/dimension_{dim}", "all_gather",
                     arrays, gathered(arrays, PAIR, dim),
                     f"all_gather_dim = {dim} : i64, {dense(PAIR)}, {GLOBAL}")
    if element is not S32:
        return
    along = "all_gather_dim = 1 : i64"
    yield from formed("all_gather", lambda a, g: gathered(a, g, 1), along, forms=BOTH_FORMS + EMPTY)
    yield started("all_gather", arrays, gathered(arrays, PAIR, 0),
                  f"all_gather_dim = 0 : i64, {dense(PAIR)}, {GLOBAL}")


def reduce_scatter(element: ElementType):
    arrays = arrays_of(element, 2)
    name, combine = (("or", np.bitwise_or) if element is PRED else
                     ("maximum", np.maximum) if element in NARROW else ("add", np.add))
    plus = region(element, ADD.replace("add", name))
    yield one_op(element.name, "reduce_scatter", arrays, scattered(arrays, PAIR, 0, combine),
                 f"scatter_dimension = 0 : i64, {dense(PAIR)}, {GLOBAL}", inner=plus,
                 any_zero_sign=True)
    if element is not S32:
        return
    yield from formed("reduce_scatter", lambda a, g: scattered(a, g, 1), "scatter_dimension = 1 : i64",
                      plus, (3, 8), BOTH_FORMS)
    yield started("reduce_scatter", arrays, scattered(arrays, PAIR, 0),
                  f"scatter_dimension = 0 : i64, {dense(PAIR)}, {GLOBAL}", plus)


def all_to_all(element: ElementType):
    arrays = arrays_of(element, 2, (4, 6), moved=True)
    for split, concat in ((0, 1), (1, 0), (1, 1)) if element in (F32, S32) else ((0, 1),):
        name = element.name if (split, concat) == (0, 1) else f"{element.name}/from_{split}_to_{concat}"
        yield one_op(name, "all_to_all", arrays, exchanged(arrays, PAIR, split, concat),
                     f"split_dimension = {split} : i64, concat_dimension = {concat} : i64, "
                     f"split_count = 2 : i64, {dense(PAIR)}, {CHANNEL}")
    if element is not S32:
        return
    for form in SIMPLE_FORMS:
        count = len(form[4][0])
        yield from formed("all_to_all", lambda a, g: exchanged(a, g, 1, 0),
                          "split_dimension = 1 : i64, concat_dimension = 0 : i64, "
                          f"split_count = {count} : i64", shape=(4, 8), forms=[form])
    yield started("all_to_all", arrays, exchanged(arrays, PAIR, 0, 1),
                  "split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, "
                  f"{dense(PAIR)}, {CHANNEL}")


def pairs_of(pairs) -> str:
    return f"source_target_pairs = dense<{[list(p) for p in pairs]}> : tensor<{len(pairs)}x2xi64>"


def collective_permute(element: ElementType):
    arrays = arrays_of(element, 2, moved=True)
    swap = [(0, 1), (1, 0)]
    yield one_op(element.name, "collective_permute", arrays, sent(arrays, swap),
                 f"{pairs_of(swap)}, {CHANNEL}")
    if element is not S32:
        return
    four = arrays_of(S32, 4)
    for name, pairs in {"ring": [(0, 1), (1, 2), (2, 3), (3, 0)], "shifted": [(0, 1), (1, 2), (2, 3)],
                        "one": [(3, 1)], "to_itself": [(2, 2), (0, 3)]}.items():
        yield one_op(f"form/{name}", "collective_permute", four, sent(four, pairs),
                     f"{pairs_of(pairs)}, {CHANNEL}")
    yield one_op("form/none", "collective_permute", four, sent(four, []),
                 f"source_target_pairs = dense<> : tensor<0x2xi64>, {CHANNEL}")
    yield one_op("mode/cross_replica", "collective_permute", four, sent(four, [(0, 2), (1, 3)]),
                 pairs_of([(0, 1)]), (2, 0))
    yield one_op("mode/cross_partition", "collective_permute", four, sent(four, [(1, 0), (3, 2)]),
                 f"{pairs_of([(1, 0)])}, {CHANNEL}", (2, 0))
    yield started("collective_permute", arrays, sent(arrays, swap), f"{pairs_of(swap)}, {CHANNEL}")


def collective_broadcast(element: ElementType):
    arrays = arrays_of(element, 2, moved=True)
    turned = [[1, 0]]
    yield one_op(element.name, "collective_broadcast", arrays, spread_out(arrays, turned),
                 f"{dense(turned)}, {CHANNEL}")
    if element is not S32:
        return
    yield from formed("collective_broadcast", spread_out, forms=SIMPLE_FORMS + [
        ("form/some", dense([[2, 1]]), "partition", 1, [[2, 1]])])
    yield started("collective_broadcast", arrays, spread_out(arrays, turned),
                  f"{dense(turned)}, {CHANNEL}")


def numbers(name):
    """Which replica, which partition."""
    def make(_):
        for replicas, partitions in ((1, 2), (2, 1), (2, 2), (4, 1), (1, 4)):
            count = replicas * partitions
            values = [np.array(i // partitions if name == "replica_id" else i % partitions, np.uint32)
                      for i in range(count)]
            text = module(replicas, partitions,
                          main_of([], [values[0]], f"%r = stablehlo.{name} : tensor<ui32>"))
            yield Program(f"{replicas}x{partitions}", text, [], [Result(v) for v in values],
                          devices=count)
    return Op(name, [S32], make, "devices")


# Programs for the launches of conformance/cases/launches.cc, of two devices where nothing is said.
def alone(name, body, arguments, results, before="", partitions=2):
    text = main_of(arguments, results, body, before=before)
    return Program(name, module(1, partitions, text), [], [], devices=partitions)


def launches(_):
    x = np.zeros(4, np.float32)
    kind = tensor_of(x)
    plus, top = region(F32, ADD), region(F32, ADD.replace("add", "maximum"))

    def reduce(result, operand, inner=plus, places=PAIR):
        return (f'{result} = "stablehlo.all_reduce"({operand}){inner} {{{dense(places)}, {GLOBAL}}} '
                f": ({kind}) -> {kind}")

    yield alone("sum", reduce("%r", "%a0"), [x], [x])
    yield alone("largest", reduce("%r", "%a0", top), [x], [x])
    donating = alone("donating", f"{reduce('%s', '%a0')}\n%r = stablehlo.add %s, %a0 : {kind}", [x], [x])
    donating.text = donating.text.replace(f"%a0: {kind})", f"%a0: {kind} {{tf.aliasing_output = 0 : i32}})")
    yield donating
    where = f"""%p = stablehlo.partition_id : tensor<ui32>
%f = stablehlo.convert %p : (tensor<ui32>) -> tensor<f32>
%q = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> {kind}
%r = stablehlo.add %a0, %q : {kind}"""
    yield alone("place", where, [x], [x])
    yield alone("place_of_four", where, [x], [x], partitions=4)
    # Programs in which a device waits for another that never comes.
    own = "%p = stablehlo.partition_id : tensor<ui32>\n%i = stablehlo.convert %p : (tensor<ui32>) -> tensor<i32>\n"

    def case(first, second):
        return (f'{own}%r = "stablehlo.case"(%i) ({{\n{first}\nstablehlo.return %u : {kind}\n}}, {{\n'
                f"{second}\nstablehlo.return %v : {kind}\n}}) : (tensor<i32>) -> {kind}")

    yield alone("lost/has_ended", case(reduce("%u", "%a0"), f"%v = stablehlo.negate %a0 : {kind}"), [x], [x])
    yield alone("lost/is_elsewhere", case(reduce("%u", "%a0"), reduce("%v", "%a0", top)), [x], [x])
    yield alone("lost/permute", case(
        f'%u = "stablehlo.collective_permute"(%a0) {{{pairs_of([(0, 1), (1, 0)])}, {CHANNEL}}} : '
        f"({kind}) -> {kind}", f"%v = stablehlo.negate %a0 : {kind}"), [x], [x])
    yield alone("lost/more_turns", f"""{own}%zero = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%last = stablehlo.add %i, %one : tensor<i32>
%w:2 = stablehlo.while(%n = %zero, %v = %a0) : tensor<i32>, {kind}
cond {{
%c = stablehlo.compare LT, %n, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c : tensor<i1>
}} do {{
%m = stablehlo.add %n, %one : tensor<i32>
{reduce("%s", "%v")}
stablehlo.return %m, %s : tensor<i32>, {kind}
}}
%r = stablehlo.negate %w#1 : {kind}""", [x], [x])


MOVED = ALL + NARROW
ROWS = [
    Op("all_reduce", ALL + NARROW, all_reduce, "devices"),
    Op("all_gather", MOVED, all_gather, "devices"),
    Op("reduce_scatter", ALL + NARROW, reduce_scatter, "devices"),
    Op("all_to_all", MOVED, all_to_all, "devices"),
    Op("collective_permute", MOVED, collective_permute, "devices"),
    Op("collective_broadcast", MOVED, collective_broadcast, "devices"),
    numbers("partition_id"),
    numbers("replica_id"),
    Op("launch", [F32], launches, "launches"),
]
