// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/array_calls.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/view.h"
#include "plinth/support/row_major_layout.h"

namespace plinth::conformance {
namespace array_calls {
namespace {

constexpr char kExecute[] = "execute";
constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kDevice[] = "PJRT-Buffer_Device-asked-for";

// What a call takes where an array without elements has no address.
const std::byte* DataOf(const HostArray& array) {
  static constexpr std::byte kNothing{};
  return array.bytes.empty() ? &kNothing : array.bytes.data();
}

// Whether its bytes on the device are those on the host.
bool HasKnownBytes(const ArrayKind& kind) {
  return !kind.is_turned && (InfoOf(kind.array.type).bits >= 8 || kind.array.type == DType::kPred);
}

// An array is on the device that its call named.
void CheckDevice(Context& context, PJRT_Buffer* made, const HeldArray& held, PJRT_Device* wanted) {
  auto device = Get<&PJRT_Buffer_Device_Args::buffer>(context, made);
  context.Check(kDevice, !device || device->device == wanted, held.kind->name,
                " was made on another device than that which was asked for");
}

// An array that a call gave: with the contents of its kind, unless nobody wrote them.
Status Look(Context& context, OwnedBuffer made, const HeldArray& held,
            std::string_view requirement) {
  PLINTH_ASSIGN_OR_RETURN(HostArray found, context.Download(made.get()));
  CheckSameArray(context, requirement, held.kind->name, held.kind->array, std::move(found));
  // How it lies may be another matter.
  if (held.kind->is_turned) JudgeBuffer(context, made.get(), {held.kind->array});
  return made.Destroy();
}

template <typename Args>
Status CallAndLook(Context& context, Args args, PJRT_Buffer* Args::*made, const HeldArray& held,
                   std::string_view requirement) {
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return Look(context, OwnedBuffer(context.plugin(), args.*made), held, requirement);
}

Status Read(Context& context, const HeldArray& held) {
  PLINTH_ASSIGN_OR_RETURN(HostArray found, context.Download(held.buffer.get()));
  CheckSameArray(context, kContents, held.kind->name, held.kind->array, std::move(found));
  return Status();
}

void CheckBytes(Context& context, const HeldArray& held, std::span<const std::byte> found,
                std::string_view requirement) {
  const std::vector<std::byte>& wanted = held.kind->array.bytes;
  context.Check(requirement,
                !HasKnownBytes(*held.kind) || !LiesRowMajor(context, held.buffer.get()) ||
                    std::equal(wanted.begin(), wanted.end(), found.begin()),
                held.kind->name, " has other bytes");
}

Status RawRead(Context& context, const HeldArray& held) {
  // How types below a byte lie on the device is not known.
  if (!held.kind->is_turned && !HasKnownBytes(*held.kind))
    return Unimplemented("types below a byte");
  std::vector<std::byte> to(held.kind->array.bytes.size() + 1);
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
  args.buffer = held.buffer.get();
  args.dst = to.data();
  args.transfer_size = static_cast<int64_t>(held.kind->array.bytes.size());
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  PLINTH_RETURN_IF_ERROR(context.Await(OwnedEvent(context.plugin(), args.event).get()));
  CheckBytes(context, held, to, "PJRT-Buffer_CopyRawToHost-offset");
  return Status();
}

Status RawFuture(Context& context, const HeldArray& held) {
  if (!held.kind->is_turned && !HasKnownBytes(*held.kind))
    return Unimplemented("types below a byte");
  std::vector<std::byte> to(held.kind->array.bytes.size() + 1);
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Args>();
  args.buffer = held.buffer.get();
  args.transfer_size = static_cast<int64_t>(held.kind->array.bytes.size());
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedEvent event(context.plugin(), args.event);
  auto tell = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
  tell.callback_data = args.callback_data;
  tell.dst = to.data();
  args.future_ready_callback(&tell);
  PLINTH_RETURN_IF_ERROR(context.Await(event.get()));
  CheckBytes(context, held, to, "PJRT-Buffer_CopyRawToHostFuture-offset");
  return Status();
}

Status References(Context& context, const HeldArray& held) {
  auto more = MakeArgs<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  more.buffer = held.buffer.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(more));
  auto less = MakeArgs<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
  less.buffer = held.buffer.get();
  return context.plugin().Call(less);
}

Status CopyToDevice(Context& context, const HeldArray& held) {
  auto args = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
  args.buffer = held.buffer.get();
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  // To another one, or where there is none to its own.
  args.dst_device =
      held.kind->where.wanted_device == devices.back() ? devices.front() : devices.back();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer made(context.plugin(), args.dst_buffer);
  CheckDevice(context, made.get(), held, args.dst_device);
  return Look(context, std::move(made), held, "PJRT-Buffer_CopyToDevice-contents");
}

Status CopyToMemory(Context& context, const HeldArray& held) {
  auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  args.buffer = held.buffer.get();
  args.dst_memory = held.kind->where.wanted_memory;
  return CallAndLook(context, args, &PJRT_Buffer_CopyToMemory_Args::dst_buffer, held,
                     "PJRT-Buffer_CopyToMemory-contents");
}

Status Bitcast(Context& context, const HeldArray& held) {
  // Of its own: XLA's CPU takes the array away, and the header leaves that open.
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer given, UploadKind(context, *held.kind));
  const bool is_plain = !held.kind->is_turned && LiesRowMajor(context, given.get());
  auto args = MakeArgs<PJRT_Buffer_Bitcast_Args>();
  args.buffer = given.get();
  args.element_type = ToC(held.kind->array.type);
  args.dims = held.kind->array.dims.data();
  args.num_dims = held.kind->array.dims.size();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer made(context.plugin(), args.out_buffer);
  // The bytes of what is turned are those of another array.
  if (!is_plain) return made.Destroy();
  return Look(context, std::move(made), held, "PJRT-Buffer_Bitcast-same-bytes");
}

Status Execute(Context& context, const HeldArray& held) {
  if (!held.identity || held.kind->is_turned)
    return Unimplemented("no program that takes such arrays and gives them back");
  PJRT_Buffer* handles[] = {held.buffer.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results,
                          context.Execute(held.identity.get(), handles));
  if (results.empty()) return Internal("a program has no result");
  return Look(context, std::move(results[0]), held, "PJRT-LoadedExecutable_Execute-results");
}

Status Upload(Context& context, const HeldArray& held) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer made, UploadKind(context, *held.kind));
  CheckDevice(context, made.get(), held, held.kind->where.wanted_device);
  return Look(context, std::move(made), held, kContents);
}

