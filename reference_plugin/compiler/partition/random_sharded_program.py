# SPDX-License-Identifier: Apache-2.0
"""Random programs in StableHLO text with random shardings over random meshes.

All numbers are small integers, so what a partitioned program computes is exact.
"""

import math
import random
import re

MESHES = [(2,), (4,), (8,), (2, 2), (2, 4), (2, 2, 2)]
AXES = "xyz"


class Program:
  """Values by name, with their shapes; ops are added one after another."""

  def __init__(self, seed: int, several_meshes: bool = False):
    self.random = random.Random(seed)
    self.meshes = [self.random.choice(MESHES)]
    if several_meshes:
      devices = math.prod(self.meshes[0])
      self.meshes.append(self.random.choice(
          [mesh for mesh in MESHES if math.prod(mesh) == devices]))
    self.lines, self.values, self.arguments = [], [], []
    self.every = []  # with those that are too large to go on with
    self.number = 0

  def type(self, shape) -> str:
    return "tensor<" + "".join(f"{dim}x" for dim in shape) + "i32>"

  def add(self, shape, text: str) -> str:
    name = f"%{self.number}"
    self.number += 1
    self.lines.append(f"    {name} = {text}")
    self.keep(name, shape)
    return name

  def keep(self, name: str, shape):
    self.values.append((name, tuple(shape)))
    self.every.append((name, tuple(shape)))

  def pick(self, condition=lambda shape: True):
    known = [value for value in self.values if condition(value[1])]
    # The latest first, so that graphs are deep.
    return self.random.choice(known[-6:]) if known else None

  def sharding(self, shape, closed: bool) -> str:
    """Axes in random dimensions that they divide, sometimes in part."""
    number = self.random.randrange(len(self.meshes)) if len(self.meshes) > 1 else 0
    mesh = self.meshes[number]
    axes = list(range(len(mesh)))
    self.random.shuffle(axes)
    dims = [[] for _ in shape]
    sizes = list(shape)
    for axis in axes:
      if not shape or self.random.random() < 0.3:
        continue
      dim = self.random.randrange(len(shape))
      size = mesh[axis]
      text = f'"{AXES[axis]}"'
      if size > 2 and self.random.random() < 0.15:
        text, size = f'{text}:(1)2', 2
      if sizes[dim] % size == 0 and sizes[dim] > 0:
        sizes[dim] //= size
        dims[dim].append(text)
    texts = []
    for axes_of_dim in dims:
      parts = list(axes_of_dim)
      if not closed and self.random.random() < 0.5:
        parts.append("?")
      texts.append("{" + ", ".join(parts) + "}")
    return f"<@mesh{number or ''}, [{', '.join(texts)}]>"

  def mesh_ops(self) -> str:
    lines = []
    for number, mesh in enumerate(self.meshes):
      axes = ", ".join(f'"{AXES[i]}"={size}' for i, size in enumerate(mesh))
      lines.append(f"  sdy.mesh @mesh{number or ''} = <[{axes}]>")
    return "\n".join(lines)

  # --- Ops.

  def shape(self):
    rank = self.random.choice([1, 2, 2, 2, 3])
    return tuple(self.random.choice([2, 4, 8, 8, 16, 3]) for _ in range(rank))

  def elementwise(self):
    name, shape = self.pick()
    other = self.pick(lambda s: s == shape)[0]
    op = self.random.choice(["add", "subtract", "maximum", "minimum"])
    self.add(shape, f"stablehlo.{op} {name}, {other} : {self.type(shape)}")

  def negate(self):
    name, shape = self.pick()
    self.add(shape, f"stablehlo.negate {name} : {self.type(shape)}")

  def with_constant(self):
    name, shape = self.pick()
    value = self.random.randrange(-2, 3)
    constant = self.add(shape, f"stablehlo.constant dense<{value}> : {self.type(shape)}")
    self.add(shape, f"stablehlo.add {name}, {constant} : {self.type(shape)}")

  def iota(self):
    name, shape = self.pick(lambda s: s)
    dim = self.random.randrange(len(shape))
    iota = self.add(shape, f"stablehlo.iota dim = {dim} : {self.type(shape)}")
    self.add(shape, f"stablehlo.add {name}, {iota} : {self.type(shape)}")

  def select(self):
    name, shape = self.pick()
    other = self.pick(lambda s: s == shape)[0]
    pred = self.type(shape).replace("i32", "i1")
    flag = f"%p{self.number}"
    self.lines.append(f"    {flag} = stablehlo.compare LT, {name}, {other} : "
                      f"({self.type(shape)}, {self.type(shape)}) -> {pred}")
    self.add(shape, f"stablehlo.select {flag}, {name}, {other} : {pred}, {self.type(shape)}")

  def transpose(self):
    name, shape = self.pick(lambda s: len(s) > 1)
    order = list(range(len(shape)))
    self.random.shuffle(order)
    result = tuple(shape[dim] for dim in order)
    self.add(result, f"stablehlo.transpose {name}, dims = {order} : "
             f"({self.type(shape)}) -> {self.type(result)}")

  def reshape(self):
    name, shape = self.pick(lambda s: s)
    count = math.prod(shape)
    result, rest = [], count
    for _ in range(self.random.randrange(0, 3)):
      divisors = [d for d in (1, 2, 3, 4, 6, 8, 16) if rest % d == 0]
      result.append(self.random.choice(divisors))
      rest //= result[-1]
    result.insert(self.random.randrange(len(result) + 1), rest)
    self.add(result, f"stablehlo.reshape {name} : ({self.type(shape)}) -> {self.type(result)}")

  def broadcast(self):
    name, shape = self.pick(lambda s: len(s) < 3)
    at = self.random.randrange(len(shape) + 1)
    size = self.random.choice([2, 4, 8])
    result = shape[:at] + (size,) + shape[at:]
    dims = [dim if dim < at else dim + 1 for dim in range(len(shape))]
    self.add(result, f"stablehlo.broadcast_in_dim {name}, dims = {dims} : "
             f"({self.type(shape)}) -> {self.type(result)}")

  def reduce(self):
    name, shape = self.pick(lambda s: s)
    dims = sorted(self.random.sample(range(len(shape)), self.random.randrange(1, len(shape) + 1)))
    result = tuple(size for dim, size in enumerate(shape) if dim not in dims)
    op, value = self.random.choice([("add", 0), ("add", 0), ("maximum", -7), ("add", 3)])
    init = f"%i{self.number}"
    self.lines.append(f"    {init} = stablehlo.constant dense<{value}> : tensor<i32>")
    self.add(result, f"stablehlo.reduce({name} init: {init}) applies stablehlo.{op} across "
             f"dimensions = {dims} : ({self.type(shape)}, tensor<i32>) -> {self.type(result)}")

  def dot(self):
    left, a = self.pick(lambda s: len(s) == 2) or (None, None)
    if left is None:
      return
    right = self.pick(lambda s: len(s) == 2 and s[0] == a[1])
    if right is None:
      shape = (a[1], self.random.choice([4, 8]))
      right = (self.argument(shape), shape)
    result = (a[0], right[1][1])
    product = self.add(result, f"stablehlo.dot_general {left}, {right[0]}, contracting_dims = "
                       f"[1] x [0] : ({self.type(a)}, {self.type(right[1])}) -> "
                       f"{self.type(result)}")
    # Numbers stay small.
    seven = f"%m{self.number}"
    self.lines.append(f"    {seven} = stablehlo.constant dense<7> : {self.type(result)}")
    self.add(result, f"stablehlo.remainder {product}, {seven} : {self.type(result)}")

  def slice(self):
    name, shape = self.pick(lambda s: s)
    bounds, result = [], []
    for size in shape:
      start = self.random.choice([0, 0, 1]) if size > 1 else 0
      limit = self.random.randrange(start + 1, size + 1) if start else size
      stride = self.random.choice([1, 1, 2])
      if self.random.random() < 0.6:
        start, limit, stride = 0, size, 1
      bounds.append(f"{start}:{limit}:{stride}")
      result.append(-(-(limit - start) // stride))
    self.add(result, f"stablehlo.slice {name} [{', '.join(bounds)}] : "
             f"({self.type(shape)}) -> {self.type(result)}")

  def pad(self):
    name, shape = self.pick(lambda s: s)
    low = [self.random.choice([0, 0, 1, size, -1]) if size > 1 else 0 for size in shape]
    high = [self.random.choice([0, 0, 1, 3]) if size > 1 else 0 for size in shape]
    between = [self.random.choice([0, 0, 0, 1, 2]) for _ in shape]
    result = tuple(size + (size - 1) * c + a + b
                   for size, a, b, c in zip(shape, low, high, between))
    value = f"%z{self.number}"
    self.lines.append(f"    {value} = stablehlo.constant dense<1> : tensor<i32>")
    self.add(result, f"stablehlo.pad {name}, {value}, low = {low}, high = {high}, interior = "
             f"{between} : ({self.type(shape)}, tensor<i32>) -> {self.type(result)}")

  def dynamic(self, update: bool):
    name, shape = self.pick(lambda s: s)
    sizes = tuple(self.random.choice([size, self.random.randrange(1, size + 1)]) for size in shape)
    starts = []
    for dim, size in enumerate(shape):
      starts.append(f"%d{self.number}_{dim}")
      self.lines.append(f"    {starts[-1]} = stablehlo.constant dense<"
                        f"{self.random.randrange(-1, size + 1)}> : tensor<i32>")
    indices = ", ".join(["tensor<i32>"] * len(shape))
    if not update:
      self.add(sizes, f"stablehlo.dynamic_slice {name}, {', '.join(starts)}, sizes = "
               f"{list(sizes)} : ({self.type(shape)}, {indices}) -> {self.type(sizes)}")
      return
    new = self.argument(sizes)
    self.add(shape, f"stablehlo.dynamic_update_slice {name}, {new}, {', '.join(starts)} : "
             f"({self.type(shape)}, {self.type(sizes)}, {indices}) -> {self.type(shape)}")

  def dynamic_slice(self):
    self.dynamic(update=False)

  def dynamic_update_slice(self):
    self.dynamic(update=True)

  def concatenate(self):
    name, shape = self.pick(lambda s: s)
    dim = self.random.randrange(len(shape))
    other, other_shape = self.pick(
        lambda s: len(s) == len(shape) and s[:dim] + s[dim + 1:] == shape[:dim] + shape[dim + 1:])
    result = shape[:dim] + (shape[dim] + other_shape[dim],) + shape[dim + 1:]
    self.add(result, f"stablehlo.concatenate {name}, {other}, dim = {dim} : "
             f"({self.type(shape)}, {self.type(other_shape)}) -> {self.type(result)}")

  def roll(self):
    name, shape = self.pick(lambda s: s and max(s) > 1)
    dim = self.random.choice([dim for dim, size in enumerate(shape) if size > 1])
    at = self.random.randrange(1, shape[dim])
    parts = []
    for start, limit in ((at, shape[dim]), (0, at)):
      bounds = [f"0:{size}" for size in shape]
      bounds[dim] = f"{start}:{limit}"
      part = shape[:dim] + (limit - start,) + shape[dim + 1:]
      parts.append((f"%r{self.number}_{start}", self.type(part)))
      self.lines.append(f"    {parts[-1][0]} = stablehlo.slice {name} [{', '.join(bounds)}] : "
                        f"({self.type(shape)}) -> {self.type(part)}")
    self.add(shape, f"stablehlo.concatenate {parts[0][0]}, {parts[1][0]}, dim = {dim} : "
             f"({parts[0][1]}, {parts[1][1]}) -> {self.type(shape)}")

  def reverse(self):
    name, shape = self.pick(lambda s: s)
    dim = self.random.randrange(len(shape))
    self.add(shape, f"stablehlo.reverse {name}, dims = [{dim}] : {self.type(shape)}")

  def sort(self):
    name, shape = self.pick(lambda s: s)
    dim, t = self.random.randrange(len(shape)), self.type(shape)
    other = self.pick(lambda s: s == shape)[0]
    at = self.number
    self.number += 1
    self.lines.append(f"""    %s{at}:2 = "stablehlo.sort"({name}, {other}) <{{dimension = {dim} : i64, is_stable = true}}> ({{
    ^bb0(%a{at}: tensor<i32>, %b{at}: tensor<i32>, %c{at}: tensor<i32>, %d{at}: tensor<i32>):
      %l{at} = stablehlo.compare {self.random.choice(["LT", "GT"])}, %a{at}, %b{at} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %l{at} : tensor<i1>
    }}) : ({t}, {t}) -> ({t}, {t})""")
    self.keep(f"%s{at}#0", shape)
    self.keep(f"%s{at}#1", shape)

  def top_k(self):
    name, shape = self.pick(lambda s: s)
    result = shape[:-1] + (self.random.randrange(1, shape[-1] + 1),)
    t, at = self.type(result), self.number
    self.number += 1
    self.lines.append(f"    %t{at}:2 = stablehlo.custom_call @mhlo.topk({name}) {{mhlo.attributes = {{k = "
                      f"{result[-1]} : i64, largest = true}}, mhlo.version = 1 : i64}} : "
                      f"({self.type(shape)}) -> ({t}, {t})")
    self.keep(f"%t{at}#0", result)
    self.keep(f"%t{at}#1", result)

  def indexing(self, shape):
    """Indices into some dimensions, many of them outside, and how they are to be read."""
    dims = self.random.sample(range(len(shape)), self.random.randrange(1, min(len(shape), 2) + 1))
    batch = [self.random.choice([2, 4, 8, 3]) for _ in range(self.random.randrange(0, 3))]
    batching, indices_batching = [], []
    free = [dim for dim in range(len(shape)) if dim not in dims]
    if free and self.random.random() < 0.2:
      batching = [self.random.choice(free)]
      indices_batching = [self.random.randrange(len(batch) + 1)]
      batch.insert(indices_batching[0], shape[batching[0]])
    vector = self.random.randrange(len(batch) + 1)
    indices = batch[:vector] + [len(dims)] + batch[vector:]
    if len(dims) == 1 and self.random.random() < 0.3:
      vector, indices = len(batch), batch
    indices_batching = [dim + (dim >= vector) for dim in indices_batching]
    sizes = [self.random.choice([1, 1, 1, self.random.randrange(1, size + 1)]) if dim in dims
             else 1 if dim in batching else size for dim, size in enumerate(shape)]
    collapsed = [dim for dim in dims if sizes[dim] == 1 and self.random.random() < 0.7]
    window = [sizes[dim] for dim in range(len(shape)) if dim not in collapsed + batching]
    offsets = sorted(self.random.sample(range(len(batch) + len(window)), len(window)))
    result, batch, window = [], list(batch), list(window)
    for dim in range(len(batch) + len(window)):
      result.append((window if dim in offsets else batch).pop(0))
    name, t, at = self.argument(tuple(indices)), self.type(indices), self.number
    self.lines.append(f"""    %n{at} = stablehlo.constant dense<3> : {t}
    %o{at} = stablehlo.multiply {name}, %n{at} : {t}""")
    index = f"%o{at}"
    if indices:
      self.lines.append(f"""    %q{at} = stablehlo.iota dim = {self.random.randrange(len(indices))} : {t}
    %u{at} = stablehlo.add %o{at}, %q{at} : {t}""")
      index = f"%u{at}"
    self.number += 1
    names = dict(index=index, t=t, vector=vector, dims=dims, batching=batching,
                 indices_batching=indices_batching, collapsed=sorted(collapsed), offsets=offsets)
    return names, sizes, tuple(result)

  def gather(self):
    name, shape = self.pick(lambda s: s)
    how, sizes, result = self.indexing(shape)
    self.add(result, f'''"stablehlo.gather"({name}, {how["index"]}) <{{dimension_numbers = #stablehlo.gather<
      offset_dims = {how["offsets"]}, collapsed_slice_dims = {how["collapsed"]}, operand_batching_dims = {how["batching"]},
      start_indices_batching_dims = {how["indices_batching"]}, start_index_map = {how["dims"]},
      index_vector_dim = {how["vector"]}>, slice_sizes = array<i64: {str(sizes)[1:-1]}>}}>
      : ({self.type(shape)}, {how["t"]}) -> {self.type(result)}''')

  def scatter(self):
    name, shape = self.pick(lambda s: s)
    how, _, updates = self.indexing(shape)
    t, u, at = self.type(shape), self.type(updates), self.number
    combine = self.random.choice(["add", "add", "maximum", "minimum", ""])
    combined = f"stablehlo.{combine} %e{at}, %f{at} : tensor<i32>" if combine else ""
    body = f"%g{at} = {combined}\n      stablehlo.return %g{at}" if combine else f"stablehlo.return %f{at}"
    values = self.argument(updates)
    if self.random.random() < 0.5:
      value = 0 if combine in ("", "add") else 5
      name = self.add(shape, f"stablehlo.constant dense<{value}> : {t}")
    self.add(shape, f'''"stablehlo.scatter"({name}, {how["index"]}, {values}) <{{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = {how["offsets"]}, inserted_window_dims = {how["collapsed"]}, input_batching_dims = {how["batching"]},
      scatter_indices_batching_dims = {how["indices_batching"]}, scatter_dims_to_operand_dims = {how["dims"]},
      index_vector_dim = {how["vector"]}>}}> ({{
    ^bb0(%e{at}: tensor<i32>, %f{at}: tensor<i32>):
      {body} : tensor<i32>
    }}) : ({t}, {how["t"]}, {u}) -> {t}''')

  def argmax(self):
    name, shape = self.pick(lambda s: s)
    dims = sorted(self.random.sample(range(len(shape)), self.random.randrange(1, len(shape) + 1)))
    result = tuple(size for dim, size in enumerate(shape) if dim not in dims)
    t, r, at = self.type(shape), self.type(result), self.number
    self.number += 1
    self.lines.append(f"""    %i{at} = stablehlo.constant dense<-99> : tensor<i32>
    %j{at} = stablehlo.constant dense<0> : tensor<i32>
    %o{at} = stablehlo.iota dim = {self.random.randrange(len(shape))} : {t}
    %s{at}:2 = stablehlo.reduce({name} init: %i{at}), (%o{at} init: %j{at}) across dimensions = {dims} :
        ({t}, {t}, tensor<i32>, tensor<i32>) -> ({r}, {r})
     reducer(%a{at}: tensor<i32>, %b{at}: tensor<i32>) (%c{at}: tensor<i32>, %d{at}: tensor<i32>) {{
      %e{at} = stablehlo.compare GT, %a{at}, %b{at} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f{at} = stablehlo.compare EQ, %a{at}, %b{at} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %g{at} = stablehlo.compare LT, %c{at}, %d{at} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %h{at} = stablehlo.and %f{at}, %g{at} : tensor<i1>
      %k{at} = stablehlo.or %e{at}, %h{at} : tensor<i1>
      %l{at} = stablehlo.select %e{at}, %a{at}, %b{at} : tensor<i1>, tensor<i32>
      %m{at} = stablehlo.select %k{at}, %c{at}, %d{at} : tensor<i1>, tensor<i32>
      stablehlo.return %l{at}, %m{at} : tensor<i32>, tensor<i32>
    }}""")
    self.keep(f"%s{at}#0", result)
    self.keep(f"%s{at}#1", result)

  def windows(self):
    """Cumulative sums, windows of one array, or of two at once."""
    name, shape = self.pick(lambda s: s)
    at, number = self.random.randrange(len(shape)), self.number
    sizes, strides, pads = [1] * len(shape), [1] * len(shape), [[0, 0] for _ in shape]
    kind = self.random.choice(["cumulative", "one", "two"])
    if kind == "cumulative":
      sizes[at] = shape[at]
      pads[at][self.random.randrange(2)] = shape[at] - 1
    else:
      for dim, size in enumerate(shape):
        sizes[dim] = self.random.randrange(1, min(size, 4) + 1)
        strides[dim] = self.random.choice([1, 1, 2, sizes[dim]])
        if kind == "one":
          pads[dim] = [self.random.randrange(3), self.random.randrange(3)]
    result = tuple((size + low + high - window) // stride + 1
                   for size, (low, high), window, stride in zip(shape, pads, sizes, strides))
    op, init = self.random.choice([("add", 0), ("maximum", -999)])
    t, r = self.type(shape), self.type(result)
    more = f'''<{{window_dimensions = array<i64: {str(sizes)[1:-1]}>, window_strides = array<i64: {str(strides)[1:-1]}>,
      padding = dense<{pads}> : tensor<{len(shape)}x2xi64>}}> ({{'''
    self.lines.append(f"    %i{number} = stablehlo.constant dense<{init}> : tensor<i32>")
    self.number += 1
    if kind != "two":
      self.lines.append(f'''    %s{number} = "stablehlo.reduce_window"({name}, %i{number}) {more}
    ^bb0(%a{number}: tensor<i32>, %b{number}: tensor<i32>):
      %c{number} = stablehlo.{op} %a{number}, %b{number} : tensor<i32>
      stablehlo.return %c{number} : tensor<i32>
    }}) : ({t}, tensor<i32>) -> {r}''')
      self.keep(f"%s{number}", result)
      return
    other = self.pick(lambda s: s == shape)[0]
    self.lines.append(f'''    %s{number}:2 = "stablehlo.reduce_window"({name}, {other}, %i{number}, %i{number}) {more}
    ^bb0(%a{number}: tensor<i32>, %b{number}: tensor<i32>, %c{number}: tensor<i32>, %d{number}: tensor<i32>):
      %e{number} = stablehlo.{op} %a{number}, %c{number} : tensor<i32>
      %f{number} = stablehlo.maximum %b{number}, %d{number} : tensor<i32>
      stablehlo.return %e{number}, %f{number} : tensor<i32>, tensor<i32>
    }}) : ({t}, {t}, tensor<i32>, tensor<i32>) -> ({r}, {r})''')
    self.keep(f"%s{number}#0", result)
    self.keep(f"%s{number}#1", result)

  def select_and_scatter(self):
    name, shape = self.pick(lambda s: s)
    sizes = [self.random.choice([1, 2, min(size, 3)]) if size % 2 == 0 else 1 for size in shape]
    strides = [self.random.choice([size, size, 1]) for size in sizes]
    source = tuple((size - window) // stride + 1
                   for size, window, stride in zip(shape, sizes, strides))
    t, u, at = self.type(shape), self.type(source), self.number
    values = self.argument(source)
    self.lines.append(f"    %i{at} = stablehlo.constant dense<0> : tensor<i32>")
    self.add(shape, f'''"stablehlo.select_and_scatter"({name}, {values}, %i{at}) <{{
      window_dimensions = array<i64: {str(sizes)[1:-1]}>, window_strides = array<i64: {str(strides)[1:-1]}>}}> ({{
    ^bb0(%a{at}: tensor<i32>, %b{at}: tensor<i32>):
      %c{at} = stablehlo.compare GE, %a{at}, %b{at} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c{at} : tensor<i1>
    }}, {{
    ^bb0(%d{at}: tensor<i32>, %e{at}: tensor<i32>):
      %f{at} = stablehlo.add %d{at}, %e{at} : tensor<i32>
      stablehlo.return %f{at} : tensor<i32>
    }}) : ({t}, {u}, tensor<i32>) -> {t}''')

  def constraint(self):
    name, shape = self.pick(lambda s: s)
    closed = self.random.random() < 0.7
    self.add(shape, f"sdy.sharding_constraint {name} {self.sharding(shape, closed)} : "
             f"{self.type(shape)}")

  def loop(self):
    """Three turns of a while with two carries of one shape."""
    name, shape = self.pick(lambda s: s)
    other = self.pick(lambda s: s == shape)[0]
    at, t = self.number, self.type(shape)
    self.number += 1
    self.lines.append(f"""    %zero{at} = stablehlo.constant dense<0> : tensor<i32>
    %w{at}:3 = stablehlo.while(%i{at} = %zero{at}, %a{at} = {name}, %b{at} = {other}) : tensor<i32>, {t}, {t}
     cond {{
      %three{at} = stablehlo.constant dense<3> : tensor<i32>
      %go{at} = stablehlo.compare LT, %i{at}, %three{at} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go{at} : tensor<i1>
    }} do {{
      %one{at} = stablehlo.constant dense<1> : tensor<i32>
      %n{at} = stablehlo.add %i{at}, %one{at} : tensor<i32>
      %s{at} = stablehlo.subtract %b{at}, %a{at} : {t}
      %r{at} = stablehlo.reverse %s{at}, dims = [0] : {t}
      stablehlo.return %n{at}, %r{at}, %a{at} : tensor<i32>, {t}, {t}
    }}""")
    self.keep(f"%w{at}#1", shape)
    self.keep(f"%w{at}#2", shape)

  def branch(self):
    name, shape = self.pick(lambda s: s)
    other = self.pick(lambda s: s == shape)[0]
    at, t = self.number, self.type(shape)
    self.number += 1
    self.lines.append(f"""    %k{at} = stablehlo.constant dense<{self.random.randrange(2)}> : tensor<i32>
    %c{at} = "stablehlo.case"(%k{at}) ({{
      %x{at} = stablehlo.add {name}, {other} : {t}
      stablehlo.return %x{at} : {t}
    }}, {{
      %y{at} = stablehlo.negate {other} : {t}
      stablehlo.return %y{at} : {t}
    }}) : (tensor<i32>) -> {t}""")
    self.keep(f"%c{at}", shape)

  def argument(self, shape) -> str:
    name = f"%arg{len(self.arguments)}"
    sharding = ""
    if self.random.random() < 0.6:
      sharding = f" {{sdy.sharding = #sdy.sharding{self.sharding(shape, True)}}}"
    self.arguments.append(f"{name}: {self.type(shape)}{sharding}")
    self.values.insert(0, (name, tuple(shape)))
    self.every.append((name, tuple(shape)))
    return name

  OPS = [elementwise, elementwise, negate, with_constant, iota, select, transpose, reshape,
         broadcast, reduce, dot, dot, slice, pad, dynamic_slice, dynamic_update_slice, concatenate,
         reverse, roll, sort, top_k, gather, gather, scatter, scatter,
         argmax, windows, windows, select_and_scatter, constraint, constraint,
         loop, branch]

  def text(self) -> str:
    for _ in range(self.random.randrange(1, 4)):
      self.argument(self.shape())
    for _ in range(self.random.randrange(2, 14)):
      op = self.random.choice(self.OPS)
      small = [value for value in self.values if math.prod(value[1]) <= 2048]
      self.values = small
      if op is Program.transpose and not self.pick(lambda s: len(s) > 1):
        continue
      if op is Program.broadcast and not self.pick(lambda s: len(s) < 3):
        continue
      if op is Program.roll and not self.pick(lambda s: s and max(s) > 1):
        continue
      if self.pick(lambda s: s):
        op(self)
    # Nothing is in vain: passes of others take away what is.
    body = "\n".join(self.lines)
    results = [value for value in self.every
               if len(re.findall(re.escape(value[0]) + r"(?![\d#])", body)) == 1 - value[0].count("#")
               and not value[0].startswith("%arg")]
    results = results or [self.random.choice(self.every)]
    types = []
    for _, shape in results:
      sharding = ""
      if self.random.random() < 0.4:
        sharding = f" {{sdy.sharding = #sdy.sharding{self.sharding(shape, True)}}}"
      types.append(self.type(shape) + sharding)
    names = ", ".join(name for name, _ in results)
    plain = ", ".join(self.type(shape) for _, shape in results)
    return f"""module attributes {{mhlo.num_partitions = {math.prod(self.meshes[0])} : i32}} {{
{self.mesh_ops()}
  func.func @main({", ".join(self.arguments)}) -> ({", ".join(types)}) {{
{body}
    return {names} : {plain}
  }}
}}
"""


def make(seed: int, several_meshes: bool = False) -> str:
  return Program(seed, several_meshes).text()


if __name__ == "__main__":
  import sys
  print(make(int(sys.argv[1])))
