// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "reference_plugin/backend/calls/ffi_registry.h"
#include "reference_plugin/backend/calls/ffi_types.h"
#include "reference_plugin/backend/host/runtime.h"

// The functions of the XLA FFI C API.
namespace plinth::backend {
namespace {

// Around each function: argument structs may be smaller than ours only behind what was announced.
#define PLINTH_FFI_CHECK(function)                                                            \
  if (args == nullptr || args->struct_size < function##_Args_STRUCT_SIZE) {                   \
    return MakeFfiError(InvalidArgument(#function, ": struct_size is ",                       \
                                        args == nullptr ? size_t{0} : args->struct_size,      \
                                        "; expected ", size_t{function##_Args_STRUCT_SIZE})); \
  }

#define PLINTH_FFI_CHECK_CONTEXT(function)                                                 \
  PLINTH_FFI_CHECK(function)                                                               \
  if (args->ctx == nullptr || args->ctx->call == nullptr) {                                \
    return MakeFfiError(FailedPrecondition(                                                \
        #function, ": there is no execution yet; ask in a later stage than instantiate")); \
  }

// What C gets of a function of ours: no exception leaves it.
template <auto kFunction>
struct Guarded;
template <typename Args, XLA_FFI_Error* (*kFunction)(Args*)>
struct Guarded<kFunction> {
  static XLA_FFI_Error* Call(Args* args) noexcept {
    try {
      return kFunction(args);
    } catch (...) {
      return CurrentExceptionAsFfiError();
    }
  }
};

std::string_view View(const XLA_FFI_ByteSpan& span) {
  return span.ptr == nullptr ? std::string_view() : std::string_view(span.ptr, span.len);
}

XLA_FFI_Error* ErrorCreate(XLA_FFI_Error_Create_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_Error_Create)
  // An error is wanted, so a code that is none becomes one. In C an enumeration holds any number.
  int32_t code;
  static_assert(sizeof(code) == sizeof(args->errc));
  std::memcpy(&code, &args->errc, sizeof(code));
  const bool is_code = code > XLA_FFI_Error_Code_OK && code <= 16;
  return new XLA_FFI_Error{is_code ? static_cast<StatusCode>(code) : StatusCode::kUnknown,
                           args->message == nullptr ? "" : args->message};
}

// 0.3 had no errc.
void ErrorGetDetails(XLA_FFI_Error_GetDetails_Args* args) noexcept {
  constexpr size_t kMessageEnd = XLA_FFI_STRUCT_SIZE(XLA_FFI_Error_GetDetails_Args, message);
  if (args == nullptr || args->struct_size < kMessageEnd) return;
  args->message = args->error == nullptr ? "" : args->error->message.c_str();
  if (args->struct_size < XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE) return;
  args->errc = args->error == nullptr ? XLA_FFI_Error_Code_OK
                                      : static_cast<XLA_FFI_Error_Code>(args->error->code);
}

void ErrorDestroy(XLA_FFI_Error_Destroy_Args* args) noexcept {
  if (args == nullptr || args->struct_size < XLA_FFI_Error_Destroy_Args_STRUCT_SIZE) return;
  DestroyFfiError(args->error);
}

// 0.3 had a bundle without `record`, which is here too a stage that no CPU has; what follows the
// bundle lay where it is now.
XLA_FFI_Error* HandlerRegister(XLA_FFI_Handler_Register_Args* args) {
  constexpr size_t kRecord = offsetof(XLA_FFI_Handler_Register_Args, bundle.record);
  constexpr size_t kSizeWithoutRecord = kRecord + sizeof(args->traits);
  const bool has_record =
      args != nullptr && args->struct_size >= XLA_FFI_Handler_Register_Args_STRUCT_SIZE;
  if (args == nullptr || args->struct_size < kSizeWithoutRecord) {
    return MakeFfiError(InvalidArgument("XLA_FFI_Handler_Register: struct_size is ",
                                        args == nullptr ? size_t{0} : args->struct_size,
                                        "; expected ", kSizeWithoutRecord, " (0.3) or ",
                                        size_t{XLA_FFI_Handler_Register_Args_STRUCT_SIZE}));
  }
  sdk::FfiHandler handler;
  handler.target = View(args->name);
  handler.platform = View(args->platform);
  handler.instantiate = reinterpret_cast<void*>(args->bundle.instantiate);
  handler.prepare = reinterpret_cast<void*>(args->bundle.prepare);
  handler.initialize = reinterpret_cast<void*>(args->bundle.initialize);
  handler.execute = reinterpret_cast<void*>(args->bundle.execute);
  XLA_FFI_Handler_Traits traits;
  std::memcpy(&traits, reinterpret_cast<const char*>(args) + kRecord, sizeof(traits));
  handler.traits = has_record ? args->traits : traits;
  return MakeFfiError(FfiRegistry::Get().RegisterHandler(handler));
}

XLA_FFI_Error* StreamGet(XLA_FFI_Stream_Get_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_Stream_Get)
  if (args->ctx != nullptr && args->ctx->queue != nullptr) {
    args->stream = args->ctx->queue->stream_of_calls();
    return nullptr;
  }
  return MakeFfiError(Unimplemented("XLA_FFI_Stream_Get: a handler of the host has no stream"));
}

XLA_FFI_Error* TypeRegister(XLA_FFI_Type_Register_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_Type_Register)
  if (args->type_id == nullptr) {
    return MakeFfiError(InvalidArgument("XLA_FFI_Type_Register: type_id is null"));
  }
  sdk::FfiTypeInfo info;
  // Every known header has the field, and announces a size that ends before it.
  if (args->type_info != nullptr) {
    info.deleter = args->type_info->deleter;
  }
  Expected<int64_t> id =
      FfiRegistry::Get().RegisterType(View(args->name), args->type_id->type_id, info);
  if (!id.ok()) return MakeFfiError(id.status());
  args->type_id->type_id = *id;
  return nullptr;
}

XLA_FFI_Error* InvokeContextGet(XLA_FFI_InvokeContext_Get_Args* args) {
  PLINTH_FFI_CHECK_CONTEXT(XLA_FFI_InvokeContext_Get)
  if (args->type_id == nullptr) {
    return MakeFfiError(InvalidArgument("XLA_FFI_InvokeContext_Get: type_id is null"));
  }
  void* const data = args->ctx->call->FindUserData(args->type_id->type_id);
  if (data == nullptr) {
    return MakeFfiError(
        NotFound("the execution context has no user data of type ", args->type_id->type_id));
  }
  args->data = data;
  return nullptr;
}

// The state of a stage, or null.
FfiState* StateOf(const XLA_FFI_InvokeContext* context, XLA_FFI_ExecutionStage stage) {
  if (context == nullptr || stage < XLA_FFI_ExecutionStage_INSTANTIATE ||
      stage > XLA_FFI_ExecutionStage_INITIALIZE) {
    return nullptr;
  }
  return context->states[stage];
}

XLA_FFI_Error* StateSet(XLA_FFI_State_Set_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_State_Set)
  FfiState* const state = StateOf(args->ctx, args->stage);
  if (state == nullptr || args->type_id == nullptr || args->ctx->stage != args->stage) {
    return MakeFfiError(InvalidArgument(
        "XLA_FFI_State_Set: a handler sets the state of the stage that it is called in, and of "
        "those before execute"));
  }
  return MakeFfiError(state->Set(args->type_id->type_id, args->state));
}

XLA_FFI_Error* StateGet(XLA_FFI_State_Get_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_State_Get)
  FfiState* const state = StateOf(args->ctx, args->stage);
  if (state == nullptr || args->type_id == nullptr) {
    return MakeFfiError(
        InvalidArgument("XLA_FFI_State_Get: there is no state of stage ", int{args->stage}));
  }
  Expected<void*> object = state->Get(args->type_id->type_id);
  if (!object.ok()) return MakeFfiError(object.status());
  args->state = *object;
  return nullptr;
}

XLA_FFI_Error* MemoryAllocate(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  PLINTH_FFI_CHECK_CONTEXT(XLA_FFI_DeviceMemory_Allocate)
  args->data = nullptr;
  if (args->size == 0) return nullptr;
  if (args->size > static_cast<size_t>(INT64_MAX) / 2 || args->alignment > size_t{1} << 30) {
    return MakeFfiError(ResourceExhausted("XLA_FFI_DeviceMemory_Allocate: ", args->size,
                                          " bytes aligned to ", args->alignment));
  }
  const size_t extra = args->alignment > kStorageAlignment ? args->alignment : 0;
  const auto size = static_cast<int64_t>(args->size + extra);
  Expected<StoragePtr> storage =
      args->ctx->queue != nullptr
          ? args->ctx->queue->AllocateForCalls(size)
          : args->ctx->call->runtime->memory->Allocate(size, args->ctx->call->device_ordinal);
  if (!storage.ok()) return MakeFfiError(storage.status());
  std::byte* data = (*storage)->data();
  if (extra != 0) {
    const auto address = reinterpret_cast<uintptr_t>(data);
    data += (extra - address % extra) % extra;
  }
  const std::lock_guard lock(args->ctx->call->mutex);
  args->ctx->call->allocations.emplace(data, *std::move(storage));
  args->data = data;
  return nullptr;
}

XLA_FFI_Error* MemoryFree(XLA_FFI_DeviceMemory_Free_Args* args) {
  PLINTH_FFI_CHECK_CONTEXT(XLA_FFI_DeviceMemory_Free)
  if (args->data == nullptr) return nullptr;
  StoragePtr freed;
  const std::lock_guard lock(args->ctx->call->mutex);
  const auto found = args->ctx->call->allocations.find(args->data);
  if (found == args->ctx->call->allocations.end()) {
    return MakeFfiError(InvalidArgument(
        "XLA_FFI_DeviceMemory_Free: the memory is not of this execution, or free already"));
  }
  freed = std::move(found->second);
  args->ctx->call->allocations.erase(found);
  return nullptr;
}

XLA_FFI_Error* PoolSchedule(XLA_FFI_ThreadPool_Schedule_Args* args) {
  PLINTH_FFI_CHECK_CONTEXT(XLA_FFI_ThreadPool_Schedule)
  if (args->task == nullptr) {
    return MakeFfiError(InvalidArgument("XLA_FFI_ThreadPool_Schedule: task is null"));
  }
  const std::shared_ptr<Runtime>& runtime = args->ctx->call->runtime;
  runtime->threads.Schedule([runtime, task = args->task, data = args->data] {
    runtime->RunForeign([task, data] { task(data); });
  });
  return nullptr;
}

XLA_FFI_Error* PoolNumThreads(XLA_FFI_ThreadPool_NumThreads_Args* args) {
  PLINTH_FFI_CHECK_CONTEXT(XLA_FFI_ThreadPool_NumThreads)
  if (args->num_threads == nullptr) {
    return MakeFfiError(InvalidArgument("XLA_FFI_ThreadPool_NumThreads: num_threads is null"));
  }
  *args->num_threads = args->ctx->call->runtime->threads.parallelism();
  return nullptr;
}

XLA_FFI_Error* FutureCreate(XLA_FFI_Future_Create_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_Future_Create)
  // Upstream's announced size ends in front of the result.
  args->future = new XLA_FFI_Future{std::make_shared<FfiFutureState>()};
  return nullptr;
}

XLA_FFI_Error* Complete(XLA_FFI_Future* future, Status status) {
  const std::shared_ptr<FfiFutureState> state = future->state;
  const std::lock_guard lock(state->mutex);
  if (state->is_complete) {
    return MakeFfiError(FailedPrecondition("the future is complete already"));
  }
  state->is_complete = true;
  state->status = std::move(status);
  state->changed.notify_all();
  return nullptr;
}

XLA_FFI_Error* FutureSetAvailable(XLA_FFI_Future_SetAvailable_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_Future_SetAvailable)
  if (args->future == nullptr) return MakeFfiError(InvalidArgument("the future is null"));
  return Complete(args->future, Status());
}