Status Delete(Context& context, const HeldArray& held) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer made, UploadKind(context, *held.kind));
  auto args = MakeArgs<PJRT_Buffer_Delete_Args>();
  args.buffer = made.get();
  return context.plugin().Call(args);
}

Status Donate(Context& context, const HeldArray& held) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer given, UploadKind(context, *held.kind));
  auto args = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Args>();
  args.buffer = given.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer made(context.plugin(), args.out_buffer);
  auto tell = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
  tell.callback_data = args.callback_data;
  args.dependency_ready_callback(&tell);
  return Look(context, std::move(made), held, "PJRT-Buffer_DonateWithControlDependency-deletes");
}

// A layout in which the first dimension is the fastest, for kinds that are turned.
class KindLayout {
 public:
  explicit KindLayout(const ArrayKind& kind)
      : layout_(kind.is_turned ? "column major" : "none", kind.array.dims,
                static_cast<int64_t>(ByteSize(kind.array.type))) {}
  PJRT_Buffer_MemoryLayout* get() { return layout_.get(); }

 private:
  HostLayout layout_;
};

template <typename Args>
Args Shaped(Context& context, const ArrayKind& kind) {
  auto args = MakeArgs<Args>();
  args.client = context.client();
  args.shape_dims = kind.array.dims.data();
  args.shape_num_dims = kind.array.dims.size();
  args.shape_element_type = ToC(kind.array.type);
  return args;
}

