// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/call_state.h"
#include "impl/layers/validation/special_checks.h"
#include "plinth/support/str_cat.h"

// Transfers from the host into buffers that are there before their data.
namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;

void AfterCreateBuffers(CallState& state) {
  auto& args = state.As<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  Sight manager = state.layer.table.Find(state.layer.kinds.transfer_manager,
                                         reinterpret_cast<uintptr_t>(args.transfer_manager));
  if (!manager.alive()) return;
  manager.handle->counts[kBuffers].store(static_cast<int64_t>(args.num_shape_specs),
                                         std::memory_order_relaxed);
}

// True if the index is one of the manager's buffers, as far as is known.
bool CheckIndex(CallState& state, int index) {
  Sight manager = state.First();
  if (manager.handle == nullptr) return false;
  int64_t count = manager.handle->counts[kBuffers].load(std::memory_order_relaxed);
  if (count > 0 && index >= 0 && index < count) return true;
  if (count == 0) return false;
  const reflection::Requirement& otherwise = RequirementOf(
      state.call.function(), "range", "PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-index");
  state.InvalidArgument(state.Of("index", otherwise.id),
                        StrCat("`buffer_index` = ", index, ", the transfer manager has ", count,
                               count == 1 ? " buffer" : " buffers"));
  return false;
}

template <typename Args>
void BeforeIndexed(CallState& state) {
  CheckIndex(state, state.As<Args>().buffer_index);
}

void BeforeTransferData(CallState& state) {
  auto& args = state.As<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
  if (!CheckIndex(state, args.buffer_index)) return;
  const reflection::Requirement& range =
      Require("PJRT-AsyncHostToDeviceTransferManager_TransferData-range");
  PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args question = {};
  question.transfer_manager = args.transfer_manager;
  question.buffer_index = args.buffer_index;
  bool is_known = state.Ask(function::kPJRT_AsyncHostToDeviceTransferManager_BufferSize, &question);
  bool is_inside = args.offset >= 0 && args.transfer_size >= 0;
  if (is_inside && is_known) {
    uint64_t size = question.buffer_size;
    uint64_t offset = static_cast<uint64_t>(args.offset);
    is_inside = offset <= size && static_cast<uint64_t>(args.transfer_size) <= size - offset;
  }
  if (is_inside) return;
  state.InvalidArgument(
      range, StrCat("`offset` = ", args.offset, ", `transfer_size` = ", args.transfer_size,
                    ", the buffer has ", question.buffer_size, " bytes"));
}

constexpr SpecialCheck kTransferChecks[] = {
    {function::kPJRT_Client_CreateBuffersForAsyncHostToDevice, nullptr, &AfterCreateBuffers},
    {function::kPJRT_AsyncHostToDeviceTransferManager_TransferData, &BeforeTransferData, nullptr},
    {function::kPJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer,
     &BeforeIndexed<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>, nullptr},
    {function::kPJRT_AsyncHostToDeviceTransferManager_BufferSize,
     &BeforeIndexed<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>, nullptr},
    {function::kPJRT_AsyncHostToDeviceTransferManager_SetBufferError,
     &BeforeIndexed<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>, nullptr},
    {function::kPJRT_AsyncHostToDeviceTransferManager_TransferLiteral,
     &BeforeIndexed<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>, nullptr},
};

}  // namespace

std::span<const SpecialCheck> TransferChecks() { return kTransferChecks; }

}  // namespace plinth::layers::validation
