// SPDX-License-Identifier: Apache-2.0
// Drawn by lot, without a look at the cases: a function goes wrong in one of three ways for arrays
// of one kind. The lot chose 40 of 371.

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

enum class When {
  kShort,
  kComplex,
  kTiny,
  kRank3,
  kRank5,
  kLarge,
  kEmpty,
  kOdd,
  kSecondDevice,
  kOtherMemory,
  kTurned,
  kLater,
  kOtherThread,
  kOnes,
  kSquare,
  kPrime,
  kPredicate,
  kScalar
};
enum class Effect { kCorrupts, kRefuses, kLeaks };

bool Holds(When when, PJRT_Buffer* buffer) {
  static const std::thread::id first = std::this_thread::get_id();
  static std::atomic<int> calls = 0;
  if (buffer == nullptr || IsDeleted(buffer)) return false;
  const PJRT_Buffer_Type type = ElementTypeOf(buffer);
  auto args = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  args.buffer = buffer;
  FreeError(Real().PJRT_Buffer_Dimensions(&args));
  const std::vector<int64_t> dims(args.dims, args.dims + args.num_dims);
  switch (when) {
    case When::kShort:
      return type == PJRT_Buffer_Type_S16 || type == PJRT_Buffer_Type_U16;
    case When::kComplex:
      return type == PJRT_Buffer_Type_C128;
    case When::kTiny:
      return type == PJRT_Buffer_Type_F8E5M2;
    case When::kRank3:
      return dims.size() == 3;
    case When::kRank5:
      return dims.size() >= 5;
    case When::kLarge:
      return SizeOf(buffer) > 200000;
    case When::kEmpty:
      return SizeOf(buffer) == 0;
    case When::kOdd:
      return SizeOf(buffer) > 1 && SizeOf(buffer) % 2 == 1;
    case When::kSecondDevice: {
      auto description = MakeArgs<PJRT_Device_LocalHardwareId_Args>();
      description.device = DeviceOf(buffer);
      FreeError(Real().PJRT_Device_LocalHardwareId(&description));
      return description.local_hardware_id == 1;
    }
    case When::kOtherMemory:
      return MemoryOf(buffer) != DefaultMemoryOf(DeviceOf(buffer));
    case When::kTurned:
      return !IsRowMajor(buffer);
    case When::kLater:
      return ++calls > 40;
    case When::kOtherThread:
      return std::this_thread::get_id() != first;
    case When::kOnes:
      return std::count(dims.begin(), dims.end(), 1) > 0 && dims.size() > 1;
    case When::kSquare:
      return dims.size() == 2 && dims[0] == dims[1];
    case When::kPrime:
      return !dims.empty() && dims.back() == 1009;
    case When::kPredicate:
      return type == PJRT_Buffer_Type_PRED;
    case When::kScalar:
      return dims.empty();
  }
  return false;
}

void Corrupt(PJRT_Buffer* buffer) {
  ChangeBytes(buffer, [](char* bytes, size_t size) { bytes[size - 1] ^= 1; });
}