Status Uninitialized(Context& context, const HeldArray& held) {
  KindLayout layout(*held.kind);
  auto args = Shaped<PJRT_Client_CreateUninitializedBuffer_Args>(context, *held.kind);
  args.shape_layout = layout.get();
  args.device = held.kind->where.device;
  args.memory = held.kind->where.memory;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer made(context.plugin(), args.buffer);
  CheckDevice(context, made.get(), held, held.kind->where.wanted_device);
  return made.Destroy();
}

Status ErrorBuffer(Context& context, const HeldArray& held) {
  static constexpr char kText[] = "lost";
  KindLayout layout(*held.kind);
  auto args = Shaped<PJRT_Client_CreateErrorBuffer_Args>(context, *held.kind);
  args.error_code = PJRT_Error_Code_DATA_LOSS;
  args.error_message = kText;
  args.error_message_size = sizeof(kText) - 1;
  args.shape_layout = layout.get();
  args.memory = held.kind->where.wanted_memory;
  Status status = context.plugin().Call(args);
  // There are no bytes that could lie in a wrong way: a layout that an upload took is taken here.
  if (status.code() != StatusCode::kUnimplemented) {
    context.Check("PJRT-Args-accepted", status.ok(), "a buffer with an error for ", held.kind->name,
                  ", which can be uploaded: ", status.ToString());
  }
  PLINTH_RETURN_IF_ERROR(status);
  OwnedBuffer made(context.plugin(), args.buffer);
  context.Check("PJRT-Client_CreateErrorBuffer-carries",
                Carries(AwaitBuffer(context, made.get()), PJRT_Error_Code_DATA_LOSS, kText),
                held.kind->name, " does not carry the error that it was made with");
  return made.Destroy();
}

Status AliasOf(Context& context, const HeldArray& held) {
  // Of such arrays it takes a layout that the plugin may refuse.
  if (held.kind->is_turned) return Unimplemented("an alias is row-major");
  PLINTH_ASSIGN_OR_RETURN(Alias alias,
                          MakeAlias(context, held.kind->where.wanted_memory, held.kind->array.dims,
                                    ToC(held.kind->array.type)));
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer real, UploadKind(context, *held.kind));
  PLINTH_RETURN_IF_ERROR(FulfillAlias(context, alias.fulfill, real.get()));
  return Look(context, std::move(alias.buffer), held, "PJRT-Client_CreateAliasBuffer-waits");
}

Status Retrieve(Context& context, const HeldArray& held) {
  const HostArray& array = held.kind->array;
  KindLayout own(*held.kind);
  PJRT_Buffer_MemoryLayout* layouts[] = {own.get()};
  auto spec = MakeArgs<PJRT_ShapeSpec>();
  spec.dims = array.dims.data();
  spec.num_dims = array.dims.size();
  spec.element_type = ToC(array.type);
  auto make = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  make.client = context.client();
  make.shape_specs = &spec;
  make.num_shape_specs = 1;
  make.memory = held.kind->where.wanted_memory;
  if (held.kind->is_turned) make.device_layouts = layouts, make.num_device_layouts = 1;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(make));
  OwnedManager manager(context.plugin(), make.transfer_manager);
  auto get = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  get.transfer_manager = manager.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(get));
  OwnedBuffer made(context.plugin(), get.buffer_out);
  RowMajorLayout layout(array.dims.size());
  auto send = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
  send.transfer_manager = manager.get();
  send.data = DataOf(array);
  send.shape_dims = array.dims.data();
  send.shape_num_dims = array.dims.size();
  send.shape_element_type = ToC(array.type);
  send.shape_layout = layout.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(send));
  OwnedEvent done(context.plugin(), send.done_with_h2d_transfer);
  if (done) PLINTH_RETURN_IF_ERROR(context.Await(done.get()));
  return Look(context, std::move(made), held,
              "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents");
}

// How often views were given back: the plugin may say so on any thread, and late.
std::atomic<int>& GivenBack() {
  static std::atomic<int> times = 0;
  return times;
}

