// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/buffer_checks.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "impl/layers/validation/special_checks.h"
#include "plinth/support/dtype.h"
#include "plinth/support/shape.h"
#include "plinth/support/str_cat.h"

// Buffers: what they are made of, contents that are gone, ranges and sizes.
namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;

// Bits of an element in memory, or 0 for types that plugins may pack as they like.
int64_t BitsOf(int type) {
  std::optional<DType> dtype = DTypeFromC(type);
  if (!dtype || (InfoOf(*dtype).bits < 8 && *dtype != DType::kPred)) return 0;
  return ByteSize(*dtype) * 8;
}

// The number of elements; nothing if a dimension is negative or the number has no int64.
std::optional<int64_t> ElementsOf(const int64_t* dims, size_t num_dims) {
  const std::span<const int64_t> sizes(dims, num_dims);
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; })) return {};
  Expected<int64_t> count = NumElements(sizes);
  return count.ok() ? std::optional(*count) : std::nullopt;
}

// Dimensions of what is to be made; the number of elements, or nothing.
std::optional<int64_t> CheckDims(CallState& state, const int64_t* dims, size_t num_dims,
                                 const char* name) {
  if (dims == nullptr && num_dims > 0) return std::nullopt;
  std::optional<int64_t> count = ElementsOf(dims, num_dims);
  if (!count) {
    state.InvalidArgument(
        Require("PJRT-Client_BufferFromHostBuffer-dims-value"),
        StrCat("`", name, "` = {",
               StrJoin(std::span<const int64_t>(dims, num_dims < 8 ? num_dims : 8)),
               "} is no shape"));
  }
  return count;
}

void BeforeFromHost(CallState& state) {
  auto& args = state.As<PJRT_Client_BufferFromHostBuffer_Args>();
  std::optional<int64_t> count = CheckDims(state, args.dims, args.num_dims, "dims");
  if (args.data == nullptr && count.value_or(0) > 0) {
    state.InvalidArgument(Require("PJRT-Client_BufferFromHostBuffer-data"),
                          StrCat("`data` is null for an array of ", *count, " elements"));
  }
  if (args.num_byte_strides != 0 && args.num_byte_strides != args.num_dims) {
    state.InvalidArgument(Require("PJRT-Client_BufferFromHostBuffer-byte_strides"),
                          StrCat("`num_byte_strides` = ", args.num_byte_strides, ", the array has ",
                                 args.num_dims, " dimensions"));
  }
}

void BeforeView(CallState& state) {
  auto& args = state.As<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  std::optional<int64_t> count = CheckDims(state, args.dims, args.num_dims, "dims");
  if (args.device_buffer_ptr == nullptr && count.value_or(0) > 0) {
    state.InvalidArgument(
        state.Of("device_buffer_ptr", "PJRT-Args-pointer"),
        StrCat("`device_buffer_ptr` is null for an array of ", *count, " elements"));
  }
}

template <typename Args>
void BeforeShape(CallState& state) {
  auto& args = state.As<Args>();
  CheckDims(state, args.shape_dims, args.shape_num_dims, "shape_dims");
}

void BeforeErrorBuffer(CallState& state) {
  auto& args = state.As<PJRT_Client_CreateErrorBuffer_Args>();
  CheckDims(state, args.shape_dims, args.shape_num_dims, "shape_dims");
  if (RawEnum(args.error_code) == PJRT_Error_Code_OK) {
    state.InvalidArgument(Require("PJRT-Client_CreateErrorBuffer-ok-code"), "`error_code` is OK");
  }
}

void BeforeContents(CallState& state) {
  CheckHasContents(state, state.First(), "buffer", Require("PJRT-Buffer_Delete-use"));
}

void CheckRange(CallState& state, const reflection::Requirement& requirement, int64_t offset,
                int64_t transfer_size) {
  Sight buffer = state.First();
  if (buffer.handle == nullptr || (buffer.flags & (kDeleted | kDonated)) != 0) return;
  PJRT_Buffer_OnDeviceSizeInBytes_Args question = {};
  question.buffer = reinterpret_cast<PJRT_Buffer*>(buffer.handle->address());
  bool is_inside = offset >= 0 && transfer_size >= 0;
  bool is_known = state.Ask(function::kPJRT_Buffer_OnDeviceSizeInBytes, &question);
  uint64_t size = question.on_device_size_in_bytes;
  if (is_inside && is_known) {
    is_inside = static_cast<uint64_t>(offset) <= size &&
                static_cast<uint64_t>(transfer_size) <= size - static_cast<uint64_t>(offset);
  }
  if (is_inside) return;
  state.InvalidArgument(requirement, StrCat("`offset` = ", offset, ", `transfer_size` = ",
                                            transfer_size, ", the buffer has ", size, " bytes"));
}

