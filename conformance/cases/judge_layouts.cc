// SPDX-License-Identifier: Apache-2.0
// L1: what the extensions Layouts and Shardings say, compared with what the core functions say and
// with what was put in.

#include <charconv>
#include <set>
#include <span>

#include "conformance/cases/cases.h"
#include "conformance/cases/extension_calls.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_case.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/laid_out.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/sweep.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::conformance {
namespace judge_layouts {
namespace {

constexpr char kText[] = "PJRT-Layouts_MemoryLayout_Serialize-text";
constexpr char kOfBuffer[] = "PJRT-Layouts_PJRT_Buffer_MemoryLayout-same";
constexpr char kDefault[] = "PJRT-Layouts_PJRT_Client_GetDefaultLayout-default";
constexpr char kOfTopology[] = "PJRT-Layouts_PJRT_Topology_GetDefaultLayout-same";
constexpr char kOutputs[] = "PJRT-Layouts_PJRT_Executable_GetOutputLayouts-outputs";
constexpr char kParameters[] = "PJRT-Layouts_PJRT_Executable_GetParameterLayouts-parameters";
constexpr char kShardedParameters[] =
    "PJRT-Shardings_PJRT_Executable_ParameterShardings-parameters";
constexpr char kShardedOutputs[] = "PJRT-Shardings_PJRT_Executable_OutputShardings-outputs";

// Owns a layout.
class Layout {
 public:
  Layout(Context& context, PJRT_Layouts_MemoryLayout* layout)
      : context_(&context), layout_(layout) {}
  Layout(Layout&& other) noexcept
      : context_(other.context_), layout_(std::exchange(other.layout_, nullptr)) {}
  ~Layout() {
    if (layout_ == nullptr) return;
    PJRT_Layouts_MemoryLayout_Destroy_Args args = {};
    args.layout = layout_;
    (void)AskExtension(*context_, "PJRT_Layouts_MemoryLayout_Destroy", args);
  }
  PJRT_Layouts_MemoryLayout* get() const { return layout_; }