Status View(Context& context, const HeldArray& held) {
  // It is read where it lies.
  if (!HasKnownBytes(*held.kind)) return Unimplemented("no view of such arrays");
  auto on_cpu = MakeArgs<PJRT_Buffer_IsOnCpu_Args>();
  on_cpu.buffer = held.buffer.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(on_cpu));
  if (!RawBool(on_cpu.is_on_cpu)) return Unimplemented("device memory is not host memory");
  auto viewed = std::make_unique<Viewed>(held.kind->array);
  const int before = GivenBack();
  auto args = MakeArgs<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  args.client = context.client();
  args.device_buffer_ptr = viewed->data;
  args.dims = held.kind->array.dims.data();
  args.num_dims = held.kind->array.dims.size();
  args.element_type = ToC(held.kind->array.type);
  args.device = held.kind->where.device;
  args.memory = held.kind->where.memory;
  args.on_delete_callback = [](void*, void*) { ++GivenBack(); };
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer made(context.plugin(), args.buffer);
  CheckDevice(context, made.get(), held, held.kind->where.wanted_device);
  Status status =
      Look(context, std::move(made), held, "PJRT-Client_CreateViewOfDeviceBuffer-no-copy");
  for (int i = 0; i < 3000 && GivenBack() == before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // Memory that the plugin may still use stays.
  if (GivenBack() == before) (void)viewed.release();
  return status;
}

// Functions that take an array and nothing else, and leave it as it is.
bool Asks(const reflection::Function& function) {
  const std::string_view name = function.name.view();
  if (!function.IsRegular() || function.returns != reflection::Returns::kError ||
      function.table >= 0 || function.args < 0 || function.closes >= 0 ||
      function.threads == reflection::Threads::kExclusive || !name.starts_with("PJRT_Buffer_"))
    return false;
  for (const char* part : {"_Delete", "Donate", "ReferenceCount"}) {
    if (name.find(part) != std::string_view::npos) return false;
  }
  for (const reflection::Field& field :
       reflection::FieldsOf(reflection::Structs()[function.args])) {
    const bool is_head =
        field.base == reflection::Base::kStructSize || field.name.view() == "extension_start";
    if (is_head || field.direction == reflection::Direction::kOut) continue;
    if (field.base != reflection::Base::kHandle || field.target != reflection::handle::kPJRT_Buffer)
      return false;
  }
  return true;
}

Status Ask(Context& context, const HeldArray& held, const reflection::Function& function) {
  if (context.plugin().Slot(function) == nullptr) return Unimplemented("the table lacks it");
  const reflection::Struct& structure = reflection::Structs()[function.args];
  std::vector<std::byte> bytes(structure.size);
  for (const reflection::Field& field : reflection::FieldsOf(structure)) {
    const auto end = static_cast<size_t>(structure.end);
    PJRT_Buffer* buffer = held.buffer.get();
    if (field.base == reflection::Base::kStructSize)
      std::memcpy(bytes.data() + field.offset, &end, sizeof(end));
    if (field.base == reflection::Base::kHandle && field.direction == reflection::Direction::kIn)
      std::memcpy(bytes.data() + field.offset, &buffer, sizeof(buffer));
  }
  Status status = context.plugin().Call(function, bytes.data());
  if (status.ok()) Arguments::FreeOutputs(context, function, bytes.data(), bytes.size());
  return status;
}

}  // namespace
}  // namespace array_calls

