// SPDX-License-Identifier: Apache-2.0
// L1: host memory to buffers and back, with every combination of what a caller may say.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/sweep.h"
#include "plinth/support/row_major_layout.h"

namespace plinth::conformance {
namespace sweep_transfers {
namespace {

constexpr char kStrides[] = "PJRT-Client_BufferFromHostBuffer-strides";
constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr std::byte kUnwritten{0xA5};

DType TypeNamed(std::string_view name) {
  for (int number = 1; number < kNumDTypes; ++number) {
    if (Name(static_cast<DType>(number)) == name) return static_cast<DType>(number);
  }
  return DType::kInvalid;
}

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

// A layout in which the dimensions have another order; null for "none".
class HostLayout {
 public:
  HostLayout(std::string_view how, const std::vector<int64_t>& dims, int64_t bytes) {
    size_t rank = dims.size();
    for (size_t d = rank; d-- > 0;) order_.push_back(static_cast<int64_t>(d));
    if (how == "column major" || how == "column strides")
      std::reverse(order_.begin(), order_.end());
    if (how == "rotated" && rank > 1) std::rotate(order_.begin(), order_.begin() + 1, order_.end());
    strides_.resize(rank);
    int64_t next = bytes;
    for (int64_t d : order_) {
      strides_[static_cast<size_t>(d)] = next;
      next *= std::max<int64_t>(dims[static_cast<size_t>(d)], 1);
      // Between rows, or columns, lies what belongs to somebody else.
      if (how == "padded strides" && d == order_.front()) next += 3 * bytes;
    }
    is_there_ = how != "none";
    if (how == "row strides" || how == "column strides" || how == "padded strides") {
      layout_.type = PJRT_Buffer_MemoryLayout_Type_Strides;
      layout_.strides = MakeArgs<PJRT_Buffer_MemoryLayout_Strides>();
      layout_.strides.byte_strides = strides_.data();
      layout_.strides.num_byte_strides = rank;
    } else {
      layout_.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
      layout_.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
      layout_.tiled.minor_to_major = order_.data();
      layout_.tiled.minor_to_major_size = rank;
    }
  }
  PJRT_Buffer_MemoryLayout* get() { return is_there_ ? &layout_ : nullptr; }
  const std::vector<int64_t>& byte_strides() const { return strides_; }

