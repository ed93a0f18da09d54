// SPDX-License-Identifier: Apache-2.0
// L1: what extensions say, compared with what the core functions say and with what was put in.

#include <atomic>
#include <charconv>
#include <memory>
#include <set>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_gpu_extension.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"
#include "xla_ffi_c_api.h"

namespace plinth::conformance {
namespace judge_extensions {
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
constexpr char kTypeIds[] = "PJRT-FFI_Type_Register-ids";
constexpr char kUserData[] = "PJRT-FFI_UserData_Add-found";
constexpr char kFfiCalled[] = "PJRT-FFI_Register_Handler-called";
constexpr char kGpuCalled[] = "PJRT-Gpu_Register_Custom_Call-called";

// Calls a function of an extension. False where the plugin does not have it, and with a finding
// where it fails.
template <typename Args>
bool Ask(Context& context, std::string_view name, Args& args,
         std::string_view requirement = "PJRT-Args-accepted") {
  const reflection::Function* function = reflection::FindFunction(name);
  if (function == nullptr || context.plugin().Slot(*function) == nullptr) return false;
  args.struct_size = reflection::Structs()[function->args].end;
  Status status = context.plugin().Call(*function, &args);
  if (status.ok()) return true;
  bool may_lack = function->absent != reflection::Absent::kRequired;
  if (status.code() == StatusCode::kUnimplemented && may_lack) {
    context.Note(StrCat(name, ": ", status.ToString()));
  } else {
    context.Fail(requirement, StrCat(name, ": expected success, got ", status.ToString()));
  }
  return false;
}

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
    (void)Ask(*context_, "PJRT_Layouts_MemoryLayout_Destroy", args);
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
      !Ask(context, "PJRT_Layouts_MemoryLayout_Serialize", args)) {
    return "";
  }
  std::string text(StringOf(args.serialized_bytes, args.serialized_bytes_size));
  if (context.Check("PJRT-Layouts_MemoryLayout_Serialize-serialized_layout-owner",
                    args.serialized_layout_deleter != nullptr, "no deleter")) {
    args.serialized_layout_deleter(args.serialized_layout);
  }
  return text;
}

// The dimensions of "{1,0:T(8)}", from the fastest varying; a finding if they are not those of an
// array of that rank. Tiles and what else a platform writes are not looked at.
std::vector<int64_t> OrderOf(Context& context, std::string_view of,
                             PJRT_Layouts_MemoryLayout* layout, size_t rank) {
  std::string text = TextOf(context, layout);
  std::vector<int64_t> order;
  size_t end = text.find_first_of(":}");
  bool is_right = text.starts_with('{') && end != std::string::npos;
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
  return Ask(context, "PJRT_Layouts_PJRT_Client_GetDefaultLayout", args) ? args.layout : nullptr;
}

