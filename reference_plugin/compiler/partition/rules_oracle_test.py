#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The factors of every op are those of jaxlib's pass sdy-populate-op-sharding-rules.

usage: rules_oracle_test.py PARTITION_TOOL
"""

import re
import sys

import oracle

PASS = "func.func(sdy-populate-op-sharding-rules)"

ADD = "({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %sum = stablehlo.add %x, %y : tensor<f32>\n" \
      "stablehlo.return %sum : tensor<f32> })"
SUBTRACT = ADD.replace("add", "subtract")

# Arguments, op, result; the op is %0.
OPS = [
    ("%a: tensor<4x8xf32>", "stablehlo.tanh %a : tensor<4x8xf32>", "tensor<4x8xf32>"),
    ("%a: tensor<4x8xf32>, %b: tensor<4x8xf32>", "stablehlo.multiply %a, %b : tensor<4x8xf32>",
     "tensor<4x8xf32>"),
    ("%a: tensor<4x8xf32>", "stablehlo.convert %a : (tensor<4x8xf32>) -> tensor<4x8xi32>",
     "tensor<4x8xi32>"),
    ("%a: tensor<4x8xf32>, %b: tensor<4x8xf32>",
     "stablehlo.compare LT, %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>",
     "tensor<4x8xi1>"),
    ("%p: tensor<4x8xi1>, %a: tensor<4x8xf32>",
     "stablehlo.select %p, %a, %a : tensor<4x8xi1>, tensor<4x8xf32>", "tensor<4x8xf32>"),
    ("%a: tensor<4x8xf32>", "stablehlo.clamp %a, %a, %a : tensor<4x8xf32>", "tensor<4x8xf32>"),
    ("%a: tensor<4x8xi32>", "stablehlo.bitcast_convert %a : (tensor<4x8xi32>) -> tensor<4x8xf32>",
     "tensor<4x8xf32>"),
    ("%a: tensor<4x8xi32>",
     "stablehlo.bitcast_convert %a : (tensor<4x8xi32>) -> tensor<4x8x2xi16>", "tensor<4x8x2xi16>"),
    ("%a: tensor<4x8x2xi16>",
     "stablehlo.bitcast_convert %a : (tensor<4x8x2xi16>) -> tensor<4x8xi32>", "tensor<4x8xi32>"),
    ("%a: tensor<4x1xf32>",
     "stablehlo.broadcast_in_dim %a, dims = [2, 1] : (tensor<4x1xf32>) -> tensor<3x8x4xf32>",
     "tensor<3x8x4xf32>"),
    ("%a: tensor<1xf32>",
     "stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<1xf32>) -> tensor<1x5xf32>",
     "tensor<1x5xf32>"),
    ("%a: tensor<4x8xf32>, %b: tensor<4x2xf32>",
     "stablehlo.concatenate %a, %b, dim = 1 : (tensor<4x8xf32>, tensor<4x2xf32>) "
     "-> tensor<4x10xf32>", "tensor<4x10xf32>"),
    ("%a: tensor<4x8xf32>, %i: tensor<i32>",
     "stablehlo.dynamic_slice %a, %i, %i, sizes = [4, 2] : "
     "(tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>", "tensor<4x2xf32>"),
    ("%a: tensor<4x8xf32>, %u: tensor<4x2xf32>, %i: tensor<i32>",
     "stablehlo.dynamic_update_slice %a, %u, %i, %i : "
     "(tensor<4x8xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>",
     "tensor<4x8xf32>"),
    ("%a: tensor<4x8xf32>, %z: tensor<f32>",
     "stablehlo.pad %a, %z, low = [0, 1], high = [0, 2], interior = [0, 0] : "
     "(tensor<4x8xf32>, tensor<f32>) -> tensor<4x11xf32>", "tensor<4x11xf32>"),
    ("%a: tensor<4x8xf32>",
     "stablehlo.slice %a [0:4, 1:7:2] : (tensor<4x8xf32>) -> tensor<4x3xf32>", "tensor<4x3xf32>"),
    ("%a: tensor<4x8xf32>", "stablehlo.reverse %a, dims = [1] : tensor<4x8xf32>",
     "tensor<4x8xf32>"),
    ("%a: tensor<4x8x3xf32>",
     "stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<4x8x3xf32>) -> tensor<3x4x8xf32>",
     "tensor<3x4x8xf32>"),
    ("%a: tensor<2x4x8xf32>, %b: tensor<2x16x8xf32>",
     "stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : "
     "(tensor<2x4x8xf32>, tensor<2x16x8xf32>) -> tensor<2x4x16xf32>", "tensor<2x4x16xf32>"),
    ("%a: tensor<8xf32>, %b: tensor<8xf32>",
     "stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : "
     "(tensor<8xf32>, tensor<8xf32>) -> tensor<f32>", "tensor<f32>"),
    ("%a: tensor<4x8x3xf32>, %z: tensor<f32>",
     "stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 2] : "
     "(tensor<4x8x3xf32>, tensor<f32>) -> tensor<8xf32>", "tensor<8xf32>"),
    ("%a: tensor<4x8xf32>, %z: tensor<f32>",
     '"stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2>, '
     f'window_strides = array<i64: 1, 2>}}> {ADD} : (tensor<4x8xf32>, tensor<f32>) -> '
     'tensor<4x4xf32>', "tensor<4x4xf32>"),
    ("%a: tensor<4x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>",
     '"stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 1, 2>, '
     'window_strides = array<i64: 1, 2>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): '
     '%p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n'
     f'stablehlo.return %p : tensor<i1> }}, {ADD[1:-1]}) : '
     '(tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>', "tensor<4x8xf32>"),
    ("%a: tensor<4x8xf32>",
     '"stablehlo.sort"(%a) <{dimension = 1 : i64}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): '
     '%p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n'
     'stablehlo.return %p : tensor<i1> }) : (tensor<4x8xf32>) -> tensor<4x8xf32>',
     "tensor<4x8xf32>"),
    ("%a: tensor<8xf32>",
     '"stablehlo.sort"(%a) <{dimension = 0 : i64}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): '
     '%p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n'
     'stablehlo.return %p : tensor<i1> }) : (tensor<8xf32>) -> tensor<8xf32>', "tensor<8xf32>"),
    ("%a: tensor<4x8x8xf32>", "stablehlo.cholesky %a, lower = true : tensor<4x8x8xf32>",
     "tensor<4x8x8xf32>"),
    ("%a: tensor<4x8x8xcomplex<f32>>",
     "stablehlo.fft %a, type = FFT, length = [8, 8] : (tensor<4x8x8xcomplex<f32>>) -> "
     "tensor<4x8x8xcomplex<f32>>", "tensor<4x8x8xcomplex<f32>>"),
    ("%a: tensor<4x8xf32>",
     "stablehlo.fft %a, type = RFFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>",
     "tensor<4x5xcomplex<f32>>"),
    ("%a: tensor<4x8xf32>, %v: tensor<8xf32>",
     '"stablehlo.batch_norm_inference"(%a, %v, %v, %v, %v) '
     '<{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x8xf32>, tensor<8xf32>, '
     'tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>', "tensor<4x8xf32>"),
]
for shapes in ("8x4 32", "32 8x4", "4x6 8x3", "6x4 3x8", "2x3x4 6x4", "12 3x1x4", "1x4x1 4",
               "4x3 3x4", "2x9 3x6", "6x35 10x21", "8x1x3 2x4x3", "16x9 12x12"):
  start, end = (f"tensor<{shape}xf32>" for shape in shapes.split())
  OPS.append((f"%a: {start}", f"stablehlo.reshape %a : ({start}) -> {end}", end))
for left in ("true", "false"):
  for transpose in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
    b = "4x8x3" if left == "true" else "4x3x8"
    OPS.append((f"%a: tensor<4x8x8xf32>, %b: tensor<{b}xf32>",
                f'"stablehlo.triangular_solve"(%a, %b) <{{left_side = {left}, lower = true, '
                f'transpose_a = #stablehlo<transpose {transpose}>, unit_diagonal = false}}> : '
                f'(tensor<4x8x8xf32>, tensor<{b}xf32>) -> tensor<{b}xf32>', f"tensor<{b}xf32>"))


def conv(lhs, rhs, out, numbers, window="", groups=1, batch_groups=1):
  return (f"%a: tensor<{lhs}xf32>, %b: tensor<{rhs}xf32>",
          f"stablehlo.convolution(%a, %b) dim_numbers = {numbers}, window = {{{window}}} "
          f"{{batch_group_count = {batch_groups} : i64, feature_group_count = {groups} : i64}} : "
          f"(tensor<{lhs}xf32>, tensor<{rhs}xf32>) -> tensor<{out}xf32>", f"tensor<{out}xf32>")


PLAIN = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
OPS += [
    conv("8x16x16x4", "3x3x4x32", "8x14x14x32", PLAIN),
    conv("8x16x16x4", "3x3x4x32", "8x16x16x32", PLAIN, "pad = [[1, 1], [1, 1]]"),
    conv("8x6x6x4", "5x5x4x32", "8x2x2x32", PLAIN),
    conv("8x16x16x4", "3x3x2x32", "8x14x14x32", PLAIN, groups=2),
    conv("8x16x16x4", "3x3x4x32", "2x14x14x32", PLAIN, batch_groups=4),
    conv("8x16x16x4", "3x3x1x4", "8x14x14x4", PLAIN, groups=4),
]


def gather(operand, indices, out, numbers, sizes):
  return (f"%a: tensor<{operand}xf32>, %i: tensor<{indices}xi32>",
          f'"stablehlo.gather"(%a, %i) <{{dimension_numbers = #stablehlo.gather<{numbers}>, '
          f'slice_sizes = array<i64: {sizes}>, indices_are_sorted = false}}> : '
          f'(tensor<{operand}xf32>, tensor<{indices}xi32>) -> tensor<{out}xf32>',
          f"tensor<{out}xf32>")


def scatter(operand, indices, updates, numbers, region=ADD):
  return (f"%a: tensor<{operand}xf32>, %i: tensor<{indices}xi32>, %u: tensor<{updates}xf32>",
          f'"stablehlo.scatter"(%a, %i, %u) <{{scatter_dimension_numbers = '
          f'#stablehlo.scatter<{numbers}>, indices_are_sorted = false, unique_indices = false}}> '
          f'{region} : (tensor<{operand}xf32>, tensor<{indices}xi32>, tensor<{updates}xf32>) -> '
          f'tensor<{operand}xf32>', f"tensor<{operand}xf32>")


ROWS = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
OPS += [
    gather("16x8", "4x1", "4x8", ROWS, "1, 8"),
    gather("16x8", "4x1", "4x2", ROWS, "1, 2"),
    gather("16x8", "4x1", "4x1", ROWS, "1, 1"),
    gather("16x8", "4", "4x8", ROWS, "1, 8"),
    gather("1x8", "4x1", "4x8", ROWS, "1, 8"),
    gather("3x16x8", "3x4x1", "3x4x8", "offset_dims = [2], collapsed_slice_dims = [1], "
           "operand_batching_dims = [0], start_indices_batching_dims = [0], "
           "start_index_map = [1], index_vector_dim = 2", "1, 1, 8"),
    scatter("16x8", "4x1", "4x8", "update_window_dims = [1], inserted_window_dims = [0], "
            "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"),
    scatter("16x8", "4x1", "4x8", "update_window_dims = [1], inserted_window_dims = [0], "
            "scatter_dims_to_operand_dims = [0], index_vector_dim = 1", SUBTRACT),
    scatter("16x8", "4x2", "4x3x2", "update_window_dims = [1, 2], "
            "scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1"),
    scatter("3x16x8", "3x4x1", "3x4x8", "update_window_dims = [2], inserted_window_dims = [1], "
            "input_batching_dims = [0], scatter_indices_batching_dims = [0], "
            "scatter_dims_to_operand_dims = [1], index_vector_dim = 2"),
]

# Whole functions, for what depends on other ops.
FUNCTIONS = [
    """func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %l = stablehlo.slice %a [2:8, 0:4] : (tensor<8x4xf32>) -> tensor<6x4xf32>
    %r = stablehlo.slice %a [0:2, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>
    %0 = stablehlo.concatenate %l, %r, dim = 0 : (tensor<6x4xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32> }""",
    """func.func @main(%a: tensor<8x4xf32>) -> tensor<10x4xf32> {
    %r = stablehlo.slice %a [0:2, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>
    %0 = stablehlo.concatenate %a, %r, dim = 0 : (tensor<8x4xf32>, tensor<2x4xf32>) -> tensor<10x4xf32>
    return %0 : tensor<10x4xf32> }""",
    """func.func @main(%a: tensor<8x4xf32>, %u: tensor<2x4xf32>) -> tensor<8x4xf32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %a, %u, %c, %c : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32> }""",
    """func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<4x8xui32>) {
    %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x8xui32>)
    return %0, %1 : tensor<2xui64>, tensor<4x8xui32> }""",
    """func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %z: tensor<f32>, %i: tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>) {
    %0:2 = "stablehlo.reduce"(%a, %b, %z, %i) <{dimensions = array<i64: 1>}> ({
      ^bb0(%x: tensor<f32>, %k: tensor<i32>, %y: tensor<f32>, %l: tensor<i32>):
      stablehlo.return %x, %k : tensor<f32>, tensor<i32> })
      : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32> }""",
]

# Ops of which ours are made of others, or stand for others.
DIFFERENT = {"custom_call", "broadcast_in_dim", "composite", "top_k", "cumulative_reduce", "erf"}


# Recorded programs in which import makes ops of what is a call to jaxlib.
MADE_BY_IMPORT = {
    "approx_max_k": {"slice", "sort"},
    "cpuplatform_lu": {"transpose"},
    "cpuplatform_triangular_solve": {"transpose"},
    "gspmd_shard_out": {"sharding_constraint"},
}


def canonical(text: str):
  """The factors by number, in the order in which dimensions have them; None without factors."""
  found = re.search(r"(\(.*\)->\(.*\)) \{([^}]+)\}", text)
  if not found:
    return None
  mapping, sizes = found.groups()
  numbers = {}
  for name in re.findall(r"[a-z](?:_\d+)?", mapping):
    numbers.setdefault(name, len(numbers))
  shape = re.sub(r"[a-z](?:_\d+)?", lambda name: f"<{numbers[name[0]]}>", mapping)
  size = {numbers[name]: int(value)
          for name, value in re.findall(r"([a-z](?:_\d+)?)=(\d+)", sizes) if name in numbers}
  kinds = {}
  for kind in ("reduction", "need_replication", "permutation", "blocked_propagation"):
    found = re.search(kind + r"=\{([^}]*)\}", text)
    names = re.findall(r"[a-z](?:_\d+)?", found[1]) if found else []
    kinds[kind] = sorted(numbers[name] for name in names if name in numbers)
  return shape, tuple(sorted(size.items())), tuple(map(tuple, kinds.values()))


def expected(program) -> list:
  module = oracle.run_pass(PASS, program)
  rules = []
  for op in oracle.walk(module.operation):
    name = op.name.rpartition(".")[2]
    if "sdy.sharding_rule" in op.attributes and name not in DIFFERENT:
      rules.append((name, canonical(str(op.attributes["sdy.sharding_rule"]))))
  return [rule for rule in rules if rule[1]]


def ours(lines: list[str]) -> list:
  rules = []
  for line in lines:
    name, _, rule = line.partition(" ")
    if name == "error":
      return [line]
    if name not in DIFFERENT:
      rules.append((name, canonical(rule)))
  return [rule for rule in rules if rule[1]]


def main() -> int:
  programs = [f"func.func @main({arguments}) -> {result} {{\n%0 = {op}\nreturn %0 : {result}\n}}"
              for arguments, op, result in OPS] + FUNCTIONS
  # broadcast_in_dim is told apart only where no other op is made of it.
  failed, rules = 0, 0
  with oracle.context():
    for program, lines in zip(programs, oracle.run_tool(sys.argv[1], "rules", programs)):
      DIFFERENT.discard("broadcast_in_dim")
      theirs, mine = expected(program), ours(lines)
      rules += len(theirs)
      if theirs != mine or not theirs:
        failed += 1
        print(f"{program}\n  theirs: {theirs}\n  ours:   {mine}")
    DIFFERENT.add("broadcast_in_dim")
    paths = sorted(oracle.PROGRAMS.glob("*.mlirbc"))
    if len(paths) < 40:
      sys.exit(f"only {len(paths)} programs found")
    recorded = [path.read_bytes() for path in paths]
    for path, program, lines in zip(paths, recorded,
                                    oracle.run_tool(sys.argv[1], "rules", recorded)):
      if any(line.startswith("error ") for line in lines):
        continue  # refused before there are rules; the tests of import say why
      theirs, mine = set(expected(program)), set(ours(lines))
      rules += len(theirs)
      made = MADE_BY_IMPORT.get(path.name.partition(".")[0], set())
      mine = {rule for rule in mine if rule[0] not in made}
      if not mine <= theirs:
        failed += 1
        print(f"{path.name}: not jaxlib's: {sorted(mine - theirs)}")
  print(f"{rules} rules; {failed} programs differ")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
