// SPDX-License-Identifier: Apache-2.0
// L1: arguments in forms that callers may give them: texts that end at their size, structs inside
// of others of other sizes and with extensions, lists of options.

#include <algorithm>
#include <climits>
#include <cstring>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/laid_out.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"
#include "plinth/support/abi_version.h"

namespace plinth::conformance {
namespace argument_forms {
namespace {

constexpr char kNested[] = "PJRT-Args-nested-struct_size";
constexpr char kChain[] = "PJRT-Args-extension_start";
constexpr char kStrings[] = "PJRT-Strings-size";

// A text with no NUL after it, and nothing that may be read a few bytes on.
class Unterminated {
 public:
  explicit Unterminated(std::string_view text)
      : memory_(std::max<size_t>(text.size(), 1)), size_(text.size()) {
    std::memcpy(memory_.data(), text.data(), text.size());
  }
  const char* data() const { return reinterpret_cast<const char*>(memory_.data()); }
  char* mutable_data() { return reinterpret_cast<char*>(memory_.data()); }
  size_t size() const { return size_; }
  void Spoil() { std::fill_n(memory_.data(), size_, std::byte{0xEE}); }

 private:
  GuardedArgs memory_;
  size_t size_;
};

// Two extensions that nobody knows.
struct JunkChain {
  PJRT_Extension_Base last{sizeof(PJRT_Extension_Base), static_cast<PJRT_Extension_Type>(4242),
                           nullptr};
  PJRT_Extension_Base first{sizeof(PJRT_Extension_Base), static_cast<PJRT_Extension_Type>(-3),
                            &last};
  PJRT_Extension_Base* get() { return &first; }
};

// A struct as a caller of the future gives it: larger, with values after its end that nobody knows.
template <typename Struct>
class Grown {
 public:
  Grown(const Struct& value, size_t more, bool is_chained) : memory_(sizeof(Struct) + more) {
    std::memset(memory_.data(), 0xC7, sizeof(Struct) + more);
    std::memcpy(memory_.data(), &value, StructOf<Struct>::kSize);
    get()->struct_size = StructOf<Struct>::kSize + more;
    if constexpr (requires { get()->extension_start; }) {
      if (is_chained) get()->extension_start = chain_.get();
    }
  }
  Struct* get() { return reinterpret_cast<Struct*>(memory_.data()); }