 private:
  Context* context_;
  PJRT_Layouts_MemoryLayout* layout_;
};

std::string TextOf(Context& context, PJRT_Layouts_MemoryLayout* layout) {
  PJRT_Layouts_MemoryLayout_Serialize_Args args = {};
  args.layout = layout;
  if (!context.Check("PJRT-Args-output-handle", layout != nullptr, "a layout is null") ||
      !AskExtension(context, "PJRT_Layouts_MemoryLayout_Serialize", args)) {
    return "";
  }
  std::string text(StringOf(args.serialized_bytes, args.serialized_bytes_size));
  context.Check("PJRT-Layouts_MemoryLayout_Serialize-serialized_layout-owner",
                args.serialized_layout_deleter != nullptr, "no deleter");
  if (args.serialized_layout_deleter != nullptr)
    args.serialized_layout_deleter(args.serialized_layout);
  return text;
}

// The dimensions of "{1,0:T(8)}", from the fastest varying; a finding if they are not those of an
// array of that rank. Tiles and what else a platform writes are not looked at.
std::vector<int64_t> OrderOf(Context& context, std::string_view of,
                             PJRT_Layouts_MemoryLayout* layout, size_t rank) {
  std::string text = TextOf(context, layout);
  std::vector<int64_t> order;
  size_t end = text.find_first_of(":}");
  bool is_right = text.starts_with('{') && text.ends_with('}') && end != std::string::npos &&
                  text.find('\0') == std::string::npos;
  const char* at = text.data() + 1;
  while (is_right && at < text.data() + end) {
    int64_t value = -1;
    auto [next, error] = std::from_chars(at, text.data() + end, value);
    is_right = error == std::errc() && (next == text.data() + end || *next == ',');
    order.push_back(value);
    at = next + 1;
  }
  std::set<int64_t> dimensions(order.begin(), order.end());
  is_right &= order.size() == rank && dimensions.size() == rank &&
              (rank == 0 || (*dimensions.begin() == 0 &&
                             *dimensions.rbegin() == static_cast<int64_t>(rank) - 1));
  context.Check(kText, is_right, of, " of ", rank, " dimensions is written as \"", text, "\"");
  return order;
}

PJRT_Layouts_MemoryLayout* DefaultLayout(Context& context, const HostArray& array) {
  PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args args = {};
  args.client = context.client();
  args.type = static_cast<PJRT_Buffer_Type>(ToC(array.type));
  args.dims = array.dims.data();
  args.num_dims = array.dims.size();
  return AskExtension(context, "PJRT_Layouts_PJRT_Client_GetDefaultLayout", args) ? args.layout
                                                                                  : nullptr;
}

// What the layout extension says of a buffer is what the buffer says itself.
std::vector<int64_t> JudgeBufferLayout(Context& context, PJRT_Buffer* buffer, size_t rank) {
  PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args args = {};
  args.buffer = buffer;
  if (!AskExtension(context, "PJRT_Layouts_PJRT_Buffer_MemoryLayout", args)) return {};
  Layout layout(context, args.layout);
  std::vector<int64_t> order = OrderOf(context, "the layout of a buffer", layout.get(), rank);
  auto own = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer);
  if (!own || RawEnum(own->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled) return order;
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = own->layout.tiled;
  std::vector<int64_t> wanted(tiled.minor_to_major,
                              tiled.minor_to_major + tiled.minor_to_major_size);
  context.Check(kOfBuffer, order == wanted, "the layout is {", StrJoin(order),
                "}, PJRT_Buffer_GetMemoryLayout says {", StrJoin(wanted), "}");
  return order;
}

// Every default layout is that of a buffer that is made without one, and that of the topology.
void SweepDefaultLayouts(Context& context) {
  if (!HasExtension(context, "PJRT_Layouts_MemoryLayout_Serialize"))
    return context.Unsupported("no extension Layouts");
  const std::vector<Parameter> parameters = {{"type", SweptTypes()}, {"shape", SweptShapes()}};
  auto topology = Get<&PJRT_Client_TopologyDescription_Args::client>(context, context.client());
  std::string refused, answered;
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    DType type = TypeNamed(parameters[0].values[row[0]]);
    if (!HasSweptType(probe, type)) return;
    HostArray array = RandomBits(type, ShapeOf(parameters[1].values[row[1]]), 5);
    const size_t rank = array.dims.size();
    Layout fallback(probe, DefaultLayout(probe, array));
    const std::vector<int64_t> order = OrderOf(probe, "the default layout", fallback.get(), rank);
    Expected<OwnedBuffer> buffer = probe.Upload(array);
    if (!probe.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
    std::vector<int64_t> of_buffer = JudgeBufferLayout(probe, buffer->get(), rank);
    probe.Check(kDefault, of_buffer == order, "a buffer that was made without a layout has {",
                StrJoin(of_buffer), "}, the default layout is {", StrJoin(order), "}");
    if (!topology) return;
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args args = {};
    args.topology_description = topology->topology;
    args.type = static_cast<PJRT_Buffer_Type>(ToC(type));
    args.dims = array.dims.data();
    args.num_dims = rank;
    if (!AskExtension(probe, "PJRT_Layouts_PJRT_Topology_GetDefaultLayout", args)) {
      // A plugin may lack it, but then for all arrays.
      if (fallback.get() != nullptr) refused = DescribeRow(parameters, row);
      return;
    }
    answered = DescribeRow(parameters, row);
    Layout layout(probe, args.layout);
    probe.Check(kOfTopology,
                OrderOf(probe, "the topology's default layout", layout.get(), rank) == order,
                "the default layout is another for the topology");
  });
  context.Check(kOfTopology, refused.empty() || answered.empty(),
                "the topology has a default layout for ", answered, ", and none for ", refused);
}

// Layouts and their texts, all alive at once: each says the same as before, whatever goes first.
void JudgeLayouts(Context& context) {
  if (!HasExtension(context, "PJRT_Layouts_MemoryLayout_Serialize"))
    return context.Unsupported("no extension Layouts");
  std::vector<Layout> alive;
  std::vector<PJRT_Layouts_MemoryLayout_Serialize_Args> texts;
  std::vector<std::string> said;
  std::set<PJRT_Layouts_MemoryLayout*> addresses;
  for (const std::string& shape : SweptShapes()) {
    HostArray array = RandomBits(DType::kF32, ShapeOf(shape), 5);
    alive.emplace_back(context, DefaultLayout(context, array));
    (void)OrderOf(context, "the default layout", alive.back().get(), array.dims.size());
    context.Check("PJRT-Args-output-new", addresses.insert(alive.back().get()).second,
                  "one layout was handed out twice");
    PJRT_Layouts_MemoryLayout_Serialize_Args args = {};
    args.layout = alive.back().get();
    if (args.layout == nullptr ||
        !AskExtension(context, "PJRT_Layouts_MemoryLayout_Serialize", args))
      return;
    texts.push_back(args);
    said.emplace_back(StringOf(args.serialized_bytes, args.serialized_bytes_size));
  }
  for (size_t i = 0; i < alive.size(); ++i) {
    context.Check("PJRT-Args-output-same", TextOf(context, alive[i].get()) == said[i],
                  "a layout says something else than before");
  }
  alive.clear();
  for (size_t i = 0; i < texts.size(); ++i) {
    context.Check("PJRT-Args-output-lifetime",
                  StringOf(texts[i].serialized_bytes, texts[i].serialized_bytes_size) == said[i],
                  "the text \"", said[i], "\" of a layout changed when the layout was freed");
    if (texts[i].serialized_layout_deleter != nullptr)
      texts[i].serialized_layout_deleter(texts[i].serialized_layout);
  }
}

// A layout of dimensions in that order, which has to live as long, without tiles.
PJRT_Buffer_MemoryLayout TiledLayout(std::span<const int64_t> order) {
  auto layout = MakeArgs<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();
  return layout;
}

// A buffer that was made with a layout has it, as far as both extensions and core can say.
void JudgeGivenLayouts(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  // A dimension of one moves no element, but the order that was asked for is told.
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{3, 2, 5}, {3, 1, 5}}) {
    for (const std::vector<int64_t>& order :
         {std::vector<int64_t>{0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {0, 2, 1}, {2, 1, 0}}) {
      HostArray array = RandomBits(DType::kF32, dims, 6);
      PJRT_Buffer_MemoryLayout layout = TiledLayout(order);
      Expected<OwnedBuffer> buffer = UploadLaidOut(context, *device, array, layout);
      if (!buffer.ok()) {
        context.Note(StrCat("layout {", StrJoin(order), "}: ", buffer.status().ToString()));
        continue;
      }
      std::vector<int64_t> found = JudgeBufferLayout(context, buffer->get(), 3);
      context.Check("PJRT-Client_BufferFromHostBuffer-layout-kept", found.empty() || found == order,
                    "a buffer of [", StrJoin(dims), "] made with {", StrJoin(order),
                    "} has the layout {", StrJoin(found), "}");
    }
  }
}