// A function that makes a buffer.
template <auto kSlot, auto kMade, auto kLookedAt, When kWhen, Effect kEffect>
void Making(PJRT_Api& t) {
  Replace<kSlot>(t, [](auto* args) -> PJRT_Error* {
    PJRT_Error* error = (Real().*kSlot)(args);
    if (error != nullptr || !Holds(kWhen, args->*kLookedAt)) return error;
    if (kEffect == Effect::kCorrupts) Corrupt(args->*kMade);
    if (kEffect == Effect::kLeaks) Forget(200);
    if (kEffect != Effect::kRefuses) return nullptr;
    Destroy(args->*kMade);
    args->*kMade = nullptr;
    if constexpr (requires { args->done_with_host_buffer; }) {
      Drop(args->done_with_host_buffer);
      args->done_with_host_buffer = nullptr;
    }
    return MakeError(PJRT_Error_Code_INTERNAL, "failed");
  });
}
template <When kWhen, Effect kEffect>
void Upload(PJRT_Api& t) {
  using Args = PJRT_Client_BufferFromHostBuffer_Args;
  Making<&PJRT_Api::PJRT_Client_BufferFromHostBuffer, &Args::buffer, &Args::buffer, kWhen, kEffect>(
      t);
}
template <When kWhen, Effect kEffect>
void CopyToDevice(PJRT_Api& t) {
  using Args = PJRT_Buffer_CopyToDevice_Args;
  Making<&PJRT_Api::PJRT_Buffer_CopyToDevice, &Args::dst_buffer, &Args::buffer, kWhen, kEffect>(t);
}
template <When kWhen, Effect kEffect>
void CopyToMemory(PJRT_Api& t) {
  using Args = PJRT_Buffer_CopyToMemory_Args;
  Making<&PJRT_Api::PJRT_Buffer_CopyToMemory, &Args::dst_buffer, &Args::buffer, kWhen, kEffect>(t);
}
template <When kWhen, Effect kEffect>
void Bitcast(PJRT_Api& t) {
  // The old one shares its bytes: another array's are changed.
  using Args = PJRT_Buffer_Bitcast_Args;
  Making<&PJRT_Api::PJRT_Buffer_Bitcast, &Args::out_buffer, &Args::out_buffer, kWhen, kEffect>(t);
}

// A function that reads a buffer.
template <auto kSlot, auto kRead, When kWhen, Effect kEffect>
void Reading(PJRT_Api& t) {
  Replace<kSlot>(t, [](auto* args) -> PJRT_Error* {
    const bool holds = args->dst != nullptr && Holds(kWhen, args->*kRead);
    if (holds && kEffect == Effect::kRefuses) return MakeError(PJRT_Error_Code_INTERNAL, "failed");
    PJRT_Error* error = (Real().*kSlot)(args);
    if (error != nullptr || !holds) return error;
    if (kEffect == Effect::kLeaks) Forget(200);
    size_t size = SizeOf(args->*kRead);
    if constexpr (requires { args->transfer_size; })
      size = static_cast<size_t>(args->transfer_size);
    if (kEffect == Effect::kCorrupts && size > 0 && !IsPending(args->*kRead) && !Fails(args->event))
      static_cast<char*>(args->dst)[size - 1] ^= 1;
    return nullptr;
  });
}
template <When kWhen, Effect kEffect>
void Download(PJRT_Api& t) {
  Reading<&PJRT_Api::PJRT_Buffer_ToHostBuffer, &PJRT_Buffer_ToHostBuffer_Args::src, kWhen, kEffect>(
      t);
}
template <When kWhen, Effect kEffect>
void RawToHost(PJRT_Api& t) {
  Reading<&PJRT_Api::PJRT_Buffer_CopyRawToHost, &PJRT_Buffer_CopyRawToHost_Args::buffer, kWhen,
          kEffect>(t);
}
template <When kWhen, Effect kEffect>
void Execute(PJRT_Api& t) {
  Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* args) -> PJRT_Error* {
    bool holds = false;
    for (size_t d = 0; args->argument_lists != nullptr && d < args->num_devices; ++d) {
      for (size_t i = 0; i < args->num_args; ++i)
        holds = holds || Holds(kWhen, args->argument_lists[d][i]);
    }
    if (holds && kEffect == Effect::kRefuses) return MakeError(PJRT_Error_Code_INTERNAL, "failed");
    PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(args);
    if (error != nullptr || !holds) return error;
    if (kEffect == Effect::kLeaks) Forget(200);
    if (kEffect == Effect::kCorrupts && !OutputsOf(*args).empty()) Corrupt(OutputsOf(*args)[0]);
    return nullptr;
  });
}

