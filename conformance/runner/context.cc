// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/context.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "plinth/support/row_major_layout.h"

namespace plinth::conformance {

std::string_view SingleDeviceCompileOptions() {
  // executable_build_options {device_ordinal: -1, num_replicas: 1, num_partitions: 1}
  static constexpr char kBytes[] =
      "\x1a\x0f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x01\x28\x01";
  return {kBytes, sizeof(kBytes) - 1};
}

std::vector<float> HostArray::AsF32() const {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

void Context::Fail(std::string_view requirement, std::string text) {
  verdict_ = Verdict::kFail;
  findings_.push_back({std::string(requirement), std::move(text)});
}

void Context::Unsupported(std::string reason) {
  if (verdict_ == Verdict::kPass) verdict_ = Verdict::kUnsupported;
  notes_.push_back(std::move(reason));
}

void Context::LacksDevices(std::string reason) {
  lacks_devices_ |= verdict_ == Verdict::kPass;
  Unsupported(std::move(reason));
}

bool Context::Ok(std::string_view requirement, std::string_view what, const Status& status) {
  if (status.ok()) return true;
  if (status.code() == StatusCode::kUnimplemented) {
    Unsupported(StrCat(what, ": ", status.ToString()));
  } else {
    Fail(requirement, StrCat(what, ": expected success, got ", status.ToString()));
  }
  return false;
}

bool Context::CheckRefused(std::string_view requirement, std::string_view what,
                           const Status& status, std::initializer_list<StatusCode> codes) {
  if (status.code() == StatusCode::kUnimplemented) {
    Unsupported(StrCat(what, ": ", status.ToString()));
    return false;
  }
  bool is_expected = !status.ok() && (codes.size() == 0 || std::find(codes.begin(), codes.end(),
                                                                     status.code()) != codes.end());
  if (is_expected) return true;
  std::string wanted = codes.size() == 0 ? "an error" : "";
  for (StatusCode code : codes) {
    wanted += StrCat(wanted.empty() ? "" : " or ", StatusCodeName(code));
  }
  Fail(requirement, StrCat(what, ": expected ", wanted, ", got ", status.ToString()));
  return false;
}

Expected<PJRT_Device*> Context::Device() const {
  auto args = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  args.client = client_;
  PLINTH_RETURN_IF_ERROR(plugin_.Call(args));
  if (args.num_addressable_devices == 0) return NotFound("the client has no addressable device");
  return args.addressable_devices[0];
}

NamedValues::NamedValues(const Profile& profile) {
  for (const auto& [name, value] : profile.create_options) {
    PJRT_NamedValue& option = values_.emplace_back(MakeArgs<PJRT_NamedValue>());
    option.name = name.data();
    option.name_size = name.size();
    option.value_size = 1;
    if (const auto* text = std::get_if<std::string>(&value)) {
      option.type = PJRT_NamedValue_kString;
      option.string_value = text->data();
      option.value_size = text->size();
    } else if (const auto* number = std::get_if<int64_t>(&value)) {
      option.type = PJRT_NamedValue_kInt64;
      option.int64_value = *number;
    } else if (const auto* truth = std::get_if<bool>(&value)) {
      option.type = PJRT_NamedValue_kBool;
      option.bool_value = *truth;
    } else {
      option.type = PJRT_NamedValue_kFloat;
      option.float_value = static_cast<float>(*std::get_if<double>(&value));
    }
  }
}

Expected<OwnedClient> Context::NewClient() const {
  NamedValues options(profile_);
  auto args = MakeArgs<PJRT_Client_Create_Args>();
  args.create_options = options.data();
  args.num_options = options.size();
  PLINTH_RETURN_IF_ERROR(plugin_.Call(args));
  if (args.client == nullptr) return Internal("PJRT_Client_Create succeeded without a client");
  return OwnedClient(plugin_, args.client);
}

namespace {

// What a callback of an event tells; it stays for one that comes late.
struct Told {
  const Plugin* plugin;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Status> status;
};

}  // namespace

Status Context::AwaitCallback(PJRT_Event* event) const {
  auto told = std::make_shared<Told>();
  told->plugin = &plugin_;
  auto args = MakeArgs<PJRT_Event_OnReady_Args>();
  args.event = event;
  args.user_arg = new std::shared_ptr<Told>(told);
  args.callback = [](PJRT_Error* error, void* argument) {
    std::unique_ptr<std::shared_ptr<Told>> own(static_cast<std::shared_ptr<Told>*>(argument));
    Told& its = **own;
    Status status = its.plugin->Take(error);
    std::lock_guard<std::mutex> lock(its.mutex);
    its.status = std::move(status);
    its.changed.notify_all();
  };
  PLINTH_RETURN_IF_ERROR(plugin_.Call(args));
  std::unique_lock<std::mutex> lock(told->mutex);
  const std::chrono::duration<double> patience(profile_.case_seconds / 2);
  if (!told->changed.wait_for(lock, patience, [&] { return told->status.has_value(); }))
    return Internal("a callback of PJRT_Event_OnReady did not come in ", patience.count(), " s");
  return *told->status;
}

Status Context::AwaitPolled(PJRT_Event* event) const {
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> patience(profile_.case_seconds / 2);
  while (true) {
    auto args = MakeArgs<PJRT_Event_IsReady_Args>();
    args.event = event;
    PLINTH_RETURN_IF_ERROR(plugin_.Call(args));
    if (RawBool(args.is_ready)) break;
    if (std::chrono::steady_clock::now() - begin > patience)
      return Internal("PJRT_Event_IsReady was false for ", patience.count(), " s");
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  auto args = MakeArgs<PJRT_Event_Error_Args>();
  args.event = event;
  return plugin_.Call(args);
}

Status Context::Await(PJRT_Event* event) const {
  const unsigned turn = awaited_++ % 4;
  if (event != nullptr && turn == 1) return AwaitPolled(event);
  if (event != nullptr && turn == 2) return AwaitCallback(event);
  auto args = MakeArgs<PJRT_Event_Await_Args>();
  args.event = event;
  return plugin_.Call(args);
}

Expected<OwnedBuffer> Context::Upload(const HostArray& array, PJRT_Device* device) const {
  if (device == nullptr) {
    PLINTH_ASSIGN_OR_RETURN(device, Device());
  }
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client_;
  args.data = array.bytes.data();
  args.type = ToC(array.type);
  std::vector<int64_t> dims = array.dims;
  args.dims = dims.data();
  args.num_dims = dims.size();
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
  args.device = device;
  PLINTH_RETURN_IF_ERROR(plugin_.Call(args));
  std::fill(dims.begin(), dims.end(), -1);  // borrowed for the call
  OwnedBuffer buffer(plugin_, args.buffer);
  OwnedEvent done(plugin_, args.done_with_host_buffer);
  if (!buffer || !done) {
    return Internal("PJRT_Client_BufferFromHostBuffer succeeded with a null ",
                    buffer ? "event" : "buffer");
  }
  PLINTH_RETURN_IF_ERROR(Await(done.get()));
  return buffer;
}

Expected<HostArray> Context::Download(PJRT_Buffer* buffer) const {
  HostArray array;
  auto type = MakeArgs<PJRT_Buffer_ElementType_Args>();
  type.buffer = buffer;
  PLINTH_RETURN_IF_ERROR(plugin_.Call(type));
  array.type = DTypeFromC(RawEnum(type.type)).value_or(DType::kInvalid);
  auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = buffer;
  PLINTH_RETURN_IF_ERROR(plugin_.Call(dims));
  array.dims.assign(dims.dims, dims.dims + dims.num_dims);

  // Whatever the device's own layout.
  RowMajorLayout layout(array.dims.size());
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.host_layout = layout.get();
  PLINTH_RETURN_IF_ERROR(plugin_.Call(args));
  array.bytes.resize(args.dst_size);
  args.dst = array.bytes.data();
  // An empty array has no address to give, and null would ask for the size again.
  std::byte nothing;
  if (args.dst == nullptr) args.dst = &nothing;
  PLINTH_RETURN_IF_ERROR(plugin_.Call(args));
  if (args.event == nullptr) return Internal("PJRT_Buffer_ToHostBuffer gave no event");
  OwnedEvent event(plugin_, args.event);
  PLINTH_RETURN_IF_ERROR(Await(event.get()));
  return array;
}

Expected<OwnedLoadedExecutable> Context::Compile(std::string_view program, std::string_view format,
                                                 std::string_view options) const {
  if (!profile_.reads_programs) {
    return Unimplemented("the profile says that the plugin reads no programs at large");
  }
  return CompileAnyway(program, format, options);
}

Expected<OwnedLoadedExecutable> Context::CompileAnyway(std::string_view program,
                                                       std::string_view format,
                                                       std::string_view options) const {
  auto unit = MakeArgs<PJRT_Program>();
  std::string code(program);
  unit.code = code.data();
  unit.code_size = code.size();
  unit.format = format.data();
  unit.format_size = format.size();
  auto args = MakeArgs<PJRT_Client_Compile_Args>();
  args.client = client_;
  args.program = &unit;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  PLINTH_RETURN_IF_ERROR(plugin_.Call(args));
  if (args.executable == nullptr) return Internal("PJRT_Client_Compile gave no executable");
  return OwnedLoadedExecutable(plugin_, args.executable);
}

Expected<size_t> Context::NumOutputs(PJRT_LoadedExecutable* executable) const {
  auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = executable;
  PLINTH_RETURN_IF_ERROR(plugin_.Call(get));
  OwnedExecutable owned(plugin_, get.executable);
  auto args = MakeArgs<PJRT_Executable_NumOutputs_Args>();
  args.executable = owned.get();
  PLINTH_RETURN_IF_ERROR(plugin_.Call(args));
  if (args.num_outputs > 1000) {
    return Internal("PJRT_Executable_NumOutputs gave ", args.num_outputs);
  }
  return args.num_outputs;
}

Expected<std::vector<OwnedBuffer>> Context::Execute(PJRT_LoadedExecutable* executable,
                                                    std::span<PJRT_Buffer* const> arguments,
                                                    OwnedEvent* done) const {
  PLINTH_ASSIGN_OR_RETURN(size_t num_outputs, NumOutputs(executable));
  std::vector<PJRT_Buffer*> outputs(num_outputs);
  PJRT_Buffer** output_list = outputs.data();
  PJRT_Buffer* const* argument_list = arguments.data();
  PJRT_Event* event = nullptr;
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &output_list;
  args.device_complete_events = done == nullptr ? nullptr : &event;
  Status status = plugin_.Call(args);
  std::vector<OwnedBuffer> owned;
  owned.reserve(outputs.size());
  for (PJRT_Buffer* output : outputs) owned.emplace_back(plugin_, status.ok() ? output : nullptr);
  PLINTH_RETURN_IF_ERROR(status);
  if (done != nullptr) *done = OwnedEvent(plugin_, event);
  for (const OwnedBuffer& output : owned) {
    if (!output) return Internal("PJRT_LoadedExecutable_Execute left an output null");
  }
  return owned;
}

Result Context::TakeResult() {
  Result result;
  result.verdict = verdict_;
  result.lacks_devices = lacks_devices_ && verdict_ == Verdict::kUnsupported;
  result.findings = std::move(findings_);
  result.notes = std::move(notes_);
  return result;
}

}  // namespace plinth::conformance
