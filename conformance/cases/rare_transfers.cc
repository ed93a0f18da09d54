// SPDX-License-Identifier: Apache-2.0
// Transfers of what is seldom sent: every pattern of bits, many megabytes, host memory that is not
// aligned, pieces in any order.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/sweep.h"
#include "conformance/cases/transfer_manager.h"
#include "plinth/support/row_major_layout.h"

namespace plinth::conformance {
namespace rare_transfers {
namespace {

constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kOffset[] = "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset";
constexpr char kLiteral[] = "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents";

// Numbers of that many bits in which sign, exponent and mantissa are of every kind: zeros,
// subnormals, infinities, quiet and signaling NaNs with payloads. Of 16 bits or less every number.
std::vector<uint64_t> NumbersOf(int bits, int mantissa) {
  std::vector<uint64_t> all;
  if (bits <= 16) {
    all.resize(size_t{1} << bits);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  const uint64_t quiet = uint64_t{1} << (mantissa - 1), most = (quiet << 1) - 1;
  for (uint64_t head = 0; head >> (bits - mantissa) == 0; ++head) {
    for (uint64_t tail : {uint64_t{0}, uint64_t{1}, quiet, quiet | 0x155, quiet - 1, most})
      all.push_back(head << mantissa | tail);
  }
  return all;
}

HostArray EveryPattern(DType type) {
  const int bytes = static_cast<int>(ByteSize(type));
  const bool is_complex = type == DType::kC64 || type == DType::kC128;
  const int part = is_complex ? bytes / 2 : bytes;
  std::vector<uint64_t> patterns = NumbersOf(part * 8, part == 8 ? 52 : 23);
  // Each part of a complex number meets others than its own.
  if (is_complex) {
    std::vector<uint64_t> both;
    for (size_t i = 0; i < patterns.size(); ++i) {
      both.push_back(patterns[i]);
      both.push_back(patterns[(i * 7 + 3) % patterns.size()]);
    }
    patterns = both;
  }
  HostArray array{type, {static_cast<int64_t>(patterns.size()) / (is_complex ? 2 : 1)}, {}};
  array.bytes.resize(patterns.size() * static_cast<size_t>(part));
  for (size_t i = 0; i < patterns.size(); ++i) {
    std::memcpy(array.bytes.data() + i * static_cast<size_t>(part), &patterns[i],
                static_cast<size_t>(part));
  }
  return array;
}

// The array there and back, also by way of the last device and of each memory of the first.
void ThereAndBack(Context& context, const HostArray& array, std::string_view what) {
  Expected<OwnedBuffer> buffer = context.Upload(array);
  if (!context.Ok(kContents, "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto look = [&](PJRT_Buffer* found, std::string_view where) {
    Expected<HostArray> back = context.Download(found);
    if (context.Ok(kContents, "PJRT_Buffer_ToHostBuffer", back.status()))
      CheckSameArray(context, kContents, StrCat(what, where), array, *back);
  };
  look(buffer->get(), "");
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (context.HasFindings() || devices.empty()) return;
  if (devices.size() > 1) {
    auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
    copy.buffer = buffer->get();
    copy.dst_device = devices.back();
    if (Succeeds(context, copy))
      look(OwnedBuffer(context.plugin(), copy.dst_buffer).get(), " by way of the last device");
  }
  for (PJRT_Memory* memory : MemoriesOf(context, devices.front())) {
    auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
    copy.buffer = buffer->get();
    copy.dst_memory = memory;
    if (Succeeds(context, copy)) {
      look(OwnedBuffer(context.plugin(), copy.dst_buffer).get(),
           StrCat(" by way of memory ", MemoryKindOf(context, memory)));
    }
  }
}

void Patterns(Context& context, DType type) {
  if (HasSweptType(context, type))
    ThereAndBack(context, EveryPattern(type), StrCat("every pattern of ", Name(type)));
}

// 5 MiB and 12 bytes: more than a chunk of any staging buffer, and no multiple of one.
constexpr int64_t kManyElements = (5 << 18) + 3;

void ManyMegabytes(Context& context) {
  HostArray array = RandomBits(DType::kS32, {kManyElements}, context.seed());
  ThereAndBack(context, array, "5 MiB and 12 bytes");
}

// As a host array whose first dimension varies fastest.
void ManyMegabytesStrided(Context& context) {
  const int64_t rows = 1031, columns = 1289;
  HostArray array = RandomBits(DType::kS32, {rows, columns}, context.seed()), host = array;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      std::memcpy(host.bytes.data() + (j * rows + i) * 4,
                  array.bytes.data() + (i * columns + j) * 4, 4);
    }
  }
  const int64_t strides[] = {4, 4 * rows};
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "a device", device.status())) return;
  args.client = context.client();
  args.data = host.bytes.data();
  args.type = ToC(array.type);
  args.dims = array.dims.data();
  args.num_dims = 2;
  args.byte_strides = strides;
  args.num_byte_strides = 2;
  args.device = *device;
  if (!Succeeds(context, args)) return;
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  Expected<HostArray> back = context.Download(buffer.get());
  if (context.Ok(kContents, "PJRT_Buffer_ToHostBuffer", back.status()))
    CheckSameArray(context, kContents, "5 MiB of another order", array, *back);
  if (done) context.Ok("", "done_with_host_buffer", context.Await(done.get()));
}

// Host memory begins anywhere, as views of NumPy do; large arrays some plugins do not copy.
void Unaligned(Context& context) {
  const std::vector<Parameter> parameters = {
      {"type", {"f32", "s32", "f64", "bf16", "u64", "c64"}},
      {"shape", {"[2,3]", "[]", "[7,1009]", "[131,1009]"}},
      {"bytes behind a page", {"1", "2", "3", "4", "8"}},
      {"semantics",
       {"only during call", "until transfer completes", "zero copy", "mutable zero copy"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    const DType types[] = {DType::kF32,  DType::kS32, DType::kF64,
                           DType::kBF16, DType::kU64, DType::kC64};
    if (!HasSweptType(probe, types[row[0]])) return;
    const size_t bytes[] = {1, 2, 3, 4, 8};
    HostArray array =
        RandomBits(types[row[0]], ShapeOf(parameters[1].values[row[1]]), probe.seed());
    std::vector<std::byte> memory(array.bytes.size() + 128, std::byte{0x5A});
    auto start = reinterpret_cast<uintptr_t>(memory.data());
    std::byte* data = memory.data() + (64 - start % 64) % 64 + bytes[row[2]];
    std::copy(array.bytes.begin(), array.bytes.end(), data);
    Expected<PJRT_Device*> device = probe.Device();
    if (!device.ok()) return;
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = probe.client();
    args.data = data;
    args.type = ToC(array.type);
    args.dims = array.dims.data();
    args.num_dims = array.dims.size();
    args.host_buffer_semantics = static_cast<PJRT_HostBufferSemantics>(row[3]);
    args.device = *device;
    if (!Succeeds(probe, args)) return;
    OwnedBuffer buffer(probe.plugin(), args.buffer);
    OwnedEvent done(probe.plugin(), args.done_with_host_buffer);
    Expected<HostArray> back = probe.Download(buffer.get());
    if (probe.Ok(kContents, "PJRT_Buffer_ToHostBuffer", back.status()))
      CheckSameArray(probe, kContents, "what lay at such an address", array, *back);
    (void)buffer.Destroy();
    if (done) probe.Ok("", "done_with_host_buffer", probe.Await(done.get()));
  });
}

struct Piece {
  int buffer;
  int64_t offset, size;
};

// A manager of arrays to come, and what they have to be.
struct Filled {
  OwnedManager manager;
  std::vector<HostArray> arrays;
  std::vector<OwnedBuffer> buffers;
  std::vector<OwnedEvent> ready;
};

bool Retrieve(Context& context, Filled& filled) {
  for (size_t i = 0; i < filled.arrays.size(); ++i) {
    Expected<OwnedBuffer> made = RetrieveBuffer(context, filled.manager.get(), static_cast<int>(i));
    if (!context.Ok("PJRT-Args-accepted", "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer",
                    made.status()))
      return false;
    filled.ready.push_back(ReadyEventOf(context, made->get()));
    filled.buffers.push_back(*std::move(made));
  }
  return true;
}

bool MakeFilled(Context& context, size_t count, int64_t elements, uint64_t seed, Filled& filled) {
  for (size_t i = 0; i < count; ++i)
    filled.arrays.push_back(RandomBits(DType::kC64, {elements}, seed + i));
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return false;
  Expected<OwnedManager> made =
      NewManager(context, DefaultMemoryOf(context, *device), filled.arrays);
  if (!context.Ok("", "PJRT_Client_CreateBuffersForAsyncHostToDevice", made.status())) return false;
  filled.manager = *std::move(made);
  return true;
}

// Sends a piece from memory that is overwritten when the plugin is done with it.
bool Send(Context& context, const Filled& filled, const Piece& piece, bool is_last) {
  const std::vector<std::byte>& all = filled.arrays[static_cast<size_t>(piece.buffer)].bytes;
  std::vector<std::byte> memory(all.begin() + piece.offset,
                                all.begin() + piece.offset + piece.size);
  memory.push_back(std::byte{});  // never without an address
  const bool is_done = context.Ok(kOffset, "PJRT_AsyncHostToDeviceTransferManager_TransferData",
                                  TransferBytes(context, filled.manager.get(), piece.buffer,
                                                memory.data(), piece.offset, piece.size, is_last));
  std::fill(memory.begin(), memory.end(), std::byte{0x3C});
  return is_done;
}

bool SendLiteral(Context& context, const Filled& filled, int buffer) {
  std::vector<std::byte> memory = filled.arrays[static_cast<size_t>(buffer)].bytes;
  std::vector<int64_t> dims = filled.arrays[static_cast<size_t>(buffer)].dims;
  RowMajorLayout layout(dims.size());
  auto transfer = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
  transfer.transfer_manager = filled.manager.get();
  transfer.buffer_index = buffer;
  transfer.data = memory.data();
  transfer.shape_dims = dims.data();
  transfer.shape_num_dims = dims.size();
  transfer.shape_element_type = PJRT_Buffer_Type_C64;
  transfer.shape_layout = layout.get();
  if (!Succeeds(context, transfer, kLiteral)) return false;
  std::fill(dims.begin(), dims.end(), 77);
  OwnedEvent done(context.plugin(), transfer.done_with_h2d_transfer);
  bool is_done = !done || context.Ok(kLiteral, "done_with_h2d_transfer", context.Await(done.get()));
  std::fill(memory.begin(), memory.end(), std::byte{0x3C});
  return is_done;
}

// Arrays cut into pieces, which come in any order, some of them empty.
std::vector<Piece> Cut(int num_buffers, int64_t bytes, int64_t count, std::string_view order,
                       std::string_view empty, uint64_t seed) {
  std::vector<Piece> pieces;
  for (int buffer = 0; buffer < num_buffers; ++buffer) {
    int64_t at = 0;
    for (int64_t i = 0; i < count; ++i) {
      // Of unequal sizes, whole elements.
      int64_t end = i + 1 == count ? bytes : bytes * (i + 1) * (i + 2) / (count * (count + 1));
      end -= end % 8;
      if (i + 1 == count) end = bytes;
      pieces.push_back({buffer, at, end - at});
      at = end;
    }
  }
  if (order == "backward") std::reverse(pieces.begin(), pieces.end());
  if (order == "any") std::shuffle(pieces.begin(), pieces.end(), std::mt19937_64(seed));
  if (order == "in turn") {
    std::stable_sort(pieces.begin(), pieces.end(),
                     [&](const Piece& a, const Piece& b) { return a.offset < b.offset; });
  }
  for (int buffer = 0; buffer < num_buffers; ++buffer) {
    if (empty == "first") pieces.insert(pieces.begin(), {buffer, 0, 0});
    if (empty == "last") pieces.push_back({buffer, bytes, 0});
  }
  return pieces;
}

// Pieces go in turn to the same arrays of each manager; some arrays come as literals.
void Pieces(Context& context) {
  const std::vector<Parameter> parameters = {{"managers", {"1", "3"}},
                                             {"buffers", {"1", "3"}},
                                             {"pieces of each", {"2", "1", "3", "7", "100"}},
                                             {"order", {"forward", "backward", "any", "in turn"}},
                                             {"a piece of no bytes", {"none", "first", "last"}},
                                             {"literals", {"none", "the last", "all"}},
                                             {"retrieved", {"before", "after"}},
                                             {"elements", {"12", "1001", "20011"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    if (!HasSweptType(probe, DType::kC64)) return;
    const int num_buffers = row[1] == 0 ? 1 : 3;
    const int64_t counts[] = {2, 1, 3, 7, 100}, elements[] = {12, 1001, 20011};
    std::vector<Filled> managers(row[0] == 0 ? 1 : 3);
    for (size_t m = 0; m < managers.size(); ++m) {
      if (!MakeFilled(probe, static_cast<size_t>(num_buffers), elements[row[7]],
                      probe.seed() + 10 * m, managers[m]) ||
          (row[6] == 0 && !Retrieve(probe, managers[m])))
        return;
    }
    auto is_literal = [&](int buffer) {
      return row[5] == 2 || (row[5] == 1 && buffer + 1 == num_buffers);
    };
    std::vector<Piece> pieces =
        Cut(num_buffers, elements[row[7]] * 8, counts[row[2]], parameters[3].values[row[3]],
            parameters[4].values[row[4]], probe.seed());
    for (size_t at = 0; at < pieces.size(); ++at) {
      const Piece& piece = pieces[at];
      auto is_of_it = [&](const Piece& other) { return other.buffer == piece.buffer; };
      const auto here = pieces.begin() + static_cast<std::ptrdiff_t>(at);
      const bool is_last = std::none_of(here + 1, pieces.end(), is_of_it);
      for (const Filled& filled : managers) {
        if (row[6] == 0) {
          const OwnedEvent& ready = filled.ready[static_cast<size_t>(piece.buffer)];
          probe.Check(kOffset, !ready || !IsEventReady(probe, ready.get()), "buffer ", piece.buffer,
                      " is ready before its last piece");
        }
        if (is_literal(piece.buffer) ? is_last && !SendLiteral(probe, filled, piece.buffer)
                                     : !Send(probe, filled, piece, is_last))
          return;
      }
    }
    for (Filled& filled : managers) {
      if (row[6] == 1 && !Retrieve(probe, filled)) return;
      for (size_t i = 0; i < filled.buffers.size(); ++i) {
        const char* requirement = is_literal(static_cast<int>(i)) ? kLiteral : kOffset;
        Expected<HostArray> back = probe.Download(filled.buffers[i].get());
        if (probe.Ok(requirement, "PJRT_Buffer_ToHostBuffer", back.status())) {
          CheckSameArray(probe, requirement, StrCat("buffer ", i, " made of pieces"),
                         filled.arrays[i], *back);
        }
      }
    }
  });
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, Level level, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    cases.push_back(
        {name, level, ClientNeed::kShared, std::move(requirements), std::move(run), false});
  };
  for (int number = 1; number < kNumDTypes; ++number) {
    auto type = static_cast<DType>(number);
    const std::string name(Name(type));
    std::vector<std::string> swept = SweptTypes();
    // Below a byte some bits say nothing.
    if (std::find(swept.begin(), swept.end(), name) == swept.end() || InfoOf(type).bits < 8 ||
        type == DType::kPred)
      continue;
    add(StrCat("L1/sweep/patterns/", name), Level::kL1, {kContents},
        [=](Context& context) { Patterns(context, type); });
  }
  add("L1/sweep/many_megabytes", Level::kL1,
      {kContents, "PJRT-Buffer_CopyToDevice-contents", "PJRT-Buffer_CopyToMemory-contents"},
      ManyMegabytes);
  add("L1/sweep/many_megabytes_strided", Level::kL1,
      {kContents, "PJRT-Client_BufferFromHostBuffer-strides"}, ManyMegabytesStrided);
  add("L1/sweep/unaligned", Level::kL1,
      {kContents, "PJRT-Client_BufferFromHostBuffer-only-during-call",
       "PJRT-Client_BufferFromHostBuffer-done"},
      Unaligned);
  add("L2/order/pieces", Level::kL2, {kOffset, kLiteral, "PJRT-Args-accepted"}, Pieces);
}

}  // namespace rare_transfers

void AddRareTransferCases(std::vector<Case>& cases) { rare_transfers::AddCases(cases); }

}  // namespace plinth::conformance
