#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shardy's own programs with numbers (its tests `executable_*`) on several devices of the plugin.

Each has functions on whole arrays with shardings, and a @main that cuts arrays into parts, runs a
function on as many devices, and compares: here the plugin partitions and runs such a function, and
JAX's built-in CPU does all else, also the same function without shardings. Shardy's sources are not
ours to copy: they are taken from PLINTH_SHARDY_CHECKOUT, or from build/shardy, where they are put
if they are not there.

usage: shardy_programs.py PLUGIN [NAME...]
"""

import os
import pathlib
import re
import subprocess
import sys

FOLDER = "shardy/dialect/sdy/transforms"
SOURCE = "https://github.com/openxla/shardy"
COMMIT = "a0277a83e7f84d40075be0d71a131cb71d806ff6"
DEVICES = 16

# No programs on whole arrays: the devices have other values of what is said to be the same on all.
LEFT_OUT = {"sdy_all_reduce", "sdy_reduce_scatter"}
# partition_id outside of manual computations, which several devices falsify.
REFUSED = {"single_device_add", "single_device_switch"}


def checkout() -> pathlib.Path:
  known = os.environ.get("PLINTH_SHARDY_CHECKOUT")
  if known:
    return pathlib.Path(known)
  folder = pathlib.Path(__file__).resolve().parents[2] / "build/shardy"
  if not (folder / FOLDER).is_dir():
    git = ["git", "-C", str(folder)]
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    for command in (["fetch", "--quiet", "--depth", "1", SOURCE, COMMIT],
                    ["checkout", "--quiet", "FETCH_HEAD"]):
      if subprocess.run(git + command, check=False).returncode != 0:
        sys.exit(f"Shardy's programs are not in {folder}, and {SOURCE} cannot be reached. Where it "
                 f"can be, get commit {COMMIT}, and set PLINTH_SHARDY_CHECKOUT here")
  return folder


def split(text: str):
  """The functions with shardings, and @main, in forms that can be parsed."""
  functions, main = re.split(r"//--- part\d\.mlir\n", text)[1:]
  # These ops are made within Shardy: of whole arrays they say how the result is spread.
  functions = re.sub(
      r"sdy\.(?:all_gather|all_reduce|all_slice|all_to_all|collective_permute)\s+"
      r"(?:[\[{][^<]*?[\]}]\s+)?(%\w+)\s+"
      r"out_sharding=(<[^>]*>)", r"sdy.reshard \1 \2", functions)
  functions = functions.replace("sdy.constant", "stablehlo.constant")
  main = re.sub(r"(?<!\")check\.(\w+) (%[\w#]+), (%[\w#]+) : (\S+)",
                r'"check.\1"(\2, \3) : (\4, \4) -> ()', main)
  # What is called is in the other part.
  main = re.sub(r"func\.call @(\w+)\(([^)]*)\)", r'"call.of"(\2) {callee = @\1}', main)
  return functions, main


class Program:
  """One file."""

  def __init__(self, functions: str, main: str, backends):
    self.backends = backends
    self.functions = ir.Module.parse(functions)
    self.main = ir.Module.parse(main)
    self.meshes = {op.sym_name.value: op.attributes["mesh"]
                   for op in self.functions.body.operations if op.operation.name == "sdy.mesh"}
    self.checks = self.runs = 0

  def function(self, name: str):
    """Without one of that name, the one that it was made of."""
    by_name = {op.sym_name.value: op for op in self.functions.body.operations
               if op.operation.name == "func.func"}
    for old, new in (("", ""), ("sequential_", "parallel_"), ("original_", "transformed_"),
                     ("combined_gather", "all_gather_test"), ("per_dim_gather", "all_gather_test")):
      found = by_name.get(name.replace(old, new) if old else name)
      if found is not None:
        return found
    raise KeyError(f"no function {name}")

  def module_of(self, name: str, partitions: int, shardings: bool):
    module = ir.Module.create()
    module.operation.attributes["mhlo.num_partitions"] = ir.IntegerAttr.get(
        ir.IntegerType.get_signless(32), partitions)
    for op in self.functions.body.operations:
      if op.operation.name == "sdy.mesh":
        module.body.append(op.operation.clone())
    made = self.function(name).operation.clone()
    module.body.append(made)
    made.attributes["sym_name"] = ir.StringAttr.get("main")
    text = str(module)
    if shardings:
      return text
    # As Shardy's own script: the function on one device is that without shardings.
    return str(oracle_pass("sdy-drop-sharding-and-mesh", text))

  def run(self):
    values = {}

    def results_of(op, results):
      for result, value in zip(op.results, results, strict=True):
        values[result] = value

    for op in self.main.body.operations[0].regions[0].blocks[0].operations:
      op = op.operation
      operands = [values[operand] for operand in op.operands]
      if op.name == "func.return":
        continue
      if op.name.startswith("check."):
        assert op.name == "check.expect_eq", op.name
        numpy.testing.assert_array_equal(*operands)
        self.checks += 1
      elif op.name == "call.of":
        name = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
        # Of these there is one function: the plugin's numbers and the oracle's.
        device = self.backends.devices[0] if name.startswith("transformed_") else None
        results_of(op, self.backends.on_one(self.module_of(name, 1, False), operands, device))
      elif op.name == "interpreter.run_parallel":
        results_of(op, self.run_parallel(op, operands))
      else:
        results_of(op, self.backends.on_one(str(alone(op)), operands))

  def run_parallel(self, op, operands):
    names = [ir.FlatSymbolRefAttr(name).value for replica in op.attributes["programs"]
             for name in ir.ArrayAttr(replica)]
    assert len(set(names)) == 1, names
    count = len(names)
    function = self.function(names[0])
    arguments = []
    for i, argument in enumerate(function.arguments):
      parts = operands[i::len(operands) // count]
      whole = self.join(parts, type_of(argument.type), sharding_of(function, "arg_attrs", i))
      arguments.append((parts, whole))
    results = self.backends.on_several(self.module_of(names[0], count, True), arguments, count)
    self.runs += 1
    made = []
    types = [type_of(result.type) for result in op.results]
    for i, (parts, sharding) in enumerate(results):
      if parts[0].shape != types[i][0]:
        sharding_here = sharding_of(function, "res_attrs", i)
        parts = self.cut(assemble(parts, sharding), count, types[i][0], sharding_here)
      made.append(parts)
    return [made[i][device] for device in range(count) for i in range(len(results))]

  # --- Parts, as Shardy cuts arrays: the last ones are filled up if they are not whole.

  def places(self, sharding, count: int, rank: int):
    """Which part each device has, by dimension, and how many parts there are."""
    if sharding is None:
      return [(0,) * rank] * count, (1,) * rank
    mesh = sdy.MeshAttr(self.meshes[sharding.mesh_or_ref.value])
    sizes = {axis.name: axis.size for axis in map(sdy.MeshAxisAttr, mesh.axes)}
    ids = list(mesh.device_ids) or list(range(count))
    places = [None] * count
    for position, device in enumerate(ids):
      at, rest = {}, position
      for name in reversed(sizes):
        rest, at[name] = divmod(rest, sizes[name])
      place, parts = [], []
      for dim in map(sdy.DimensionShardingAttr, sharding.dimension_shardings):
        index, number = 0, 1
        for axis in map(sdy.AxisRefAttr, dim.axes):
          size, value = sizes[axis.name], at[axis.name]
          if axis.sub_axis_info is not None:
            info = sdy.SubAxisInfoAttr(axis.sub_axis_info)
            value = value // (size // (info.pre_size * info.size)) % info.size
            size = info.size
          index, number = index * size + value, number * size
        place.append(index)
        parts.append(number)
      places[device] = tuple(place)
    return places, tuple(parts)

  def join(self, parts, global_type, sharding):
    shape, dtype = global_type
    places, counts = self.places(sharding, len(parts), len(shape))
    whole = numpy.zeros([n * c for n, c in zip(parts[0].shape, counts)], dtype)
    for place, part in zip(places, parts):
      whole[tuple(slice(p * n, (p + 1) * n) for p, n in zip(place, part.shape))] = part
    return whole[tuple(slice(n) for n in shape)]

  def cut(self, whole, count: int, shape, sharding):
    places, counts = self.places(sharding, count, whole.ndim)
    filled = numpy.zeros([n * c for n, c in zip(shape, counts)], whole.dtype)
    filled[tuple(slice(n) for n in whole.shape)] = whole
    return [filled[tuple(slice(p * n, (p + 1) * n) for p, n in zip(place, shape))]
            for place in places]


def type_of(type_):
  tensor = ir.RankedTensorType(type_)
  names = {"f32": "float32", "f64": "float64", "i1": "bool", "i32": "int32", "i64": "int64",
           "ui32": "uint32", "complex<f32>": "complex64", "complex<f64>": "complex128"}
  return tuple(tensor.shape), numpy.dtype(names[str(tensor.element_type)])


def sharding_of(function, attributes: str, index: int):
  known = function.operation.attributes
  if attributes not in known:
    return None
  own = ir.DictAttr(known[attributes][index])
  return sdy.TensorShardingAttr(own["sdy.sharding"]) if "sdy.sharding" in own else None


def alone(op):
  """A program of this op."""
  module = ir.Module.create()
  with ir.InsertionPoint(module.body):
    function = func.FuncOp("main", ([o.type for o in op.operands], [r.type for r in op.results]))
    block = function.add_entry_block()
    with ir.InsertionPoint(block):
      made = op.clone()
      for i, argument in enumerate(block.arguments):
        made.operands[i] = argument
      func.ReturnOp(list(made.results))
  return module


class Backends:
  """The plugin with several devices, and the built-in one."""

  def __init__(self):
    self.devices = jax.devices("plinth")
    self.one = jax.devices("cpu")[0]

  def compile(self, text, devices, partitions):
    options = compiler.get_compile_options(1, partitions,
                                           device_assignment=numpy.arange(partitions)[None, :])
    build = options.executable_build_options
    build.use_spmd_partitioning = build.use_shardy_partitioner = partitions > 1
    client = devices[0].client
    return client.compile_and_load(text, _jax.DeviceList(tuple(devices)), options)

  def on_one(self, text, arguments, device=None):
    device = device or self.one
    loaded = self.compile(text, [device], 1)
    return [numpy.asarray(x) for x in loaded.execute(jax.device_put(list(arguments), device))]

  def on_several(self, text, arguments, count: int):
    devices = self.devices[:count]
    loaded = self.compile(text, devices, count)
    spread = []
    for (parts, whole), sharding in zip(arguments, loaded.get_parameter_shardings() or []):
      sharding = sharding_impls.GSPMDSharding(tuple(devices), sharding)
      if sharding.shard_shape(whole.shape) == parts[0].shape:
        # As they are: what a manual computation gets may differ from device to device.
        own = [jax.device_put(part, device) for part, device in zip(parts, devices)]
        spread.append(jax.make_array_from_single_device_arrays(whole.shape, sharding, own))
      else:
        spread.append(jax.device_put(whole, sharding))
    made = loaded.execute_sharded(spread).disassemble_into_single_device_arrays()
    return [([numpy.asarray(part) for part in parts],
             sharding_impls.GSPMDSharding(tuple(devices), sharding))
            for parts, sharding in zip(made, loaded.get_output_shardings())]


def assemble(parts, sharding):
  """The whole of what the devices have. Devices of the same part have the same."""
  hlo = sharding._to_xla_hlo_sharding(parts[0].ndim)
  if hlo.is_replicated():
    counts = (1,) * parts[0].ndim
  else:
    counts = tuple(hlo.tile_assignment_dimensions()[:parts[0].ndim])
  shape = tuple(n * c for n, c in zip(parts[0].shape, counts))
  whole, seen = numpy.empty(shape, parts[0].dtype), set()
  for index, part in zip(sharding.devices_indices_map(shape).values(), parts):
    key = str(index)
    if key in seen:
      numpy.testing.assert_array_equal(whole[index], part)
    seen.add(key)
    whole[index] = part
  return whole


def oracle_pass(name: str, text: str):
  module = ir.Module.parse(text)
  passmanager.PassManager.parse(f"builtin.module({name})").run(module.operation)
  return module


def main() -> int:
  folder, only = checkout() / FOLDER, sys.argv[2:]
  files = sorted(folder.glob("*/test/executable_*/*.mlir"))
  if not files:
    sys.exit(f"no programs in {folder}")
  backends = Backends()
  files = [file for file in files if (file.stem in only if only else file.stem not in LEFT_OUT)]
  failed = refused = checks = runs = 0
  for file in files:
    with mlir.make_ir_context() as context, ir.Location.unknown():
      context.allow_unregistered_dialects = True
      try:
        program = Program(*split(file.read_text()), backends)
        program.run()
        checks, runs = checks + program.checks, runs + program.runs
        if program.checks == 0 or file.stem in REFUSED:
          raise AssertionError("it compares nothing, or should be refused")
      except Exception as error:  # of any kind: the other files follow
        if file.stem in REFUSED and re.match("UNIMPLEMENTED: .*number of a device", str(error)):
          refused += 1
          continue
        failed += 1
        print(f"FAILED: {file.stem}: {type(error).__name__}: {str(error)[:1500]}")
  print(f"{len(files) - failed - refused} of {len(files)} files agree, {refused} are refused as they "
        f"should be: {runs} runs on several devices, {checks} checks; left out: {len(LEFT_OUT)}")
  return 1 if failed else 0


if __name__ == "__main__":
  if len(sys.argv) < 2:
    sys.exit(__doc__)
  os.environ.update(PJRT_NAMES_AND_LIBRARY_PATHS=f"plinth:{os.path.abspath(sys.argv[1])}",
                    JAX_PLATFORMS="plinth,cpu",
                    JAX_PJRT_CLIENT_CREATE_OPTIONS=f"num_devices:{DEVICES}", JAX_ENABLE_X64="1")
  import jax
  import numpy
  from jax._src import compiler, sharding_impls
  from jax._src.interpreters import mlir
  from jaxlib import _jax
  from jaxlib.mlir import ir, passmanager
  from jaxlib.mlir.dialects import func, sdy, stablehlo  # noqa: F401
  sys.exit(main())
