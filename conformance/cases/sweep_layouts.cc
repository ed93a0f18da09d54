// SPDX-License-Identifier: Apache-2.0
// L1: arrays whose dimensions lie in every order: each function that takes a layout, for the device
// or for the host, keeps it and the contents.

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/sweep.h"
#include "conformance/cases/transfer_manager.h"
#include "plinth/support/shape.h"

namespace plinth::conformance {
namespace sweep_layouts {
namespace {

constexpr char kKept[] = "PJRT-Client_BufferFromHostBuffer-layout-kept";
constexpr char kDone[] = "PJRT-Client_BufferFromHostBuffer-done";
constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kHostLayout[] = "PJRT-Buffer_ToHostBuffer-layout";
constexpr char kLiteral[] = "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents";

// The n-th order of the dimensions, the fastest first; 0 is row-major.
std::vector<int64_t> OrderNumber(size_t rank, size_t number) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  for (size_t i = 0; i < number; ++i) {
    if (!std::prev_permutation(sorted.begin(), sorted.end()))
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
  }
  return sorted;
}

// A layout of an array, and where its elements lie in it.
class Layout {
 public:
  Layout(std::vector<int64_t> order, const std::vector<int64_t>& dims, int64_t bytes,
         bool as_strides)
      : order_(std::move(order)), strides_(dims.size()) {
    DenseByteStrides(dims, bytes, order_, strides_);
    if (as_strides) {
      layout_.type = PJRT_Buffer_MemoryLayout_Type_Strides;
      layout_.strides = MakeArgs<PJRT_Buffer_MemoryLayout_Strides>();
      layout_.strides.byte_strides = strides_.data();
      layout_.strides.num_byte_strides = strides_.size();
    } else {
      layout_.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
      layout_.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
      layout_.tiled.minor_to_major = order_.data();
      layout_.tiled.minor_to_major_size = order_.size();
    }
  }
  PJRT_Buffer_MemoryLayout* get() { return &layout_; }
  const std::vector<int64_t>& order() const { return order_; }

  // The bytes of a dense row-major array in this layout, and back.
  std::vector<std::byte> Place(const HostArray& array, bool is_back = false) const {
    auto bytes = static_cast<size_t>(ByteSize(array.type));
    std::vector<std::byte> placed(array.bytes.size());
    for (size_t linear = 0; linear * bytes < array.bytes.size(); ++linear) {
      auto rest = static_cast<int64_t>(linear);
      int64_t at = 0;
      for (size_t d = array.dims.size(); d-- > 0;) {
        at += rest % array.dims[d] * strides_[d];
        rest /= array.dims[d];
      }
      size_t from = is_back ? static_cast<size_t>(at) : linear * bytes;
      size_t to = is_back ? linear * bytes : static_cast<size_t>(at);
      std::memcpy(placed.data() + to, array.bytes.data() + from, bytes);
    }
    return placed;
  }

