// SPDX-License-Identifier: Apache-2.0
// L2: buffers of several shapes from one transfer manager, in every memory, filled in pieces of any
// size and order.

#include <algorithm>
#include <cstring>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/sweep.h"
#include "conformance/cases/sweep_places.h"

namespace plinth::conformance {
namespace sweep_managers {
namespace {

// Buffers of several shapes from one manager, filled in pieces of any size and order.
void SeveralFromOneManager(Context& context) {
  const std::vector<HostArray> arrays = {
      RandomBits(DType::kF32, {7, 1009}, 1), RandomBits(DType::kU8, {13}, 2),
      RandomBits(DType::kS16, {}, 3), RandomBits(DType::kF32, {70001}, 4),
      RandomBits(DType::kS32, {3, 2, 5}, 5)};
  std::vector<std::pair<PJRT_Device*, PJRT_Memory*>> places;
  for (PJRT_Device* device : AddressableDevices(context)) {
    for (PJRT_Memory* memory : MemoriesOf(context, device)) {
      auto reached = Get<&PJRT_Memory_AddressableByDevices_Args::memory>(context, memory);
      // Of a memory of several devices any may be named.
      places.emplace_back(reached && reached->num_devices > 1 ? nullptr : device, memory);
    }
  }
  for (const auto& [device, memory] : places) {
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
    Status status = context.plugin().Call(args);
    const bool is_default = device != nullptr && memory == DefaultMemoryOf(context, device);
    // A plugin may fill its default memories alone so.
    if (!status.ok() && !is_default) {
      context.Note(status.ToString());
      continue;
    }
    if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_CreateBuffersForAsyncHostToDevice", status))
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
                    device == nullptr || where->device_out == device,
                    "the manager's device is another");
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
    status = context.plugin().Call(again);
    OwnedEvent event(context.plugin(), status.ok() ? again.done_with_h2d_transfer : nullptr);
    if (event) (void)context.Await(event.get());
    context.Note(StrCat("a transfer after the last one: ", status.ToString()));
    (void)manager.Destroy();
    JudgeBuffer(context, buffers[0].get(), {arrays[0], device, memory});
  }
}

// Each array of a manager has the layout that was asked for it.
void LayoutsFromOneManager(Context& context) {
  constexpr char kAskedFor[] = "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for";
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  const std::vector<std::vector<int64_t>> orders = {{2, 1, 0}, {0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
  const int64_t dims[] = {3, 2, 5};
  std::vector<PJRT_ShapeSpec> specs;
  std::vector<PJRT_Buffer_MemoryLayout> layouts;
  std::vector<PJRT_Buffer_MemoryLayout*> pointers;
  for (const std::vector<int64_t>& order : orders) {
    PJRT_ShapeSpec& spec = specs.emplace_back(MakeArgs<PJRT_ShapeSpec>());
    spec.dims = dims;
    spec.num_dims = 3;
    spec.element_type = PJRT_Buffer_Type_F32;
    PJRT_Buffer_MemoryLayout& layout = layouts.emplace_back(MakeArgs<PJRT_Buffer_MemoryLayout>());
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
    layout.tiled.minor_to_major = order.data();
    layout.tiled.minor_to_major_size = 3;
  }
  pointers.reserve(layouts.size());
  for (PJRT_Buffer_MemoryLayout& layout : layouts) pointers.push_back(&layout);
  auto args = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  args.client = context.client();
  args.shape_specs = specs.data();
  args.num_shape_specs = specs.size();
  args.device_layouts = pointers.data();
  args.num_device_layouts = pointers.size();
  args.memory = DefaultMemoryOf(context, *device);
  Status status = context.plugin().Call(args);
  // Which layouts there are is the plugin's business.
  if (!status.ok()) return context.Note(status.ToString());
  OwnedManager manager(context.plugin(), args.transfer_manager);
  for (size_t i = 0; i < orders.size(); ++i) {
    auto get = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    get.transfer_manager = manager.get();
    get.buffer_index = static_cast<int>(i);
    if (!Succeeds(context, get)) return;
    OwnedBuffer buffer(context.plugin(), get.buffer_out);
    auto found = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer.get());
    if (!found || RawEnum(found->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled) continue;
    const PJRT_Buffer_MemoryLayout_Tiled& tiled = found->layout.tiled;
    context.Check(kAskedFor,
                  tiled.minor_to_major_size == 3 &&
                      std::equal(orders[i].begin(), orders[i].end(), tiled.minor_to_major),
                  "array ", i, " of a manager was asked for as {", StrJoin(orders[i]),
                  "} and has another layout");
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, Level level, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    cases.push_back(
        {name, level, ClientNeed::kShared, std::move(requirements), std::move(run), false});
  };
  add("L2/async_transfer/several_buffers", Level::kL2,
      {"PJRT-AsyncHostToDeviceTransferManager_TransferData-offset", "PJRT-Buffer_ReadyEvent-after",
       kOutputTrue},
      SeveralFromOneManager);
  add("L2/async_transfer/layouts_of_several", Level::kL2,
      {"PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for"}, LayoutsFromOneManager);
}

}  // namespace sweep_managers

void AddManagerSweepCases(std::vector<Case>& cases) { sweep_managers::AddCases(cases); }

}  // namespace plinth::conformance