// What the layout extension says of a buffer is what the buffer says itself.
std::vector<int64_t> JudgeBufferLayout(Context& context, PJRT_Buffer* buffer, size_t rank) {
  PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args args = {};
  args.buffer = buffer;
  if (!Ask(context, "PJRT_Layouts_PJRT_Buffer_MemoryLayout", args)) return {};
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

void JudgeLayouts(Context& context) {
  if (!context.plugin().Slot(*reflection::FindFunction("PJRT_Layouts_MemoryLayout_Serialize")))
    return context.Unsupported("no extension Layouts");
  auto topology = Get<&PJRT_Client_TopologyDescription_Args::client>(context, context.client());
  std::vector<Layout> alive;
  std::vector<std::vector<int64_t>> orders;
  for (const std::string& shape : SweptShapes()) {
    HostArray array = RandomBits(DType::kF32, ShapeOf(shape), 5);
    size_t rank = array.dims.size();
    alive.emplace_back(context, DefaultLayout(context, array));
    orders.push_back(OrderOf(context, "the default layout", alive.back().get(), rank));
    Expected<OwnedBuffer> buffer = context.Upload(array);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
    std::vector<int64_t> of_buffer = JudgeBufferLayout(context, buffer->get(), rank);
    context.Check(kDefault, of_buffer == orders.back(), "a buffer ", shape,
                  " that was made without a layout has {", StrJoin(of_buffer),
                  "}, the default layout is {", StrJoin(orders.back()), "}");
    if (!topology) continue;
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args args = {};
    args.topology_description = topology->topology;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = array.dims.data();
    args.num_dims = rank;
    if (!Ask(context, "PJRT_Layouts_PJRT_Topology_GetDefaultLayout", args)) continue;
    Layout layout(context, args.layout);
    context.Check(
        kOfTopology,
        OrderOf(context, "the topology's default layout", layout.get(), rank) == orders.back(),
        "the default layout of ", shape, " is another for the topology");
  }
  // All of them at once, and each still says the same.
  std::set<PJRT_Layouts_MemoryLayout*> addresses;
  for (size_t i = 0; i < alive.size(); ++i) {
    context.Check("PJRT-Args-output-new", addresses.insert(alive[i].get()).second,
                  "one layout was handed out twice");
    context.Check(
        "PJRT-Args-output-same",
        OrderOf(context, "a default layout", alive[i].get(), orders[i].size()) == orders[i],
        "a layout says something else than before");
  }
}

// A buffer that was made with a layout has it, as far as both extensions and core can say.
void JudgeGivenLayouts(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  for (const std::vector<int64_t>& order :
       {std::vector<int64_t>{0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {0, 2, 1}, {2, 1, 0}}) {
    HostArray array = RandomBits(DType::kF32, {3, 2, 5}, 6);
    auto layout = MakeArgs<PJRT_Buffer_MemoryLayout>();
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
    layout.tiled.minor_to_major = order.data();
    layout.tiled.minor_to_major_size = order.size();
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = context.client();
    args.data = array.bytes.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = array.dims.data();
    args.num_dims = array.dims.size();
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    args.device = *device;
    args.device_layout = &layout;
    Status status = context.plugin().Call(args);
    if (!status.ok()) {
      context.Note(StrCat("layout {", StrJoin(order), "}: ", status.ToString()));
      continue;
    }
    OwnedBuffer buffer(context.plugin(), args.buffer);
    OwnedEvent done(context.plugin(), args.done_with_host_buffer);
    std::vector<int64_t> found = JudgeBufferLayout(context, buffer.get(), 3);
    context.Check("PJRT-Client_BufferFromHostBuffer-layout-kept", found.empty() || found == order,
                  "a buffer made with {", StrJoin(order), "} has the layout {", StrJoin(found),
                  "}");
  }
}

struct Loaded {
  OwnedLoadedExecutable loaded;
  OwnedExecutable executable;
};

bool Load(Context& context, std::string_view program, Loaded& made) {
  Expected<OwnedLoadedExecutable> loaded = context.Compile(ProgramFor(context, program));
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_Compile", loaded.status())) return false;
  made.loaded = *std::move(loaded);
  auto get =
      Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context, made.loaded.get());
  if (!get) return false;
  made.executable = OwnedExecutable(context.plugin(), get->executable);
  return true;
}

// A program whose parameters and results have different shapes, so that none is taken for another.
struct Signature {
  const char* program;
  std::vector<HostArray> parameters, results;
};

std::vector<Signature> Signatures() {
  auto f32 = [](std::vector<int64_t> dims) { return RandomBits(DType::kF32, std::move(dims), 3); };
  return {{"mixed", {f32({4}), f32({2, 3})}, {f32({4}), f32({2, 3}), f32({})}},
          {"add_one", {f32({4})}, {f32({4})}},
          {"donating_both", {f32({4}), f32({2, 3}), f32({8})}, {f32({2, 3}), f32({4})}},
          {"no_arguments", {}, {f32({2})}},
          {"no_results", {f32({2})}, {}}};
}

void JudgeExecutableLayouts(Context& context) {
  if (!context.plugin().Slot(*reflection::FindFunction("PJRT_Layouts_MemoryLayout_Serialize")))
    return context.Unsupported("no extension Layouts");
  for (const Signature& signature : Signatures()) {
    Loaded made;
    if (!Load(context, signature.program, made)) return;
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
      if (Ask(context, "PJRT_Layouts_PJRT_Executable_GetOutputLayouts", outputs))
        compare(kOutputs, "output", outputs.layouts, outputs.num_outputs, signature.results);
      PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args parameters = {};
      parameters.executable = made.executable.get();
      if (Ask(context, "PJRT_Layouts_PJRT_Executable_GetParameterLayouts", parameters)) {
        compare(kParameters, "parameter", parameters.layouts, parameters.num_parameters,
                signature.parameters);
      }
      (void)made.loaded.Destroy();  // the executable stays, and with it what it said
    }
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
void JudgeShardings(Context& context) {
  if (!context.plugin().Slot(
          *reflection::FindFunction("PJRT_Shardings_PJRT_Executable_OutputShardings")))
    return context.Unsupported("no extension Shardings");
  constexpr int kLastType = 5;  // of OpSharding.Type
  for (const Signature& signature : Signatures()) {
    Loaded made;
    if (!Load(context, signature.program, made)) return;
    auto judge = [&](std::string_view requirement, std::string_view what, size_t count,
                     size_t wanted, const char* const* texts, const size_t* sizes) {
      if (count == 0) return;  // none is said
      context.Check(requirement, count == wanted, signature.program, " has ", count,
                    " shardings of ", what, ", not ", wanted);
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
    if (Ask(context, "PJRT_Shardings_PJRT_Executable_ParameterShardings", parameters)) {
      judge(kShardedParameters, "parameter", parameters.num_parameters, signature.parameters.size(),
            parameters.shardings, parameters.sharding_sizes);
    }
    PJRT_Shardings_PJRT_Executable_OutputShardings_Args outputs = {};
    outputs.executable = made.executable.get();
    if (Ask(context, "PJRT_Shardings_PJRT_Executable_OutputShardings", outputs)) {
      judge(kShardedOutputs, "output", outputs.num_outputs, signature.results.size(),
            outputs.shardings, outputs.sharding_sizes);
    }
  }
}

// What the handlers of these cases saw. A handler has no argument of ours, so it is of the process.
struct Seen {
  std::atomic<int> calls = 0;
  std::atomic<int64_t> arguments = -1, results = -1, rank = -1, first_dimension = -1;
  std::atomic<int64_t> type_id = 0;  // of the data to ask for, or 0
  std::atomic<void*> data = nullptr;
};
Seen& TheSeen() {
  static Seen* const seen = new Seen();
  return *seen;
}

// Touches no data of its arguments, which may lie where the host cannot read.
XLA_FFI_Error* Handle(XLA_FFI_CallFrame* frame) {
  for (XLA_FFI_InternalExtension* node = frame->extension_start; node != nullptr;
       node = node->next) {
    if (node->type != XLA_FFI_Extension_Metadata) continue;
    XLA_FFI_Metadata* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(node)->metadata;
    metadata->api_version.major_version = 0;
    metadata->api_version.minor_version = 3;  // the oldest that has all of this
    return nullptr;
  }
  if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE) return nullptr;
  Seen& seen = TheSeen();
  seen.arguments = frame->args.size;
  seen.results = frame->rets.size;
  if (frame->args.size > 0) {
    auto* buffer = static_cast<XLA_FFI_Buffer*>(frame->args.args[0]);
    seen.rank = buffer->rank;
    seen.first_dimension = buffer->rank > 0 ? buffer->dims[0] : -1;
  }
  if (seen.type_id != 0) {
    XLA_FFI_TypeId id = {seen.type_id};
    XLA_FFI_InvokeContext_Get_Args get = {};
    get.struct_size = XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE;
    get.ctx = frame->ctx;
    get.type_id = &id;
    if (XLA_FFI_Error* error = frame->api->XLA_FFI_InvokeContext_Get(&get)) return error;
    seen.data = get.data;
  }
  ++seen.calls;
  return nullptr;
}

std::string PlatformOf(Context& context) {
  auto name = Get<&PJRT_Client_PlatformName_Args::client>(context, context.client());
  return name ? std::string(StringOf(name->platform_name, name->platform_name_size)) : "";
}

// Runs a program that calls the handler once, and compares what the handler saw.
void RunHandler(Context& context, std::string_view program, std::string_view requirement,
                PJRT_ExecuteContext* execute_context, void* data) {
  const StoredVersion* version = VersionFor(StablehloRangeOf(context.plugin()));
  bool has_artifact = version != nullptr && !StoredArtifact(program, *version).empty();
  if (context.profile().program_form != ProgramForm::kText && !has_artifact)
    return context.Unsupported("older StableHLO has no typed custom calls");
  Expected<OwnedLoadedExecutable> loaded = context.Compile(ProgramFor(context, program));
  if (loaded.status().code() == StatusCode::kUnimplemented)
    context.Note("a plugin without custom calls answers so too");
  if (!context.Check(requirement, loaded.ok(),
                     "a program that calls the handler: ", loaded.status().ToString())) {
    return;
  }
  Expected<OwnedBuffer> argument = context.Upload(RandomBits(DType::kF32, {2, 3}, 9));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  Seen& seen = TheSeen();
  for (int turn = 1; turn <= 3; ++turn) {
    int before = seen.calls;
    seen.data = nullptr;
    PJRT_Buffer* handle = argument->get();
    PJRT_Buffer* const* arguments = &handle;
    PJRT_Buffer* output = nullptr;
    PJRT_Buffer** outputs = &output;
    PJRT_Event* event = nullptr;
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    options.context = execute_context;
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = loaded->get();
    args.options = &options;
    args.argument_lists = &arguments;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = &outputs;
    args.device_complete_events = &event;
    if (!Succeeds(context, args, requirement)) return;
    OwnedBuffer result(context.plugin(), output);
    OwnedEvent done(context.plugin(), event);
    context.Ok(requirement, "an execution that calls the handler", context.Await(done.get()));
    context.Check(requirement, seen.calls == before + 1, "the handler was called ",
                  seen.calls - before, " times in one execution");
    context.Check(requirement, seen.arguments == 1 && seen.results == 1, "the handler got ",
                  seen.arguments.load(), " arguments and ", seen.results.load(),
                  " results, not one of each");
    context.Check(requirement, seen.rank == 2 && seen.first_dimension == 2,
                  "the argument f32[2,3] came with ", seen.rank.load(),
                  " dimensions, the first of ", seen.first_dimension.load());
    if (seen.type_id != 0)
      context.Check(kUserData, seen.data == data, "the handler found other data than was added");
  }
}

bool RegisterType(Context& context, std::string_view name, int64_t& id) {
  PJRT_FFI_Type_Register_Args args = {};
  args.type_name = name.data();
  args.type_name_size = name.size();
  args.type_id = id;
  // XLA's own CPU reads it without looking whether it is there.
  PJRT_FFI_Type_Info info = {};
  args.type_info = &info;
  if (!Ask(context, "PJRT_FFI_Type_Register", args, kTypeIds)) return false;
  id = args.type_id;
  return true;
}

void FfiTypes(Context& context) {
  int64_t first = 0, second = 0;
  if (!RegisterType(context, "plinth_conformance.first", first))
    return context.Unsupported("no PJRT_FFI_Type_Register");
  if (!RegisterType(context, "plinth_conformance.second", second)) return;
  context.Check(kTypeIds, first != 0 && second != 0 && first != second, "two types got the ids ",
                first, " and ", second);
  // Two types in one context, and one type in two contexts.
  int values[2] = {};
  OwnedExecuteContext contexts[2];
  for (OwnedExecuteContext& each : contexts) {
    auto create = MakeArgs<PJRT_ExecuteContext_Create_Args>();
    if (!Succeeds(context, create)) return;
    each = OwnedExecuteContext(context.plugin(), create.context);
    for (int64_t id : {first, second}) {
      PJRT_FFI_UserData_Add_Args add = {};
      add.context = each.get();
      add.user_data = {id, &values[id == second]};
      (void)Ask(context, "PJRT_FFI_UserData_Add", add, kUserData);
    }
  }
}

void FfiHandlers(Context& context) {
  std::string platform = PlatformOf(context);
  // Names need not end with NUL.
  const std::string target = "plinth_conformance.ffi", longer = target + "X";
  platform += "X";
  PJRT_FFI_Register_Handler_Args args = {};
  args.target_name = longer.data();
  args.target_name_size = target.size();
  args.handler = reinterpret_cast<void*>(&Handle);
  args.platform_name = platform.data();
  args.platform_name_size = platform.size() - 1;
  if (!Ask(context, "PJRT_FFI_Register_Handler", args, kFfiCalled))
    return context.Unsupported("no PJRT_FFI_Register_Handler");
  Seen& seen = TheSeen();
  seen.type_id = 0;
  RunHandler(context, "custom_call_ffi", kFfiCalled, nullptr, nullptr);
  // With data of two types in the context, of which it asks for the second.
  int64_t other = 0, id = 0;
  if (!RegisterType(context, "plinth_conformance.other", other) ||
      !RegisterType(context, "plinth_conformance.data", id)) {
    return;
  }
  auto create = MakeArgs<PJRT_ExecuteContext_Create_Args>();
  if (!Succeeds(context, create)) return;
  OwnedExecuteContext execute_context(context.plugin(), create.context);
  int values[2] = {};
  for (int64_t each : {other, id}) {
    PJRT_FFI_UserData_Add_Args add = {};
    add.context = execute_context.get();
    add.user_data = {each, &values[each == id]};
    if (!Ask(context, "PJRT_FFI_UserData_Add", add, kUserData)) return;
  }
  seen.type_id = id;
  RunHandler(context, "custom_call_ffi", kUserData, execute_context.get(), &values[1]);
  seen.type_id = 0;
}

void GpuCustomCalls(Context& context) {
  const std::string target = "plinth_conformance.gpu", longer = target + "X";
  PJRT_Gpu_Register_Custom_Call_Args args = {};
  args.function_name = longer.data();
  args.function_name_size = target.size();
  args.api_version = 1;
  args.handler_execute = reinterpret_cast<void*>(&Handle);
  if (!Ask(context, "PJRT_Gpu_Register_Custom_Call", args, kGpuCalled))
    return context.Unsupported("no PJRT_Gpu_Register_Custom_Call");
  TheSeen().type_id = 0;
  RunHandler(context, "custom_call_gpu", kGpuCalled, nullptr, nullptr);
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const char* name, std::vector<std::string> requirements, void (*run)(Context&)) {
    requirements.emplace_back(kOutputTrue);
    requirements.emplace_back("PJRT-Args-accepted");
    cases.push_back({StrCat("L1/judge/extension/", name), Level::kL1, ClientNeed::kShared,
                     std::move(requirements), run});
  };
  add("layouts",
      {kText, kOfBuffer, kDefault, kOfTopology, "PJRT-Args-output-new", "PJRT-Args-output-same",
       "PJRT-Layouts_MemoryLayout_Serialize-serialized_layout-owner"},
      JudgeLayouts);
  add("given_layouts", {kText, kOfBuffer, "PJRT-Client_BufferFromHostBuffer-layout-kept"},
      JudgeGivenLayouts);
  add("executable_layouts", {kText, kOutputs, kParameters}, JudgeExecutableLayouts);
  add("shardings", {kShardedParameters, kShardedOutputs}, JudgeShardings);
  add("ffi_types", {kTypeIds, kUserData}, FfiTypes);
  add("ffi_handlers", {kFfiCalled, kUserData, kTypeIds, "PJRT-Strings-size"}, FfiHandlers);
  add("gpu_custom_calls", {kGpuCalled, "PJRT-Strings-size"}, GpuCustomCalls);
}

}  // namespace judge_extensions

void AddExtensionJudgeCases(std::vector<Case>& cases) { judge_extensions::AddCases(cases); }

}  // namespace plinth::conformance
