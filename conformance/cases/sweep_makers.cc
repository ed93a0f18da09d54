// SPDX-License-Identifier: Apache-2.0
// L1: buffers made in every way, of every type and shape, in every place, and raw reads of them.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/sweep.h"
#include "conformance/cases/sweep_places.h"
#include "conformance/cases/view.h"
#include "plinth/support/row_major_layout.h"

namespace plinth::conformance {
namespace sweep_makers {
namespace {

constexpr char kLastTransfer[] = "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset";
constexpr std::byte kUnwritten{0xA5};

// Every kind of array can be viewed, and its memory is given back once.
void SweepViews(Context& context) {
  std::vector<std::string> places = Places();
  places.emplace_back(kMemoryNotDevice);
  const std::vector<Parameter> parameters = {
      {"type", SweptTypes()},
      {"shape", SweptShapes()},
      {"place", places},
      {"bytes after a multiple of 64", {"0", "16", "32", "48", "8"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    DType type = TypeNamed(parameters[0].values[row[0]]);
    // How types below a byte lie in memory is not known.
    if (!HasSweptType(probe, type) || (InfoOf(type).bits < 8 && type != DType::kPred)) return;
    std::optional<Place> where = PlaceNamed(probe, parameters[2].values[row[2]]);
    if (!where) return;
    HostArray array = RandomBits(type, ShapeOf(parameters[1].values[row[1]]), probe.seed());
    std::shared_ptr<Viewed> viewed;
    const size_t further[] = {0, 16, 32, 48, 8};
    OwnedBuffer view = MakeView(probe, array, *where, viewed, further[row[3]]);
    if (!view) return;
    // Where a plugin may use no such address it refuses it: a copy is no view.
    auto at = Get<&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer>(probe, view.get());
    probe.Check("PJRT-Client_CreateViewOfDeviceBuffer-no-copy",
                !at || array.bytes.empty() || at->device_memory_ptr == viewed->data,
                "a view lies at another address than it was made for");
    JudgeBuffer(probe, view.get(), {array, where->wanted_device, where->wanted_memory});
    constexpr char kOnDelete[] = "PJRT-Client_CreateViewOfDeviceBuffer-on_delete";
    probe.Check(kOnDelete, viewed->calls == 0, "on_delete_callback ran while the view was alive");
    (void)view.Destroy();
    WaitForEnd(*viewed);
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
    // Also if no bytes are to come.
    OwnedEvent ready = ReadyEventOf(context, buffer.get());
    context.Check(kLastTransfer, ready && !IsEventReady(context, ready.get()),
                  "an array is ready before its last transfer");
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
    // It has the bytes of the original in its own order.
    facts.has_contents = LiesRowMajor(context, source.get());
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
      {"size", {"all", "1", "half", "0"}},
      {"place", Places()}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    HostArray array = RandomBits(TypeNamed(parameters[0].values[row[0]]),
                                 ShapeOf(parameters[1].values[row[1]]), probe.seed());
    if (!HasSweptType(probe, array.type)) return;
    std::optional<Place> where = PlaceNamed(probe, parameters[4].values[row[4]]);
    if (!where) return;
    BufferFacts facts;
    OwnedBuffer buffer = MakeBuffer(probe, "upload", array, *where, facts);
    if (!buffer) return;
    if (!LiesRowMajor(probe, buffer.get())) return probe.Unsupported("tiles, or another order");
    size_t all = array.bytes.size();
    const size_t offsets[] = {0, 1, all / 2, all};
    size_t offset = offsets[row[2]], left = all - offset;
    const size_t sizes[] = {left, std::min<size_t>(left, 1), left / 2, 0};
    size_t size = sizes[row[3]];
    std::vector<std::byte> memory(size + 16, kUnwritten);
    OwnedEvent event;
    if (is_future) {
      auto args = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Args>();
      args.buffer = buffer.get();
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
      args.buffer = buffer.get();
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

// Aliases of every order of dimensions say so, and stand for arrays of that order.
void AliasLayouts(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  int asked = 0;
  for (const std::vector<int64_t>& order :
       {std::vector<int64_t>{1, 0}, {0, 1}, {2, 1, 0}, {0, 1, 2}, {1, 0, 2}, {0, 2, 1}}) {
    const std::vector<int64_t> dims =
        order.size() == 2 ? std::vector<int64_t>{3, 5} : std::vector<int64_t>{2, 3, 5};
    const HostArray array = RandomBits(DType::kF32, dims, context.seed());
    auto layout = MakeArgs<PJRT_Buffer_MemoryLayout>();
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
    layout.tiled.minor_to_major = order.data();
    layout.tiled.minor_to_major_size = order.size();
    auto upload = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    upload.client = context.client();
    upload.data = array.bytes.data();
    upload.type = PJRT_Buffer_Type_F32;
    upload.dims = dims.data();
    upload.num_dims = dims.size();
    upload.device = *device;
    upload.device_layout = &layout;
    Status status = context.plugin().Call(upload);
    if (!status.ok()) {
      context.Note(StrCat("no array {", StrJoin(order), "}: ", status.ToString()));
      continue;
    }
    OwnedBuffer real(context.plugin(), upload.buffer);
    OwnedEvent done(context.plugin(), upload.done_with_host_buffer);
    if (done) context.Ok("", "done_with_host_buffer", context.Await(done.get()));
    auto args = MakeArgs<PJRT_Client_CreateAliasBuffer_Args>();
    args.client = context.client();
    args.memory = DefaultMemoryOf(context, *device);
    args.shape_dims = dims.data();
    args.shape_num_dims = dims.size();
    args.shape_element_type = PJRT_Buffer_Type_F32;
    args.shape_layout = &layout;
    status = context.plugin().Call(args);
    if (!status.ok()) {
      context.Note(StrCat("no alias {", StrJoin(order), "}: ", status.ToString()));
      continue;
    }
    OwnedBuffer alias(context.plugin(), args.alias_buffer);
    auto look = [&](const char* when) {
      auto said = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, alias.get());
      if (!said || RawEnum(said->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled) return;
      const PJRT_Buffer_MemoryLayout_Tiled& tiled = said->layout.tiled;
      const std::vector<int64_t> found(tiled.minor_to_major,
                                       tiled.minor_to_major + tiled.minor_to_major_size);
      context.Check(kOutputTrue, found == order, "an alias of the layout {", StrJoin(order),
                    "} says {", StrJoin(found), "} ", when);
      ++asked;
    };
    look("before it stands for something");
    status = FulfillAlias(context, args.fulfill_alias_buffer_cb, real.get());
    if (!context.Check(kOutputTrue, status.ok(), "an alias of the layout {", StrJoin(order),
                       "} takes no array of this layout: ", status.ToString()))
      return;
    look("afterwards");
    JudgeBuffer(context, alias.get(), {array, *device});
    if (context.HasFindings()) return;
  }
  if (asked == 0) context.Unsupported("no alias of an array says its layout");
}

// The same bytes as elements of other widths.
void BitcastWidths(Context& context) {
  const std::vector<Parameter> parameters = {{"from", {"f32", "u8", "s16", "f64", "c128", "s8"}},
                                             {"to", {"f32", "u8", "u16", "s64", "f16", "c64"}},
                                             {"shape", {"flat", "of rank 3", "of rank 2"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    const DType from = TypeNamed(parameters[0].values[row[0]]),
                to = TypeNamed(parameters[1].values[row[1]]);
    if (!HasSweptType(probe, from) || !HasSweptType(probe, to)) return;
    constexpr int64_t kBytes = 480;  // three times five times 32
    const HostArray array =
        RandomBits(from, {kBytes / static_cast<int64_t>(InfoOf(from).bytes)}, probe.seed());
    Expected<OwnedBuffer> source = probe.Upload(array);
    if (!probe.Ok("", "PJRT_Client_BufferFromHostBuffer", source.status())) return;
    if (!LiesRowMajor(probe, source->get())) return probe.Unsupported("tiles");
    auto cast = MakeArgs<PJRT_Buffer_Bitcast_Args>();
    cast.buffer = source->get();
    // What it is already.
    cast.element_type = ToC(from);
    cast.dims = array.dims.data();
    cast.num_dims = 1;
    Status status = probe.plugin().Call(cast);
    if (!status.ok()) return probe.Unsupported(status.ToString());
    OwnedBuffer same(probe.plugin(), cast.out_buffer);
    const int64_t count = kBytes / static_cast<int64_t>(InfoOf(to).bytes);
    const std::vector<int64_t> shapes[] = {{count}, {3, 5, count / 15}, {count / 5, 5}};
    cast.buffer = same.get();
    cast.element_type = ToC(to);
    cast.dims = shapes[row[2]].data();
    cast.num_dims = shapes[row[2]].size();
    status = probe.plugin().Call(cast);
    if (!probe.Check("PJRT-Args-accepted", status.ok(), "a bitcast of ", Name(from), " to ",
                     Name(to), " of as many bytes: ", status.ToString()))
      return;
    OwnedBuffer made(probe.plugin(), cast.out_buffer);
    JudgeBuffer(probe, made.get(), {HostArray{to, shapes[row[2]], array.bytes}});
  });
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, Level level, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    cases.push_back(
        {name, level, ClientNeed::kShared, std::move(requirements), std::move(run), false});
  };
  for (const char* maker : {"upload", "uninitialized", "copy to memory", "copy to device",
                            "bitcast", "donate", "alias", "transfer manager", "transfer literal"}) {
    std::string name = maker;
    std::replace(name.begin(), name.end(), ' ', '_');
    std::vector<std::string> requirements = {kOutputTrue, "PJRT-Args-accepted",
                                             "PJRT-Buffer_ToHostBuffer-contents"};
    if (name.starts_with("transfer_")) requirements.emplace_back(kLastTransfer);
    if (name == "copy_to_memory") requirements.emplace_back("PJRT-Buffer_CopyToMemory-contents");
    if (name == "copy_to_device") requirements.emplace_back("PJRT-Buffer_CopyToDevice-contents");
    add(StrCat("L1/sweep/made_by_", name), Level::kL1, std::move(requirements),
        [=](Context& context) { SweepMakers(context, maker); });
  }
  add("L1/sweep/made_by_view", Level::kL1,
      {kOutputTrue, "PJRT-Args-accepted", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
       "PJRT-Client_CreateViewOfDeviceBuffer-no-copy", "PJRT-Buffer_Memory-asked-for"},
      SweepViews);
  add("L1/sweep/raw_to_host", Level::kL1,
      {"PJRT-Buffer_CopyRawToHost-offset", "PJRT-Args-accepted"},
      [](Context& context) { SweepRaw(context, false); });
  add("L1/sweep/raw_to_host_future", Level::kL1,
      {"PJRT-Buffer_CopyRawToHostFuture-event-owner", "PJRT-Args-accepted"},
      [](Context& context) { SweepRaw(context, true); });
  add("L1/sweep/alias_layouts", Level::kL1, {kOutputTrue, "PJRT-Args-accepted"}, AliasLayouts);
  add("L1/sweep/bitcast_widths", Level::kL1,
      {kOutputTrue, "PJRT-Args-accepted", "PJRT-Buffer_Bitcast-same-bytes"}, BitcastWidths);
  add("L2/order/copies_live_on", Level::kL2,
      {"PJRT-Buffer_CopyToDevice-contents", "PJRT-Buffer_IsDeleted-truth"}, CopiesLiveOn);
}

}  // namespace sweep_makers

void AddMakerSweepCases(std::vector<Case>& cases) { sweep_makers::AddCases(cases); }

}  // namespace plinth::conformance