// A layout with tiles is kept with them, or refused.
void JudgeGivenTiles(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  const HostArray array = RandomBits(DType::kF32, {16, 256}, 6);
  for (const std::vector<int64_t>& tile : {std::vector<int64_t>{8, 128}, {2, 4}, {128}, {3, 5}}) {
    const int64_t order[] = {1, 0};
    const size_t sizes[] = {tile.size()};
    PJRT_Buffer_MemoryLayout layout = TiledLayout(order);
    layout.tiled.tile_dims = tile.data();
    layout.tiled.tile_dim_sizes = sizes;
    layout.tiled.num_tiles = 1;
    Expected<OwnedBuffer> buffer = UploadLaidOut(context, *device, array, layout);
    if (!buffer.ok()) {
      context.Note(StrCat("tiles (", StrJoin(tile), "): ", buffer.status().ToString()));
      continue;
    }
    auto found = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer->get());
    if (!found || RawEnum(found->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled) continue;
    const PJRT_Buffer_MemoryLayout_Tiled& tiled = found->layout.tiled;
    const bool is_kept = tiled.num_tiles >= 1 && tiled.tile_dim_sizes[0] == tile.size() &&
                         std::equal(tile.begin(), tile.end(), tiled.tile_dims);
    context.Check("PJRT-Client_BufferFromHostBuffer-layout-kept", is_kept,
                  "a buffer made with tiles (", StrJoin(tile), ") has ", tiled.num_tiles,
                  " tiles, or others");
    JudgeBuffer(context, buffer->get(), {array, *device});
  }
}

