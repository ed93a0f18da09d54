// SPDX-License-Identifier: Apache-2.0
// L1: host memory to buffers and back.

#include <algorithm>
#include <array>
#include <random>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/tolerance.h"

namespace plinth::conformance {
namespace {

constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";

constexpr PJRT_HostBufferSemantics kSemantics[] = {
    PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
    PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
    PJRT_HostBufferSemantics_kImmutableZeroCopy,
    PJRT_HostBufferSemantics_kMutableZeroCopy,
};
constexpr const char* kSemanticsNames[] = {"only_during_call", "until_transfer_completes",
                                           "zero_copy", "mutable_zero_copy"};

int64_t NumElements(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

// Any bit pattern is a value, but pred is 0 or 1 and sub-byte types use their low bits only.
HostArray RandomArray(DType type, std::vector<int64_t> dims, uint64_t seed) {
  std::mt19937_64 random(seed);
  int bits = std::min<int>(InfoOf(type).bits, 8);
  HostArray array{type, std::move(dims), {}};
  array.bytes.resize(static_cast<size_t>(NumElements(array.dims) * ByteSize(type)));
  for (std::byte& byte : array.bytes) {
    auto value = static_cast<uint8_t>(random());
    // Signed values of few bits are extended in a byte.
    if (bits < 8 && InfoOf(type).kind == DTypeClass::kSigned) {
      value = static_cast<uint8_t>(static_cast<int8_t>(value << (8 - bits)) >> (8 - bits));
    } else if (bits < 8) {
      value &= static_cast<uint8_t>((1 << bits) - 1);
    }
    byte = std::byte{value};
  }
  // Floats without NaN: whether its payload survives a copy is not promised.
  if (InfoOf(type).kind == DTypeClass::kFloat || InfoOf(type).kind == DTypeClass::kComplex) {
    for (size_t i = 0; i < array.bytes.size(); ++i) {
      if (bits == 8) array.bytes[i] &= std::byte{0x3F};
    }
  }
  return array;
}

void CheckSame(Context& context, std::string_view requirement, HostArray wanted, HostArray found) {
  ClearUnusedBits(wanted);
  ClearUnusedBits(found);
  if (!context.Check(requirement, found.type == wanted.type, "the type came back as ",
                     Name(found.type)) ||
      !context.Check(requirement, found.dims == wanted.dims, "the dimensions came back as [",
                     StrJoin(found.dims), "], not [", StrJoin(wanted.dims), "]") ||
      !context.Check(requirement, found.bytes.size() == wanted.bytes.size(), found.bytes.size(),
                     " bytes came back, not ", wanted.bytes.size())) {
    return;
  }
  auto [at, other] = std::mismatch(wanted.bytes.begin(), wanted.bytes.end(), found.bytes.begin());
  context.Check(requirement, at == wanted.bytes.end(), "byte ", at - wanted.bytes.begin(),
                " came back as ", at == wanted.bytes.end() ? 0 : static_cast<int>(*other), ", not ",
                at == wanted.bytes.end() ? 0 : static_cast<int>(*at));
}

void RoundTrip(Context& context, DType type, const std::vector<int64_t>& dims) {
  if (!HasSweptType(context, type)) return;
  HostArray array = RandomArray(type, dims, context.seed());
  Expected<OwnedBuffer> buffer = context.Upload(array);
  if (!context.Ok("PJRT-Client_BufferFromHostBuffer-done", "PJRT_Client_BufferFromHostBuffer",
                  buffer.status())) {
    return;
  }
  Expected<HostArray> back = context.Download(buffer->get());
  if (!context.Ok("PJRT-Buffer_ToHostBuffer-dst_size", "PJRT_Buffer_ToHostBuffer", back.status())) {
    return;
  }
  CheckSame(context, "PJRT-Buffer_ToHostBuffer-contents", array, *back);
}

struct StrideCase {
  const char* name;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;  // in elements
  int64_t first = 0;             // element of the host array that is [0, 0, ...]
};

// Every element of the host memory is its own number.
void Strides(Context& context, const StrideCase& item) {
  std::vector<float> memory(256);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  std::vector<float> wanted(static_cast<size_t>(NumElements(item.dims)));
  for (size_t linear = 0; linear < wanted.size(); ++linear) {
    int64_t rest = static_cast<int64_t>(linear), at = item.first;
    for (size_t d = item.dims.size(); d-- > 0;) {
      at += rest % item.dims[d] * item.strides[d];
      rest /= item.dims[d];
    }
    wanted[linear] = memory[static_cast<size_t>(at)];
  }
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  for (size_t s = 0; s < std::size(kSemantics); ++s) {
    std::vector<int64_t> byte_strides = item.strides;
    for (int64_t& stride : byte_strides) stride *= static_cast<int64_t>(sizeof(float));
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = context.client();
    args.data = memory.data() + item.first;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = item.dims.data();
    args.num_dims = item.dims.size();
    args.byte_strides = byte_strides.data();
    args.num_byte_strides = byte_strides.size();
    args.host_buffer_semantics = kSemantics[s];
    args.device = *device;
    if (!context.Ok("PJRT-Client_BufferFromHostBuffer-strides",
                    StrCat("strides, ", kSemanticsNames[s]), context.plugin().Call(args))) {
      return;
    }
    OwnedBuffer buffer(context.plugin(), args.buffer);
    OwnedEvent done(context.plugin(), args.done_with_host_buffer);
    Expected<HostArray> back = context.Download(buffer.get());
    if (!context.Ok("PJRT-Client_BufferFromHostBuffer-strides", "PJRT_Buffer_ToHostBuffer",
                    back.status())) {
      return;
    }
    context.Check("PJRT-Client_BufferFromHostBuffer-strides", back->AsF32() == wanted, "with ",
                  kSemanticsNames[s], " the elements came back as ", StrJoin(back->AsF32()),
                  ", not ", StrJoin(wanted));
    (void)buffer.Destroy();
    context.Ok("PJRT-Client_BufferFromHostBuffer-done", "done_with_host_buffer",
               context.Await(done.get()));
  }
}

// After what the semantics promise, the host memory may be written.
void Semantics(Context& context, size_t which) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  // Large enough that a copy takes longer than the call.
  std::vector<int64_t> dims = {1 << 18};
  const HostArray original = RandomArray(DType::kS32, dims, context.seed());
  // Aligned, so that a plugin may go without a copy.
  constexpr size_t kAlignment = 4096;
  std::vector<std::byte> space(original.bytes.size() + kAlignment);
  std::byte* memory =
      space.data() + (kAlignment - reinterpret_cast<uintptr_t>(space.data()) % kAlignment);
  std::copy(original.bytes.begin(), original.bytes.end(), memory);
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = memory;
  args.type = PJRT_Buffer_Type_S32;
  args.dims = dims.data();
  args.num_dims = dims.size();
  args.host_buffer_semantics = kSemantics[which];
  args.device = *device;
  if (!context.Ok("PJRT-Client_BufferFromHostBuffer-done", "PJRT_Client_BufferFromHostBuffer",
                  context.plugin().Call(args))) {
    return;
  }
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  bool is_zero_copy = which >= 2;
  if (which == 1) {
    context.Ok("PJRT-Client_BufferFromHostBuffer-done", "done_with_host_buffer",
               context.Await(done.get()));
  }
  if (!is_zero_copy) std::fill_n(memory, original.bytes.size(), std::byte{0xEE});
  Expected<HostArray> back = context.Download(buffer.get());
  if (!context.Ok("", "PJRT_Buffer_ToHostBuffer", back.status())) return;
  CheckSame(context,
            which == 0 ? "PJRT-Client_BufferFromHostBuffer-only-during-call"
                       : "PJRT-Client_BufferFromHostBuffer-done",
            original, *back);
  (void)buffer.Destroy();
  context.Ok("PJRT-Client_BufferFromHostBuffer-done",
             "done_with_host_buffer of a buffer that is gone", context.Await(done.get()));
}

void MemoryWins(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = *device;
  if (!context.Ok("", "PJRT_Device_DefaultMemory", context.plugin().Call(memory))) return;
  float value = 42;
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = &value;
  args.type = PJRT_Buffer_Type_F32;
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.memory = memory.memory;
  if (!context.Ok("PJRT-Client_BufferFromHostBuffer-memory-wins",
                  "PJRT_Client_BufferFromHostBuffer with a memory and no device",
                  context.plugin().Call(args))) {
    return;
  }
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  context.Ok("PJRT-Client_BufferFromHostBuffer-done", "done_with_host_buffer",
             context.Await(done.get()));
  auto where = MakeArgs<PJRT_Buffer_Memory_Args>();
  where.buffer = buffer.get();
  if (context.Ok("", "PJRT_Buffer_Memory", context.plugin().Call(where))) {
    context.Check("PJRT-Client_BufferFromHostBuffer-memory-wins", where.memory == memory.memory,
                  "the buffer is in another memory");
  }
}

void BadArrays(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  struct Bad {
    const char* what;
    const char* requirement;
    std::vector<int64_t> dims;
    bool has_data;
    std::initializer_list<StatusCode> codes;
  };
  const Bad kBad[] = {
      {"a negative dimension", "PJRT-Client_BufferFromHostBuffer-dims-value", {-1}, true, {}},
      {"2^60 bytes", "PJRT-Client_BufferFromHostBuffer-dims-value", {int64_t{1} << 58}, true, {}},
      {"dimensions whose product overflows",
       "PJRT-Client_BufferFromHostBuffer-dims-value",
       {int64_t{1} << 40, int64_t{1} << 40},
       true,
       {}},
      {"null data",
       "PJRT-Client_BufferFromHostBuffer-data",
       {4},
       false,
       {StatusCode::kInvalidArgument}},
  };
  float data[4] = {};
  for (const Bad& bad : kBad) {
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = context.client();
    args.data = bad.has_data ? data : nullptr;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = bad.dims.data();
    args.num_dims = bad.dims.size();
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    args.device = *device;
    context.CheckRefused(bad.requirement, StrCat("an array with ", bad.what),
                         context.plugin().Call(args), bad.codes);
  }
}

void ToHostSizes(Context& context) {
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({3}, {1, 2, 3}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer->get();
  if (!context.Ok("PJRT-Buffer_ToHostBuffer-dst_size", "PJRT_Buffer_ToHostBuffer for the size",
                  context.plugin().Call(args))) {
    return;
  }
  context.Check("PJRT-Buffer_ToHostBuffer-dst_size", args.dst_size >= 12, "dst_size is ",
                args.dst_size, " for 12 bytes");
  context.Check("PJRT-Buffer_ToHostBuffer-dst_size", args.event == nullptr,
                "the question for the size made an event");
  float small[3];
  args.dst = small;
  args.dst_size = 8;
  context.CheckRefused("PJRT-Buffer_ToHostBuffer-too-small", "a dst_size of 8 for 12 bytes",
                       context.plugin().Call(args), {StatusCode::kInvalidArgument});
}

// A layout that is asked for is there, or refused.
void DeviceLayout(Context& context, const std::array<int64_t, 2>& order) {
  static constexpr char kKept[] = "PJRT-Client_BufferFromHostBuffer-layout-kept";
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const int64_t dims[] = {2, 3};
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  PJRT_Buffer_MemoryLayout wanted = {};
  wanted.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  wanted.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  wanted.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  wanted.tiled.minor_to_major = order.data();
  wanted.tiled.minor_to_major_size = order.size();
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = values.data();
  args.type = PJRT_Buffer_Type_F32;
  args.dims = dims;
  args.num_dims = std::size(dims);
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = *device;
  args.device_layout = &wanted;
  Status status = context.plugin().Call(args);
  if (status.code() == StatusCode::kUnimplemented) return context.Unsupported(status.ToString());
  if (!context.Ok(kKept, "PJRT_Client_BufferFromHostBuffer", status)) return;
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  auto found = MakeArgs<PJRT_Buffer_GetMemoryLayout_Args>();
  found.buffer = buffer.get();
  if (!context.Ok("", "PJRT_Buffer_GetMemoryLayout", context.plugin().Call(found))) return;
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = found.layout.tiled;
  if (RawEnum(found.layout.type) == PJRT_Buffer_MemoryLayout_Type_Tiled &&
      context.Check(kKept, tiled.minor_to_major_size == order.size(), "the layout has ",
                    tiled.minor_to_major_size, " dimensions")) {
    context.Check(kKept, std::equal(order.begin(), order.end(), tiled.minor_to_major),
                  "asked for the layout {", StrJoin(order, ","), "}, the buffer has {",
                  tiled.minor_to_major[0], ",", tiled.minor_to_major[1], "}");
  }
  Expected<HostArray> back = context.Download(buffer.get());
  if (!context.Ok("", "PJRT_Buffer_ToHostBuffer", back.status())) return;
  CheckSame(context, kKept, HostArray::F32({2, 3}, values), *back);
}

// Arrays of the host are aligned as their elements are, no more; what lies around them stays.
void OddAddresses(Context& context) {
  constexpr size_t kAround = 64;
  for (DType type : {DType::kU8, DType::kF32}) {
    const auto bytes = static_cast<size_t>(InfoOf(type).bytes);
    for (size_t offset = 0; offset < 16; offset += bytes) {
      const int64_t dims[] = {37};
      const size_t size = 37 * bytes;
      std::vector<std::byte> from(size + 2 * kAround), to(from.size(), std::byte{0xA5});
      for (size_t i = 0; i < size; ++i) from[kAround + offset + i] = std::byte(7 * i + offset + 1);
      auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
      args.client = context.client();
      args.data = from.data() + kAround + offset;
      args.type = static_cast<PJRT_Buffer_Type>(type);
      args.dims = dims;
      args.num_dims = 1;
      args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
      Expected<PJRT_Device*> device = context.Device();
      if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
      args.device = *device;
      if (!Succeeds(context, args)) return;
      OwnedBuffer buffer(context.plugin(), args.buffer);
      OwnedEvent done(context.plugin(), args.done_with_host_buffer);
      auto download = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
      download.src = buffer.get();
      download.dst = to.data() + kAround + offset;
      download.dst_size = size;
      if (!Succeeds(context, download, kContents)) return;
      OwnedEvent event(context.plugin(), download.event);
      if (!context.Ok(kContents, "its event", context.Await(event.get()))) return;
      const auto begin = static_cast<ptrdiff_t>(kAround + offset);
      const auto end = begin + static_cast<ptrdiff_t>(size);
      context.Check(kContents,
                    std::equal(to.begin() + begin, to.begin() + end, from.begin() + begin),
                    "37 elements of ", bytes, " bytes, read to an address that is ", offset,
                    " after one that is aligned, are others than were written");
      auto is_kept = [](std::byte byte) { return byte == std::byte{0xA5}; };
      context.Check(kContents,
                    std::all_of(to.begin(), to.begin() + begin, is_kept) &&
                        std::all_of(to.begin() + end, to.end(), is_kept),
                    "37 elements of ", bytes, " bytes, read to an address that is ", offset,
                    " after one that is aligned, were written beyond their ends");
    }
  }
}

// Without a layout for the host the data comes as the buffer has it.
void OwnLayout(Context& context) {
  const std::vector<float> wanted = {1, 2, 3, 4, 5, 6};
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({2, 3}, wanted));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto layout = MakeArgs<PJRT_Buffer_GetMemoryLayout_Args>();
  layout.buffer = buffer->get();
  if (!context.Ok("", "PJRT_Buffer_GetMemoryLayout", context.plugin().Call(layout))) return;
  bool is_tiled = RawEnum(layout.layout.type) == PJRT_Buffer_MemoryLayout_Type_Tiled &&
                  layout.layout.tiled.minor_to_major_size == 2 &&
                  layout.layout.tiled.num_tiles == 0;
  if (!is_tiled) return context.Unsupported("the buffer has tiles or strides");
  bool is_row_major = layout.layout.tiled.minor_to_major[0] == 1;
  std::vector<float> found(6);
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer->get();
  args.dst = found.data();
  args.dst_size = 24;
  if (!context.Ok("PJRT-Buffer_ToHostBuffer-layout", "PJRT_Buffer_ToHostBuffer",
                  context.plugin().Call(args))) {
    return;
  }
  OwnedEvent event(context.plugin(), args.event);
  if (!context.Ok("", "its event", context.Await(event.get()))) return;
  std::vector<float> expected = is_row_major ? wanted : std::vector<float>{1, 4, 2, 5, 3, 6};
  context.Check("PJRT-Buffer_ToHostBuffer-layout", found == expected, "the data is [",
                StrJoin(found), "], not [", StrJoin(expected), "]");
}

void DeletedBuffer(Context& context) {
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({3}, {1, 2, 3}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto is_deleted = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
  is_deleted.buffer = buffer->get();
  if (context.Ok("", "PJRT_Buffer_IsDeleted", context.plugin().Call(is_deleted))) {
    context.Check("PJRT-Buffer_IsDeleted-truth", !RawBool(is_deleted.is_deleted),
                  "a new buffer is deleted");
  }
  for (int i = 0; i < 2; ++i) {
    auto remove = MakeArgs<PJRT_Buffer_Delete_Args>();
    remove.buffer = buffer->get();
    context.Ok("PJRT-Buffer_Delete-again", "PJRT_Buffer_Delete", context.plugin().Call(remove));
    if (context.Ok("", "PJRT_Buffer_IsDeleted", context.plugin().Call(is_deleted))) {
      context.Check("PJRT-Buffer_IsDeleted-truth", RawBool(is_deleted.is_deleted),
                    "a deleted buffer is not deleted");
    }
  }
  float values[3];
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer->get();
  args.dst = values;
  args.dst_size = sizeof(values);
  Status status = context.plugin().Call(args);
  OwnedEvent event(context.plugin(), args.event);
  // The error may come at once or with the event.
  if (status.ok() && event) status = context.Await(event.get());
  context.CheckRefused("PJRT-Buffer_ToHostBuffer-deleted", "reading a deleted buffer", status);
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer->get();
  status = context.plugin().Call(ready);
  OwnedEvent ready_event(context.plugin(), ready.event);
  if (status.ok() && ready_event) status = context.Await(ready_event.get());
  context.CheckRefused("PJRT-Buffer_ReadyEvent-deleted", "the ready event of a deleted buffer",
                       status);
}

void RawToHost(Context& context) {
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  float values[2] = {};
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
  args.buffer = buffer->get();
  args.dst = values;
  args.offset = 4;
  args.transfer_size = 8;
  if (!context.Ok("PJRT-Buffer_CopyRawToHost-range", "PJRT_Buffer_CopyRawToHost",
                  context.plugin().Call(args))) {
    return;
  }
  OwnedEvent event(context.plugin(), args.event);
  if (context.Ok("", "its event", context.Await(event.get()))) {
    context.Check("PJRT-Buffer_CopyRawToHost-offset", values[0] == 2 && values[1] == 3,
                  "bytes 4 to 12 are ", values[0], ", ", values[1], ", not 2, 3");
  }
  struct Range {
    int64_t offset, size;
  };
  for (Range bad : {Range{12, 8}, Range{-4, 8}, Range{0, -1}, Range{INT64_MAX, 8}}) {
    args.event = nullptr;
    args.offset = bad.offset;
    args.transfer_size = bad.size;
    Status status = context.plugin().Call(args);
    OwnedEvent failed(context.plugin(), args.event);
    if (status.ok() && failed) status = context.Await(failed.get());
    context.CheckRefused("PJRT-Buffer_CopyRawToHost-range",
                         StrCat("bytes ", bad.offset, " + ", bad.size, " of 16"), status);
  }
}

// Arrays of no dimension: lists of no length may be there or null.
void ScalarForms(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  const float value = 2.5f;
  const int64_t none[1] = {77};
  for (int form = 0; form < 4; ++form) {
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = context.client();
    args.data = &value;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = form % 2 == 0 ? nullptr : none;
    args.byte_strides = form / 2 == 0 ? nullptr : none;
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    args.device = *device;
    if (!context.Ok("PJRT-Args-accepted",
                    StrCat("a scalar with ", form % 2 == 0 ? "null" : "empty", " dims and ",
                           form / 2 == 0 ? "null" : "empty", " strides"),
                    context.plugin().Call(args)))
      continue;
    OwnedBuffer buffer(context.plugin(), args.buffer);
    OwnedEvent done(context.plugin(), args.done_with_host_buffer);
    Expected<HostArray> back = context.Download(buffer.get());
    if (context.Ok("PJRT-Buffer_ToHostBuffer-contents", "PJRT_Buffer_ToHostBuffer",
                   back.status())) {
      context.Check("PJRT-Buffer_ToHostBuffer-contents",
                    back->dims.empty() && back->AsF32() == std::vector<float>{value},
                    "a scalar of 2.5 came back otherwise");
    }
    (void)context.Await(done.get());
  }
}

}  // namespace

void AddTransferCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 std::function<void(Context&)> run, bool is_robust = false) {
    cases.push_back({"L1/transfer/" + name, Level::kL1, ClientNeed::kShared,
                     std::move(requirements), std::move(run), is_robust});
  };
  const std::vector<std::string> kRoundTrip = {"PJRT-Client_BufferFromHostBuffer-done",
                                               "PJRT-Buffer_ToHostBuffer-dst_size",
                                               "PJRT-Buffer_ToHostBuffer-contents"};
  for (int number = 1; number < kNumDTypes; ++number) {
    auto type = static_cast<DType>(number);
    if (InfoOf(type).bytes == 0) continue;  // a token has no data
    for (size_t rank = 0; rank <= 8; ++rank) {
      const std::vector<int64_t> kDims = {3, 2, 5, 1, 2, 3, 1, 2};
      std::vector<int64_t> dims(kDims.begin(), kDims.begin() + static_cast<ptrdiff_t>(rank));
      add(StrCat("roundtrip/", Name(type), "/rank", rank), kRoundTrip,
          [=](Context& context) { RoundTrip(context, type, dims); });
    }
    add(StrCat("roundtrip/", Name(type), "/empty"), kRoundTrip, [=](Context& context) {
      RoundTrip(context, type, {3, 0, 2});
    });
    add(StrCat("roundtrip/", Name(type), "/odd"), kRoundTrip, [=](Context& context) {
      RoundTrip(context, type, {7, 1009});
    });
  }
  for (const StrideCase& item :
       {StrideCase{"dense", {2, 3}, {3, 1}}, StrideCase{"transposed", {3, 2}, {1, 3}},
        StrideCase{"padded", {4, 3}, {16, 1}}, StrideCase{"every_second", {4, 3}, {12, 2}},
        StrideCase{"zero", {4, 3}, {0, 1}}, StrideCase{"all_zero", {4, 3}, {0, 0}},
        StrideCase{"reversed", {5}, {-1}, 20}, StrideCase{"reversed_rows", {3, 4}, {-4, 1}, 40},
        StrideCase{"reversed_both", {3, 4}, {-4, -1}, 60},
        StrideCase{"permuted", {2, 3, 4}, {1, 8, 2}},
        StrideCase{"one_element", {1, 1}, {1000, -77}}}) {
    add(StrCat("strides/", item.name), {"PJRT-Client_BufferFromHostBuffer-strides"},
        [=](Context& context) { Strides(context, item); });
  }
  add("strides/in_turn", {"PJRT-Client_BufferFromHostBuffer-strides"}, [](Context& context) {
    for (const std::vector<int64_t>& strides :
         {std::vector<int64_t>{5, 1}, {1, 3}, {32, 2}, {0, 1}, {5, 1}})
      Strides(context, {"", {3, 5}, strides});
  });
  for (size_t s = 0; s < std::size(kSemantics); ++s) {
    std::vector<std::string> requirements = {"PJRT-Client_BufferFromHostBuffer-done"};
    if (s == 0) requirements.emplace_back("PJRT-Client_BufferFromHostBuffer-only-during-call");
    add(StrCat("semantics/", kSemanticsNames[s]), std::move(requirements),
        [=](Context& context) { Semantics(context, s); });
  }
  add("memory_wins", {"PJRT-Client_BufferFromHostBuffer-memory-wins"}, MemoryWins);
  add("bad_arrays",
      {"PJRT-Client_BufferFromHostBuffer-dims-value", "PJRT-Client_BufferFromHostBuffer-data"},
      BadArrays, true);
  add("to_host_sizes", {"PJRT-Buffer_ToHostBuffer-dst_size", "PJRT-Buffer_ToHostBuffer-too-small"},
      ToHostSizes);
  for (const std::array<int64_t, 2>& order : {std::array<int64_t, 2>{1, 0}, {0, 1}}) {
    add(StrCat("device_layout/", order[0] == 1 ? "row_major" : "column_major"),
        {"PJRT-Client_BufferFromHostBuffer-layout-kept"},
        [=](Context& context) { DeviceLayout(context, order); });
  }
  add("scalar_forms", {"PJRT-Args-accepted", "PJRT-Buffer_ToHostBuffer-contents"}, ScalarForms);
  add("odd_addresses", {kContents, "PJRT-Args-accepted"}, OddAddresses);
  add("own_layout", {"PJRT-Buffer_ToHostBuffer-layout"}, OwnLayout);
  add("deleted",
      {"PJRT-Buffer_Delete-again", "PJRT-Buffer_IsDeleted-truth",
       "PJRT-Buffer_ToHostBuffer-deleted", "PJRT-Buffer_ReadyEvent-deleted"},
      DeletedBuffer);
  add("raw_to_host", {"PJRT-Buffer_CopyRawToHost-range", "PJRT-Buffer_CopyRawToHost-offset"},
      RawToHost);
}

}  // namespace plinth::conformance