 private:
  std::vector<int64_t> order_, strides_;
  PJRT_Buffer_MemoryLayout layout_ = MakeArgs<PJRT_Buffer_MemoryLayout>();
};

// The answer to a call with a layout, which a plugin may refuse.
bool IsTaken(Context& context, std::string_view what, const Status& status) {
  if (status.ok()) return true;
  if (status.code() == StatusCode::kUnimplemented ||
      status.code() == StatusCode::kInvalidArgument) {
    context.Unsupported(StrCat(what, ": ", status.ToString()));
  } else {
    context.Fail(kKept, StrCat(what, ": expected success or a refusal, got ", status.ToString()));
  }
  return false;
}

// What the buffer says of its layout, if it says so in orders of dimensions.
void CheckOrder(Context& context, PJRT_Buffer* buffer, const std::vector<int64_t>& wanted,
                std::string_view maker) {
  auto args = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer);
  if (!args || RawEnum(args->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled) return;
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = args->layout.tiled;
  std::vector<int64_t> found(tiled.minor_to_major,
                             tiled.minor_to_major + tiled.minor_to_major_size);
  context.Check(kKept, found == wanted, "a buffer made by ", maker, " with the layout {",
                StrJoin(wanted), "} has {", StrJoin(found), "}");
}

struct Given {
  HostArray array;
  PJRT_Device* device;
  PJRT_Memory* memory;
  bool is_elsewhere = false;  // the memory is not that of the device
  bool is_borrowed = false;   // the plugin may use the host's memory as it is
  bool has_strides = false;   // an upload says where the elements lie, although they are dense
  OwnedEvent done = {};       // of an upload that borrows: ready when its buffer has gone
};

OwnedBuffer Upload(Context& context, Given& given, Layout& layout) {
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = given.array.bytes.data();
  args.type = static_cast<PJRT_Buffer_Type>(ToC(given.array.type));
  args.dims = given.array.dims.data();
  args.num_dims = given.array.dims.size();
  args.device = given.device;
  if (given.is_elsewhere) args.memory = given.memory;
  args.device_layout = layout.get();
  std::vector<int64_t> strides(given.array.dims.size());
  DenseByteStrides(given.array.dims, ByteSize(given.array.type), {}, strides);
  if (given.has_strides) {
    args.byte_strides = strides.data();
    args.num_byte_strides = strides.size();
  }
  if (given.is_borrowed) args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  if (!IsTaken(context, "PJRT_Client_BufferFromHostBuffer", context.plugin().Call(args))) return {};
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  OwnedBuffer buffer(context.plugin(), args.buffer);
  if (given.is_borrowed)
    given.done = std::move(done);
  else if (done)
    (void)context.Await(done.get());
  return buffer;
}

// Fills args of the functions that name a shape in the same words.
template <typename Args>
Args ShapeArgs(Context& context, const Given& given, Layout* layout) {
  auto args = MakeArgs<Args>();
  args.client = context.client();
  args.shape_dims = given.array.dims.data();
  args.shape_num_dims = given.array.dims.size();
  args.shape_element_type = static_cast<PJRT_Buffer_Type>(ToC(given.array.type));
  args.shape_layout = layout == nullptr ? nullptr : layout->get();
  args.memory = given.memory;
  return args;
}

OwnedManager ManagerOf(Context& context, const Given& given, Layout* layout) {
  auto spec = MakeArgs<PJRT_ShapeSpec>();
  spec.dims = given.array.dims.data();
  spec.num_dims = given.array.dims.size();
  spec.element_type = static_cast<PJRT_Buffer_Type>(ToC(given.array.type));
  PJRT_Buffer_MemoryLayout* layouts[] = {layout == nullptr ? nullptr : layout->get()};
  auto args = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  args.client = context.client();
  args.shape_specs = &spec;
  args.num_shape_specs = 1;
  args.device_layouts = layout == nullptr ? nullptr : layouts;
  args.num_device_layouts = layout == nullptr ? 0 : 1;
  args.memory = given.memory;
  if (!IsTaken(context, "PJRT_Client_CreateBuffersForAsyncHostToDevice",
               context.plugin().Call(args)))
    return {};
  return OwnedManager(context.plugin(), args.transfer_manager);
}

OwnedBuffer BufferOf(Context& context, const OwnedManager& manager) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  args.transfer_manager = manager.get();
  if (!Succeeds(context, args)) return {};
  return OwnedBuffer(context.plugin(), args.buffer_out);
}

// Makes a buffer with the layout. `source` keeps what it looks at, `has_contents` tells whether it
// has those of the array.
OwnedBuffer Make(Context& context, std::string_view maker, Given& given, Layout& layout,
                 OwnedBuffer& source, bool& has_contents) {
  const Plugin& plugin = context.plugin();
  has_contents = true;
  if (maker == "upload") return Upload(context, given, layout);
  if (maker == "uninitialized") {
    auto args = ShapeArgs<PJRT_Client_CreateUninitializedBuffer_Args>(context, given, &layout);
    has_contents = false;
    if (!IsTaken(context, "PJRT_Client_CreateUninitializedBuffer", plugin.Call(args))) return {};
    return OwnedBuffer(plugin, args.buffer);
  }
  if (maker == "transfer_manager") {
    OwnedManager manager = ManagerOf(context, given, &layout);
    if (!manager) return {};
    OwnedBuffer buffer = BufferOf(context, manager);
    std::vector<std::byte> bytes = layout.Place(given.array);
    auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
    args.transfer_manager = manager.get();
    args.data = bytes.data();
    args.transfer_size = static_cast<int64_t>(bytes.size());
    args.is_last_transfer = true;
    if (!Succeeds(context, args)) return {};
    OwnedEvent done(plugin, args.done_with_h2d_transfer);
    if (done) context.Ok("", "done_with_h2d_transfer", context.Await(done.get()));
    return buffer;
  }
  if (maker == "transfer_literal") {
    // Here it is the host's bytes that have the layout.
    OwnedManager manager = ManagerOf(context, given, nullptr);
    if (!manager) return {};
    OwnedBuffer buffer = BufferOf(context, manager);
    std::vector<std::byte> bytes = layout.Place(given.array);
    auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
    args.transfer_manager = manager.get();
    args.data = bytes.data();
    args.shape_dims = given.array.dims.data();
    args.shape_num_dims = given.array.dims.size();
    args.shape_element_type = static_cast<PJRT_Buffer_Type>(ToC(given.array.type));
    args.shape_layout = layout.get();
    if (!IsTaken(context, "PJRT_AsyncHostToDeviceTransferManager_TransferLiteral",
                 plugin.Call(args)))
      return {};
    OwnedEvent done(plugin, args.done_with_h2d_transfer);
    if (done) context.Ok("", "done_with_h2d_transfer", context.Await(done.get()));
    return buffer;
  }
  source = Upload(context, given, layout);
  if (!source) return {};
  if (maker == "copy") {
    auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
    args.buffer = source.get();
    args.dst_memory = given.memory;
    if (!IsTaken(context, "PJRT_Buffer_CopyToMemory", plugin.Call(args))) return {};
    return OwnedBuffer(plugin, args.dst_buffer);
  }
  if (maker == "bitcast") {
    auto args = MakeArgs<PJRT_Buffer_Bitcast_Args>();
    args.buffer = source.get();
    args.element_type = static_cast<PJRT_Buffer_Type>(ToC(given.array.type));
    args.dims = given.array.dims.data();
    args.num_dims = given.array.dims.size();
    args.device_layout = layout.get();
    if (!IsTaken(context, "PJRT_Buffer_Bitcast", plugin.Call(args))) return {};
    return OwnedBuffer(plugin, args.out_buffer);
  }
  (void)AwaitBuffer(context, source.get());
  auto place = Get<&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer>(context, source.get());
  if (!place) return {};
  auto args = MakeArgs<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  args.client = context.client();
  args.device_buffer_ptr = place->device_memory_ptr;
  args.dims = given.array.dims.data();
  args.num_dims = given.array.dims.size();
  args.element_type = static_cast<PJRT_Buffer_Type>(ToC(given.array.type));
  args.layout = layout.get();
  args.on_delete_callback = [](void*, void*) {};
  args.device = given.device;
  // The device alone says where it is, too.
  if (given.is_elsewhere || AddressableDevices(context).back() != given.device)
    args.memory = given.memory;
  if (!IsTaken(context, "PJRT_Client_CreateViewOfDeviceBuffer", plugin.Call(args))) return {};
  return OwnedBuffer(plugin, args.buffer);
}

void SweepMaker(Context& context, const std::string& maker) {
  const std::vector<Parameter> parameters = {
      {"type", {"f32", "u8", "c64", "bf16"}},
      {"shape", {"[2,3]", "[3,2,5]", "[2,3,4,5]", "[7,11]", "[5,5]"}},
      {"order", {"0", "1", "2", "3", "4", "5", "9", "23"}},
      {"place", {"the first device", "the last", "another memory"}},
      {"said as", {"order", "strides"}},
      {"host memory", {"used during the call", "used as it is"}},
      {"host strides", {"not said", "said"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    const DType types[] = {DType::kF32, DType::kU8, DType::kC64, DType::kBF16};
    if (!HasSweptType(probe, types[row[0]])) return;
    std::vector<PJRT_Device*> devices = AddressableDevices(probe);
    if (devices.empty()) return;
    PJRT_Device* device = row[3] == 1 ? devices.back() : devices.front();
    std::vector<int64_t> dims = ShapeOf(parameters[1].values[row[1]]);
    PJRT_Memory* home = DefaultMemoryOf(probe, device);
    Given given = {RandomBits(types[row[0]], dims, probe.seed()), device, home};
    for (PJRT_Memory* memory : MemoriesOf(probe, device)) {
      if (row[3] == 2 && memory != home) given.memory = memory;
    }
    given.is_elsewhere = given.memory != home;
    given.is_borrowed = row[5] == 1;
    given.has_strides = row[6] == 1;
    const size_t numbers[] = {0, 1, 2, 3, 4, 5, 9, 23};
    Layout layout(OrderNumber(dims.size(), numbers[row[2]]), dims, ByteSize(types[row[0]]),
                  row[4] == 1);
    OwnedBuffer source;
    bool has_contents = true;
    OwnedBuffer buffer = Make(probe, maker, given, layout, source, has_contents);
    // A copy may have another layout than its original.
    if (buffer && maker != "transfer_literal" && maker != "copy")
      CheckOrder(probe, buffer.get(), layout.order(), maker);
    if (buffer)
      JudgeBuffer(probe, buffer.get(), {given.array, given.device, given.memory, has_contents});
    // The memory is the plugin's until it says otherwise, also where there is no buffer.
    (void)buffer.Destroy();
    (void)source.Destroy();
    if (given.done) probe.Ok(kDone, "done_with_host_buffer", probe.Await(given.done.get()));
  });
}

// Buffers of any order read in any other, the host's said as an order or as strides.
void SweepHostLayouts(Context& context) {
  const std::vector<Parameter> parameters = {
      {"shape", {"[2,3]", "[3,2,5]", "[2,3,4,5]", "[5,5]", "[3,3,3]"}},
      {"order", {"0", "1", "2", "3", "4", "5", "9", "23"}},
      {"order on the host", {"0", "1", "2", "3", "4", "5", "9", "23"}},
      {"said as", {"order", "strides", "nothing"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    const size_t numbers[] = {0, 1, 2, 3, 4, 5, 9, 23};
    Expected<PJRT_Device*> device = probe.Device();
    if (!device.ok()) return;
    std::vector<int64_t> dims = ShapeOf(parameters[0].values[row[0]]);
    Given given = {RandomBits(DType::kF32, dims, probe.seed()), *device, nullptr};
    Layout own(OrderNumber(dims.size(), numbers[row[1]]), dims, 4, false);
    // Without a layout the bytes come as they lie on the device.
    const bool is_said = row[3] != 2;
    Layout host(OrderNumber(dims.size(), numbers[row[is_said ? 2 : 1]]), dims, 4, row[3] == 1);
    OwnedBuffer buffer = Upload(probe, given, own);
    if (!buffer) return;
    HostArray found{DType::kF32, dims, std::vector<std::byte>(given.array.bytes.size())};
    auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer.get();
    args.host_layout = is_said ? host.get() : nullptr;
    args.dst = found.bytes.data();
    args.dst_size = found.bytes.size();
    if (!IsTaken(probe, "PJRT_Buffer_ToHostBuffer", probe.plugin().Call(args))) return;
    OwnedEvent event(probe.plugin(), args.event);
    if (!event || !probe.Ok(kContents, "its event", probe.Await(event.get()))) return;
    found.bytes = host.Place(found, true);
    CheckSameArray(
        probe, kHostLayout,
        StrCat("an array {", StrJoin(own.order()), "} read as {", StrJoin(host.order()), "}"),
        given.array, found);
  });
}

// Literals of several orders for the buffers of one manager, whatever came before; one of them in
// the order of the first, others of another rank.
void LiteralsSideBySide(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  const std::vector<int64_t> wide = {2, 3, 5}, flat = {7, 3};
  bool is_any_taken = false;
  for (size_t first : {0, 1, 3, 5}) {
    std::vector<HostArray> arrays;
    std::vector<std::unique_ptr<Layout>> layouts;  // each names itself
    for (size_t i = 0; i < 9; ++i) {
      const std::vector<int64_t>& dims = i % 4 == 3 ? flat : wide;
      arrays.push_back(RandomBits(DType::kF32, dims, context.seed() + i));
      layouts.push_back(std::make_unique<Layout>(OrderNumber(dims.size(), first + i), dims, 4,
                                                 i >= 6));  // the last ones said as strides
    }
    Expected<OwnedManager> manager = NewManager(context, DefaultMemoryOf(context, *device), arrays);
    if (!context.Ok("", "PJRT_Client_CreateBuffersForAsyncHostToDevice", manager.status())) return;
    for (size_t i = 0; i < arrays.size(); ++i) {
      std::vector<std::byte> bytes = layouts[i]->Place(arrays[i]);
      auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
      args.transfer_manager = manager->get();
      args.buffer_index = static_cast<int>(i);
      args.data = bytes.data();
      args.shape_dims = arrays[i].dims.data();
      args.shape_num_dims = arrays[i].dims.size();
      args.shape_element_type = PJRT_Buffer_Type_F32;
      args.shape_layout = layouts[i]->get();
      Context probe(context.plugin(), context.profile(), context.client(), context.seed());
      const bool is_taken = IsTaken(probe, "PJRT_AsyncHostToDeviceTransferManager_TransferLiteral",
                                    probe.plugin().Call(args));
      for (const Finding& finding : probe.TakeResult().findings)
        context.Fail(finding.requirement, finding.text);
      // A plugin may take some orders alone.
      if (!is_taken) {
        context.Note(StrCat("no literals in the order {", StrJoin(layouts[i]->order()), "}"));
        continue;
      }
      is_any_taken = true;
      OwnedEvent done(context.plugin(), args.done_with_h2d_transfer);
      if (done) context.Ok(kLiteral, "done_with_h2d_transfer", context.Await(done.get()));
      Expected<OwnedBuffer> buffer = RetrieveBuffer(context, manager->get(), static_cast<int>(i));
      if (!context.Ok("", "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer", buffer.status()))
        return;
      Expected<HostArray> back = context.Download(buffer->get());
      if (!context.Ok(kLiteral, "PJRT_Buffer_ToHostBuffer", back.status())) return;
      CheckSameArray(context, kLiteral,
                     StrCat("literal ", i, " of a manager, in the order {",
                            StrJoin(layouts[i]->order()), "},"),
                     arrays[i], *back);
    }
  }
  if (!is_any_taken && !context.HasFindings()) context.Unsupported("no literal is taken");
}

// Several buffers of other orders at once: what each says stays.
void SideBySide(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  struct Said {
    OwnedBuffer buffer;
    std::vector<int64_t> order;
    PJRT_Buffer_MemoryLayout layout;
  };
  std::vector<Said> all;
  for (size_t number = 0; number < 6; ++number) {
    Given given = {RandomBits(DType::kF32, {2, 3, 5}, context.seed()), *device, nullptr};
    Layout own(OrderNumber(3, number), given.array.dims, 4, false);
    OwnedBuffer buffer = Upload(context, given, own);
    if (!buffer) return;
    auto args = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer.get());
    if (!args || RawEnum(args->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled) return;
    all.push_back({std::move(buffer), own.order(), args->layout});
  }
  for (const Said& each : all) {
    const PJRT_Buffer_MemoryLayout_Tiled& tiled = each.layout.tiled;
    std::vector<int64_t> found(tiled.minor_to_major,
                               tiled.minor_to_major + tiled.minor_to_major_size);
    context.Check("PJRT-Args-output-lifetime", found == each.order, "the layout {",
                  StrJoin(each.order), "} became {", StrJoin(found),
                  "} when other buffers were asked for theirs");
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    requirements.emplace_back(kOutputTrue);
    requirements.emplace_back("PJRT-Args-accepted");
    cases.push_back({"L1/sweep/" + name, Level::kL1, ClientNeed::kShared, std::move(requirements),
                     std::move(run), false});
  };
  for (const char* maker : {"upload", "uninitialized", "transfer_manager", "transfer_literal",
                            "bitcast", "view", "copy"}) {
    add(StrCat("layout_of_", maker),
        {kKept, kDone, kContents, "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
         "PJRT-Buffer_CopyToMemory-contents", "PJRT-Client_CreateViewOfDeviceBuffer-no-copy",
         "PJRT-Client_CreateUninitializedBuffer-asked-for"},
        [=](Context& context) { SweepMaker(context, maker); });
  }
  add("host_layouts", {kHostLayout, kContents}, SweepHostLayouts);
  add("layouts_side_by_side", {"PJRT-Args-output-lifetime"}, SideBySide);
  add("literals_side_by_side", {kLiteral}, LiteralsSideBySide);
}

}  // namespace sweep_layouts

void AddLayoutSweepCases(std::vector<Case>& cases) { sweep_layouts::AddCases(cases); }

}  // namespace plinth::conformance
