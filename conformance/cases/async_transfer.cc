// SPDX-License-Identifier: Apache-2.0
// L2: the transfer manager: buffers that are filled piece by piece.

#include <limits>
#include <utility>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/pending_buffer.h"

namespace plinth::conformance {
namespace {

void InPieces(Context& context) {
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  const float values[] = {1, 2, 3, 4};
  context.Ok("PJRT-AsyncHostToDeviceTransferManager_TransferData-offset", "the second half",
             pending.Transfer(0, values + 2, 8, 8, false));
  context.Ok("PJRT-AsyncHostToDeviceTransferManager_TransferData-offset", "the first half",
             pending.Transfer(0, values, 0, 8, true));
  Expected<HostArray> array = context.Download(pending.buffer());
  if (context.Ok("PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
                 "PJRT_Buffer_ToHostBuffer", array.status())) {
    context.Check("PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
                  array->AsF32() == std::vector<float>{1, 2, 3, 4}, "the values are [",
                  StrJoin(array->AsF32()), "], not [1, 2, 3, 4]");
  }
}

// The ready event tells the truth while the data is on its way.
void ReadyAfter(Context& context) {
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  auto args = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  args.buffer = pending.buffer();
  if (!context.Ok("", "PJRT_Buffer_ReadyEvent", context.plugin().Call(args))) return;
  OwnedEvent event(context.plugin(), args.event);
  auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
  ready.event = event.get();
  if (!context.Ok("", "PJRT_Event_IsReady", context.plugin().Call(ready))) return;
  context.Check("PJRT-Buffer_ReadyEvent-after", !RawBool(ready.is_ready),
                "a buffer without data is ready");
  auto size = MakeArgs<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
  size.buffer = pending.buffer();
  if (context.Ok("", "PJRT_Buffer_OnDeviceSizeInBytes", context.plugin().Call(size))) {
    context.Check("PJRT-Buffer_OnDeviceSizeInBytes-enough", size.on_device_size_in_bytes >= 16,
                  "a buffer of 16 bytes without data has ", size.on_device_size_in_bytes);
  }
  const float half[] = {1, 2};
  context.Ok("", "the first half", pending.Transfer(0, half, 0, 8, false));
  if (!context.Ok("", "PJRT_Event_IsReady", context.plugin().Call(ready))) return;
  context.Check("PJRT-Buffer_ReadyEvent-after", !RawBool(ready.is_ready),
                "a buffer with half of its data is ready");
  context.Ok("", "the second half", pending.Transfer(0, half, 8, 8, true));
  context.Ok("PJRT-Buffer_ReadyEvent-after", "the ready event", context.Await(event.get()));
}

void SetError(Context& context) {
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  args.transfer_manager = pending.manager().get();
  args.error_code = PJRT_Error_Code_UNAVAILABLE;
  args.error_message = "no data came";
  args.error_message_size = 12;
  if (!context.Ok("", "PJRT_AsyncHostToDeviceTransferManager_SetBufferError",
                  context.plugin().Call(args))) {
    return;
  }
  Status status = context.Download(pending.buffer()).status();
  context.Check("PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
                status.code() == StatusCode::kUnavailable, "the buffer carries ", status.ToString(),
                ", not UNAVAILABLE");
}

void Ranges(Context& context) {
  constexpr char kOffset[] = "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset";
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  const float values[4] = {};
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (auto [offset, size] : {std::pair<int64_t, int64_t>(12, 8),
                              {16, 4},
                              {-4, 8},
                              {-16, 16},
                              {-1, 4},
                              {int64_t{1} << 32, 4},
                              {kMost - 3, 8},
                              {-kMost - 1, 4}}) {
    context.TellRow(StrCat(size, " bytes at ", offset, " of 16"));
    context.CheckRefused("PJRT-AsyncHostToDeviceTransferManager_TransferData-range",
                         StrCat(size, " bytes at ", offset, " of 16"),
                         pending.Transfer(0, values, offset, size, false),
                         {StatusCode::kInvalidArgument});
  }
  // What is refused leaves the buffer as it was: open, and filled by the right pieces.
  OwnedEvent ready = ReadyEventOf(context, pending.buffer());
  context.Check(kOffset, !IsEventReady(context, ready.get()),
                "a piece that was refused made its buffer ready");
  const float wanted[] = {1, 2, 3, 4};
  if (!context.Ok(kOffset, "a right piece after one that was refused",
                  pending.Transfer(0, wanted, 0, 16, true)))
    return;
  Expected<HostArray> found = context.Download(pending.buffer());
  context.Check(kOffset, found.ok() && found->AsF32() == std::vector<float>{1, 2, 3, 4},
                "after a piece that was refused, and right ones, the buffer gives ",
                found.ok() ? StrJoin(found->AsF32()) : found.status().ToString());
}

// No buffer has the index: XLA's own CPU ends the process.
void Indices(Context& context) {
  PendingBuffer pending(context);
  if (!pending.MakeManager()) return;
  const float values[4] = {};
  context.CheckRefused("PJRT-AsyncHostToDeviceTransferManager_TransferData-index", "index 1 of 1",
                       pending.Transfer(1, values, 0, 16, true), {StatusCode::kInvalidArgument});
  auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
  size.transfer_manager = pending.manager().get();
  size.buffer_index = 7;
  context.CheckRefused("PJRT-AsyncHostToDeviceTransferManager_BufferSize-index",
                       "the size of buffer 7 of 1", context.plugin().Call(size),
                       {StatusCode::kInvalidArgument});
  for (int index : {-1, 1, 7}) {
    auto retrieve = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    retrieve.transfer_manager = pending.manager().get();
    retrieve.buffer_index = index;
    context.CheckRefused("PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-index",
                         StrCat("buffer ", index, " of 1"), context.plugin().Call(retrieve),
                         {StatusCode::kInvalidArgument});
    auto fail = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
    fail.transfer_manager = pending.manager().get();
    fail.buffer_index = index;
    fail.error_code = PJRT_Error_Code_ABORTED;
    fail.error_message = "no such buffer";
    fail.error_message_size = 14;
    context.CheckRefused("PJRT-AsyncHostToDeviceTransferManager_SetBufferError-index",
                         StrCat("an error for buffer ", index, " of 1"),
                         context.plugin().Call(fail), {StatusCode::kInvalidArgument});
  }
}

// The header names no type: what is no text may be refused. XLA's own CPU ends the process.
void MetadataOfTypes(Context& context) {
  constexpr int64_t kList[] = {1, 2};
  PendingBuffer pending(context);
  if (!pending.MakeManager()) return;
  for (auto type : {PJRT_NamedValue_kInt64, PJRT_NamedValue_kInt64List, PJRT_NamedValue_kFloat,
                    PJRT_NamedValue_kBool}) {
    auto value = MakeArgs<PJRT_NamedValue>();
    value.name = "name";
    value.name_size = 4;
    value.type = type;
    value.value_size = 1;
    if (type == PJRT_NamedValue_kInt64List) value.int64_array_value = kList, value.value_size = 2;
    auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args>();
    args.transfer_manager = pending.manager().get();
    args.transfer_metadata = &value;
    args.num_metadata = 1;
    Status status = context.plugin().Call(args);
    context.Note(StrCat("metadata of type ", static_cast<int>(type), ": ", status.ToString()));
  }
}

// There is nothing to destroy.
void DestroyNullManager(Context& context) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>();
  context.Ok("PJRT-AsyncHostToDeviceTransferManager_Destroy-null", "destroying a null manager",
             context.plugin().Call(args));
}

// The manager goes while its buffer waits for data: the buffer must not wait for ever.
void Abandoned(Context& context) {
  constexpr char kUnfinished[] = "PJRT-AsyncHostToDeviceTransferManager_Destroy-unfinished";
  const float values[] = {1, 2, 3, 4};
  for (int64_t size : {0, 8, 16}) {
    PendingBuffer pending(context);
    if (!pending.Make()) return;
    if (size > 0 && !context.Ok(kUnfinished, "a part", pending.Transfer(0, values, 0, size, false)))
      return;
    context.Ok(kUnfinished, "destroying the manager", pending.manager().Destroy());
    Status status = context.Download(pending.buffer()).status();
    context.Check(kUnfinished, !status.ok(), "a buffer was read that got ", size,
                  " of 16 bytes, and never the last");
  }
}

}  // namespace

void AddAsyncTransferCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 void (*run)(Context&), bool is_robust = false) {
    cases.push_back({"L2/async_transfer/" + name, Level::kL2, ClientNeed::kShared,
                     std::move(requirements), run, is_robust});
  };
  add("in_pieces", {"PJRT-AsyncHostToDeviceTransferManager_TransferData-offset"}, InPieces);
  add("ready_after",
      {"PJRT-Buffer_ReadyEvent-after", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
       "PJRT-Buffer_OnDeviceSizeInBytes-enough"},
      ReadyAfter);
  add("set_error", {"PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries"}, SetError);
  add("ranges",
      {"PJRT-AsyncHostToDeviceTransferManager_TransferData-range",
       "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset"},
      Ranges);
  add("indices",
      {"PJRT-AsyncHostToDeviceTransferManager_TransferData-index",
       "PJRT-AsyncHostToDeviceTransferManager_BufferSize-index",
       "PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-index",
       "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-index"},
      Indices, true);
  add("metadata_of_types", {"PJRT-Process-alive"}, MetadataOfTypes, true);
  add("destroy_null", {"PJRT-AsyncHostToDeviceTransferManager_Destroy-null"}, DestroyNullManager);
  add("abandoned", {"PJRT-AsyncHostToDeviceTransferManager_Destroy-unfinished"}, Abandoned, true);
}

}  // namespace plinth::conformance