// An array that is gone is still said to have lain as it did: the extension may refuse to say it.
void JudgeLayoutsOfDeleted(Context& context) {
  if (!HasExtension(context, "PJRT_Layouts_PJRT_Buffer_MemoryLayout"))
    return context.Unsupported("no layouts of buffers");
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  const HostArray array = RandomBits(DType::kF32, {3, 2, 5}, 6);
  for (const std::vector<int64_t>& order :
       {std::vector<int64_t>{2, 1, 0}, {0, 1, 2}, {1, 2, 0}, {0, 2, 1}}) {
    PJRT_Buffer_MemoryLayout layout = TiledLayout(order);
    Expected<OwnedBuffer> buffer = UploadLaidOut(context, *device, array, layout);
    if (!buffer.ok() || !DeleteBuffer(context, buffer->get())) continue;
    Context probe(context.plugin(), context.profile(), context.client(), context.seed());
    (void)JudgeBufferLayout(probe, buffer->get(), 3);
    for (const Finding& finding : probe.TakeResult().findings) {
      if (finding.requirement == kOfBuffer)
        context.Fail(kOfBuffer, StrCat("of a deleted buffer: ", finding.text));
    }
  }
}

// A program whose parameters and results have different shapes, so that none is taken for another.
struct Signature {
  std::string program;
  std::vector<HostArray> parameters, results;
};

// Those of every example whose types the plugin has, and of programs that no example runs.
std::vector<Signature> Signatures(Context& context) {
  auto f32 = [](std::vector<int64_t> dims) { return RandomBits(DType::kF32, std::move(dims), 3); };
  std::vector<Signature> all = {
      {"donating_both", {f32({4}), f32({2, 3}), f32({8})}, {f32({2, 3}), f32({4})}}};
  for (Example& example : Examples()) {
    if (HasTypes(context, example))
      all.push_back({example.name, std::move(example.arguments), std::move(example.results)});
  }
  return all;
}

// A program as it was compiled, and as it comes back from its bytes, where the plugin has them;
// none with a finding.
std::vector<Compiled> EachWay(Context& context, Compiled compiled) {
  std::vector<Compiled> ways;
  if (auto bytes = SerializedBytes(context, compiled.executable.get())) {
    Compiled loaded{LoadBytes(context, *bytes, "PJRT-Args-accepted"), {}};
    if (!loaded.loaded || !FindExecutable(context, loaded)) return {};
    ways.push_back(std::move(loaded));
  }
  ways.push_back(std::move(compiled));
  return ways;
}
std::vector<Compiled> EachWay(Context& context, std::string_view program) {
  Compiled compiled;
  return Compile(context, program, compiled) ? EachWay(context, std::move(compiled))
                                             : std::vector<Compiled>();
}

