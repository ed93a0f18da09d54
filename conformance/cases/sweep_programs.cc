// SPDX-License-Identifier: Apache-2.0
// L1 and L3: programs that move arrays of every type and shape from arguments to results, with
// arguments in every state, donated or not, gone or kept, on every grid of devices.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <thread>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/sweep.h"
#include "conformance/cases/view.h"

namespace plinth::conformance {
namespace sweep_programs {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kInput[] = "PJRT-Args-input";
constexpr char kOnDelete[] = "PJRT-Client_CreateViewOfDeviceBuffer-on_delete";
// More than the parameters of a kernel, and than what a byte counts.
constexpr size_t kMany = 600;

// A program, and of one lane what it gets and gives. The text is that of every lane.
struct Program {
  std::string text;
  // Some arguments are one array.
  std::vector<HostArray> arrays;
  std::vector<size_t> arguments;
  std::vector<HostArray> results;
  std::set<size_t> donated;
};

HostArray Truth(bool value) { return {DType::kPred, {}, {value ? std::byte{1} : std::byte{0}}}; }
HostArray Index(int32_t value) { return HostArray::Of<int32_t>(DType::kS32, {}, {{value}}); }

// Numbers: an op may make a quiet NaN of one that signals.
HostArray RandomNumbers(DType type, const std::vector<int64_t>& dims, uint64_t seed) {
  HostArray array = RandomBits(type, dims, seed);
  const DTypeClass kind = InfoOf(type).kind;
  const bool is_complex = kind == DTypeClass::kComplex;
  if ((kind != DTypeClass::kFloat && !is_complex) || InfoOf(type).bits < 8) return array;
  constexpr std::byte kUpperBitOfExponent{0x40};
  const auto part = static_cast<size_t>(ByteSize(type)) / (is_complex ? 2 : 1);
  for (size_t i = part - 1; i < array.bytes.size(); i += part)
    array.bytes[i] &= ~kUpperBitOfExponent;
  return array;
}

const std::vector<std::string>& Bodies() {
  static const std::vector<std::string> bodies = {"identity", "choose", "exchange",
                                                  "update",   "counts", "many"};
  return bodies;
}

Program MakeProgram(std::string_view body, DType type, const std::vector<int64_t>& dims,
                    bool donates, int replicas, int partitions, size_t lane, uint64_t seed) {
  Program made;
  const std::string own = TypeText(type, dims);
  const HostArray x = RandomBits(type, dims, seed + lane), y = RandomBits(type, dims, seed + 77);
  std::string lines, results, types;
  std::vector<size_t> aliases;  // of the first arguments: the result that each may become
  if (body == "identity") {
    made.arrays = {x};
    made.results = {x};
    results = "%a0";
    types = own;
    aliases = {0};
  } else if (body == "choose") {
    made.arrays = {Truth(lane % 2 == 0), RandomNumbers(type, dims, seed + lane),
                   RandomNumbers(type, dims, seed + 77)};
    made.results = {made.arrays[lane % 2 == 0 ? 1 : 2]};
    lines = StrCat("    %r = stablehlo.select %a0, %a1, %a2 : tensor<i1>, ", own, "\n");
    results = "%r";
    types = own;
  } else if (body == "exchange") {
    made.arrays = {x, y};
    made.results = {y, x};
    results = "%a1, %a0";
    types = StrCat(own, ", ", own);
    aliases = {1, 0};
  } else if (body == "update") {
    // The last element is another.
    HostArray piece = y, changed = x;
    for (int64_t& dim : piece.dims) dim = std::min<int64_t>(dim, 1);
    const auto size = static_cast<size_t>(ByteSize(type));
    piece.bytes.resize(std::min(size, piece.bytes.size()));
    if (!piece.bytes.empty())
      std::copy(piece.bytes.begin(), piece.bytes.end(), changed.bytes.end() - size);
    made.arrays = {x, piece};
    made.results = {changed};
    std::string operands = "%a0, %a1", signature = StrCat(own, ", ", TypeText(type, piece.dims));
    for (int64_t dim : dims) {
      operands += StrCat(", %a", made.arrays.size());
      signature += ", tensor<i32>";
      made.arrays.push_back(Index(static_cast<int32_t>(std::max<int64_t>(dim - 1, 0))));
    }
    lines = StrCat("    %r = stablehlo.dynamic_update_slice ", operands, " : (", signature, ") -> ",
                   own, "\n");
    results = "%r";
    types = own;
    aliases = {0};
  } else if (body == "counts") {
    made.results = {HostArray::Of<int32_t>(DType::kS32, {3}, {{0, 1, 2}})};
    lines = "    %r = stablehlo.iota dim = 0 : tensor<3xi32>\n";
    results = "%r";
    types = "tensor<3xi32>";
  } else {
    made.arrays = {x, y, RandomBits(type, dims, seed + 99)};
    for (size_t i = 0; i < kMany; ++i) made.arguments.push_back(i * i % 3);
    for (size_t i : {size_t{0}, kMany / 2, kMany - 1}) {
      made.results.push_back(made.arrays[made.arguments[i]]);
      results += StrCat(results.empty() ? "" : ", ", "%a", i);
      types += StrCat(types.empty() ? "" : ", ", own);
    }
  }
  if (made.arguments.empty()) {
    made.arguments.resize(made.arrays.size());
    std::iota(made.arguments.begin(), made.arguments.end(), size_t{0});
  }
  std::string arguments;
  for (size_t i = 0; i < made.arguments.size(); ++i) {
    const HostArray& array = made.arrays[made.arguments[i]];
    arguments += StrCat(i == 0 ? "" : ", ", "%a", i, ": ", TypeText(array.type, array.dims));
    if (!donates || i >= aliases.size()) continue;
    arguments += StrCat(" {tf.aliasing_output = ", aliases[i], " : i32}");
    made.donated.insert(i);
  }
  made.text = StrCat("module @swept attributes {mhlo.num_partitions = ", partitions,
                     " : i32, mhlo.num_replicas = ", replicas,
                     " : i32} {\n  func.func public @main(", arguments, ") -> (", types, ") {\n",
                     lines, "    return ", results, " : ", types, "\n  }\n}\n");
  return made;
}

// What one device gets and gives.
struct Lane {
  PJRT_Device* device;
  Program program;
  std::vector<OwnedBuffer> buffers;  // of the arrays
  std::vector<PJRT_Buffer*> handles, outputs;
  PJRT_FulfillAliasBufferCallback* fulfill = nullptr;
  OwnedBuffer late;  // what the first argument stands for
  std::shared_ptr<Viewed> viewed;
};

// Uploads what a lane gets; its first array may be in a state of its own.
bool Fill(Context& context, std::string_view state, Lane& lane) {
  for (const HostArray& array : lane.program.arrays) {
    const bool is_first = lane.buffers.empty();
    if (is_first && state == "a view") {
      Place where{lane.device, nullptr, lane.device, DefaultMemoryOf(context, lane.device)};
      lane.buffers.push_back(MakeView(context, array, where, lane.viewed));
      if (!lane.buffers.back()) return false;
      continue;
    }
    Expected<OwnedBuffer> buffer = context.Upload(array, lane.device);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return false;
    if (is_first && state == "pending") {
      Expected<Alias> alias =
          MakeAlias(context, DefaultMemoryOf(context, lane.device), array.dims, ToC(array.type));
      if (!context.Ok("", "PJRT_Client_CreateAliasBuffer", alias.status())) return false;
      lane.late = *std::move(buffer);
      lane.fulfill = alias->fulfill;
      lane.buffers.push_back(std::move(alias->buffer));
      continue;
    }
    lane.buffers.push_back(*std::move(buffer));
  }
  for (size_t argument : lane.program.arguments)
    lane.handles.push_back(lane.buffers[argument].get());
  lane.outputs.resize(lane.program.results.size());
  return true;
}

// What is left of a lane's arguments when the call has returned.
void Leave(Context& context, std::string_view how, Lane& lane) {
  for (size_t i = 0; i < lane.buffers.size(); ++i) {
    // Somebody still has to say what the first stands for.
    if (!lane.buffers[i] || (i == 0 && lane.fulfill != nullptr)) continue;
    if (how == "deleted") (void)DeleteBuffer(context, lane.buffers[i].get());
    if (how != "kept") (void)lane.buffers[i].Destroy();
  }
  if (lane.fulfill == nullptr) return;
  context.Ok("PJRT-Client_FulfillAliasBuffer-error", "PJRT_Client_FulfillAliasBuffer",
             FulfillAlias(context, lane.fulfill, lane.late.get()));
  lane.fulfill = nullptr;
}

void Judge(Context& context, Lane& lane) {
  std::vector<OwnedBuffer> results;
  std::set<PJRT_Buffer*> known(lane.handles.begin(), lane.handles.end());
  for (PJRT_Buffer* output : lane.outputs) {
    if (!context.Check("PJRT-Args-output-handle", output != nullptr, "an output is null")) return;
    if (!context.Check("PJRT-Args-output-new", known.insert(output).second,
                       "an output is an argument, or another output")) {
      for (OwnedBuffer& result : results) (void)result.Release();
      return;
    }
    results.emplace_back(context.plugin(), output);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    JudgeBuffer(context, results[i].get(),
                {lane.program.results[i], lane.device, DefaultMemoryOf(context, lane.device)});
  }
  for (size_t i = 0; i < lane.buffers.size(); ++i) {
    if (!lane.buffers[i]) continue;
    if (IsBufferDeleted(context, lane.buffers[i].get())) {
      context.Check("PJRT-LoadedExecutable_Execute-donation", lane.program.donated.contains(i),
                    "argument ", i, " counts as deleted, and nobody donated it");
      continue;
    }
    Expected<HostArray> still = context.Download(lane.buffers[i].get());
    if (context.Ok(kInput, "PJRT_Buffer_ToHostBuffer of an argument", still.status())) {
      CheckSameArray(context, kInput, StrCat("argument ", i, " after the call"),
                     lane.program.arrays[i], *still);
    }
  }
}

// Whether the plugin says once that memory of a view is free when all is gone.
void JudgeEnd(Context& context, Lane& lane) {
  lane.buffers.clear();
  lane.late = OwnedBuffer();
  if (lane.viewed == nullptr) return;
  for (int i = 0; i < 3000 && lane.viewed->calls == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  context.Check(kOnDelete, lane.viewed->calls == 1, "on_delete_callback of an argument ran ",
                lane.viewed->calls.load(), " times, not once");
}

struct Grid {
  int replicas, partitions;
};
Grid GridOf(std::string_view text) { return {text[0] - '0', text[2] - '0'}; }

void SweepPrograms(Context& context, bool is_several) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  const std::vector<std::string> few = {"f32", "s32", "bf16", "u8", "c64"};
  const std::vector<std::string> shapes = {"[4]", "[]", "[3,2,5]", "[0]"};
  const std::vector<Parameter> parameters = {
      {"body", Bodies()},
      {"type", is_several ? few : SweptTypes()},
      {"shape", is_several ? shapes : SweptShapes()},
      {"donates", {"nothing", "what it can"}},
      {"first argument", {"there", "pending", "a view"}},
      {"arguments are", {"kept", "destroyed", "deleted"}},
      {"events", {"asked for", "not asked for"}},
      {"got", {"compiled", "loaded from bytes"}},
      {"grid", is_several ? std::vector<std::string>{"1x2", "2x1", "2x2", "1x4", "4x1"}
                          : std::vector<std::string>{"1x1"}},
      {"devices", {"in order", "turned"}}};
  const std::vector<PJRT_Device*> all = AddressableDevices(context);
  if (all.empty()) return;
  if (is_several && all.size() < 2) return context.LacksDevices("the client has one device");
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    auto value = [&](size_t p) -> const std::string& { return parameters[p].values[row[p]]; };
    const DType type = TypeNamed(value(1));
    if (!HasSweptType(probe, type)) return;
    // How types below a byte lie in memory is not known; the first to choose by is one.
    if (value(4) == "a view" && (InfoOf(type).bits < 8 || value(0) == "choose")) return;
    // Nobody may give away what is not there.
    const bool donates = row[3] == 1 && value(4) != "pending";
    const Grid grid = GridOf(value(8));
    const auto lanes = static_cast<size_t>(grid.replicas) * static_cast<size_t>(grid.partitions);
    if (all.size() < lanes) return probe.Unsupported("fewer devices than the program is for");
    if (grid.partitions > 1 && IdsOfDevices(probe, static_cast<size_t>(grid.partitions)).empty())
      return;
    std::vector<PJRT_Device*> devices = all;
    if (value(9) == "turned") std::reverse(devices.begin(), devices.end());
    devices.resize(lanes);
    std::vector<int> ids;
    ids.reserve(lanes);
    for (PJRT_Device* device : devices) ids.push_back(DeviceIdOf(probe, device));
    const std::vector<int64_t> dims = ShapeOf(value(2));
    auto program = [&](size_t lane) {
      return MakeProgram(value(0), type, dims, donates, grid.replicas, grid.partitions, lane,
                         probe.seed());
    };
    Expected<OwnedLoadedExecutable> compiled = probe.CompileAnyway(
        program(0).text, "mlir", CompileOptionsOf(grid.replicas, grid.partitions, ids));
    // A plugin need not read text, nor have the type.
    if (!compiled.ok()) return probe.Unsupported(compiled.status().ToString());
    OwnedLoadedExecutable executable = *std::move(compiled);
    if (value(7) == "loaded from bytes") {
      Compiled made{std::move(executable), {}};
      if (!FindExecutable(probe, made)) return;
      auto bytes = SerializedBytes(probe, made.executable.get());
      if (!bytes) return probe.Unsupported("no serialization");
      executable = LoadBytes(probe, *bytes, "PJRT-Executable_DeserializeAndLoad-same");
      if (!executable) return;
    }
    JudgeDevicesOf(probe, executable.get(), devices, static_cast<uint64_t>(grid.replicas),
                   static_cast<uint64_t>(grid.partitions));
    const std::vector<PJRT_Device*> order = DevicesOf(probe, executable.get());
    if (order.size() != lanes) return;
    std::vector<Lane> made(lanes);
    std::vector<PJRT_Buffer* const*> arguments;
    std::vector<PJRT_Buffer**> outputs;
    bool is_filled = true;
    for (size_t i = 0; i < lanes && is_filled; ++i) {
      made[i].device = order[i];
      made[i].program = program(i);
      is_filled = Fill(probe, value(4), made[i]);
      arguments.push_back(made[i].handles.data());
      outputs.push_back(made[i].outputs.data());
    }
    std::vector<PJRT_Event*> events(lanes);
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable.get();
    args.options = &options;
    args.argument_lists = arguments.data();
    args.num_devices = lanes;
    args.num_args = made[0].program.arguments.size();
    args.output_lists = outputs.data();
    args.device_complete_events = row[6] == 0 ? events.data() : nullptr;
    const bool is_taken = is_filled && Succeeds(probe, args);
    for (Lane& lane : made) Leave(probe, value(5), lane);
    if (!is_taken) return;
    for (size_t i = 0; i < lanes; ++i) {
      OwnedEvent done(probe.plugin(), events[i]);
      if (done)
        probe.Ok("PJRT-LoadedExecutable_Execute-done", "its event", probe.Await(done.get()));
      Judge(probe, made[i]);
      JudgeEnd(probe, made[i]);
    }
  });
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (bool is_several : {false, true}) {
    cases.push_back(
        {is_several ? "L3/sweep/programs" : "L1/sweep/programs",
         is_several ? Level::kL3 : Level::kL1,
         ClientNeed::kShared,
         {kResults, kInput, kOutputTrue, kProgram, "PJRT-Args-accepted", "PJRT-Args-output-handle",
          "PJRT-Args-output-new", "PJRT-Buffer_ToHostBuffer-contents", "PJRT-Buffer_Delete-uses",
          "PJRT-LoadedExecutable_Execute-done", "PJRT-LoadedExecutable_Execute-donation",
          "PJRT-Executable_DeserializeAndLoad-same",
          "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
          "PJRT-LoadedExecutable_GetDeviceAssignment-options", kOnDelete},
         [=](Context& context) { SweepPrograms(context, is_several); },
         false});
  }
}

}  // namespace sweep_programs

void AddProgramSweepCases(std::vector<Case>& cases) { sweep_programs::AddCases(cases); }

}  // namespace plinth::conformance