XLA_FFI_Error* FutureSetError(XLA_FFI_Future_SetError_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_Future_SetError)
  if (args->future == nullptr || args->error == nullptr) {
    return MakeFfiError(InvalidArgument("the future or the error is null"));
  }
  return Complete(args->future, TakeFfiError(args->error));
}

XLA_FFI_Error* RunIdGet(XLA_FFI_RunId_Get_Args* args) {
  PLINTH_FFI_CHECK_CONTEXT(XLA_FFI_RunId_Get)
  args->run_id = args->ctx->call->run_id;
  return nullptr;
}

XLA_FFI_Error* DeviceOrdinalGet(XLA_FFI_DeviceOrdinal_Get_Args* args) {
  PLINTH_FFI_CHECK_CONTEXT(XLA_FFI_DeviceOrdinal_Get)
  args->device_ordinal = args->ctx->call->device_ordinal;
  return nullptr;
}

// There are none.
XLA_FFI_Error* FindExtension(XLA_FFI_InvokeContext_FindExtension_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_InvokeContext_FindExtension)
  args->extension = nullptr;
  return nullptr;
}

// The PJRT C API has no way to give an execution any.
XLA_FFI_Error* CustomOptionsGet(XLA_FFI_CustomOptions_Get_Args* args) {
  PLINTH_FFI_CHECK(XLA_FFI_CustomOptions_Get)
  static constexpr XLA_FFI_Attrs kNone = {
      XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 0, nullptr, nullptr, nullptr};
  args->attrs = &kNone;
  return nullptr;
}