std::vector<ArrayKind> ArrayKinds(Context& context) {
  std::vector<ArrayKind> kinds;
  auto add = [&](DType type, std::string_view shape, std::string_view place, bool is_turned) {
    Context probe(context.plugin(), context.profile(), context.client(), context.seed());
    std::optional<Place> where = PlaceNamed(probe, place);
    if (!where || !HasSweptType(probe, type)) return;
    kinds.push_back({StrCat(Name(type), shape, ", ", place, is_turned ? ", column-major" : ""),
                     RandomBits(type, ShapeOf(shape), context.seed()), *where, is_turned});
  };
  for (const std::string& type : SweptTypes()) add(TypeNamed(type), "[3,5]", "device", false);
  for (const std::string& shape : SweptShapes()) add(DType::kF32, shape, "memory", false);
  for (const std::string& place : Places()) add(DType::kU8, "[7]", place, false);
  add(DType::kF32, "[3,5]", "device", true);
  add(DType::kU8, "[2,3,4]", "memory", true);
  for (PJRT_Device* device : AddressableDevices(context)) {
    kinds.push_back({StrCat("u8[9], device ", DeviceIdOf(context, device)),
                     RandomBits(DType::kU8, {9}, context.seed()),
                     {device, nullptr, device, DefaultMemoryOf(context, device)}});
  }
  return kinds;
}

Expected<OwnedBuffer> UploadKind(Context& context, const ArrayKind& kind) {
  array_calls::KindLayout layout(kind);
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = array_calls::DataOf(kind.array);
  args.type = ToC(kind.array.type);
  args.dims = kind.array.dims.data();
  args.num_dims = kind.array.dims.size();
  args.device_layout = layout.get();
  args.device = kind.where.device;
  args.memory = kind.where.memory;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  PLINTH_RETURN_IF_ERROR(context.Await(done.get()));
  return buffer;
}

Expected<HeldArray> Hold(Context& context, const ArrayKind& kind, std::string_view name) {
  HeldArray held;
  held.kind = &kind;
  PLINTH_ASSIGN_OR_RETURN(held.buffer, UploadKind(context, kind));
  if (name != array_calls::kExecute) return held;
  const std::string type = TypeText(kind.array.type, kind.array.dims);
  const int ids[] = {DeviceIdOf(context, kind.where.wanted_device)};
  Expected<OwnedLoadedExecutable> loaded =
      context.Compile(StrCat("module @same {\n  func.func public @main(%a: ", type, ") -> ", type,
                             " {\n    return %a : ", type, "\n  }\n}\n"),
                      "mlir", CompileOptionsOf(1, 1, ids));
  // Which programs there are is asked elsewhere.
  if (loaded.ok()) held.identity = *std::move(loaded);
  return held;
}

std::vector<ArrayCall> ArrayCalls() {
  namespace calls = array_calls;
  std::vector<ArrayCall> all = {
      {"upload", calls::kContents, calls::Upload},
      {"read", calls::kContents, calls::Read},
      {"raw_read", "PJRT-Buffer_CopyRawToHost-offset", calls::RawRead},
      {"raw_future", "PJRT-Buffer_CopyRawToHostFuture-offset", calls::RawFuture},
      {"copy_to_device", "PJRT-Buffer_CopyToDevice-contents", calls::CopyToDevice},
      {"copy_to_memory", "PJRT-Buffer_CopyToMemory-contents", calls::CopyToMemory},
      {"bitcast", "PJRT-Buffer_Bitcast-same-bytes", calls::Bitcast},
      {calls::kExecute, "PJRT-LoadedExecutable_Execute-results", calls::Execute},
      {"references", "", calls::References},
      {"delete", "", calls::Delete},
      {"donate", "PJRT-Buffer_DonateWithControlDependency-deletes", calls::Donate},
      {"uninitialized", "", calls::Uninitialized},
      {"error_buffer", "PJRT-Client_CreateErrorBuffer-carries", calls::ErrorBuffer},
      {"alias", "PJRT-Client_CreateAliasBuffer-waits", calls::AliasOf},
      {"retrieve", "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents",
       calls::Retrieve},
      {"view", "PJRT-Client_CreateViewOfDeviceBuffer-no-copy", calls::View}};
  for (const reflection::Function& function : reflection::Functions()) {
    if (!calls::Asks(function)) continue;
    all.push_back({std::string(function.name.view()), "",
                   [&function](Context& context, const HeldArray& held) {
                     return calls::Ask(context, held, function);
                   }});
  }
  return all;
}

}  // namespace plinth::conformance
