// SPDX-License-Identifier: Apache-2.0
// L1: host memory to buffers and back, with every combination of what a caller may say.

#include <algorithm>
#include <cstring>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/sweep.h"
#include "conformance/cases/sweep_places.h"

namespace plinth::conformance {
namespace sweep_uploads {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kStrides[] = "PJRT-Client_BufferFromHostBuffer-strides";
constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kLayout[] = "PJRT-Buffer_ToHostBuffer-layout";
constexpr char kDone[] = "PJRT-Client_BufferFromHostBuffer-done";
constexpr char kDuringCall[] = "PJRT-Client_BufferFromHostBuffer-only-during-call";
constexpr std::byte kUnwritten{0xA5};

// Where element `at` of a dense row-major array lies if the dimensions follow `order`, the fastest
// first.
struct Placement {
  std::vector<int64_t> strides;  // in elements, of each dimension
  int64_t first = 0;             // where [0, 0, ...] lies
  int64_t size = 0;              // of the host array
};

Placement PlaceElements(const std::vector<int64_t>& dims, std::string_view how) {
  size_t rank = dims.size();
  Placement place;
  place.strides.resize(rank);
  std::vector<size_t> order;  // fastest first
  for (size_t d = rank; d-- > 0;) order.push_back(d);
  if (how == "reversed order") std::reverse(order.begin(), order.end());
  if (how == "rotated" && rank > 1) std::rotate(order.begin(), order.begin() + 1, order.end());
  if (how == "rotated back" && rank > 1) std::rotate(order.begin(), order.end() - 1, order.end());
  int64_t next = how == "every second" ? 2 : 1;
  for (size_t at = 0; at < rank; ++at) {
    size_t d = order[at];
    place.strides[d] = next;
    next *= std::max<int64_t>(dims[d], 1);
    if (how == "padded rows" && at == 0) next += 3;
    // More than 16 bits can count.
    if (how == "far apart" && at + 2 == rank) next += 70000;
  }
  if (how == "zero" && rank > 0) place.strides[0] = 0;
  if (how == "zero last" && rank > 0) place.strides[rank - 1] = 0;
  for (size_t d = 0; d < rank; ++d) {
    bool is_negative = (how == "negative first" && d == 0) || how == "all negative" ||
                       (how == "negative last" && d + 1 == rank);
    if (!is_negative) continue;
    place.first += (dims[d] - 1) * place.strides[d];
    place.strides[d] = -place.strides[d];
  }
  place.first = std::max<int64_t>(place.first, 0);
  place.size = next;
  return place;
}

// Calls with every place of a dense array, in its order, and where it lies on the host.
void ForElements(const std::vector<int64_t>& dims, const Placement& place,
                 const std::function<void(size_t, size_t)>& visit) {
  size_t count = 1;
  for (int64_t dim : dims) count *= static_cast<size_t>(dim);
  for (size_t linear = 0; linear < count; ++linear) {
    auto rest = static_cast<int64_t>(linear);
    int64_t at = place.first;
    for (size_t d = dims.size(); d-- > 0;) {
      at += rest % dims[d] * place.strides[d];
      rest /= dims[d];
    }
    visit(linear, static_cast<size_t>(at));
  }
}

// Copies to guarded host memory with more room than needed, and compares. `raw` bytes are those of
// the device's own order.
void ReadBack(Context& context, PJRT_Buffer* buffer, const HostArray& array, std::string_view how) {
  auto bytes = static_cast<size_t>(ByteSize(array.type));
  HostLayout layout(how, array.dims, static_cast<int64_t>(bytes));
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.host_layout = layout.get();
  Status sized = context.plugin().Call(args);
  if (sized.code() == StatusCode::kUnimplemented) return context.Unsupported(sized.ToString());
  const bool has_gaps = how == "padded strides";
  // A plugin need not leave gaps.
  if (has_gaps && !sized.ok()) return context.Note(sized.ToString());
  if (!context.Ok("PJRT-Buffer_ToHostBuffer-dst_size", "PJRT_Buffer_ToHostBuffer for the size",
                  sized))
    return;
  size_t span = array.bytes.empty() ? 0 : bytes;
  for (size_t d = 0; d < array.dims.size() && span > 0; ++d)
    span += static_cast<size_t>((array.dims[d] - 1) * layout.byte_strides()[d]);
  const size_t needed = has_gaps ? span : args.dst_size, room = needed + 24;
  if (!context.Check("PJRT-Buffer_ToHostBuffer-dst_size",
                     args.dst_size >= needed && (needed == array.bytes.size() || has_gaps ||
                                                 InfoOf(array.type).bits < 8 || how == "none"),
                     "dst_size is ", args.dst_size, " for ", needed, " bytes")) {
    return;
  }
  std::vector<std::byte> memory(room, kUnwritten);
  args.dst = memory.data();
  args.dst_size = room;
  if (!context.Ok(kContents, "PJRT_Buffer_ToHostBuffer", context.plugin().Call(args))) return;
  OwnedEvent event(context.plugin(), args.event);
  if (!event || !context.Ok(kContents, "its event", context.Await(event.get()))) return;
  for (size_t i = needed; i < room; ++i) {
    if (context.Check(kContents, memory[i] == kUnwritten, "byte ", i,
                      " of the destination was written, ", needed, " are the array's")) {
      continue;
    }
    return;
  }
  // JudgeBuffer has looked.
  if (how == "none" || (needed != array.bytes.size() && !has_gaps)) return;
  Placement place;
  for (int64_t stride : layout.byte_strides())
    place.strides.push_back(stride / static_cast<int64_t>(bytes));
  HostArray found{array.type, array.dims, std::vector<std::byte>(array.bytes.size())};
  ForElements(array.dims, place, [&](size_t linear, size_t at) {
    std::memcpy(found.bytes.data() + linear * bytes, memory.data() + at * bytes, bytes);
    std::fill_n(memory.data() + at * bytes, bytes, kUnwritten);
  });
  // What lies between the elements is left.
  context.Check(
      kContents,
      std::all_of(memory.begin(), memory.end(), [](std::byte byte) { return byte == kUnwritten; }),
      "a byte between the elements was written");
  CheckSameArray(context, how == "row major" ? kContents : kLayout,
                 StrCat("what came back with the layout `", how, "`"), array, found);
}

// A range of host memory that the plugin knows of, as long as this lives.
class Mapping {
 public:
  explicit Mapping(Context& context) : context_(context) {}
  ~Mapping() {
    if (data_ == nullptr) return;
    auto args = MakeArgs<PJRT_Client_DmaUnmap_Args>();
    args.client = context_.client();
    args.data = data_;
    (void)Succeeds(context_, args);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  // False, with UNSUPPORTED or a finding, where that fails.
  bool Map(void* data, size_t size) {
    auto args = MakeArgs<PJRT_Client_DmaMap_Args>();
    args.client = context_.client();
    args.data = data;
    args.size = size;
    if (!context_.Ok(kAccepted, "PJRT_Client_DmaMap", context_.plugin().Call(args))) return false;
    data_ = data;
    return true;
  }

 private:
  Context& context_;
  void* data_ = nullptr;
};

// PJRT_Client_BufferFromHostBuffer with everything that a caller may say.
void Upload(Context& context, std::span<const Parameter> parameters, const Row& row) {
  auto value = [&](size_t p) -> const std::string& { return parameters[p].values[row[p]]; };
  DType type = TypeNamed(value(0));
  if (!HasSweptType(context, type)) return;
  std::vector<int64_t> dims = ShapeOf(value(1));
  std::optional<Place> where = PlaceNamed(context, value(4));
  if (!where) return;
  HostArray array = RandomBits(type, dims, context.seed());
  auto bytes = static_cast<size_t>(ByteSize(type));
  Placement place = PlaceElements(dims, value(2));
  // A field of records without gaps: strides are no multiples of the element.
  const size_t unit = value(2) == "field of records" ? bytes + 1 : bytes;
  const size_t all = static_cast<size_t>(place.size) * unit;
  // What lies outside of the elements belongs to somebody else.
  const size_t before = value(7) == "in a mapping" ? 192 : 0;
  GuardedArgs memory(std::max<size_t>(all, 1) + before);
  std::byte* const begin = memory.data() + before;
  std::fill_n(memory.data(), all + before, std::byte{0x5A});
  ForElements(dims, place, [&](size_t linear, size_t at) {
    std::memcpy(begin + at * unit, array.bytes.data() + linear * bytes, bytes);
  });
  // With a stride of zero elements share a place: what lies there counts.
  ForElements(dims, place, [&](size_t linear, size_t at) {
    std::memcpy(array.bytes.data() + linear * bytes, begin + at * unit, bytes);
  });
  Mapping mapping(context);
  if (value(7) != "plain" && !mapping.Map(memory.data(), std::max<size_t>(all, 1) + before)) return;
  std::vector<int64_t> strides;
  for (int64_t stride : place.strides) strides.push_back(stride * static_cast<int64_t>(unit));
  HostLayout layout(value(5), dims, static_cast<int64_t>(bytes));
  const std::vector<int64_t> given_dims = dims, given_strides = strides;
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = begin + static_cast<size_t>(place.first) * unit;
  args.type = ToC(type);
  args.dims = dims.data();
  args.num_dims = dims.size();
  if (value(2) != "none") {
    args.byte_strides = strides.data();
    args.num_byte_strides = strides.size();
  }
  auto semantics = static_cast<PJRT_HostBufferSemantics>(row[3]);
  args.host_buffer_semantics = semantics;
  args.device = where->device;
  args.memory = where->memory;
  args.device_layout = layout.get();
  Status status = context.plugin().Call(args);
  // A layout of the device may be refused, and a memory that is not the device's own; where the
  // elements lie on the host may not.
  if (status.code() == StatusCode::kUnimplemented) {
    if (layout.get() != nullptr ||
        where->wanted_memory != DefaultMemoryOf(context, where->wanted_device))
      return context.Unsupported(status.ToString());
    return context.Fail(kAccepted, StrCat("PJRT_Client_BufferFromHostBuffer: ", status.ToString()));
  }
  if (!context.Ok(kStrides, "PJRT_Client_BufferFromHostBuffer", status)) return;
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  if (!buffer || !done) return;
  context.Check("PJRT-Args-input", dims == given_dims && strides == given_strides,
                "the call changed the dimensions or strides that it was given");
  // Borrowed for the call.
  std::fill(dims.begin(), dims.end(), -1);
  std::fill(strides.begin(), strides.end(), -1);
  auto spoil = [&] {
    for (size_t i = 0; i < all; ++i) begin[i] = std::byte{0x3C};
  };
  // Borrowed for the call alone.
  std::fill(dims.begin(), dims.end(), 77);
  std::fill(strides.begin(), strides.end(), 77);
  if (semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) spoil();
  if (semantics == PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes) {
    if (!context.Ok("PJRT-Client_BufferFromHostBuffer-done", "done_with_host_buffer",
                    context.Await(done.get())))
      return;
    spoil();
  }
  JudgeBuffer(context, buffer.get(), {array, where->wanted_device, where->wanted_memory});
  ReadBack(context, buffer.get(), array, value(6));
  context.Check("PJRT-Client_BufferFromHostBuffer-only-during-call", memory.IsIntact(),
                "memory of the host was written");
  (void)buffer.Destroy();
  context.Ok("PJRT-Client_BufferFromHostBuffer-done",
             "done_with_host_buffer of a buffer that is gone", context.Await(done.get()));
}

void SweepUploads(Context& context) {
  std::vector<std::string> places = Places();
  places.emplace_back(kMemoryNotDevice);
  const std::vector<Parameter> parameters = {
      {"type", SweptTypes()},
      {"shape", SweptShapes()},
      {"strides",
       {"none", "dense", "reversed order", "rotated", "rotated back", "every second", "padded rows",
        "far apart", "field of records", "zero", "zero last", "negative first", "negative last",
        "all negative"}},
      {"semantics",
       {"only during call", "until transfer completes", "zero copy", "mutable zero copy"}},
      {"place", places},
      {"device layout", {"none", "row major"}},
      {"read back",
       {"row major", "column major", "rotated", "none", "row strides", "column strides",
        "padded strides"}},
      {"host memory", {"plain", "mapped", "in a mapping"}}};
  Sweep(context, parameters,
        [&](Context& probe, const Row& row) { Upload(probe, parameters, row); });
}

// How long memory of the host is borrowed, at every size.
void SweepHostMemory(Context& context) {
  const std::vector<Parameter> parameters = {
      {"shape", {"[4]", "[70001]", "[0]", "[7,1009]", "[600000]"}},
      {"semantics", {"only during call", "until transfer completes"}},
      {"type", {"f32", "u8"}},
      {"place", {"device", "memory", "last memory"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    Expected<PJRT_Device*> device = probe.Device();
    if (!device.ok()) return;
    const HostArray array = RandomBits(TypeNamed(parameters[2].values[row[2]]),
                                       ShapeOf(parameters[0].values[row[0]]), probe.seed());
    std::vector<std::byte> borrowed = array.bytes;
    std::byte nothing{};
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = probe.client();
    args.data = borrowed.empty() ? &nothing : borrowed.data();
    args.type = ToC(array.type);
    args.dims = array.dims.data();
    args.num_dims = array.dims.size();
    args.host_buffer_semantics = static_cast<PJRT_HostBufferSemantics>(row[1]);
    if (row[3] == 0) args.device = *device;
    if (row[3] == 1) args.memory = DefaultMemoryOf(probe, *device);
    if (row[3] == 2) {
      const std::vector<PJRT_Memory*> memories = MemoriesOf(probe, *device);
      if (memories.empty()) return;
      args.memory = memories.back();
      // Arrays need not go from the host to each of them.
      if (!probe.plugin().Call(args).ok()) return;
    } else if (!Succeeds(probe, args)) {
      return;
    }
    OwnedBuffer buffer(probe.plugin(), args.buffer);
    OwnedEvent done(probe.plugin(), args.done_with_host_buffer);
    if (row[1] == 1) probe.Ok(kDone, "done_with_host_buffer", probe.Await(done.get()));
    std::fill(borrowed.begin(), borrowed.end(), std::byte{0x3C});
    Expected<HostArray> found = probe.Download(buffer.get());
    if (probe.Ok(kContents, "PJRT_Buffer_ToHostBuffer", found.status()))
      CheckSameArray(probe, row[1] == 1 ? kDone : kDuringCall, "what was uploaded", array, *found);
  });
}

// Ranges that do not fit, of every function with a range.
void BadRanges(Context& context) {
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  struct Range {
    int64_t offset, size;
  };
  for (Range bad :
       {Range{0, 17}, Range{1, 16}, Range{16, 1}, Range{17, 0}, Range{-1, 1}, Range{-4, 4},
        Range{0, -1}, Range{8, -4}, Range{INT64_MAX, 1}, Range{1, INT64_MAX}, Range{INT64_MIN, 0},
        Range{0, INT64_MAX}, Range{4, INT64_MAX - 3}}) {
    std::vector<std::byte> memory(32);
    auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
    args.buffer = buffer->get();
    args.dst = memory.data();
    args.offset = bad.offset;
    args.transfer_size = bad.size;
    Status status = context.plugin().Call(args);
    OwnedEvent event(context.plugin(), status.ok() ? args.event : nullptr);
    if (event) status = context.Await(event.get());
    Refused(context, "PJRT-Buffer_CopyRawToHost-range",
            StrCat("bytes ", bad.offset, " + ", bad.size, " of 16"), status,
            {StatusCode::kInvalidArgument});
  }
}

// Arrays without elements whose other dimensions need more than 32 bits. A plugin may refuse them.
void LongDimensions(Context& context) {
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{0, int64_t{1} << 32},
                                           {(int64_t{1} << 33) + 5, 0},
                                           {0, 3, (int64_t{1} << 40) + 1}}) {
    Expected<OwnedBuffer> buffer = context.Upload({DType::kU8, dims, {}});
    if (!buffer.ok()) {
      context.Note(StrCat("[", StrJoin(dims), "]: ", buffer.status().ToString()));
      continue;
    }
    for (bool is_unpadded : {false, true}) {
      std::vector<int64_t> found;
      if (is_unpadded) {
        auto args = Get<&PJRT_Buffer_UnpaddedDimensions_Args::buffer>(context, buffer->get());
        if (!args) continue;
        found.assign(args->unpadded_dims, args->unpadded_dims + args->num_dims);
      } else {
        auto args = Get<&PJRT_Buffer_Dimensions_Args::buffer>(context, buffer->get());
        if (!args) continue;
        found.assign(args->dims, args->dims + args->num_dims);
      }
      context.Check("PJRT-Buffer_Dimensions-asked-for", found == dims, "the dimensions [",
                    StrJoin(dims), "] became [", StrJoin(found), "]");
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, Level level, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    cases.push_back(
        {name, level, ClientNeed::kShared, std::move(requirements), std::move(run), false});
  };
  add("L1/sweep/upload", Level::kL1,
      {"PJRT-Client_BufferFromHostBuffer-strides", "PJRT-Client_BufferFromHostBuffer-done",
       "PJRT-Client_BufferFromHostBuffer-only-during-call", kContents, kLayout,
       "PJRT-Buffer_ToHostBuffer-dst_size", kOutputTrue,
       "PJRT-Client_BufferFromHostBuffer-memory-wins", "PJRT-Buffer_Device-asked-for",
       "PJRT-Buffer_Memory-asked-for", kAccepted},
      SweepUploads);
  add("L1/sweep/host_memory", Level::kL1, {kDone, kDuringCall, "PJRT-Buffer_ToHostBuffer-contents"},
      SweepHostMemory);
  add("L1/transfer/long_dimensions", Level::kL1, {"PJRT-Buffer_Dimensions-asked-for"},
      LongDimensions);
  add("L1/transfer/bad_ranges", Level::kL1, {"PJRT-Buffer_CopyRawToHost-range"}, BadRanges);
}

}  // namespace sweep_uploads

void AddUploadSweepCases(std::vector<Case>& cases) { sweep_uploads::AddCases(cases); }

}  // namespace plinth::conformance