void BeforeCopyRaw(CallState& state) {
  BeforeContents(state);
  auto& args = state.As<PJRT_Buffer_CopyRawToHost_Args>();
  CheckRange(state, Require("PJRT-Buffer_CopyRawToHost-range"), args.offset, args.transfer_size);
}

void BeforeCopyRawFuture(CallState& state) {
  BeforeContents(state);
  auto& args = state.As<PJRT_Buffer_CopyRawToHostFuture_Args>();
  CheckRange(state, state.Of("range", "PJRT-Buffer_CopyRawToHost-range"), args.offset,
             args.transfer_size);
}

// Only a plugin knows how large its host array is.
std::optional<size_t> HostSize(CallState& state, const PJRT_Buffer_ToHostBuffer_Args& args) {
  PJRT_Buffer_ToHostBuffer_Args question = {};
  question.src = args.src;
  question.host_layout = args.host_layout;
  if (!state.Ask(function::kPJRT_Buffer_ToHostBuffer, &question)) return std::nullopt;
  if (question.event != nullptr) {
    PJRT_Event_Destroy_Args destroy = {};
    destroy.event = question.event;
    state.Ask(function::kPJRT_Event_Destroy, &destroy);
  }
  return question.dst_size;
}

void BeforeToHost(CallState& state) {
  Sight buffer = state.First();
  if (!CheckHasContents(state, buffer, "src", Require("PJRT-Buffer_ToHostBuffer-deleted"))) return;
  auto& args = state.As<PJRT_Buffer_ToHostBuffer_Args>();
  if (buffer.handle == nullptr || args.dst == nullptr || state.is_misused) return;
  std::optional<size_t> needed = HostSize(state, args);
  if (!needed || args.dst_size >= *needed) return;
  state.InvalidArgument(
      Require("PJRT-Buffer_ToHostBuffer-too-small"),
      StrCat("`dst_size` = ", args.dst_size, ", the array has ", *needed, " bytes"));
}

void AfterDelete(CallState& state) {
  Sight buffer = state.First();
  if (buffer.handle == nullptr) return;
  state.layer.table.MarkDeleted(buffer.ref(), kDeleted, state.at);
}

void AfterDonate(CallState& state) {
  Sight buffer = state.First();
  if (buffer.handle == nullptr) return;
  state.layer.table.MarkDeleted(buffer.ref(), kDonated, state.at);
}

void AfterIncrease(CallState& state) {
  Sight buffer = state.First();
  if (buffer.handle == nullptr) return;
  buffer.handle->counts[kReferences].fetch_add(1, std::memory_order_relaxed);
}

void BeforeDecrease(CallState& state) {
  Sight buffer = state.First();
  if (buffer.handle == nullptr) return;
  if (buffer.handle->counts[kReferences].load(std::memory_order_relaxed) > 0) return;
  state.InvalidArgument(
      Require("PJRT-Buffer_DecreaseExternalReferenceCount-zero"),
      StrCat(state.Name("buffer", state.layer.kinds.buffer, buffer.handle->pointer()),
             " without external references: ", Describe(state.layer.table, buffer.handle)));
}

void AfterDecrease(CallState& state) {
  Sight buffer = state.First();
  if (buffer.handle == nullptr) return;
  buffer.handle->counts[kReferences].fetch_sub(1, std::memory_order_relaxed);
}

void BeforeBitcast(CallState& state) {
  BeforeContents(state);
  auto& args = state.As<PJRT_Buffer_Bitcast_Args>();
  std::optional<int64_t> count = CheckDims(state, args.dims, args.num_dims, "dims");
  if (!count || state.First().handle == nullptr || state.is_misused) return;
  PJRT_Buffer_ElementType_Args type = {};
  type.buffer = args.buffer;
  PJRT_Buffer_Dimensions_Args shape = {};
  shape.buffer = args.buffer;
  if (!state.Ask(function::kPJRT_Buffer_ElementType, &type)) return;
  if (!state.Ask(function::kPJRT_Buffer_Dimensions, &shape)) return;
  std::optional<int64_t> elements = ElementsOf(shape.dims, shape.num_dims);
  int64_t bits = BitsOf(RawEnum(args.element_type));
  int64_t own_bits = BitsOf(RawEnum(type.type));
  if (!elements || bits == 0 || own_bits == 0) return;
  int64_t limit = std::numeric_limits<int64_t>::max() / 128;
  if (*count > limit || *elements > limit || *count * bits == *elements * own_bits) return;
  state.InvalidArgument(Require("PJRT-Buffer_Bitcast-size"),
                        StrCat("the new array has ", *count * bits / 8, " bytes, the buffer ",
                               *elements * own_bits / 8));
}