void JudgeExecutableLayouts(Context& context, const Signature& signature, Compiled made) {
  auto compare = [&](std::string_view requirement, std::string_view what,
                     PJRT_Layouts_MemoryLayout** layouts, size_t count,
                     const std::vector<HostArray>& wanted) {
    if (!context.Check(requirement, count == wanted.size(), signature.program, " has ", count,
                       " layouts of ", what, ", not ", wanted.size()) ||
        !context.Check("PJRT-Args-output-array", layouts != nullptr || count == 0,
                       "the list of layouts is null")) {
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      Layout fallback(context, DefaultLayout(context, wanted[i]));
      size_t rank = wanted[i].dims.size();
      context.Check(requirement,
                    OrderOf(context, what, layouts[i], rank) ==
                        OrderOf(context, "the default layout", fallback.get(), rank),
                    "the layout of ", what, " ", i, " of ", signature.program,
                    " is not the default one, and nothing else was asked for");
    }
  };
  for (int turn = 0; turn < 2; ++turn) {
    PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args outputs = {};
    outputs.executable = made.executable.get();
    if (AskExtension(context, "PJRT_Layouts_PJRT_Executable_GetOutputLayouts", outputs))
      compare(kOutputs, "output", outputs.layouts, outputs.num_outputs, signature.results);
    PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args parameters = {};
    parameters.executable = made.executable.get();
    if (AskExtension(context, "PJRT_Layouts_PJRT_Executable_GetParameterLayouts", parameters)) {
      compare(kParameters, "parameter", parameters.layouts, parameters.num_parameters,
              signature.parameters);
    }
    (void)made.loaded.Destroy();  // the executable stays, and with it what it said
  }
}

void JudgeLayoutsOfPrograms(Context& context) {
  if (!HasExtension(context, "PJRT_Layouts_MemoryLayout_Serialize"))
    return context.Unsupported("no extension Layouts");
  for (const Signature& signature : Signatures(context)) {
    for (Compiled& made : EachWay(context, signature.program))
      JudgeExecutableLayouts(context, signature, std::move(made));
  }
}

// The lists of one executable stay while another is asked.
void ExecutableLayoutsStay(Context& context) {
  if (!HasExtension(context, "PJRT_Layouts_PJRT_Executable_GetOutputLayouts"))
    return context.Unsupported("no layouts of executables");
  constexpr size_t kPrograms = 4;
  const char* const names[kPrograms] = {"mixed", "donating_both", "many_results", "add_one"};
  Compiled programs[kPrograms];
  PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args outputs[kPrograms] = {};
  PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args parameters[kPrograms] = {};
  std::vector<PJRT_Layouts_MemoryLayout*> said[kPrograms], said_of_parameters[kPrograms];
  for (size_t i = 0; i < kPrograms; ++i) {
    if (!Compile(context, names[i], programs[i])) return;
    outputs[i].executable = parameters[i].executable = programs[i].executable.get();
    if (AskExtension(context, "PJRT_Layouts_PJRT_Executable_GetOutputLayouts", outputs[i]))
      said[i].assign(outputs[i].layouts, outputs[i].layouts + outputs[i].num_outputs);
    if (AskExtension(context, "PJRT_Layouts_PJRT_Executable_GetParameterLayouts", parameters[i])) {
      said_of_parameters[i].assign(parameters[i].layouts,
                                   parameters[i].layouts + parameters[i].num_parameters);
    }
  }
  for (size_t i = 0; i < kPrograms; ++i) {
    context.Check("PJRT-Args-output-lifetime",
                  std::equal(said[i].begin(), said[i].end(), outputs[i].layouts) &&
                      std::equal(said_of_parameters[i].begin(), said_of_parameters[i].end(),
                                 parameters[i].layouts),
                  "a list of layouts changed when another executable was asked");
  }
}

// The layout of a buffer is the caller's: it stays when the buffer is deleted, and when it goes.
void BufferLayoutsStay(Context& context) {
  if (!HasExtension(context, "PJRT_Layouts_PJRT_Buffer_MemoryLayout"))
    return context.Unsupported("no layouts of buffers");
  for (bool is_deleted : {false, true}) {
    Expected<OwnedBuffer> buffer = context.Upload(RandomBits(DType::kF32, {2, 3, 4}, 7));
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
    PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args args = {};
    args.buffer = buffer->get();
    if (!AskExtension(context, "PJRT_Layouts_PJRT_Buffer_MemoryLayout", args)) return;
    Layout layout(context, args.layout);
    const std::string said = TextOf(context, layout.get());
    if (is_deleted && !DeleteBuffer(context, buffer->get())) return;
    context.Check("PJRT-Args-output-lifetime", TextOf(context, layout.get()) == said,
                  "the layout of a buffer changed when the buffer was deleted");
    (void)buffer->Destroy();
    const std::string left = TextOf(context, layout.get());
    context.Check("PJRT-Args-output-lifetime", left == said, "the layout ", said,
                  " of a buffer became ", left, " when the buffer was destroyed");
  }
}