 private:
  GuardedArgs memory_;
  JunkChain chain_;
};

// Whether garbage after a struct is garbage: a younger plugin may know fields there.
bool IsKnown(Context& context, size_t more) {
  return more == 0 || context.plugin().minor() <= kPjrtDeclaredMinor;
}

OwnedLoadedExecutable Compile(Context& context, const PJRT_Program* program,
                              std::string_view requirement, std::string_view what,
                              std::string_view options = SingleDeviceCompileOptions()) {
  auto args = MakeArgs<PJRT_Client_Compile_Args>();
  args.client = context.client();
  args.program = program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  if (!context.Ok(requirement, what, context.plugin().Call(args))) return {};
  return OwnedLoadedExecutable(context.plugin(), args.executable);
}

void RunAddOne(Context& context, PJRT_LoadedExecutable* executable, std::string_view requirement,
               PJRT_ExecuteOptions* options, std::string_view what) {
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  PJRT_Buffer* handle = argument->get();
  PJRT_Buffer* const* arguments = &handle;
  // What stood there before means nothing.
  auto* const garbage = reinterpret_cast<PJRT_Buffer*>(&handle);
  PJRT_Buffer* output = garbage;
  PJRT_Buffer** outputs = &output;
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = options;
  args.argument_lists = &arguments;
  args.num_devices = 1;
  args.num_args = 1;
  args.output_lists = &outputs;
  if (!context.Ok(requirement, what, context.plugin().Call(args)) ||
      !context.Check("PJRT-Args-output-handle", output != garbage, what, ": no output was set"))
    return;
  OwnedBuffer owned(context.plugin(), output);
  JudgeBuffer(context, output, {HostArray::F32({4}, {2, 3, 4, 5})});
}

void UnterminatedTexts(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  Unterminated code(ProgramFor(context, "add_one")), format("mlir"),
      options(SingleDeviceCompileOptions());
  auto program = MakeArgs<PJRT_Program>();
  program.code = code.mutable_data();
  program.code_size = code.size();
  program.format = format.data();
  program.format_size = format.size();
  OwnedLoadedExecutable executable =
      Compile(context, &program, kStrings, "PJRT_Client_Compile of texts without NUL",
              {options.data(), options.size()});
  if (!executable) return;
  context.Check("PJRT-Args-input",
                std::string_view(code.data(), code.size()) == ProgramFor(context, "add_one"),
                "PJRT_Client_Compile changed the program");
  // Borrowed for the call.
  code.Spoil();
  format.Spoil();
  options.Spoil();
  auto run = MakeArgs<PJRT_ExecuteOptions>();
  RunAddOne(context, executable.get(), kStrings, &run, "PJRT_LoadedExecutable_Execute");
  Unterminated text("as it says");
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (!Succeeds(context, create)) return;
  OwnedEvent event(context.plugin(), create.event);
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event.get();
  set.error_code = PJRT_Error_Code_ABORTED;
  set.error_message = text.data();
  set.error_message_size = text.size();
  if (!Succeeds(context, set)) return;
  text.Spoil();
  Status status = context.Await(event.get());
  context.Check(kStrings, status.message() == "as it says", "the text of an error became \"",
                status.message(), "\"");
  // A name that only begins like a format is none, nor is one that is cut.
  for (std::string_view wrong : {"mlirx", "mli", "mlir ", "MLIR", ""}) {
    Expected<OwnedLoadedExecutable> refused =
        context.Compile(ProgramFor(context, "add_one"), wrong);
    context.Check("PJRT-Client_Compile-format", !refused.ok(), "the format \"", wrong,
                  "\" was accepted");
  }
  Expected<OwnedLoadedExecutable> refused =
      context.Compile(ProgramFor(context, "add_one"), std::string_view("mlir\0x", 6));
  context.Check("PJRT-Client_Compile-format", !refused.ok(),
                "a format that begins with mlir and NUL was accepted");
}

void NestedPrograms(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  for (size_t more : {0, 8, 64}) {
    for (bool is_chained : {false, true}) {
      if (!IsKnown(context, more)) continue;
      std::string code(ProgramFor(context, "add_one"));
      auto program = MakeArgs<PJRT_Program>();
      program.code = code.data();
      program.code_size = code.size();
      program.format = "mlir";
      program.format_size = 4;
      Grown<PJRT_Program> grown(program, more, is_chained);
      OwnedLoadedExecutable executable =
          Compile(context, grown.get(), is_chained ? kChain : kNested,
                  StrCat("a PJRT_Program ", more, " bytes larger",
                         is_chained ? " with unknown extensions" : ""));
      if (!executable) return;
      auto plain = MakeArgs<PJRT_ExecuteOptions>();
      static constexpr char kWhere[] = "somewhere.py:12";
      plain.call_location = kWhere;
      plain.launch_id = -7;
      Grown<PJRT_ExecuteOptions> options(plain, more, is_chained);
      RunAddOne(context, executable.get(), is_chained ? kChain : kNested, options.get(),
                StrCat("PJRT_ExecuteOptions ", more, " bytes larger",
                       is_chained ? " with unknown extensions" : ""));
    }
  }
}

void NestedLayouts(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  const HostArray array = HostArray::F32({2, 3}, {1, 2, 3, 4, 5, 6});
  Expected<OwnedBuffer> buffer = context.Upload(array);
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  // What it takes without a chain it takes with one.
  bool is_read[2] = {}, is_sent[2] = {};
  for (bool is_chained : {false, true}) {
    for (bool is_column : {false, true}) {
      int64_t order[] = {is_column ? 0 : 1, is_column ? 1 : 0};
      JunkChain chain, inner;
      // As a newer caller has it: with fields that nobody knows yet.
      struct {
        PJRT_Buffer_MemoryLayout known = MakeArgs<PJRT_Buffer_MemoryLayout>();
        uint64_t unknown[3] = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
      } newer;
      PJRT_Buffer_MemoryLayout& layout = newer.known;
      if (is_chained) layout.struct_size = sizeof(newer);
      layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
      layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
      layout.tiled.minor_to_major = order;
      layout.tiled.minor_to_major_size = 2;
      if (is_chained) layout.extension_start = chain.get();
      if (is_chained) layout.tiled.extension_start = inner.get();
      const Status sent = UploadLaidOut(context, *device, array, layout).status();
      context.Check(kChain, !is_sent[is_column] || sent.ok(),
                    "an upload with a layout that has a chain gave ", sent.ToString());
      is_sent[is_column] |= sent.ok();
      float found[6] = {};
      auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
      args.src = buffer->get();
      args.host_layout = &layout;
      args.dst = found;
      args.dst_size = sizeof(found);
      Status status = context.plugin().Call(args);
      if (status.code() == StatusCode::kUnimplemented && !is_read[is_column]) continue;
      is_read[is_column] = true;
      if (!context.Ok(is_chained ? kChain : kNested, "PJRT_Buffer_ToHostBuffer with a layout",
                      status))
        return;
      OwnedEvent event(context.plugin(), args.event);
      context.Ok("", "its event", context.Await(event.get()));
      std::vector<float> wanted =
          is_column ? std::vector<float>{1, 4, 2, 5, 3, 6} : std::vector<float>{1, 2, 3, 4, 5, 6};
      context.Check("PJRT-Buffer_ToHostBuffer-contents",
                    std::equal(wanted.begin(), wanted.end(), found), "with the layout {",
                    StrJoin(std::vector<int64_t>(order, order + 2)), "} came ",
                    StrJoin(std::vector<float>(found, found + 6)));
    }
  }
}

// The options of the profile in other orders and memory, and wrong ones among them.
void OptionLists(Context& context) {
  NamedValues own(context.profile());
  auto create = [&](std::vector<PJRT_NamedValue> options) {
    auto args = MakeArgs<PJRT_Client_Create_Args>();
    args.create_options = options.data();
    args.num_options = options.size();
    Status status = context.plugin().Call(args);
    OwnedClient client(context.plugin(), status.ok() ? args.client : nullptr);
    return status;
  };
  std::vector<PJRT_NamedValue> options(own.data(), own.data() + own.size());
  std::vector<std::unique_ptr<Unterminated>> names;
  for (PJRT_NamedValue& option : options) {
    names.push_back(std::make_unique<Unterminated>(StringOf(option.name, option.name_size)));
    option.name = names.back()->data();
  }
  JunkChain chain;
  for (PJRT_NamedValue& option : options) option.extension_start = chain.get();
  std::reverse(options.begin(), options.end());
  context.Ok(kStrings, "PJRT_Client_Create with names without NUL, with unknown extensions",
             create(options));
  auto wrong = MakeArgs<PJRT_NamedValue>();
  wrong.type = PJRT_NamedValue_kInt64;
  wrong.value_size = 1;
  auto refused = [&](std::string_view name, size_t at) {
    wrong.name = name.data();
    wrong.name_size = name.size();
    wrong.extension_start = nullptr;
    std::vector<PJRT_NamedValue> with = options;
    with.insert(with.begin() + static_cast<ptrdiff_t>(std::min(at, with.size())), wrong);
    Status status = create(with);
    context.CheckRefused(
        "PJRT-Client_Create-unknown-option",
        StrCat("the option \"", name.substr(0, 40), "\" of ", name.size(), " bytes"), status,
        {StatusCode::kInvalidArgument});
  };
  const int64_t list[] = {1, 2};
  for (int type = PJRT_NamedValue_kString; type <= PJRT_NamedValue_kBool; ++type) {
    wrong.type = static_cast<PJRT_NamedValue_Type>(type);
    wrong.int64_value = 0;
    if (type == PJRT_NamedValue_kString) wrong.string_value = "1";
    if (type == PJRT_NamedValue_kInt64List) wrong.int64_array_value = list;
    if (type == PJRT_NamedValue_kInt64List) wrong.value_size = 2;
    refused("nobody_knows_it", 0);
    refused("nobody_knows_it", 99);
    wrong.value_size = 1;
  }
  wrong.type = PJRT_NamedValue_kInt64;
  wrong.int64_value = 0;
  refused(std::string(4096, 'n'), 0);
  refused("", 0);
  refused(std::string_view("a\0b", 3), 0);
  // In place of an option, with its right value, a name that only begins like its own.
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string name(StringOf(options[i].name, options[i].name_size));
    std::vector<std::string> others = {name + std::string("\0x", 2), name + std::string("\0", 1),
                                       name + "x", " " + name};
    for (size_t size = 1; size < name.size(); ++size) others.push_back(name.substr(0, size));
    for (const std::string& other : others) {
      std::vector<PJRT_NamedValue> with = options;
      with[i].name = other.data();
      with[i].name_size = other.size();
      context.CheckRefused("PJRT-Client_Create-unknown-option",
                           StrCat("the option \"", other, "\" in place of ", name), create(with),
                           {StatusCode::kInvalidArgument});
    }
  }
}

// Options of a compilation that contradict, or are no message.
void CompileOptionBytes(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  std::string code(ProgramFor(context, "add_one"));
  auto program = MakeArgs<PJRT_Program>();
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  struct Bytes {
    const char* what;
    std::string bytes;
  };
  for (const Bytes& each :
       {Bytes{"cut short", std::string(SingleDeviceCompileOptions().substr(0, 9))},
        Bytes{"that are no message", std::string("\xff\xff\xff\xff\xff", 5)},
        Bytes{"with a length that is too large", std::string("\x1a\x7f\x08", 3)}}) {
    auto args = MakeArgs<PJRT_Client_Compile_Args>();
    args.client = context.client();
    args.program = &program;
    args.compile_options = each.bytes.data();
    args.compile_options_size = each.bytes.size();
    Status status = context.plugin().Call(args);
    OwnedLoadedExecutable executable(context.plugin(), status.ok() ? args.executable : nullptr);
    context.CheckRefused("PJRT-Client_Compile-hostile", StrCat("compile options ", each.what),
                         status);
  }
}

// One buffer as each of 200 arguments.
void SameArgument(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
  Expected<OwnedLoadedExecutable> executable =
      context.Compile(ProgramFor(context, "many_arguments"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({2}, {1, 2}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  std::vector<PJRT_Buffer*> handles(200, argument->get());
  auto results = context.Execute(executable->get(), handles);
  if (!context.Ok(kResults, "PJRT_LoadedExecutable_Execute with one buffer as every argument",
                  results.status()) ||
      !context.Check(kResults, results->size() == 1, results->size(), " outputs, not 1")) {
    return;
  }
  JudgeBuffer(context, (*results)[0].get(), {HostArray::F32({2}, {20100, 40200})});
  context.Check("PJRT-Buffer_IsDeleted-truth", !IsBufferDeleted(context, argument->get()),
                "the argument counts as deleted");
}

// Options that say nothing about the result, with values at both ends.
void HarmlessOptions(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  for (size_t size : {size_t{0}, size_t{1}, size_t{255}, size_t{256}, size_t{4096}}) {
    const std::string where(size, 'w');
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    options.call_location = where.c_str();
    RunAddOne(context, executable->get(), "PJRT-Args-accepted", &options,
              StrCat("a call_location of ", size, " bytes"));
  }
  for (int id : {INT_MIN, -1, 0, 1, INT_MAX}) {
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    options.launch_id = id;
    RunAddOne(context, executable->get(), "PJRT-Args-accepted", &options,
              StrCat("the launch_id ", id));
  }
}

// Every list of indices that may not be donated.
void KeptArguments(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  constexpr char kDonation[] = "PJRT-LoadedExecutable_Execute-donation";
  Expected<OwnedLoadedExecutable> executable =
      context.Compile(ProgramFor(context, "donating_both"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  for (const std::vector<int64_t>& kept :
       {std::vector<int64_t>{}, {0}, {1}, {2}, {0, 1}, {1, 0}, {0, 2}, {2, 1}, {2, 1, 0}}) {
    const HostArray arrays[] = {HostArray::F32({4}, {1, 2, 3, 4}),
                                HostArray::F32({2, 3}, {1, 2, 3, 4, 5, 6}),
                                HostArray::F32({8}, {1, 2, 3, 4, 5, 6, 7, 8})};
    std::vector<OwnedBuffer> arguments;
    std::vector<PJRT_Buffer*> handles;
    for (const HostArray& array : arrays) {
      Expected<OwnedBuffer> buffer = context.Upload(array);
      if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
      arguments.push_back(*std::move(buffer));
      handles.push_back(arguments.back().get());
    }
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    options.non_donatable_input_indices = kept.data();
    options.num_non_donatable_input_indices = kept.size();
    PJRT_Buffer* outputs[2] = {};
    PJRT_Buffer** output_list = outputs;
    PJRT_Buffer* const* argument_list = handles.data();
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable->get();
    args.options = &options;
    args.argument_lists = &argument_list;
    args.num_devices = 1;
    args.num_args = handles.size();
    args.output_lists = &output_list;
    std::string what = StrCat("with the arguments {", StrJoin(kept), "} not donatable");
    if (!context.Ok(kDonation, what, context.plugin().Call(args))) return;
    OwnedBuffer first(context.plugin(), outputs[0]), second(context.plugin(), outputs[1]);
    JudgeBuffer(context, first.get(), {HostArray::F32({2, 3}, {2, 4, 6, 8, 10, 12})});
    JudgeBuffer(context, second.get(), {HostArray::F32({4}, {2, 4, 6, 8})});
    for (size_t i = 0; i < handles.size(); ++i) {
      bool may_go = i < 2 && std::count(kept.begin(), kept.end(), static_cast<int64_t>(i)) == 0;
      if (may_go) continue;
      if (!context.Check(kDonation, !IsBufferDeleted(context, handles[i]), what, ", argument ", i,
                         " counts as deleted"))
        continue;
      JudgeBuffer(context, handles[i], {arrays[i]});
    }
  }
}

// Bytes that begin so far behind a multiple of 16.
class Shifted {
 public:
  Shifted(std::string_view bytes, size_t by) : memory_(bytes.size() / 16 + 2), size_(bytes.size()) {
    data_ = reinterpret_cast<char*>(memory_.data()) + by;
    std::memcpy(data_, bytes.data(), bytes.size());
  }
  char* data() { return data_; }
  size_t size() const { return size_; }

 private:
  struct alignas(16) Unit {
    char bytes[16];
  };
  std::vector<Unit> memory_;
  char* data_;
  size_t size_;
};

// Programs, options, executables and topologies are bytes, and begin anywhere.
void AnyAddress(Context& context) {
  constexpr char kAccepted[] = "PJRT-Args-accepted";
  Compiled compiled;
  if (!conformance::Compile(context, "add_one", compiled)) return;
  std::string topology;
  if (auto own = Get<&PJRT_Client_TopologyDescription_Args::client>(context, context.client())) {
    auto bytes = MakeArgs<PJRT_TopologyDescription_Serialize_Args>();
    bytes.topology = own->topology;
    if (Succeeds(context, bytes)) {
      topology = StringOf(bytes.serialized_bytes, bytes.serialized_bytes_size);
      bytes.serialized_topology_deleter(bytes.serialized_topology);
    }
  }
  std::string executable = SerializedBytes(context, compiled.executable.get()).value_or("");
  for (size_t by : {0, 1, 2, 4, 8}) {
    const std::string where = StrCat(by, " bytes behind a multiple of 16");
    if (context.profile().reads_programs) {
      Shifted code(ProgramFor(context, "add_one"), by), options(SingleDeviceCompileOptions(), by);
      auto program = MakeArgs<PJRT_Program>();
      program.code = code.data();
      program.code_size = code.size();
      program.format = "mlir";
      program.format_size = 4;
      (void)Compile(context, &program, kAccepted, StrCat("a program that begins ", where),
                    {options.data(), options.size()});
    }
    if (!executable.empty()) {
      Shifted bytes(executable, by);
      auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
      load.client = context.client();
      load.serialized_executable = bytes.data();
      load.serialized_executable_size = bytes.size();
      const Status status = context.plugin().Call(load);
      OwnedLoadedExecutable loaded(context.plugin(),
                                   status.ok() ? load.loaded_executable : nullptr);
      // Whether they are read at all is asked elsewhere.
      if (by == 0 && !status.ok()) executable.clear();
      context.Check(kAccepted, status.ok() || by == 0, "an executable that begins ", where, ": ",
                    status.ToString());
    }
    if (!topology.empty()) {
      Shifted bytes(topology, by);
      auto read = MakeArgs<PJRT_TopologyDescription_Deserialize_Args>();
      read.serialized_topology = bytes.data();
      read.serialized_topology_size = bytes.size();
      const Status status = context.plugin().Call(read);
      OwnedTopology made(context.plugin(), status.ok() ? read.topology : nullptr);
      if (by == 0 && !status.ok()) topology.clear();
      context.Check(kAccepted, status.ok() || by == 0, "a topology that begins ", where, ": ",
                    status.ToString());
    }
  }
}

void EmptyContexts(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  auto create = MakeArgs<PJRT_ExecuteContext_Create_Args>();
  if (!Succeeds(context, create)) return context.Unsupported("no execute contexts");
  OwnedExecuteContext data(context.plugin(), create.context);
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  options.context = data.get();
  for (int i = 0; i < 2; ++i) {
    RunAddOne(context, executable->get(), "PJRT-Args-accepted", &options,
              "PJRT_LoadedExecutable_Execute with a context");
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, ClientNeed need, std::vector<std::string> requirements,
                 void (*run)(Context&), bool is_robust = false) {
    cases.push_back({"L1/form/" + name, Level::kL1, need, std::move(requirements), run, is_robust});
  };
  add("unterminated_texts", ClientNeed::kShared,
      {kStrings, "PJRT-Client_Compile-format", "PJRT-Args-input"}, UnterminatedTexts);
  add("nested_programs", ClientNeed::kShared, {kNested, kChain}, NestedPrograms);
  add("nested_layouts", ClientNeed::kShared, {kNested, kChain, "PJRT-Buffer_ToHostBuffer-contents"},
      NestedLayouts);
  add("option_lists", ClientNeed::kNone, {kStrings, "PJRT-Client_Create-unknown-option"},
      OptionLists);
  add("compile_option_bytes", ClientNeed::kShared, {"PJRT-Client_Compile-hostile"},
      CompileOptionBytes, true);
  add("same_argument", ClientNeed::kShared,
      {"PJRT-LoadedExecutable_Execute-results", "PJRT-Args-accepted",
       "PJRT-Buffer_IsDeleted-truth"},
      SameArgument);
  add("harmless_options", ClientNeed::kShared, {"PJRT-Args-accepted"}, HarmlessOptions);
  add("kept_arguments", ClientNeed::kShared,
      {"PJRT-LoadedExecutable_Execute-donation", "PJRT-LoadedExecutable_Execute-results",
       "PJRT-LoadedExecutable_Execute-not-donated"},
      KeptArguments);
  add("any_address", ClientNeed::kShared, {"PJRT-Args-accepted"}, AnyAddress);
  add("empty_contexts", ClientNeed::kShared, {"PJRT-Args-accepted"}, EmptyContexts);
}

}  // namespace argument_forms

void AddArgumentFormCases(std::vector<Case>& cases) { argument_forms::AddCases(cases); }

}  // namespace plinth::conformance
