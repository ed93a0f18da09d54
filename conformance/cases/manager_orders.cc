// SPDX-License-Identifier: Apache-2.0
// L2: a transfer manager of two arrays and what may happen to it, in every order of a few steps,
// held against a model: what it says of itself stays, and each array gets what was sent to it.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/orders.h"
#include "conformance/cases/transfer_manager.h"

namespace plinth::conformance {
namespace manager_orders {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kShapes[] = "PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes";
constexpr char kSize[] = "PJRT-AsyncHostToDeviceTransferManager_BufferSize-on-device";
constexpr char kSame[] = "PJRT-Args-output-same";
constexpr char kOffset[] = "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset";
constexpr char kEarly[] = "PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-early";
constexpr char kCarries[] = "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries";
constexpr char kReady[] = "PJRT-Buffer_ReadyEvent-after";
constexpr char kText[] = "it never came";

enum class Step { kRetrieve, kPart, kAll, kError, kMetadata };
struct Move {
  Step step;
  int array;
  const char* name;
};
constexpr Move kMoves[] = {{Step::kRetrieve, 0, "retrieve the first"},
                           {Step::kRetrieve, 1, "retrieve the second"},
                           {Step::kPart, 0, "half of the first"},
                           {Step::kAll, 0, "all of the first"},
                           {Step::kAll, 1, "all of the second"},
                           {Step::kError, 1, "an error for the second"},
                           {Step::kMetadata, 0, "metadata"}};

// What the model knows of an array.
enum class Fate { kOpen, kFilled, kFailed };

class Manager {
 public:
  Manager(Context& context, PJRT_Memory* memory) : context_(context), memory_(memory) {}

  bool Make() {
    Expected<OwnedManager> made = NewManager(context_, memory_, {arrays_.begin(), arrays_.end()});
    if (!context_.Ok("", "PJRT_Client_CreateBuffersForAsyncHostToDevice", made.status()))
      return false;
    manager_ = *std::move(made);
    device_ = Device();
    for (int i : {0, 1}) sizes_[static_cast<size_t>(i)] = Size(i);
    return true;
  }

  // What nobody may ask for any more: an array twice, data for one that is complete.
  bool IsLegal(const Move& move) const {
    const auto i = static_cast<size_t>(move.array);
    if (move.step == Step::kRetrieve) return !buffers_[i];
    return move.step == Step::kMetadata || fates_[i] == Fate::kOpen;
  }

  // False, with a finding, where it goes wrong.
  bool Take(const Move& move, const std::string& before) {
    const auto i = static_cast<size_t>(move.array);
    Status status = Do(move, i);
    if (status.code() == StatusCode::kUnimplemented) return true;
    if (!context_.Ok(move.step == Step::kRetrieve ? kEarly : kAccepted, StrCat(before, move.name),
                     status))
      return false;
    auto count = Get<&PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args::transfer_manager>(
        context_, manager_.get());
    if (count) {
      context_.Check(kShapes, count->buffer_count == 2, before, move.name,
                     ": a manager of two arrays says that it has ", count->buffer_count);
    }
    context_.Check(kSame, Device() == device_, before, move.name,
                   ": the manager has another device");
    context_.Check(kSize, Size(0) == sizes_[0] && Size(1) == sizes_[1], before, move.name,
                   ": the manager has arrays of other sizes");
    for (size_t k : {0, 1}) {
      if (!buffers_[k] || fates_[k] != Fate::kOpen) continue;
      context_.Check(kReady, !IsEventReady(context_, ready_[k].get()), before, move.name,
                     ": an array is ready before its last bytes came");
    }
    return !context_.HasFindings();
  }

  // Completes what is open: what becomes of it otherwise is asked elsewhere.
  void End(const std::string& before) {
    for (int i : {0, 1}) {
      if (fates_[static_cast<size_t>(i)] != Fate::kOpen) continue;
      context_.Ok(kAccepted, StrCat(before, "the rest"),
                  Do({Step::kAll, i, ""}, static_cast<size_t>(i)));
    }
    context_.Ok(kAccepted, "PJRT_AsyncHostToDeviceTransferManager_Destroy", manager_.Destroy());
    for (size_t i : {0, 1}) {
      if (!buffers_[i]) continue;
      Expected<HostArray> back = context_.Download(buffers_[i].get());
      if (fates_[i] == Fate::kFilled) {
        context_.Check(kOffset, back.ok() && back->bytes == arrays_[i].bytes, before, "array ", i,
                       " is ", back.ok() ? StrJoin(back->AsF32()) : back.status().ToString());
      } else {
        context_.Check(kCarries, Carries(back.status(), PJRT_Error_Code_DATA_LOSS, kText), before,
                       "array ", i, " gives ", back.status().ToString());
      }
    }
  }