// The first field of an OpSharding: its type. -1 if the bytes are none.
int ShardingType(std::string_view bytes) {
  if (bytes.empty()) return 0;  // the default of every field
  if (bytes.size() < 2 || (static_cast<unsigned char>(bytes[0]) & 0xC7) > 2) return -1;
  return bytes[0] == 8 ? bytes[1] : 0;
}

// A program of one partition puts everything on its device: replicated, maximal, or tiled into
// one.
void JudgeShardings(Context& context, const Signature& signature, const Compiled& made) {
  constexpr int kLastType = 5;  // of OpSharding.Type
  auto judge = [&](std::string_view requirement, std::string_view what, size_t count, size_t wanted,
                   const char* const* texts, const size_t* sizes) {
    if (count == 0) return;  // none is said
    context.Check(requirement, count == wanted, signature.program, " has ", count, " shardings of ",
                  what, ", not ", wanted);
    if (!context.Check(requirement, (texts == nullptr) == (sizes == nullptr) || count == 0,
                       "one of the lists of shardings of ", what, " is null") ||
        texts == nullptr || sizes == nullptr) {
      return;
    }
    for (size_t i = 0; i < std::min(count, wanted); ++i) {
      int type = ShardingType(StringOf(texts[i], sizes[i]));
      context.Check(requirement, type >= 0 && type <= kLastType, "the sharding of ", what, " ", i,
                    " of ", signature.program, " is no OpSharding, or one of type ", type);
    }
  };
  PJRT_Shardings_PJRT_Executable_ParameterShardings_Args parameters = {};
  parameters.executable = made.executable.get();
  if (AskExtension(context, "PJRT_Shardings_PJRT_Executable_ParameterShardings", parameters)) {
    judge(kShardedParameters, "parameter", parameters.num_parameters, signature.parameters.size(),
          parameters.shardings, parameters.sharding_sizes);
  }
  PJRT_Shardings_PJRT_Executable_OutputShardings_Args outputs = {};
  outputs.executable = made.executable.get();
  if (AskExtension(context, "PJRT_Shardings_PJRT_Executable_OutputShardings", outputs)) {
    judge(kShardedOutputs, "output", outputs.num_outputs, signature.results.size(),
          outputs.shardings, outputs.sharding_sizes);
  }
}

void JudgeShardingsOfPrograms(Context& context) {
  if (!HasExtension(context, "PJRT_Shardings_PJRT_Executable_OutputShardings"))
    return context.Unsupported("no extension Shardings");
  for (const Signature& signature : Signatures(context)) {
    for (const Compiled& made : EachWay(context, signature.program))
      JudgeShardings(context, signature, made);
  }
}

// What an OpSharding says: its type, and into how many parts it splits each dimension.
std::string ShardingText(std::string_view bytes) {
  Wire wire(bytes);
  std::string text = StrCat("type ", wire.Number(1), ", tiles");
  // tile_assignment_dimensions = 3
  for (uint64_t dimension : wire.numbers[3]) text += StrCat(" ", dimension);
  for (std::string_view packed : wire.messages[3]) {
    while (!packed.empty()) text += StrCat(" ", TakeVarint(packed));
  }
  return text;
}

