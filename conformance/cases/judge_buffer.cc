// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/judge_buffer.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "conformance/cases/ask.h"
#include "conformance/cases/run_packed.h"
#include "conformance/cases/tolerance.h"

namespace plinth::conformance {
namespace {

constexpr char kJudgedContents[] = "PJRT-Buffer_ToHostBuffer-contents";
// A device may pad rows and columns to tiles of this many bytes.
constexpr size_t kMostPadding = size_t{1} << 20;

size_t CountElements(const std::vector<int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), size_t{1}, [](size_t product, int64_t dim) {
    return product * static_cast<size_t>(dim);
  });
}

void JudgeShape(Context& context, PJRT_Buffer* buffer, const HostArray& array) {
  if (auto type = Get<&PJRT_Buffer_ElementType_Args::buffer>(context, buffer)) {
    context.Check("PJRT-Buffer_ElementType-asked-for", RawEnum(type->type) == ToC(array.type),
                  "PJRT_Buffer_ElementType is ", RawEnum(type->type), ", not ",
                  static_cast<int>(ToC(array.type)), " (", Name(array.type), ")");
  }
  if (auto dims = Get<&PJRT_Buffer_Dimensions_Args::buffer>(context, buffer)) {
    std::vector<int64_t> found(dims->dims,
                               dims->dims + (dims->dims == nullptr ? 0 : dims->num_dims));
    context.Check("PJRT-Buffer_Dimensions-asked-for", found == array.dims,
                  "PJRT_Buffer_Dimensions are [", StrJoin(found), "], not [", StrJoin(array.dims),
                  "]");
  }
  if (auto dims = Get<&PJRT_Buffer_UnpaddedDimensions_Args::buffer>(context, buffer)) {
    std::vector<int64_t> found(
        dims->unpadded_dims,
        dims->unpadded_dims + (dims->unpadded_dims == nullptr ? 0 : dims->num_dims));
    context.Check("PJRT-Buffer_UnpaddedDimensions-static", found == array.dims,
                  "PJRT_Buffer_UnpaddedDimensions are [", StrJoin(found), "], not [",
                  StrJoin(array.dims), "]");
  }
  if (auto dynamic = Get<&PJRT_Buffer_DynamicDimensionIndices_Args::buffer>(context, buffer)) {
    context.Check("PJRT-Buffer_DynamicDimensionIndices-static", dynamic->num_dynamic_dims == 0,
                  dynamic->num_dynamic_dims,
                  " dimensions of a buffer of a fixed shape are dynamic");
  }
}

void JudgeLayout(Context& context, PJRT_Buffer* buffer, const HostArray& array) {
  auto args = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer);
  if (!args) return;
  const PJRT_Buffer_MemoryLayout& layout = args->layout;
  if (RawEnum(layout.type) == PJRT_Buffer_MemoryLayout_Type_Strides) {
    context.Check(kOutputTrue, layout.strides.num_byte_strides == array.dims.size(),
                  "the layout has ", layout.strides.num_byte_strides, " strides for ",
                  array.dims.size(), " dimensions");
    return;
  }
  if (!context.Check(kOutputTrue, RawEnum(layout.type) == PJRT_Buffer_MemoryLayout_Type_Tiled,
                     "the layout has the type ", RawEnum(layout.type))) {
    return;
  }
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = layout.tiled;
  if (!context.Check("PJRT-Buffer_GetMemoryLayout-order",
                     tiled.minor_to_major_size == array.dims.size(), "the layout has ",
                     tiled.minor_to_major_size, " dimensions, the buffer ", array.dims.size())) {
    return;
  }
  std::vector<int64_t> order(tiled.minor_to_major,
                             tiled.minor_to_major + tiled.minor_to_major_size);
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (!context.Check("PJRT-Buffer_GetMemoryLayout-order", sorted[i] == static_cast<int64_t>(i),
                       "minor_to_major is {", StrJoin(order), "}, no order of the dimensions")) {
      return;
    }
  }
  for (size_t tile = 0; tile < tiled.num_tiles; ++tile) {
    context.Check(kOutputTrue, tiled.tile_dim_sizes[tile] > 0, "a tile has no dimensions");
  }
}

