#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shardings that we propagate are those of jaxlib's pass pipeline sdy-propagation-pipeline: of
arguments, results and ops of every recorded program and of random graphs.

usage: propagation_oracle_test.py PARTITION_TOOL [GRAPHS [FIRST_SEED]]
"""

import collections
import re
import sys

import oracle
import random_sharded_program

PIPELINE = "sdy-propagation-pipeline"
# How many of all graphs must agree; what differs is printed.
LEAST_PERCENT = 99
# Ops that jaxlib's pipeline merges, that are its own, or whose results it changes when it puts
# explicit reshards in, after the propagation.
SKIPPED = {"constant", "iota", "broadcast_in_dim", "sharding_constraint", "reshard", "reshape",
           "concatenate"}


def is_plain(sharding: str) -> bool:
  """Nothing is spread: the same as saying nothing."""
  body = sharding.partition("[")[2]
  return '"' not in body


def normal(sharding) -> str:
  if sharding is None:
    return ""
  text = re.sub(r"^#sdy\.sharding", "", str(sharding))
  return "" if is_plain(text) else text


def shape(type_text: str) -> str:
  """f32[2,3] of tensor<2x3xf32>."""
  dims = re.match(r"tensor<(.*)>", type_text)[1].split("x")
  names = {"i32": "s32", "ui32": "u32", "i1": "pred", "i64": "s64", "ui64": "u64"}
  return f"{names.get(dims[-1], dims[-1])}[{','.join(dims[:-1])}]"


def main_of(module):
  for op in oracle.walk(module.operation):
    if op.name == "func.func" and str(op.attributes["sym_name"]) == '"main"':
      return op
  raise ValueError("there is no @main")


def theirs(program) -> tuple:
  ir = oracle.ir
  module = oracle.run_pass(PIPELINE, program)  # what is in it lives as long
  main = main_of(module)

  def attributes(name, count):
    if name not in main.attributes:
      return [""] * count
    return [normal(each["sdy.sharding"] if "sdy.sharding" in each else None)
            for each in ir.ArrayAttr(main.attributes[name])]
  type_ = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
  arguments = attributes("arg_attrs", len(type_.inputs))
  results = attributes("res_attrs", len(type_.results))
  ops = collections.Counter()
  for op in oracle.walk(main):
    name = op.name.rpartition(".")[2]
    if name == "custom_call" and "topk" in str(op.attributes["call_target_name"]):
      name = "top_k"
    if name in SKIPPED or "sdy.sharding" not in op.attributes:
      continue
    each = re.findall(r"<@\w+, \[[^\]]*\][^>]*>", str(op.attributes["sdy.sharding"]))
    for result, sharding in zip(op.results, each):
      text = normal(sharding)
      if text:
        ops[f"{name} {shape(str(result.type))} {text}"] += 1
  return arguments, results, ops


def ours(lines: list[str]) -> tuple:
  arguments, results, ops = [], [], collections.Counter()
  for line in lines:
    kind, _, rest = line.partition(" ")
    if kind == "error":
      return line, None, None
    if kind == "op":
      name, type_text, sharding = rest.split(" ", 2)
      text = normal(None if sharding == "none" else sharding)
      if name not in SKIPPED and text:
        ops[f"{name} {type_text} {text}"] += 1
    else:
      sharding = rest.split(" ", 1)[1]
      (arguments if kind == "argument" else results).append(
          normal(None if sharding == "none" else sharding))
  return arguments, results, ops


def main() -> int:
  count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
  first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
  named = [(path.name, path.read_bytes()) for path in sorted(oracle.PROGRAMS.glob("*.mlirbc"))
           if path.name.startswith("shard_")]
  if len(named) < 4:
    sys.exit(f"only {len(named)} recorded programs with shardings found")
  named += [(f"seed {seed}", random_sharded_program.make(seed))
            for seed in range(first, first + count)]
  failed = 0
  with oracle.context():
    for (name, program), lines in zip(
        named, oracle.run_tool(sys.argv[1], "propagate", [program for _, program in named])):
      want, got = theirs(program), ours(lines)
      if want[:2] == got[:2] and (name.startswith("shard_map") or want[2] == got[2]):
        continue
      failed += 1
      print(f"{name} differs")
      for what, a, b in zip(("arguments", "results"), want, got):
        if a != b:
          print(f"  {what}: theirs {a}\n  {what}: ours   {b}")
      if got[2] is not None and want[2] != got[2]:
        print(f"  only theirs: {want[2] - got[2]}\n  only ours:   {got[2] - want[2]}")
  percent = 100 * (len(named) - failed) / len(named)
  print(f"{len(named) - failed} of {len(named)} programs agree ({percent:.1f} %)")
  return 0 if percent >= LEAST_PERCENT else 1


if __name__ == "__main__":
  sys.exit(main())