 private:
  Status Do(const Move& move, size_t i) {
    PJRT_AsyncHostToDeviceTransferManager* manager = manager_.get();
    const auto size = static_cast<int64_t>(arrays_[i].bytes.size());
    const std::byte* bytes = arrays_[i].bytes.data();
    switch (move.step) {
      case Step::kRetrieve: {
        PLINTH_ASSIGN_OR_RETURN(buffers_[i], RetrieveBuffer(context_, manager, move.array));
        ready_[i] = ReadyEventOf(context_, buffers_[i].get());
        return Status();
      }
      case Step::kPart:
        return TransferBytes(context_, manager, move.array, bytes, 0, size / 2, false);
      case Step::kAll:
        fates_[i] = Fate::kFilled;
        return TransferBytes(context_, manager, move.array, bytes, 0, size, true);
      case Step::kError: {
        auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
        args.transfer_manager = manager;
        args.buffer_index = move.array;
        args.error_code = PJRT_Error_Code_DATA_LOSS;
        args.error_message = kText;
        args.error_message_size = sizeof(kText) - 1;
        Status status = context_.plugin().Call(args);
        if (status.ok()) fates_[i] = Fate::kFailed;
        return status;
      }
      case Step::kMetadata:
        return AddMetadata();
    }
    return Status();
  }

  Status AddMetadata() {
    auto value = MakeArgs<PJRT_NamedValue>();
    value.name = "name";
    value.name_size = 4;
    value.type = PJRT_NamedValue_kString;
    value.string_value = "a";
    value.value_size = 1;
    auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args>();
    args.transfer_manager = manager_.get();
    args.transfer_metadata = &value;
    args.num_metadata = 1;
    return context_.plugin().Call(args);
  }

  PJRT_Device* Device() {
    auto args = Get<&PJRT_AsyncHostToDeviceTransferManager_Device_Args::transfer_manager>(
        context_, manager_.get());
    return args ? args->device_out : nullptr;
  }
  size_t Size(int i) {
    auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
    args.transfer_manager = manager_.get();
    args.buffer_index = i;
    return Succeeds(context_, args) ? args.buffer_size : 0;
  }

  Context& context_;
  PJRT_Memory* memory_;
  const std::array<HostArray, 2> arrays_ = {HostArray::F32({4}, {1, 2, 3, 4}),
                                            HostArray::F32({2, 3}, {5, 6, 7, 8, 9, 10})};
  OwnedManager manager_;
  PJRT_Device* device_ = nullptr;
  std::array<size_t, 2> sizes_ = {};
  std::array<OwnedBuffer, 2> buffers_;
  std::array<OwnedEvent, 2> ready_;
  std::array<Fate, 2> fates_ = {Fate::kOpen, Fate::kOpen};
};

// A step that is not legal is left out of its order.
void EveryOrder(Context& context, size_t first) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "a device", device.status())) return;
  PJRT_Memory* memory = DefaultMemoryOf(context, *device);
  size_t count = 0;
  ForEachOrder(context, first, std::size(kMoves), [&](std::span<const size_t> order) {
    ++count;
    Manager manager(context, memory);
    if (!manager.Make()) return false;
    std::string before;
    for (size_t m : order) {
      if (!manager.IsLegal(kMoves[m])) continue;
      if (!manager.Take(kMoves[m], before)) return false;
      before += StrCat(kMoves[m].name, ", ");
    }
    manager.End(before);
    return !context.HasFindings();
  });
  context.Note(StrCat(count, " orders"));
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (size_t m = 0; m < std::size(kMoves); ++m) {
    std::string name = StrCat("L2/order/manager/", kMoves[m].name);
    std::replace(name.begin(), name.end(), ' ', '_');
    cases.push_back({std::move(name),
                     Level::kL2,
                     ClientNeed::kShared,
                     {kAccepted, kShapes, kSize, kSame, kOffset, kEarly, kCarries, kReady},
                     [m](Context& context) { EveryOrder(context, m); },
                     false});
  }
}

}  // namespace manager_orders

void AddManagerOrderCases(std::vector<Case>& cases) { manager_orders::AddCases(cases); }

}  // namespace plinth::conformance