void JudgePlace(Context& context, PJRT_Buffer* buffer, const BufferFacts& facts) {
  auto device = Get<&PJRT_Buffer_Device_Args::buffer>(context, buffer);
  auto memory = Get<&PJRT_Buffer_Memory_Args::buffer>(context, buffer);
  if (!device || !memory) return;
  if (facts.device != nullptr) {
    context.Check("PJRT-Buffer_Device-asked-for", device->device == facts.device,
                  "PJRT_Buffer_Device is device ", DeviceIdOf(context, device->device), ", not ",
                  DeviceIdOf(context, facts.device));
  }
  if (facts.memory != nullptr) {
    context.Check("PJRT-Buffer_Memory-asked-for", memory->memory == facts.memory,
                  "PJRT_Buffer_Memory is another memory, of kind ",
                  MemoryKindOf(context, memory->memory));
  }
  std::vector<PJRT_Memory*> memories = MemoriesOf(context, device->device);
  context.Check("PJRT-Buffer_Memory-asked-for",
                std::find(memories.begin(), memories.end(), memory->memory) != memories.end(),
                "PJRT_Buffer_Memory is none of the memories of PJRT_Buffer_Device");
}

// Without a layout for the host the bytes come in the buffer's own, which is known if it has no
// tiles.
void JudgeOwnOrder(Context& context, PJRT_Buffer* buffer, const HostArray& array) {
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  if (!Succeeds(context, args, "PJRT-Buffer_ToHostBuffer-dst_size", "the size")) return;
  context.Check("PJRT-Buffer_ToHostBuffer-dst_size",
                args.dst_size >= array.bytes.size() && args.event == nullptr, "dst_size is ",
                args.dst_size, " for ", array.bytes.size(), " bytes");
}

// The bytes that whole tiles of the first kind take; 0 where there are none, or others than numbers
// say.
size_t SizeInTiles(const PJRT_Buffer_MemoryLayout_Tiled& tiled, const HostArray& array) {
  if (tiled.num_tiles == 0 || tiled.tile_dim_sizes[0] > array.dims.size()) return 0;
  size_t elements = 1;
  for (size_t i = 0; i < array.dims.size(); ++i) {
    // Tiles are said from the slowest of their dimensions to the fastest.
    int64_t dim = array.dims[static_cast<size_t>(tiled.minor_to_major[i])];
    if (i < tiled.tile_dim_sizes[0]) {
      const int64_t tile = tiled.tile_dims[tiled.tile_dim_sizes[0] - 1 - i];
      if (tile <= 0) return 0;
      dim = (dim + tile - 1) / tile * tile;
    }
    elements *= static_cast<size_t>(dim);
  }
  return elements * std::min<size_t>(InfoOf(array.type).bits, 64) / 8;
}

// What is laid out in tiles takes the room of whole ones.
void JudgeTiles(Context& context, PJRT_Buffer* buffer, const HostArray& array) {
  auto layout = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer);
  auto size = Get<&PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer>(context, buffer);
  if (!layout || !size || RawEnum(layout->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled)
    return;
  const size_t whole = SizeInTiles(layout->layout.tiled, array);
  context.Check(kOutputTrue, size->on_device_size_in_bytes >= whole,
                "PJRT_Buffer_OnDeviceSizeInBytes is ", size->on_device_size_in_bytes,
                ", the tiles of its layout take ", whole, " bytes");
}

void JudgeSize(Context& context, PJRT_Buffer* buffer, const HostArray& array, bool is_on_cpu) {
  auto size = Get<&PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer>(context, buffer);
  if (!size) return;
  size_t elements = CountElements(array.dims);
  size_t bits =
      std::min<size_t>(InfoOf(array.type).bits, static_cast<size_t>(ByteSize(array.type)) * 8);
  size_t least = (elements * bits + 7) / 8,
         dense = elements * static_cast<size_t>(ByteSize(array.type));
  context.Check("PJRT-Buffer_OnDeviceSizeInBytes-enough", size->on_device_size_in_bytes >= least,
                "PJRT_Buffer_OnDeviceSizeInBytes is ", size->on_device_size_in_bytes, " for ",
                least, " bytes of elements");
  size_t most = is_on_cpu ? dense + 4096 : 16 * dense + kMostPadding;
  context.Check(kOutputTrue, size->on_device_size_in_bytes <= most,
                "PJRT_Buffer_OnDeviceSizeInBytes is ", size->on_device_size_in_bytes, " for ",
                dense, " bytes of elements");
}