// What the program "sharded" of two partitions says of each parameter and result.
void JudgeAnnotations(Context& context, const Compiled& made) {
  // OpSharding.Type: replicated is 0, tiled is 3.
  const std::string rows = "type 3, tiles 2 1", columns = "type 3, tiles 1 2",
                    all = "type 0, tiles";
  auto judge = [&](std::string_view requirement, std::string_view what, size_t count,
                   const char* const* texts, const size_t* sizes,
                   const std::vector<std::string>& wanted) {
    if (texts == nullptr && sizes == nullptr) return;
    if (!context.Check(requirement, texts != nullptr && sizes != nullptr && count == wanted.size(),
                       "one of the lists of ", count, " shardings of ", what, " is null"))
      return;
    for (size_t i = 0; i < count; ++i) {
      const std::string found = ShardingText(StringOf(texts[i], sizes[i]));
      context.Check(requirement, found == wanted[i], "the sharding of ", what, " ", i, " is of ",
                    found, ", not of ", wanted[i]);
    }
  };
  PJRT_Shardings_PJRT_Executable_ParameterShardings_Args parameters = {};
  parameters.executable = made.executable.get();
  if (AskExtension(context, "PJRT_Shardings_PJRT_Executable_ParameterShardings", parameters)) {
    judge(kShardedParameters, "parameter", parameters.num_parameters, parameters.shardings,
          parameters.sharding_sizes, {rows, all, columns});
  }
  PJRT_Shardings_PJRT_Executable_OutputShardings_Args outputs = {};
  outputs.executable = made.executable.get();
  if (AskExtension(context, "PJRT_Shardings_PJRT_Executable_OutputShardings", outputs)) {
    judge(kShardedOutputs, "output", outputs.num_outputs, outputs.shardings, outputs.sharding_sizes,
          {all, rows, columns});
  }
}

// A program of two partitions says how everything was annotated.
void ShardingsOfPartitions(Context& context) {
  if (!HasExtension(context, "PJRT_Shardings_PJRT_Executable_OutputShardings"))
    return context.Unsupported("no extension Shardings");
  std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  Expected<OwnedLoadedExecutable> loaded =
      context.Compile(ProgramFor(context, "sharded"), "mlir", CompileOptionsOf(1, 2, ids));
  // Other cases ask for partitions.
  if (!loaded.ok()) return context.Unsupported(loaded.status().ToString());
  Compiled compiled{*std::move(loaded), {}};
  if (!FindExecutable(context, compiled)) return;
  for (const Compiled& made : EachWay(context, std::move(compiled)))
    JudgeAnnotations(context, made);
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  AddJudgeCase(cases, "L1/judge/extension/default_layouts",
               {kText, kOfBuffer, kDefault, kOfTopology}, SweepDefaultLayouts);
  AddJudgeCase(cases, "L1/judge/extension/layouts",
               {kText, "PJRT-Args-output-new", "PJRT-Args-output-same", "PJRT-Args-output-lifetime",
                "PJRT-Layouts_MemoryLayout_Serialize-serialized_layout-owner"},
               JudgeLayouts);
  AddJudgeCase(cases, "L1/judge/extension/given_tiles",
               {"PJRT-Client_BufferFromHostBuffer-layout-kept"}, JudgeGivenTiles);
  AddJudgeCase(cases, "L1/judge/extension/executable_layouts_stay", {"PJRT-Args-output-lifetime"},
               ExecutableLayoutsStay);
  AddJudgeCase(cases, "L1/judge/extension/buffer_layouts_stay", {"PJRT-Args-output-lifetime"},
               BufferLayoutsStay);
  AddJudgeCase(cases, "L1/judge/extension/layouts_of_deleted", {kOfBuffer}, JudgeLayoutsOfDeleted);
  AddJudgeCase(cases, "L1/judge/extension/given_layouts",
               {kText, kOfBuffer, "PJRT-Client_BufferFromHostBuffer-layout-kept"},
               JudgeGivenLayouts);
  AddJudgeCase(cases, "L1/judge/extension/executable_layouts", {kText, kOutputs, kParameters},
               JudgeLayoutsOfPrograms);
  AddJudgeCase(cases, "L1/judge/extension/shardings", {kShardedParameters, kShardedOutputs},
               JudgeShardingsOfPrograms);
  cases.push_back({"L3/judge/extension/shardings",
                   Level::kL3,
                   ClientNeed::kShared,
                   {kShardedParameters, kShardedOutputs},
                   ShardingsOfPartitions});
}

}  // namespace judge_layouts

void AddLayoutJudgeCases(std::vector<Case>& cases) { judge_layouts::AddCases(cases); }

}  // namespace plinth::conformance