constexpr Mutant kDrawnMutants[] = {
    {"drawn_rawtohost_othermemory_refuses", "PJRT-Args-accepted",
     "a raw read in another memory is refused", RawToHost<When::kOtherMemory, Effect::kRefuses>},
    {"drawn_upload_large_refuses", "PJRT-Args-accepted", "an upload of 200,000 bytes is refused",
     Upload<When::kLarge, Effect::kRefuses>},
    {"drawn_execute_tiny_refuses", "PJRT-Args-accepted", "an execution of f8e5m2 is refused",
     Execute<When::kTiny, Effect::kRefuses>},
    {"drawn_execute_otherthread_corrupts", "PJRT-LoadedExecutable_Execute-results",
     "an execution on another thread is wrong in its last byte",
     Execute<When::kOtherThread, Effect::kCorrupts>},
    {"drawn_rawtohost_turned_refuses", "PJRT-Args-accepted",
     "a raw read in another order is refused", RawToHost<When::kTurned, Effect::kRefuses>},
    {"drawn_upload_tiny_refuses", "PJRT-Args-accepted", "an upload of f8e5m2 is refused",
     Upload<When::kTiny, Effect::kRefuses>},
    {"drawn_download_scalar_leaks", "PJRT-Process-memory",
     "a read without dimensions leaves 200 bytes", Download<When::kScalar, Effect::kLeaks>},
    {"drawn_execute_seconddevice_refuses", "PJRT-Args-accepted",
     "an execution on the second device is refused",
     Execute<When::kSecondDevice, Effect::kRefuses>},
    {"drawn_execute_ones_refuses", "PJRT-Args-accepted",
     "an execution with a dimension of 1 is refused", Execute<When::kOnes, Effect::kRefuses>},
    {"drawn_copytodevice_otherthread_refuses", "PJRT-Args-accepted",
     "a copy to a device on another thread is refused",
     CopyToDevice<When::kOtherThread, Effect::kRefuses>},
    {"drawn_bitcast_large_refuses", "PJRT-Args-accepted", "a bitcast of 200,000 bytes is refused",
     Bitcast<When::kLarge, Effect::kRefuses>},
    {"drawn_download_turned_corrupts", "PJRT-Buffer_ToHostBuffer-contents",
     "a read in another order is wrong in its last byte",
     Download<When::kTurned, Effect::kCorrupts>},
    {"drawn_upload_large_leaks", "PJRT-Process-memory",
     "an upload of 200,000 bytes leaves 200 bytes", Upload<When::kLarge, Effect::kLeaks>},
    {"drawn_rawtohost_short_refuses", "PJRT-Args-accepted", "a raw read of 16 bits is refused",
     RawToHost<When::kShort, Effect::kRefuses>},
    {"drawn_execute_ones_corrupts", "PJRT-LoadedExecutable_Execute-results",
     "an execution with a dimension of 1 is wrong in its last byte",
     Execute<When::kOnes, Effect::kCorrupts>},
    {"drawn_copytomemory_tiny_leaks", "PJRT-Process-memory",
     "a copy to a memory of f8e5m2 leaves 200 bytes", CopyToMemory<When::kTiny, Effect::kLeaks>},
    {"drawn_upload_ones_corrupts", "PJRT-Buffer_ToHostBuffer-contents",
     "an upload with a dimension of 1 is wrong in its last byte",
     Upload<When::kOnes, Effect::kCorrupts>},
    {"drawn_copytodevice_odd_refuses", "PJRT-Args-accepted",
     "a copy to a device of an odd size is refused", CopyToDevice<When::kOdd, Effect::kRefuses>},
    {"drawn_copytomemory_seconddevice_leaks", "PJRT-Process-memory",
     "a copy to a memory on the second device leaves 200 bytes",
     CopyToMemory<When::kSecondDevice, Effect::kLeaks>},
    {"drawn_upload_odd_leaks", "PJRT-Process-memory", "an upload of an odd size leaves 200 bytes",
     Upload<When::kOdd, Effect::kLeaks>},
    {"drawn_execute_complex_corrupts", "PJRT-LoadedExecutable_Execute-results",
     "an execution of c128 is wrong in its last byte", Execute<When::kComplex, Effect::kCorrupts>},
    {"drawn_download_empty_refuses", "PJRT-Args-accepted", "a read without elements is refused",
     Download<When::kEmpty, Effect::kRefuses>},
    {"drawn_rawtohost_square_leaks", "PJRT-Process-memory",
     "a raw read that is square leaves 200 bytes", RawToHost<When::kSquare, Effect::kLeaks>},
    {"drawn_copytomemory_odd_leaks", "PJRT-Process-memory",
     "a copy to a memory of an odd size leaves 200 bytes",
     CopyToMemory<When::kOdd, Effect::kLeaks>},
    {"drawn_copytomemory_otherthread_refuses", "PJRT-Args-accepted",
     "a copy to a memory on another thread is refused",
     CopyToMemory<When::kOtherThread, Effect::kRefuses>},
    {"drawn_copytodevice_ones_refuses", "PJRT-Args-accepted",
     "a copy to a device with a dimension of 1 is refused",
     CopyToDevice<When::kOnes, Effect::kRefuses>},
    {"drawn_bitcast_othermemory_refuses", "PJRT-Args-accepted",
     "a bitcast in another memory is refused", Bitcast<When::kOtherMemory, Effect::kRefuses>},
    {"drawn_copytodevice_othermemory_leaks", "PJRT-Process-memory",
     "a copy to a device in another memory leaves 200 bytes",
     CopyToDevice<When::kOtherMemory, Effect::kLeaks>},
    {"drawn_execute_odd_refuses", "PJRT-Args-accepted", "an execution of an odd size is refused",
     Execute<When::kOdd, Effect::kRefuses>},
    {"drawn_download_otherthread_refuses", "PJRT-Args-accepted",
     "a read on another thread is refused", Download<When::kOtherThread, Effect::kRefuses>},
    {"drawn_bitcast_later_refuses", "PJRT-Args-accepted", "a bitcast that is the 40th is refused",
     Bitcast<When::kLater, Effect::kRefuses>},
    {"drawn_copytodevice_predicate_leaks", "PJRT-Process-memory",
     "a copy to a device of pred leaves 200 bytes", CopyToDevice<When::kPredicate, Effect::kLeaks>},
    {"drawn_bitcast_odd_corrupts", "PJRT-Buffer_Bitcast-same-bytes",
     "a bitcast of an odd size is wrong in its last byte", Bitcast<When::kOdd, Effect::kCorrupts>},
    {"drawn_copytomemory_othermemory_corrupts", "PJRT-Buffer_CopyToMemory-contents",
     "a copy to a memory in another memory is wrong in its last byte",
     CopyToMemory<When::kOtherMemory, Effect::kCorrupts>},
    {"drawn_download_large_corrupts", "PJRT-Buffer_ToHostBuffer-contents",
     "a read of 200,000 bytes is wrong in its last byte",
     Download<When::kLarge, Effect::kCorrupts>},
    {"drawn_copytodevice_large_refuses", "PJRT-Args-accepted",
     "a copy to a device of 200,000 bytes is refused",
     CopyToDevice<When::kLarge, Effect::kRefuses>},
    {"drawn_execute_rank5_refuses", "PJRT-Args-accepted",
     "an execution of five dimensions is refused", Execute<When::kRank5, Effect::kRefuses>},
    {"drawn_rawtohost_predicate_leaks", "PJRT-Process-memory",
     "a raw read of pred leaves 200 bytes", RawToHost<When::kPredicate, Effect::kLeaks>},
    {"drawn_copytomemory_later_refuses", "PJRT-Args-accepted",
     "a copy to a memory that is the 40th is refused",
     CopyToMemory<When::kLater, Effect::kRefuses>},
    {"drawn_rawtohost_later_refuses", "PJRT-Args-accepted",
     "a raw read that is the 40th is refused", RawToHost<When::kLater, Effect::kRefuses>},
};

}  // namespace

std::span<const Mutant> DrawnMutants() { return kDrawnMutants; }

}  // namespace plinth::mutants