 private:
  std::vector<int64_t> order_, strides_;
  PJRT_Buffer_MemoryLayout layout_ = MakeArgs<PJRT_Buffer_MemoryLayout>();
  bool is_there_;
};

// A place for a buffer: on the first device or the last, named by device or by memory.
struct Place {
  PJRT_Device* device = nullptr;  // as the caller says it
  PJRT_Memory* memory = nullptr;
  PJRT_Device* wanted_device = nullptr;  // where the buffer has to be
  PJRT_Memory* wanted_memory = nullptr;
};

const std::vector<std::string>& Places() {
  static const std::vector<std::string> places = {
      "device", "memory", "last device", "last memory", "other kind", "other kind on last"};
  return places;
}

// Nothing, with UNSUPPORTED, where there is no such place.
std::optional<Place> PlaceNamed(Context& context, std::string_view how) {
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.empty()) return std::nullopt;
  bool is_last = how.find("last") != std::string_view::npos;
  if (is_last && devices.size() < 2) {
    context.LacksDevices("the client has one device");
    return std::nullopt;
  }
  Place place;
  place.wanted_device = is_last ? devices.back() : devices.front();
  place.wanted_memory = DefaultMemoryOf(context, place.wanted_device);
  if (how.ends_with("device")) {
    place.device = place.wanted_device;
    return place;
  }
  if (how.starts_with("other")) {
    PJRT_Memory* other = nullptr;
    for (PJRT_Memory* memory : MemoriesOf(context, place.wanted_device)) {
      if (memory != place.wanted_memory) other = memory;
    }
    if (other == nullptr) {
      context.Unsupported("the device has one memory");
      return std::nullopt;
    }
    place.wanted_memory = other;
  }
  place.memory = place.wanted_memory;
  return place;
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
  CheckSameArray(context, kContents, StrCat("what came back with the layout `", how, "`"), array,
                 found);
}

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
  GuardedArgs memory(std::max<size_t>(all, 1));
  std::fill_n(memory.data(), all, std::byte{0x5A});
  ForElements(dims, place, [&](size_t linear, size_t at) {
    std::memcpy(memory.data() + at * unit, array.bytes.data() + linear * bytes, bytes);
  });
  // With a stride of zero elements share a place: what lies there counts.
  ForElements(dims, place, [&](size_t linear, size_t at) {
    std::memcpy(array.bytes.data() + linear * bytes, memory.data() + at * unit, bytes);
  });
  std::vector<int64_t> strides;
  for (int64_t stride : place.strides) strides.push_back(stride * static_cast<int64_t>(unit));
  HostLayout layout(value(5), dims, static_cast<int64_t>(bytes));
  const std::vector<int64_t> given_dims = dims, given_strides = strides;
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = memory.data() + static_cast<size_t>(place.first) * unit;
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
  // A layout of the device may be refused.
  if (status.code() == StatusCode::kUnimplemented) return context.Unsupported(status.ToString());
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
    for (size_t i = 0; i < all; ++i) memory.data()[i] = std::byte{0x3C};
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
  const std::vector<Parameter> parameters = {
      {"type", SweptTypes()},
      {"shape", SweptShapes()},
      {"strides",
       {"none", "dense", "reversed order", "rotated", "rotated back", "every second", "padded rows",
        "far apart", "field of records", "zero", "zero last", "negative first", "negative last",
        "all negative"}},
      {"semantics",
       {"only during call", "until transfer completes", "zero copy", "mutable zero copy"}},
      {"place", Places()},
      {"device layout", {"none", "row major"}},
      {"read back",
       {"row major", "column major", "rotated", "none", "row strides", "column strides",
        "padded strides"}}};
  Sweep(context, parameters,
        [&](Context& probe, const Row& row) { Upload(probe, parameters, row); });
}

// Host memory that a view is of, until it is told that nobody uses it.
struct Viewed {
  explicit Viewed(const HostArray& array) : bytes(array.bytes.size() + 64) {
    auto at = reinterpret_cast<uintptr_t>(bytes.data());
    data = bytes.data() + (64 - at % 64) % 64;
    std::copy(array.bytes.begin(), array.bytes.end(), data);
  }
  std::vector<std::byte> bytes;
  std::byte* data;
  std::atomic<int> calls = 0;
};

// A view of memory that it owns; what the plugin says of its end is kept in `viewed`.
OwnedBuffer MakeView(Context& context, const HostArray& array, const Place& where,
                     std::shared_ptr<Viewed>& viewed) {
  Expected<OwnedBuffer> probe = context.Upload(HostArray::F32({1}, {0}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", probe.status())) return {};
  auto on_cpu = Get<&PJRT_Buffer_IsOnCpu_Args::buffer>(context, probe->get());
  if (!on_cpu || !RawBool(on_cpu->is_on_cpu)) {
    context.Unsupported("device memory is not host memory");
    return {};
  }
  viewed = std::make_shared<Viewed>(array);
  std::vector<int64_t> dims = array.dims;
  auto args = MakeArgs<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  args.client = context.client();
  args.device_buffer_ptr = viewed->data;
  args.dims = dims.data();
  args.num_dims = dims.size();
  args.element_type = ToC(array.type);
  args.device = where.device;
  args.memory = where.memory;
  // It stays, for a callback that comes late.
  args.on_delete_callback_arg = new std::shared_ptr<Viewed>(viewed);
  args.on_delete_callback = [](void*, void* arg) {
    ++(*static_cast<std::shared_ptr<Viewed>*>(arg))->calls;
  };
  Status status = context.plugin().Call(args);
  std::fill(dims.begin(), dims.end(), 99);  // borrowed for the call
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_CreateViewOfDeviceBuffer", status)) return {};
  return OwnedBuffer(context.plugin(), args.buffer);
}

// Every kind of array can be viewed, and its memory is given back once.
void SweepViews(Context& context) {
  const std::vector<Parameter> parameters = {
      {"type", SweptTypes()}, {"shape", SweptShapes()}, {"place", Places()}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    DType type = TypeNamed(parameters[0].values[row[0]]);
    // How types below a byte lie in memory is not known.
    if (!HasSweptType(probe, type) || InfoOf(type).bits < 8) return;
    std::optional<Place> where = PlaceNamed(probe, parameters[2].values[row[2]]);
    if (!where) return;
    HostArray array = RandomBits(type, ShapeOf(parameters[1].values[row[1]]), probe.seed());
    std::shared_ptr<Viewed> viewed;
    OwnedBuffer view = MakeView(probe, array, *where, viewed);
    if (!view) return;
    JudgeBuffer(probe, view.get(), {array, where->wanted_device, where->wanted_memory});
    constexpr char kOnDelete[] = "PJRT-Client_CreateViewOfDeviceBuffer-on_delete";
    probe.Check(kOnDelete, viewed->calls == 0, "on_delete_callback ran while the view was alive");
    (void)view.Destroy();
    for (int i = 0; i < 3000 && viewed->calls == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    probe.Check(kOnDelete, viewed->calls == 1, "on_delete_callback ran ", viewed->calls.load(),
                " times, not once");
  });
}

// Buffers made in other ways: they say the same about themselves.
OwnedBuffer MakeBuffer(Context& context, std::string_view maker, const HostArray& array,
                       const Place& where, BufferFacts& facts) {
  const Plugin& plugin = context.plugin();
  facts = {array, where.wanted_device, where.wanted_memory};
  // Borrowed for each call.
  std::vector<int64_t> given = array.dims;
  const int64_t* dims = given.data();
  size_t rank = array.dims.size();
  auto fail = [&](std::string_view what, const Status& status) {
    context.Ok("PJRT-Args-accepted", what, status);
    return OwnedBuffer();
  };
  if (maker == "uninitialized") {
    auto args = MakeArgs<PJRT_Client_CreateUninitializedBuffer_Args>();
    args.client = context.client();
    args.shape_dims = dims;
    args.shape_num_dims = rank;
    args.shape_element_type = ToC(array.type);
    args.device = where.device;
    args.memory = where.memory;
    facts.has_contents = false;
    Status status = plugin.Call(args);
    std::fill(given.begin(), given.end(), 77);
    return status.ok() ? OwnedBuffer(plugin, args.buffer)
                       : fail("PJRT_Client_CreateUninitializedBuffer", status);
  }
  if (maker == "transfer manager" || maker == "transfer literal") {
    auto spec = MakeArgs<PJRT_ShapeSpec>();
    spec.dims = dims;
    spec.num_dims = rank;
    spec.element_type = ToC(array.type);
    auto args = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
    args.client = context.client();
    args.shape_specs = &spec;
    args.num_shape_specs = 1;
    args.memory = where.wanted_memory;
    Status status = plugin.Call(args);
    if (!status.ok()) return fail("PJRT_Client_CreateBuffersForAsyncHostToDevice", status);
    OwnedManager manager(plugin, args.transfer_manager);
    if (auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>(); true) {
      size.transfer_manager = manager.get();
      if (Succeeds(context, size)) {
        context.Check(kOutputTrue,
                      InfoOf(array.type).bits < 8 || size.buffer_size >= array.bytes.size(),
                      "BufferSize is ", size.buffer_size, " for ", array.bytes.size(), " bytes");
      }
    }
    auto get = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    get.transfer_manager = manager.get();
    status = plugin.Call(get);
    if (!status.ok()) return fail("PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer", status);
    OwnedBuffer buffer(plugin, get.buffer_out);
    if (maker == "transfer manager") {
      if (InfoOf(array.type).bits < 8) {
        context.Unsupported("bytes of the device are not known for types below a byte");
        return {};
      }
      auto transfer = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
      transfer.transfer_manager = manager.get();
      transfer.data = array.bytes.data();
      transfer.transfer_size = static_cast<int64_t>(array.bytes.size());
      transfer.is_last_transfer = true;
      std::byte nothing{};
      if (array.bytes.empty()) transfer.data = &nothing;
      status = plugin.Call(transfer);
      if (!status.ok()) return fail("PJRT_AsyncHostToDeviceTransferManager_TransferData", status);
      OwnedEvent done(plugin, transfer.done_with_h2d_transfer);
      if (done) context.Ok("", "done_with_h2d_transfer", context.Await(done.get()));
    } else {
      auto transfer = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
      RowMajorLayout layout(rank);
      transfer.transfer_manager = manager.get();
      std::byte nothing{};
      transfer.data = array.bytes.empty() ? &nothing : array.bytes.data();
      transfer.shape_dims = dims;
      transfer.shape_num_dims = rank;
      transfer.shape_element_type = ToC(array.type);
      transfer.shape_layout = layout.get();
      status = plugin.Call(transfer);
      if (!status.ok())
        return fail("PJRT_AsyncHostToDeviceTransferManager_TransferLiteral", status);
      OwnedEvent done(plugin, transfer.done_with_h2d_transfer);
      if (done) context.Ok("", "done_with_h2d_transfer", context.Await(done.get()));
    }
    return buffer;
  }
  if (maker == "alias") {
    Expected<Alias> alias = MakeAlias(context, where.wanted_memory, array.dims, ToC(array.type));
    if (!alias.ok()) return fail("PJRT_Client_CreateAliasBuffer", alias.status());
    auto ready = ReadyEventOf(context, alias->buffer.get());
    context.Check("PJRT-Buffer_ReadyEvent-after", ready && !IsEventReady(context, ready.get()),
                  "an alias of nothing is ready");
    BufferFacts ignored;
    OwnedBuffer real = MakeBuffer(context, "upload", array, where, ignored);
    Status status = FulfillAlias(context, alias->fulfill, real.get());
    return status.ok() ? std::move(alias->buffer) : fail("PJRT_Client_FulfillAliasBuffer", status);
  }
  // The others begin with one that was uploaded.
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  std::byte nothing{};
  args.data = array.bytes.empty() ? &nothing : array.bytes.data();
  args.type = ToC(array.type);
  args.dims = dims;
  args.num_dims = rank;
  args.device = maker == "upload" ? where.device : nullptr;
  args.memory = maker == "upload" ? where.memory : nullptr;
  PJRT_Device* first = AddressableDevices(context).front();
  if (args.device == nullptr && args.memory == nullptr) {
    args.device =
        maker == "bitcast" || maker == "donate" || maker == "raw future" ? where.device : first;
    args.memory = args.device == first ? nullptr : where.memory;
    if (args.device == nullptr && args.memory == nullptr) args.memory = where.memory;
  }
  Status status = plugin.Call(args);
  if (!status.ok()) return fail("PJRT_Client_BufferFromHostBuffer", status);
  OwnedBuffer source(plugin, args.buffer);
  OwnedEvent done(plugin, args.done_with_host_buffer);
  if (done) context.Ok("", "done_with_host_buffer", context.Await(done.get()));
  OwnedBuffer made;
  if (maker == "upload") return source;
  if (maker == "copy to memory") {
    auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
    copy.buffer = source.get();
    copy.dst_memory = where.wanted_memory;
    status = plugin.Call(copy);
    if (!status.ok()) return fail("PJRT_Buffer_CopyToMemory", status);
    made = OwnedBuffer(plugin, copy.dst_buffer);
  } else if (maker == "copy to device") {
    auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
    copy.buffer = source.get();
    copy.dst_device = where.wanted_device;
    facts.memory = nullptr;
    status = plugin.Call(copy);
    if (!status.ok() && where.wanted_device == first) {  // to where it lies
      context.Unsupported(status.ToString());
      return {};
    }
    if (!status.ok()) return fail("PJRT_Buffer_CopyToDevice", status);
    made = OwnedBuffer(plugin, copy.dst_buffer);
  } else if (maker == "bitcast") {
    std::vector<int64_t> flat = {1};
    for (int64_t dim : array.dims) flat[0] *= dim;
    auto cast = MakeArgs<PJRT_Buffer_Bitcast_Args>();
    cast.buffer = source.get();
    cast.element_type = ToC(array.type);
    cast.dims = flat.data();
    cast.num_dims = 1;
    facts.array.dims = flat;
    status = plugin.Call(cast);
    std::fill(flat.begin(), flat.end(), 77);
    if (!status.ok()) return fail("PJRT_Buffer_Bitcast", status);
    return OwnedBuffer(plugin, cast.out_buffer);
  } else if (maker == "donate") {
    auto donate = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Args>();
    donate.buffer = source.get();
    status = plugin.Call(donate);
    if (!status.ok()) return fail("PJRT_Buffer_DonateWithControlDependency", status);
    made = OwnedBuffer(plugin, donate.out_buffer);
    context.Check("PJRT-Buffer_IsDeleted-truth", IsBufferDeleted(context, source.get()),
                  "a buffer that was donated does not count as deleted");
    auto tell = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
    tell.callback_data = donate.callback_data;
    donate.dependency_ready_callback(&tell);
    return made;
  }
  if (made.get() == source.get()) {
    context.Fail("PJRT-Args-output-new", "a copy is the original");
    (void)made.Release();
    return {};
  }
  // A copy does not hang on its original.
  context.Check("PJRT-Buffer_IsDeleted-truth", !IsBufferDeleted(context, source.get()),
                "copying deleted the original");
  (void)source.Destroy();
  return made;
}

void SweepMakers(Context& context, const std::string& maker) {
  const std::vector<Parameter> parameters = {
      {"type", SweptTypes()}, {"shape", SweptShapes()}, {"place", Places()}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    DType type = TypeNamed(parameters[0].values[row[0]]);
    if (!HasSweptType(probe, type)) return;
    std::optional<Place> where = PlaceNamed(probe, parameters[2].values[row[2]]);
    if (!where) return;
    if (maker == "copy to device" && where->memory != nullptr) return;
    HostArray array = RandomBits(type, ShapeOf(parameters[1].values[row[1]]), probe.seed());
    BufferFacts facts;
    OwnedBuffer buffer = MakeBuffer(probe, maker, array, *where, facts);
    if (!buffer) return;
    if (InfoOf(type).bits < 8 && maker == "transfer manager") facts.has_contents = false;
    JudgeBuffer(probe, buffer.get(), facts);
  });
}

// Bytes of the device's own order: what PJRT_Buffer_ToHostBuffer gives without a layout.
void SweepRaw(Context& context, bool is_future) {
  const std::vector<Parameter> parameters = {
      {"type", {"f32", "u8", "f64", "s16"}},
      {"shape", {"[4]", "[7,1009]", "[70001]", "[1]", "[3,2,5]"}},
      {"offset", {"0", "1", "middle", "end"}},
      {"size", {"all", "1", "half", "0"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    HostArray array = RandomBits(TypeNamed(parameters[0].values[row[0]]),
                                 ShapeOf(parameters[1].values[row[1]]), probe.seed());
    if (!HasSweptType(probe, array.type)) return;
    Expected<OwnedBuffer> buffer = probe.Upload(array);
    if (!probe.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
    auto layout = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(probe, buffer->get());
    if (!layout || RawEnum(layout->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled ||
        layout->layout.tiled.num_tiles != 0)
      return probe.Unsupported("the buffer has tiles");
    for (size_t i = 0; i < array.dims.size(); ++i) {
      if (layout->layout.tiled.minor_to_major[i] != static_cast<int64_t>(array.dims.size() - 1 - i))
        return probe.Unsupported("another order");
    }
    size_t all = array.bytes.size();
    const size_t offsets[] = {0, 1, all / 2, all};
    size_t offset = offsets[row[2]], left = all - offset;
    const size_t sizes[] = {left, std::min<size_t>(left, 1), left / 2, 0};
    size_t size = sizes[row[3]];
    std::vector<std::byte> memory(size + 16, kUnwritten);
    OwnedEvent event;
    if (is_future) {
      auto args = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Args>();
      args.buffer = buffer->get();
      args.offset = static_cast<int64_t>(offset);
      args.transfer_size = static_cast<int64_t>(size);
      if (!probe.Ok("PJRT-Args-accepted", "PJRT_Buffer_CopyRawToHostFuture",
                    probe.plugin().Call(args)))
        return;
      event = OwnedEvent(probe.plugin(), args.event);
      probe.Check("PJRT-Buffer_CopyRawToHostFuture-event-owner",
                  event && !IsEventReady(probe, event.get()),
                  "a copy is done before its destination is known");
      auto tell = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
      tell.callback_data = args.callback_data;
      tell.dst = memory.data();
      args.future_ready_callback(&tell);
    } else {
      auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
      args.buffer = buffer->get();
      args.dst = memory.data();
      args.offset = static_cast<int64_t>(offset);
      args.transfer_size = static_cast<int64_t>(size);
      if (!probe.Ok("PJRT-Args-accepted", "PJRT_Buffer_CopyRawToHost", probe.plugin().Call(args)))
        return;
      event = OwnedEvent(probe.plugin(), args.event);
    }
    if (!event ||
        !probe.Ok("PJRT-Buffer_CopyRawToHost-offset", "its event", probe.Await(event.get())))
      return;
    for (size_t i = 0; i < memory.size(); ++i) {
      std::byte wanted = i < size ? array.bytes[offset + i] : kUnwritten;
      if (!probe.Check("PJRT-Buffer_CopyRawToHost-offset", memory[i] == wanted, "byte ", i, " is ",
                       static_cast<int>(memory[i]), ", not ", static_cast<int>(wanted)))
        return;
    }
  });
}

// Buffers of several shapes from one manager, filled in pieces of any size and order.
void SeveralFromOneManager(Context& context) {
  const std::vector<HostArray> arrays = {
      RandomBits(DType::kF32, {7, 1009}, 1), RandomBits(DType::kU8, {13}, 2),
      RandomBits(DType::kS16, {}, 3), RandomBits(DType::kF32, {70001}, 4),
      RandomBits(DType::kS32, {3, 2, 5}, 5)};
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  for (PJRT_Device* device : devices) {
    PJRT_Memory* memory = DefaultMemoryOf(context, device);
    std::vector<PJRT_ShapeSpec> specs;
    for (const HostArray& array : arrays) {
      PJRT_ShapeSpec& spec = specs.emplace_back(MakeArgs<PJRT_ShapeSpec>());
      spec.dims = array.dims.data();
      spec.num_dims = array.dims.size();
      spec.element_type = ToC(array.type);
    }
    auto args = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
    args.client = context.client();
    args.shape_specs = specs.data();
    args.num_shape_specs = specs.size();
    args.memory = memory;
    if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_CreateBuffersForAsyncHostToDevice",
                    context.plugin().Call(args)))
      return;
    specs.assign(specs.size(), MakeArgs<PJRT_ShapeSpec>());  // borrowed for the call
    OwnedManager manager(context.plugin(), args.transfer_manager);
    if (auto count = Get<&PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args::transfer_manager>(
            context, manager.get())) {
      context.Check("PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes",
                    count->buffer_count == arrays.size(), "BufferCount is ", count->buffer_count,
                    ", not ", arrays.size());
    }
    if (auto where = Get<&PJRT_AsyncHostToDeviceTransferManager_Device_Args::transfer_manager>(
            context, manager.get())) {
      context.Check("PJRT-AsyncHostToDeviceTransferManager_Device-memory",
                    where->device_out == device, "the manager's device is another");
    }
    auto meta = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args>();
    auto named = MakeArgs<PJRT_NamedValue>();
    named.name = "key";
    named.name_size = 3;
    named.type = PJRT_NamedValue_kString;
    named.string_value = "value";
    named.value_size = 5;
    meta.transfer_manager = manager.get();
    meta.transfer_metadata = &named;
    meta.num_metadata = 1;
    (void)Succeeds(context, meta);
    std::vector<OwnedBuffer> buffers(arrays.size());
    std::vector<OwnedEvent> ready(arrays.size());
    for (size_t i = arrays.size(); i-- > 0;) {
      auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
      size.transfer_manager = manager.get();
      size.buffer_index = static_cast<int>(i);
      if (Succeeds(context, size)) {
        context.Check(kOutputTrue,
                      size.buffer_size >= arrays[i].bytes.size() &&
                          size.buffer_size <= arrays[i].bytes.size() * 16 + 4096,
                      "the size of buffer ", i, " is ", size.buffer_size, " for ",
                      arrays[i].bytes.size(), " bytes");
      }
      auto get = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
      get.transfer_manager = manager.get();
      get.buffer_index = static_cast<int>(i);
      if (!Succeeds(context, get)) return;
      buffers[i] = OwnedBuffer(context.plugin(), get.buffer_out);
      if (auto own =
              Get<&PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer>(context, buffers[i].get())) {
        context.Check("PJRT-AsyncHostToDeviceTransferManager_BufferSize-on-device",
                      own->on_device_size_in_bytes == size.buffer_size, "the size of buffer ", i,
                      " is ", size.buffer_size, " before it is there, and then ",
                      own->on_device_size_in_bytes);
      }
      ready[i] = ReadyEventOf(context, buffers[i].get());
      context.Check("PJRT-Buffer_ReadyEvent-after",
                    ready[i] && !IsEventReady(context, ready[i].get()), "buffer ", i,
                    " is ready before its data came");
    }
    auto transfer = [&](size_t i, size_t offset, size_t size, bool is_last) {
      auto move = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
      std::vector<std::byte> piece(arrays[i].bytes.begin() + static_cast<ptrdiff_t>(offset),
                                   arrays[i].bytes.begin() + static_cast<ptrdiff_t>(offset + size));
      move.transfer_manager = manager.get();
      move.buffer_index = static_cast<int>(i);
      move.data = piece.data();
      move.offset = static_cast<int64_t>(offset);
      move.transfer_size = static_cast<int64_t>(size);
      move.is_last_transfer = is_last;
      if (!Succeeds(context, move, "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset"))
        return;
      OwnedEvent done(context.plugin(), move.done_with_h2d_transfer);
      if (done) {
        context.Ok("PJRT-AsyncHostToDeviceTransferManager_TransferData-offset", "its event",
                   context.Await(done.get()));
      }
      std::fill(piece.begin(), piece.end(), std::byte{0xEE});
    };
    for (size_t i : {size_t{3}, size_t{0}, size_t{4}, size_t{1}, size_t{2}}) {
      size_t all = arrays[i].bytes.size(), third = all / 12 * 4;
      if (third > 0) {
        transfer(i, 2 * third, all - 2 * third, false);
        transfer(i, third, third, false);
        context.Check("PJRT-Buffer_ReadyEvent-after", !IsEventReady(context, ready[i].get()),
                      "buffer ", i, " is ready before its last piece came");
        transfer(i, 0, third, true);
      } else {
        transfer(i, 0, all, true);
      }
      if (i == 0) {
        context.Check("PJRT-Buffer_ReadyEvent-after", !IsEventReady(context, ready[1].get()),
                      "a buffer is ready after the last piece of another");
      }
    }
    for (size_t i = 0; i < arrays.size(); ++i) {
      context.Ok("PJRT-Buffer_ReadyEvent-after", "the ready event", context.Await(ready[i].get()));
      JudgeBuffer(context, buffers[i].get(), {arrays[i], device, memory});
    }
    auto again = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
    again.transfer_manager = manager.get();
    again.data = arrays[1].bytes.data();
    again.transfer_size = 13;
    again.buffer_index = 1;
    again.is_last_transfer = true;
    Status status = context.plugin().Call(again);
    OwnedEvent event(context.plugin(), status.ok() ? again.done_with_h2d_transfer : nullptr);
    if (event) (void)context.Await(event.get());
    context.Note(StrCat("a transfer after the last one: ", status.ToString()));
    (void)manager.Destroy();
    JudgeBuffer(context, buffers[0].get(), {arrays[0], device, memory});
  }
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

// Copies to where the original lies, and elsewhere, live without it, however it goes.
void CopiesLiveOn(Context& context) {
  constexpr char kCopies[] = "PJRT-Buffer_CopyToDevice-contents";
  const HostArray array = HostArray::F32({4}, {1, 2, 3, 4});
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.empty()) return;
  for (PJRT_Device* device : {devices.front(), devices.back()}) {
    for (bool deletes : {false, true}) {
      Expected<OwnedBuffer> source = context.Upload(array);
      if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", source.status())) return;
      auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
      copy.buffer = source->get();
      copy.dst_device = device;
      Status status = context.plugin().Call(copy);
      if (!status.ok()) {
        // Where it lies already, a plugin may refuse.
        if (device != devices.front()) context.Ok(kCopies, "PJRT_Buffer_CopyToDevice", status);
        continue;
      }
      OwnedBuffer made(context.plugin(), copy.dst_buffer);
      if (deletes) (void)DeleteBuffer(context, source->get());
      if (!deletes) (void)source->Destroy();
      context.Check(kCopies, !IsBufferDeleted(context, made.get()),
                    "a copy counts as deleted when its original is gone");
      JudgeBuffer(context, made.get(), {array, device, nullptr});
      // And the other way round.
      if (deletes) continue;
      Expected<OwnedBuffer> again = context.Upload(array);
      if (!again.ok()) return;
      copy.buffer = again->get();
      if (!context.plugin().Call(copy).ok()) continue;
      OwnedBuffer second(context.plugin(), copy.dst_buffer);
      (void)DeleteBuffer(context, second.get());
      (void)second.Destroy();
      JudgeBuffer(context, again->get(), {array, devices.front(), nullptr});
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
       "PJRT-Client_BufferFromHostBuffer-only-during-call", "PJRT-Buffer_ToHostBuffer-contents",
       "PJRT-Buffer_ToHostBuffer-dst_size", kOutputTrue},
      SweepUploads);
  for (const char* maker : {"upload", "uninitialized", "copy to memory", "copy to device",
                            "bitcast", "donate", "alias", "transfer manager", "transfer literal"}) {
    std::string name = maker;
    std::replace(name.begin(), name.end(), ' ', '_');
    std::vector<std::string> requirements = {kOutputTrue, "PJRT-Args-accepted",
                                             "PJRT-Buffer_ToHostBuffer-contents"};
    if (name == "copy_to_memory") requirements.emplace_back("PJRT-Buffer_CopyToMemory-contents");
    if (name == "copy_to_device") requirements.emplace_back("PJRT-Buffer_CopyToDevice-contents");
    add(StrCat("L1/sweep/made_by_", name), Level::kL1, std::move(requirements),
        [=](Context& context) { SweepMakers(context, maker); });
  }
  add("L1/sweep/made_by_view", Level::kL1,
      {kOutputTrue, "PJRT-Args-accepted", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
       "PJRT-Buffer_Memory-asked-for"},
      SweepViews);
  add("L1/sweep/raw_to_host", Level::kL1,
      {"PJRT-Buffer_CopyRawToHost-offset", "PJRT-Args-accepted"},
      [](Context& context) { SweepRaw(context, false); });
  add("L1/sweep/raw_to_host_future", Level::kL1,
      {"PJRT-Buffer_CopyRawToHostFuture-event-owner", "PJRT-Args-accepted"},
      [](Context& context) { SweepRaw(context, true); });
  add("L2/async_transfer/several_buffers", Level::kL2,
      {"PJRT-AsyncHostToDeviceTransferManager_TransferData-offset", "PJRT-Buffer_ReadyEvent-after",
       kOutputTrue},
      SeveralFromOneManager);
  add("L1/transfer/long_dimensions", Level::kL1, {"PJRT-Buffer_Dimensions-asked-for"},
      LongDimensions);
  add("L2/order/copies_live_on", Level::kL2,
      {"PJRT-Buffer_CopyToDevice-contents", "PJRT-Buffer_IsDeleted-truth"}, CopiesLiveOn);
  add("L1/transfer/bad_ranges", Level::kL1, {"PJRT-Buffer_CopyRawToHost-range"}, BadRanges);
}

}  // namespace sweep_transfers

void AddTransferSweepCases(std::vector<Case>& cases) { sweep_transfers::AddCases(cases); }

}  // namespace plinth::conformance