void JudgePointers(Context& context, PJRT_Buffer* buffer, const BufferFacts& facts,
                   bool is_on_cpu) {
  auto unsafe = Get<&PJRT_Buffer_UnsafePointer_Args::buffer>(context, buffer);
  auto opaque = Get<&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer>(context, buffer);
  if (unsafe && opaque) {
    context.Check("PJRT-Buffer_UnsafePointer-same",
                  unsafe->buffer_pointer == reinterpret_cast<uintptr_t>(opaque->device_memory_ptr),
                  "PJRT_Buffer_UnsafePointer and PJRT_Buffer_OpaqueDeviceMemoryDataPointer differ");
  }
  const HostArray& array = facts.array;
  if (!opaque || !is_on_cpu || !facts.has_contents || array.bytes.empty()) return;
  if (!context.Check("PJRT-Buffer_OpaqueDeviceMemoryDataPointer-contents",
                     opaque->device_memory_ptr != nullptr,
                     "the address of a buffer with elements is null")) {
    return;
  }
  auto layout = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer);
  if (!layout || RawEnum(layout->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled ||
      layout->layout.tiled.num_tiles != 0 || InfoOf(array.type).bits < 8) {
    return;
  }
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = layout->layout.tiled;
  for (size_t i = 0; i < tiled.minor_to_major_size; ++i) {
    if (tiled.minor_to_major[i] != static_cast<int64_t>(tiled.minor_to_major_size - 1 - i)) return;
  }
  context.Check("PJRT-Buffer_IsOnCpu-readable",
                std::memcmp(opaque->device_memory_ptr, array.bytes.data(), array.bytes.size()) == 0,
                "what lies at the address of the buffer are not its contents");
}

// Bytes of the device lie in the order that the buffer says, unless it has tiles.
void JudgeRawOrder(Context& context, PJRT_Buffer* buffer, const HostArray& array) {
  auto layout = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer);
  const size_t rank = array.dims.size();
  if (!layout || rank < 2 || InfoOf(array.type).bits < 8 || array.bytes.empty() ||
      RawEnum(layout->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled ||
      layout->layout.tiled.num_tiles != 0 || layout->layout.tiled.minor_to_major_size != rank)
    return;
  std::vector<std::byte> raw(array.bytes.size());
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
  args.buffer = buffer;
  args.dst = raw.data();
  args.transfer_size = static_cast<int64_t>(raw.size());
  // Whether it can is asked elsewhere.
  if (!context.plugin().Call(args).ok()) return;
  if (!context.Await(OwnedEvent(context.plugin(), args.event).get()).ok()) return;
  const auto bytes = static_cast<size_t>(ByteSize(array.type));
  std::vector<size_t> strides(rank);
  size_t next = bytes;
  for (size_t i = 0; i < rank; ++i) {
    const auto d = static_cast<size_t>(layout->layout.tiled.minor_to_major[i]);
    if (d >= rank) return;
    strides[d] = next;
    next *= static_cast<size_t>(array.dims[d]);
  }
  for (size_t linear = 0; linear * bytes < array.bytes.size(); ++linear) {
    size_t rest = linear, at = 0;
    for (size_t d = rank; d-- > 0;) {
      at += rest % static_cast<size_t>(array.dims[d]) * strides[d];
      rest /= static_cast<size_t>(array.dims[d]);
    }
    if (at + bytes > raw.size() ||
        !context.Check(
            "PJRT-Buffer_GetMemoryLayout-order",
            std::memcmp(raw.data() + at, array.bytes.data() + linear * bytes, bytes) == 0,
            "element ", linear, " does not lie where the layout of its array says"))
      return;
  }
}

}  // namespace

HostArray RandomBits(DType type, std::vector<int64_t> dims, uint64_t seed) {
  std::mt19937_64 random(seed);
  int bits = std::min<int>(InfoOf(type).bits, 8);
  HostArray array{type, std::move(dims), {}};
  array.bytes.resize(CountElements(array.dims) * static_cast<size_t>(ByteSize(type)));
  uint64_t drawn = 0;  // of which each byte is used once
  for (size_t i = 0; i < array.bytes.size(); ++i, drawn >>= 8) {
    if (i % sizeof(drawn) == 0) drawn = random();
    auto value = static_cast<uint8_t>(drawn);
    if (bits < 8 && InfoOf(type).kind == DTypeClass::kSigned) {
      value = static_cast<uint8_t>(static_cast<int8_t>(value << (8 - bits)) >> (8 - bits));
    } else if (bits < 8) {
      value &= static_cast<uint8_t>((1 << bits) - 1);
    }
    array.bytes[i] = std::byte{value};
  }
  if (type == DType::kF32 && array.bytes.size() >= 16) {
    // Infinity, NaNs with a payload and a sign, the smallest subnormal number.
    const uint32_t special[] = {0x7F800000, 0x7FC12345, 0xFFC00001, 0x80000001};
    std::memcpy(array.bytes.data(), special, sizeof(special));
  }
  return array;
}