XLA_FFI_Api MakeApi() {
  XLA_FFI_Api api{};
  api.struct_size = XLA_FFI_Api_STRUCT_SIZE;
  api.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  api.api_version.major_version = XLA_FFI_API_MAJOR;
  api.api_version.minor_version = XLA_FFI_API_MINOR;
  api.XLA_FFI_Error_Create = Guarded<ErrorCreate>::Call;
  api.XLA_FFI_Error_GetDetails = ErrorGetDetails;
  api.XLA_FFI_Error_Destroy = ErrorDestroy;
  api.XLA_FFI_Handler_Register = Guarded<HandlerRegister>::Call;
  api.XLA_FFI_Stream_Get = Guarded<StreamGet>::Call;
  api.XLA_FFI_Type_Register = Guarded<TypeRegister>::Call;
  api.XLA_FFI_InvokeContext_Get = Guarded<InvokeContextGet>::Call;
  api.XLA_FFI_State_Set = Guarded<StateSet>::Call;
  api.XLA_FFI_State_Get = Guarded<StateGet>::Call;
  api.XLA_FFI_DeviceMemory_Allocate = Guarded<MemoryAllocate>::Call;
  api.XLA_FFI_DeviceMemory_Free = Guarded<MemoryFree>::Call;
  api.XLA_FFI_ThreadPool_Schedule = Guarded<PoolSchedule>::Call;
  api.XLA_FFI_ThreadPool_NumThreads = Guarded<PoolNumThreads>::Call;
  api.XLA_FFI_Future_Create = Guarded<FutureCreate>::Call;
  api.XLA_FFI_Future_SetAvailable = Guarded<FutureSetAvailable>::Call;
  api.XLA_FFI_Future_SetError = Guarded<FutureSetError>::Call;
  api.XLA_FFI_RunId_Get = Guarded<RunIdGet>::Call;
  api.XLA_FFI_DeviceOrdinal_Get = Guarded<DeviceOrdinalGet>::Call;
  api.XLA_FFI_InvokeContext_FindExtension = Guarded<FindExtension>::Call;
  api.XLA_FFI_CustomOptions_Get = Guarded<CustomOptionsGet>::Call;
  return api;
}

}  // namespace

const XLA_FFI_Api* GetFfiApi() {
  static const XLA_FFI_Api api = MakeApi();
  return &api;
}

}  // namespace plinth::backend
