// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/used_buffer.h"

#include <algorithm>
#include <cstring>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/error_buffer.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance::uses {

bool UsedBuffer::Upload(PJRT_Buffer_MemoryLayout* layout) {
  Expected<PJRT_Device*> device = context_.Device();
  if (!context_.Ok("", "PJRT_Client_AddressableDevices", device.status())) return false;
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  std::vector<std::byte> given = array_.bytes;
  given.reserve(16);
  args.client = context_.client();
  args.data = given.data();
  args.type = PJRT_Buffer_Type_F32;
  args.dims = array_.dims.data();
  args.num_dims = array_.dims.size();
  bool until_done = state_ == State::kFilled;
  args.host_buffer_semantics = until_done
                                   ? PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes
                                   : PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = *device;
  args.device_layout = layout;
  if (state_ == State::kOnHost) {
    PJRT_Memory* home = DefaultMemoryOf(context_, *device);
    for (PJRT_Memory* memory : MemoriesOf(context_, *device)) {
      if (memory != home) args.memory = memory;
    }
    if (args.memory == nullptr) {
      context_.Unsupported("the device has one memory");
      return false;
    }
  }
  Status status = context_.plugin().Call(args);
  if (layout != nullptr && !status.ok()) {
    context_.Note(StrCat("no array with a layout: ", status.ToString()));
    return false;
  }
  if (!context_.Ok("PJRT-Args-accepted", "PJRT_Client_BufferFromHostBuffer", status)) return false;
  // The host's memory is used no longer than was said.
  if (!until_done) std::fill(given.begin(), given.end(), std::byte{0x3C});
  buffer_ = OwnedBuffer(context_.plugin(), args.buffer);
  OwnedEvent done(context_.plugin(), args.done_with_host_buffer);
  bool is_done = context_.Ok("PJRT-Client_BufferFromHostBuffer-done", "the upload's event",
                             context_.Await(done.get()));
  std::fill(given.begin(), given.end(), std::byte{0x3C});
  return is_done;
}

bool UsedBuffer::MakeDonated() {
  Expected<OwnedBuffer> given = context_.Upload(array_);
  if (!context_.Ok("", "PJRT_Client_BufferFromHostBuffer", given.status())) return false;
  donation_.buffer = given->get();
  if (!context_.Ok("PJRT-Args-accepted", "PJRT_Buffer_DonateWithControlDependency",
                   context_.plugin().Call(donation_)))
    return false;
  buffer_ = OwnedBuffer(context_.plugin(), donation_.out_buffer);
  return true;
}

bool UsedBuffer::MakeLate(PJRT_Memory* home) {
  if (IsDonated(state_)) return MakeDonated();
  if (IsAlias(state_)) {
    Expected<Alias> alias = MakeAlias(context_, home, array_.dims);
    if (!context_.Ok("", "PJRT_Client_CreateAliasBuffer", alias.status())) return false;
    buffer_ = std::move(alias->buffer);
    fulfill_ = alias->fulfill;
    return true;
  }
  if (!pending_.Make()) return false;
  if (state_ == State::kCopied) {
    auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
    copy.buffer = pending_.buffer();
    copy.dst_memory = home;
    if (!context_.Ok("", "PJRT_Buffer_CopyToMemory", context_.plugin().Call(copy))) return false;
    buffer_ = OwnedBuffer(context_.plugin(), copy.dst_buffer);
  } else if (state_ == State::kComputed) {
    Expected<OwnedLoadedExecutable> add = context_.Compile(ProgramFor(context_, "add_one"));
    if (!context_.Ok("", "PJRT_Client_Compile", add.status())) return false;
    PJRT_Buffer* handles[] = {pending_.buffer()};
    auto results = context_.Execute(add->get(), handles);
    if (!context_.Ok("PJRT-Args-accepted", "PJRT_LoadedExecutable_Execute", results.status()))
      return false;
    buffer_ = std::move((*results)[0]);
    array_ = HostArray::F32({4}, {2, 3, 4, 5});  // what it makes of FourNumbers()
  } else {
    buffer_ = pending_.Take();
  }
  return true;
}