void CheckSameArray(Context& context, std::string_view requirement, std::string_view what,
                    HostArray wanted, HostArray found) {
  ClearUnusedBits(wanted);
  ClearUnusedBits(found);
  if (!context.Check(requirement, found.type == wanted.type && found.dims == wanted.dims, what,
                     " is ", Name(found.type), "[", StrJoin(found.dims), "], not ",
                     Name(wanted.type), "[", StrJoin(wanted.dims), "]") ||
      !context.Check(requirement, found.bytes.size() == wanted.bytes.size(), what, " has ",
                     found.bytes.size(), " bytes, not ", wanted.bytes.size())) {
    return;
  }
  auto [at, other] = std::mismatch(wanted.bytes.begin(), wanted.bytes.end(), found.bytes.begin());
  if (at == wanted.bytes.end()) return;
  context.Fail(requirement, StrCat("byte ", at - wanted.bytes.begin(), " of ", what, " is ",
                                   static_cast<int>(*other), ", not ", static_cast<int>(*at)));
}

void JudgeBuffer(Context& context, PJRT_Buffer* buffer, const BufferFacts& facts) {
  JudgeShape(context, buffer, facts.array);
  JudgePlace(context, buffer, facts);
  auto on_cpu = Get<&PJRT_Buffer_IsOnCpu_Args::buffer>(context, buffer);
  bool is_on_cpu = on_cpu && RawBool(on_cpu->is_on_cpu);
  context.Check("PJRT-Buffer_IsDeleted-truth", !IsBufferDeleted(context, buffer),
                "a living buffer counts as deleted");
  Status ready = AwaitBuffer(context, buffer);
  if (!context.Check("PJRT-Buffer_ReadyEvent-after", ready.ok(),
                     "its ready event: ", ready.ToString())) {
    return;
  }
  JudgeLayout(context, buffer, facts.array);
  JudgeSize(context, buffer, facts.array, is_on_cpu);
  JudgeTiles(context, buffer, facts.array);
  JudgePointers(context, buffer, facts, is_on_cpu);
  if (!facts.has_contents) return;
  JudgeOwnOrder(context, buffer, facts.array);
  JudgeRawOrder(context, buffer, facts.array);
  Expected<HostArray> back = context.Download(buffer);
  if (context.Ok(kJudgedContents, "PJRT_Buffer_ToHostBuffer", back.status())) {
    CheckSameArray(context, kJudgedContents, "what came back", facts.array, *back);
  }
}

bool LiesRowMajor(Context& context, PJRT_Buffer* buffer) {
  auto layout = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer);
  if (!layout || RawEnum(layout->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled) return false;
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = layout->layout.tiled;
  for (size_t i = 0; i < tiled.minor_to_major_size; ++i) {
    if (tiled.minor_to_major[i] != static_cast<int64_t>(tiled.minor_to_major_size - 1 - i))
      return false;
  }
  return tiled.num_tiles == 0;
}

const std::vector<std::string>& SweptShapes() {
  static const std::vector<std::string> shapes = {"[4]",
                                                  "[]",
                                                  "[1]",
                                                  "[2,3]",
                                                  "[0]",
                                                  "[3,2,5]",
                                                  "[7,1009]",
                                                  "[2,3,1,4]",
                                                  "[1,2,3,2,2]",
                                                  "[2,1,3,2,1,2]",
                                                  "[70001]",
                                                  "[3,0,2]",
                                                  "[5,5]",
                                                  "[1,2,1,3,1,2,1,2]",
                                                  "[2,1,1,1,2,1,1,1,1,1,1,3]"};
  return shapes;
}

std::vector<int64_t> ShapeOf(std::string_view text) {
  std::vector<int64_t> dims;
  for (char c : text.substr(1)) {
    if (c == ',' || (c >= '0' && c <= '9' && dims.empty())) dims.push_back(0);
    if (c >= '0' && c <= '9') dims.back() = dims.back() * 10 + (c - '0');
  }
  return dims;
}

std::string TypeText(DType type, const std::vector<int64_t>& dims) {
  std::string text = "tensor<";
  for (int64_t dim : dims) text += StrCat(dim, "x");
  return StrCat(text, InfoOf(type).mlir_name, ">");
}

std::vector<std::string> SweptTypes() {
  std::vector<std::string> names = {"f32"};
  for (int number = 1; number < kNumDTypes; ++number) {
    auto type = static_cast<DType>(number);
    if (InfoOf(type).bytes != 0 && type != DType::kF32) names.emplace_back(Name(type));
  }
  return names;
}

DType TypeNamed(std::string_view name) {
  for (int number = 1; number < kNumDTypes; ++number) {
    if (Name(static_cast<DType>(number)) == name) return static_cast<DType>(number);
  }
  return DType::kInvalid;
}

bool HasSweptType(Context& context, DType type) {
  if (context.profile().Allows(type) && HasType(context, type)) return true;
  context.Unsupported("not in the profile's types, or younger than the plugin");
  return false;
}

}  // namespace plinth::conformance