void BeforeFulfill(CallState& state) {
  auto& args = state.As<PJRT_Client_FulfillAliasBuffer_Args>();
  Sight alias =
      state.InputAt(offsetof(PJRT_Client_FulfillAliasBuffer_Args, fulfill_alias_buffer_cb));
  if (alias.handle == nullptr || (alias.flags & kSet) == 0) return;
  state.FailedPrecondition(
      Require("PJRT-Client_FulfillAliasBuffer-once"),
      StrCat(state.Name("fulfill_alias_buffer_cb", state.layer.kinds.fulfill_alias,
                        args.fulfill_alias_buffer_cb),
             " that was used: ", Describe(state.layer.table, alias.handle)));
}

void AfterFulfill(CallState& state) {
  Sight alias =
      state.InputAt(offsetof(PJRT_Client_FulfillAliasBuffer_Args, fulfill_alias_buffer_cb));
  if (alias.handle == nullptr) return;
  state.layer.table.MarkDeleted(alias.ref(), kSet, state.at);
}

constexpr SpecialCheck kBufferChecks[] = {
    {function::kPJRT_Client_BufferFromHostBuffer, &BeforeFromHost, nullptr},
    {function::kPJRT_Client_CreateViewOfDeviceBuffer, &BeforeView, nullptr},
    {function::kPJRT_Client_CreateUninitializedBuffer,
     &BeforeShape<PJRT_Client_CreateUninitializedBuffer_Args>, nullptr},
    {function::kPJRT_Client_CreateAliasBuffer, &BeforeShape<PJRT_Client_CreateAliasBuffer_Args>,
     nullptr},
    {function::kPJRT_Client_CreateErrorBuffer, &BeforeErrorBuffer, nullptr},
    {function::kPJRT_Client_FulfillAliasBuffer, &BeforeFulfill, &AfterFulfill},
    {function::kPJRT_Buffer_Delete, nullptr, &AfterDelete},
    {function::kPJRT_Buffer_ToHostBuffer, &BeforeToHost, nullptr},
    {function::kPJRT_Buffer_CopyToDevice, &BeforeContents, nullptr},
    {function::kPJRT_Buffer_CopyToMemory, &BeforeContents, nullptr},
    {function::kPJRT_Buffer_UnsafePointer, &BeforeContents, nullptr},
    {function::kPJRT_Buffer_OpaqueDeviceMemoryDataPointer, &BeforeContents, nullptr},
    {function::kPJRT_Buffer_IncreaseExternalReferenceCount, &BeforeContents, &AfterIncrease},
    {function::kPJRT_Buffer_DecreaseExternalReferenceCount, &BeforeDecrease, &AfterDecrease},
    {function::kPJRT_Buffer_CopyRawToHost, &BeforeCopyRaw, nullptr},
    {function::kPJRT_Buffer_CopyRawToHostFuture, &BeforeCopyRawFuture, &WrapRawFuture},
    {function::kPJRT_Buffer_Bitcast, &BeforeBitcast, nullptr},
    {function::kPJRT_Buffer_DonateWithControlDependency, &BeforeContents, &AfterDonate},
};

}  // namespace

bool CheckHasContents(CallState& state, const Sight& buffer, const char* name,
                      const reflection::Requirement& requirement) {
  if (buffer.handle == nullptr || (buffer.flags & (kDeleted | kDonated)) == 0) return true;
  const char* how = (buffer.flags & kDonated) != 0 ? " that was donated: " : " that was deleted: ";
  state.InvalidArgument(
      requirement, StrCat(state.Name(name, state.layer.kinds.buffer, buffer.handle->pointer()), how,
                          Describe(state.layer.table, buffer.handle)));
  return false;
}

bool IsDeleted(const CallState& state, const Handle* buffer) {
  PJRT_Buffer_IsDeleted_Args question = {};
  question.buffer = reinterpret_cast<PJRT_Buffer*>(buffer->address());
  return state.Ask(function::kPJRT_Buffer_IsDeleted, &question) && question.is_deleted;
}

std::span<const SpecialCheck> BufferChecks() { return kBufferChecks; }

}  // namespace plinth::layers::validation