bool UsedBuffer::Make() {
  if (IsLate(state_)) {
    Expected<PJRT_Device*> device = context_.Device();
    return context_.Ok("", "PJRT_Client_AddressableDevices", device.status()) &&
           MakeLate(DefaultMemoryOf(context_, *device));
  }
  if (state_ == State::kScalar) array_ = HostArray::F32({}, {5});
  if (state_ == State::kLarge || state_ == State::kTurned) {
    array_.dims =
        state_ == State::kLarge ? std::vector<int64_t>{577, 1021} : std::vector<int64_t>{3, 5};
    array_.bytes.resize(static_cast<size_t>(array_.dims[0] * array_.dims[1]) * 4);
    for (size_t i = 0; i < array_.bytes.size() / 4; ++i) {
      float value = static_cast<float>(i % 30011) + 1;
      std::memcpy(array_.bytes.data() + i * 4, &value, 4);
    }
  }
  if (state_ == State::kEmpty) array_ = HostArray::F32({3, 0, 2}, {});
  if (state_ == State::kTurned) {
    const int64_t order[] = {0, 1};
    auto layout = MakeArgs<PJRT_Buffer_MemoryLayout>();
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
    layout.tiled.minor_to_major = order;
    layout.tiled.minor_to_major_size = 2;
    return Upload(&layout);
  }
  if (state_ != State::kFailed)
    return Upload() && (state_ != State::kDeleted || DeleteBuffer(context_, buffer_.get()));
  Expected<PJRT_Device*> device = context_.Device();
  if (!context_.Ok("", "PJRT_Client_AddressableDevices", device.status())) return false;
  Expected<OwnedBuffer> made =
      NewErrorBuffer(context_, DefaultMemoryOf(context_, *device), PJRT_Error_Code_DATA_LOSS,
                     std::string_view(kErrorText, sizeof(kErrorText) - 1), array_);
  if (!context_.Ok("PJRT-Args-accepted", "PJRT_Client_CreateErrorBuffer", made.status()))
    return false;
  buffer_ = *std::move(made);
  return true;
}

bool UsedBuffer::Finish() {
  if (state_ == State::kAliased) {
    Expected<OwnedBuffer> real = context_.Upload(array_);
    return context_.Ok("", "PJRT_Client_BufferFromHostBuffer", real.status()) &&
           context_.Ok("PJRT-Args-accepted", "PJRT_Client_FulfillAliasBuffer",
                       FulfillAlias(context_, fulfill_, real->get()));
  }
  if (state_ == State::kAliasFailing) {
    auto args = MakeArgs<PJRT_Client_FulfillAliasBuffer_Args>();
    args.client = context_.client();
    args.status_code = PJRT_Error_Code_DATA_LOSS;
    args.error_message = kErrorText;
    args.error_message_size = sizeof(kErrorText) - 1;
    args.fulfill_alias_buffer_cb = fulfill_;
    // XLA's own CPU gives the error back here, too.
    Status status = context_.plugin().Call(args);
    return context_.Check("PJRT-Args-accepted", status.ok() || status.message() == kErrorText,
                          "PJRT_Client_FulfillAliasBuffer with an error gave ", status.ToString());
  }
  if (IsDonated(state_)) {
    auto tell = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
    tell.callback_data = donation_.callback_data;
    if (Fails(state_)) {
      tell.error_code = PJRT_Error_Code_DATA_LOSS;
      tell.error_message = kErrorText;
      tell.error_message_size = sizeof(kErrorText) - 1;
    }
    donation_.dependency_ready_callback(&tell);
    return true;
  }
  if (IsLate(state_) && state_ != State::kFailing) return pending_.Fill();
  if (state_ != State::kFailing) return true;
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  args.transfer_manager = pending_.manager().get();
  args.error_code = PJRT_Error_Code_DATA_LOSS;
  args.error_message = kErrorText;
  args.error_message_size = sizeof(kErrorText) - 1;
  return Succeeds(context_, args);
}

}  // namespace plinth::conformance::uses
