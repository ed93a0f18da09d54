// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "impl/ifrt/dlpack_abi.h"
#include "impl/serve/layouts.h"
#include "impl/serve/session.h"
#include "plinth/support/shape.h"
#include "plinth/support/str_cat.h"

// Requests that make, move and read arrays.
namespace plinth::serve {
namespace {

plinth_ifrt_array_spec ToC(const ifrt::ArraySpec& spec) {
  return {plinth_ifrt_array_spec_STRUCT_SIZE, spec.type, spec.dims.data(), spec.dims.size(),
          spec.sharding.get()};
}

std::vector<plinth_ifrt_array_spec> ToC(const std::vector<ifrt::ArraySpec>& specs) {
  std::vector<plinth_ifrt_array_spec> c_specs;
  c_specs.reserve(specs.size());
  for (const ifrt::ArraySpec& spec : specs) c_specs.push_back(ToC(spec));
  return c_specs;
}

plinth_ifrt_host_array HostArray(const ifrt::ArraySpec& spec) {
  plinth_ifrt_host_array host = {};
  host.struct_size = plinth_ifrt_host_array_STRUCT_SIZE;
  host.type = spec.type;
  host.dims = spec.dims.data();
  host.num_dims = spec.dims.size();
  host.sharding = spec.sharding.get();
  return host;
}

// Keeps host buffers while an array uses them.
using Held = std::vector<HostBufferRef>;
void Drop(void* held) { delete static_cast<Held*>(held); }

// INVALID_ARGUMENT unless the buffer has the bytes that the array takes.
Status CheckSize(const HostBuffer& buffer, DType type, std::span<const int64_t> dims,
                 const std::optional<proxy::ByteStrides>& strides) {
  PLINTH_ASSIGN_OR_RETURN(const int64_t wanted, HostSpan(type, dims, strides));
  if (static_cast<uint64_t>(wanted) != buffer.size()) {
    return InvalidArgument("the host buffer has ", buffer.size(), " bytes; the array takes ",
                           wanted);
  }
  return {};
}

std::vector<plinth_ifrt_array*> Room(size_t count) {
  return std::vector<plinth_ifrt_array*>(count);
}

// Intervals that a mapping writes as three lists.
Expected<std::vector<plinth_ifrt_shard_interval>> Intervals(std::span<const int64_t> starts,
                                                            std::span<const int64_t> ends,
                                                            std::span<const int64_t> steps) {
  if (starts.size() != ends.size() || starts.size() != steps.size()) {
    return InvalidArgument("a mapping has ", starts.size(), " starts, ", ends.size(), " ends and ",
                           steps.size(), " steps");
  }
  std::vector<plinth_ifrt_shard_interval> intervals;
  for (size_t i = 0; i < starts.size(); ++i) {
    intervals.push_back({plinth_ifrt_shard_interval_STRUCT_SIZE, starts[i], ends[i], steps[i]});
  }
  return intervals;
}

}  // namespace

Session::Result Session::On(const proxy::MakeArrayFromHostBufferRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const std::vector<int64_t> order,
                          OrderAskedFor(request.layout, request.shape.dims.size()));
  PLINTH_ASSIGN_OR_RETURN(
      const ifrt::ArraySpec spec,
      SpecFor(proxy::ArraySpecProto{request.dtype, request.shape, request.sharding, {}}));
  const auto found = buffers_->Find(request.host_buffer_handle);
  if (!found) return NotFound("there is no host buffer ", request.host_buffer_handle);
  PLINTH_ASSIGN_OR_RETURN(const HostBufferRef buffer, *found);
  PLINTH_RETURN_IF_ERROR(
      CheckSize(*buffer, static_cast<DType>(spec.type), spec.dims, request.byte_strides));
  PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(spec));
  buffer->DropCharge();
  PLINTH_ASSIGN_OR_RETURN(ChargeRef charge, ChargeFor(bytes));

  plinth_ifrt_host_array host = HostArray(spec);
  host.data = buffer->data();
  if (!order.empty()) host.minor_to_major = order.data();
  host.byte_strides =
      request.byte_strides.has_value() ? request.byte_strides->strides.data() : nullptr;
  plinth_ifrt_array* made = nullptr;
  auto held = std::make_unique<Held>(Held{buffer});
  // Nobody else has the bytes: one device may use them as its own.
  const auto semantics = spec.sharding.devices().size() == 1 && buffer->is_own()
                             ? PLINTH_IFRT_MUTABLE_ZERO_COPY
                             : PLINTH_IFRT_UNTIL_TRANSFERRED;
  PLINTH_RETURN_IF_ERROR(FromC(
      plinth_ifrt_arrays_from_host(client_.get(), &host, 1, semantics, Drop, held.get(), &made)));
  (void)held.release();  // Drop has freed it, or will.
  std::vector<uint64_t> handles;
  if (request.array_handle != 0) handles.push_back(request.array_handle);
  return std::optional<Answer>(proxy::MakeArrayFromHostBufferResponse{
      Insert(handles, {&made, 1}, {{std::move(charge)}})[0]});
}

Session::Result Session::On(const proxy::MakeArraysFromHostBufferShardsRequest& request) {
  const size_t count = request.specs.size();
  if (!request.array_handles.empty() && request.array_handles.size() != count) {
    return InvalidArgument(request.array_handles.size(), " handles for ", count, " arrays");
  }
  std::vector<ifrt::ArraySpec> specs;
  std::vector<ArrayHandle> arrays;
  std::vector<std::vector<ChargeRef>> charges;
  for (const proxy::ShardsSpec& from : request.specs) {
    PLINTH_ASSIGN_OR_RETURN(const ifrt::ArraySpec spec, SpecFor(from.array_spec));
    PLINTH_ASSIGN_OR_RETURN(const std::vector<int64_t> order, OrderAskedFor(from.array_spec));
    if (from.addressable_shard_indices.size() != from.host_buffers.size()) {
      return InvalidArgument(from.addressable_shard_indices.size(), " lists of shards for ",
                             from.host_buffers.size(), " host buffers");
    }
    // Each shard is an array of its own first: a buffer may have strides, and be used by several.
    const size_t num_shards = spec.sharding.num_addressable();
    const auto type = static_cast<DType>(spec.type);
    std::vector<ifrt::Device> devices;
    for (const ifrt::Device& device : spec.sharding.devices()) {
      if (device.is_addressable()) devices.push_back(device);
    }
    std::vector<ArrayHandle> shards(num_shards);
    PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(spec));
    PLINTH_ASSIGN_OR_RETURN(ChargeRef charge, ChargeFor(bytes));
    for (size_t b = 0; b < from.host_buffers.size(); ++b) {
      const proxy::ShardsHostBuffer& source = from.host_buffers[b];
      PLINTH_ASSIGN_OR_RETURN(const DType host_type, TypeFromProto(source.dtype));
      if (host_type != type) {
        return InvalidArgument("a host buffer of ", Name(host_type), " for an array of ",
                               Name(type));
      }
      PLINTH_RETURN_IF_ERROR(CheckShape(source.shape));
      const auto found = buffers_->Find(source.host_buffer_handle);
      if (!found) return NotFound("there is no host buffer ", source.host_buffer_handle);
      PLINTH_ASSIGN_OR_RETURN(const HostBufferRef buffer, *found);
      PLINTH_RETURN_IF_ERROR(CheckSize(*buffer, type, source.shape.dims, source.byte_strides));
      for (const int64_t index : from.addressable_shard_indices[b].indices) {
        if (index < 0 || static_cast<size_t>(index) >= num_shards) {
          return InvalidArgument("there is no shard ", index, " of ", num_shards);
        }
        ArrayHandle& shard = shards[static_cast<size_t>(index)];
        if (shard) return InvalidArgument("shard ", index, " has two host buffers");
        PLINTH_ASSIGN_OR_RETURN(const ifrt::Sharding single,
                                FromIfrt(client_.Single(devices[static_cast<size_t>(index)],
                                                        std::string(spec.sharding.memory_kind()))));
        const ifrt::ArraySpec shard_spec{spec.type, source.shape.dims, single};
        plinth_ifrt_host_array host = HostArray(shard_spec);
        host.data = buffer->data();
        if (!order.empty() && order.size() == host.num_dims) host.minor_to_major = order.data();
        host.byte_strides =
            source.byte_strides.has_value() ? source.byte_strides->strides.data() : nullptr;
        auto held = std::make_unique<Held>(Held{buffer});
        plinth_ifrt_array* made = nullptr;
        PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_arrays_from_host(
            client_.get(), &host, 1, PLINTH_IFRT_UNTIL_TRANSFERRED, Drop, held.get(), &made)));
        (void)held.release();
        shard = ArrayHandle(made);
      }
    }
    std::vector<plinth_ifrt_array*> raw;
    for (size_t i = 0; i < num_shards; ++i) {
      if (!shards[i]) return InvalidArgument("shard ", i, " has no host buffer");
      raw.push_back(shards[i].get());
    }
    const plinth_ifrt_array_spec c_spec = ToC(spec);
    plinth_ifrt_array* made = nullptr;
    PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_array_assemble(
        client_.get(), &c_spec, raw.data(), raw.size(), PLINTH_IFRT_REUSE_INPUT, &made)));
    arrays.emplace_back(made);
    charges.push_back({std::move(charge)});
  }
  std::vector<plinth_ifrt_array*> made;
  for (ArrayHandle& array : arrays) {
    plinth_ifrt_array_retain(array.get());
    made.push_back(array.get());
  }
  return std::optional<Answer>(proxy::MakeArraysFromHostBufferShardsResponse{
      Insert(request.array_handles, made, std::move(charges))});
}

Session::Result Session::On(const proxy::MakeErrorArraysRequest& request) {
  const Status error = ErrorFromProto(request.error);
  std::vector<ifrt::ArraySpec> specs;
  for (const proxy::ArraySpecProto& proto : request.array_specs) {
    PLINTH_ASSIGN_OR_RETURN(specs.emplace_back(), SpecFor(proto));
  }
  if (!request.array_handles.empty() && request.array_handles.size() != specs.size()) {
    return InvalidArgument(request.array_handles.size(), " handles for ", specs.size(), " arrays");
  }
  const std::vector<plinth_ifrt_array_spec> c_specs = ToC(specs);
  std::vector<plinth_ifrt_array*> made = Room(specs.size());
  PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_arrays_error(
      client_.get(), c_specs.data(), c_specs.size(), static_cast<PJRT_Error_Code>(error.code()),
      std::string(error.message()).c_str(), made.data())));
  return std::optional<Answer>(
      proxy::MakeErrorArraysResponse{Insert(request.array_handles, made, {})});
}

Session::Result Session::On(const proxy::AssembleArrayFromSingleDeviceArraysRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto shards, Find(request.single_device_array_handles));
  proxy::DTypeProto dtype = request.dtype;
  if (dtype.kind == 0 && !shards.empty()) {
    dtype = ToProto(static_cast<DType>(plinth_ifrt_array_type(shards[0])));
  }
  PLINTH_ASSIGN_OR_RETURN(
      const ifrt::ArraySpec spec,
      SpecFor(proxy::ArraySpecProto{dtype, request.shape, request.sharding, {}}));
  PLINTH_ASSIGN_OR_RETURN(const auto semantics, CopySemanticsFromProto(request.copy_semantics));
  const plinth_ifrt_array_spec c_spec = ToC(spec);
  plinth_ifrt_array* made = nullptr;
  PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_array_assemble(client_.get(), &c_spec, shards.data(),
                                                          shards.size(), semantics, &made)));
  std::vector<ChargeRef> charges = ChargesOf(request.single_device_array_handles);
  DropDeleted(request.single_device_array_handles);
  std::vector<uint64_t> handles;
  if (request.result_handle != 0) handles.push_back(request.result_handle);
  return std::optional<Answer>(proxy::AssembleArrayFromSingleDeviceArraysResponse{
      Insert(handles, {&made, 1}, {std::move(charges)})[0]});
}

Session::Result Session::On(const proxy::DisassembleIntoSingleDeviceArraysRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const Entry* entry, Find(request.array_handle));
  const size_t count =
      plinth_ifrt_sharding_num_addressable(plinth_ifrt_array_sharding(entry->array.get()));
  if (!request.result_handles.empty() && request.result_handles.size() != count) {
    return InvalidArgument(request.result_handles.size(), " handles for ", count, " shards");
  }
  std::vector<plinth_ifrt_array*> made = Room(count);
  // As IFRT does, whatever was asked for: an array and its shards share.
  PLINTH_RETURN_IF_ERROR(FromC(
      plinth_ifrt_array_disassemble(entry->array.get(), PLINTH_IFRT_REUSE_INPUT, made.data())));
  const std::vector<std::vector<ChargeRef>> charges(count, entry->charges);
  return std::optional<Answer>(proxy::DisassembleIntoSingleDeviceArraysResponse{
      Insert(request.result_handles, made, charges)});
}

Session::Result Session::On(const proxy::FullyReplicatedShardRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const Entry* entry, Find(request.array_handle));
  PLINTH_ASSIGN_OR_RETURN(const auto semantics, CopySemanticsFromProto(request.copy_semantics));
  std::vector<ChargeRef> charges = entry->charges;
  plinth_ifrt_array* made = nullptr;
  PLINTH_RETURN_IF_ERROR(
      FromC(plinth_ifrt_array_replicated_shard(entry->array.get(), semantics, &made)));
  std::vector<uint64_t> handles;
  if (request.result_handle != 0) handles.push_back(request.result_handle);
  return std::optional<Answer>(
      proxy::FullyReplicatedShardResponse{Insert(handles, {&made, 1}, {std::move(charges)})[0]});
}

Session::Result Session::On(const proxy::CopyArraysRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto arrays, Find(request.array_handles));
  if (!request.result_handles.empty() && request.result_handles.size() != arrays.size()) {
    return InvalidArgument(request.result_handles.size(), " handles for ", arrays.size(),
                           " arrays");
  }
  PLINTH_ASSIGN_OR_RETURN(const auto devices, DevicesFromProto(client_, request.device_ids));
  PLINTH_ASSIGN_OR_RETURN(const auto semantics, CopySemanticsFromProto(request.copy_semantics));
  std::vector<std::vector<ChargeRef>> charges;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const plinth_ifrt_array* array = arrays[i];
    size_t rank = 0;
    const int64_t* dims = plinth_ifrt_array_dims(array, &rank);
    PLINTH_ASSIGN_OR_RETURN(const int64_t bytes,
                            BytesOf({plinth_ifrt_array_type(array),
                                     {dims, dims + rank},
                                     ifrt::Sharding::Share(plinth_ifrt_array_sharding(array))}));
    PLINTH_ASSIGN_OR_RETURN(ChargeRef charge, ChargeFor(bytes));
    charges.push_back({std::move(charge)});
  }
  const std::vector<const plinth_ifrt_device*> raw = ifrt::internal::Raw(devices);
  std::vector<plinth_ifrt_array*> made = Room(arrays.size());
  PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_arrays_copy(
      client_.get(), arrays.data(), arrays.size(), raw.empty() ? nullptr : raw.data(), raw.size(),
      request.memory_kind.has_value() ? request.memory_kind->c_str() : nullptr, semantics,
      made.data())));
  DropDeleted(request.array_handles);
  return std::optional<Answer>(
      proxy::CopyArraysResponse{Insert(request.result_handles, made, std::move(charges))});
}

Session::Result Session::On(const proxy::ReshardArraysRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto arrays, Find(request.array_handles));
  if (request.array_specs.size() != arrays.size() ||
      (!request.result_handles.empty() && request.result_handles.size() != arrays.size())) {
    return InvalidArgument(request.array_specs.size(), " specs and ", request.result_handles.size(),
                           " handles for ", arrays.size(), " arrays");
  }
  PLINTH_ASSIGN_OR_RETURN(const auto semantics, CopySemanticsFromProto(request.copy_semantics));
  std::vector<ifrt::Sharding> shardings;
  std::vector<const plinth_ifrt_sharding*> raw;
  std::vector<std::vector<int64_t>> orders;
  std::vector<const int64_t*> raw_orders;
  std::vector<std::vector<ChargeRef>> charges;
  for (size_t i = 0; i < arrays.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(const ifrt::ArraySpec spec, SpecFor(request.array_specs[i]));
    PLINTH_ASSIGN_OR_RETURN(orders.emplace_back(), OrderAskedFor(request.array_specs[i]));
    raw_orders.push_back(orders.back().empty() ? nullptr : orders.back().data());
    size_t rank = 0;
    const int64_t* dims = plinth_ifrt_array_dims(arrays[i], &rank);
    if (spec.type != plinth_ifrt_array_type(arrays[i]) ||
        !std::equal(spec.dims.begin(), spec.dims.end(), dims, dims + rank)) {
      return InvalidArgument("array ", i, " has another type or shape than it is to get");
    }
    PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(spec));
    PLINTH_ASSIGN_OR_RETURN(ChargeRef charge, ChargeFor(bytes));
    charges.push_back({std::move(charge)});
    raw.push_back(spec.sharding.get());
    shardings.push_back(spec.sharding);
  }
  std::vector<plinth_ifrt_array*> made = Room(arrays.size());
  PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_arrays_reshard_to_layouts(
      client_.get(), arrays.data(), arrays.size(), raw.data(), raw_orders.data(), semantics,
      PLINTH_IFRT_ANY_RUNG, made.data())));
  DropDeleted(request.array_handles);
  return std::optional<Answer>(
      proxy::ReshardArraysResponse{Insert(request.result_handles, made, std::move(charges))});
}

Session::Result Session::On(const proxy::BitcastArraysRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto arrays, Find(request.array_handles));
  if (request.array_specs.size() != arrays.size() ||
      (!request.result_handles.empty() && request.result_handles.size() != arrays.size())) {
    return InvalidArgument(request.array_specs.size(), " specs and ", request.result_handles.size(),
                           " handles for ", arrays.size(), " arrays");
  }
  PLINTH_ASSIGN_OR_RETURN(const auto semantics, CopySemanticsFromProto(request.copy_semantics));
  std::vector<ifrt::ArraySpec> specs;
  std::vector<std::vector<ChargeRef>> charges;
  for (size_t i = 0; i < arrays.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(specs.emplace_back(), SpecFor(request.array_specs[i]));
    if (request.array_specs[i].layout.value_or("") != "") {
      return Unimplemented("a bitcast to the layout ",
                           request.array_specs[i].layout->substr(0, 100));
    }
    charges.push_back(ChargesOf({&request.array_handles[i], 1}));
    if (semantics == PLINTH_IFRT_DONATE_INPUT) continue;
    PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(specs.back()));
    PLINTH_ASSIGN_OR_RETURN(ChargeRef charge, ChargeFor(bytes));
    charges.back().push_back(std::move(charge));
  }
  const std::vector<plinth_ifrt_array_spec> c_specs = ToC(specs);
  std::vector<plinth_ifrt_array*> made = Room(arrays.size());
  PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_arrays_bitcast(
      client_.get(), arrays.data(), arrays.size(), c_specs.data(), semantics, made.data())));
  DropDeleted(request.array_handles);
  return std::optional<Answer>(
      proxy::BitcastArraysResponse{Insert(request.result_handles, made, std::move(charges))});
}

Session::Result Session::On(const proxy::RemapArraysRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto arrays, Find(request.array_handles));
  PLINTH_ASSIGN_OR_RETURN(const auto semantics, CopySemanticsFromProto(request.copy_semantics));
  const size_t num_outputs = request.plan.output_specs.size();
  if (!request.result_handles.empty() && request.result_handles.size() != num_outputs) {
    return InvalidArgument(request.result_handles.size(), " handles for ", num_outputs, " outputs");
  }
  std::vector<ifrt::ArraySpec> specs;
  for (const auto* protos : {&request.plan.input_specs, &request.plan.output_specs}) {
    for (const proxy::ArraySpecProto& proto : *protos) {
      PLINTH_ASSIGN_OR_RETURN(specs.emplace_back(), SpecFor(proto));
    }
  }
  const std::vector<plinth_ifrt_array_spec> c_specs = ToC(specs);
  std::vector<std::vector<plinth_ifrt_shard_interval>> intervals;
  for (const proxy::RemapMapping& mapping : request.plan.mappings) {
    PLINTH_ASSIGN_OR_RETURN(intervals.emplace_back(),
                            Intervals(mapping.from_start, mapping.from_end, mapping.from_step));
    PLINTH_ASSIGN_OR_RETURN(intervals.emplace_back(),
                            Intervals(mapping.to_start, mapping.to_end, mapping.to_step));
  }
  std::vector<plinth_ifrt_shard_mapping> mappings;
  for (size_t i = 0; i < request.plan.mappings.size(); ++i) {
    const proxy::RemapMapping& mapping = request.plan.mappings[i];
    const auto& from = intervals[2 * i];
    const auto& to = intervals[2 * i + 1];
    // A negative number is out of range in any case.
    mappings.push_back({plinth_ifrt_shard_mapping_STRUCT_SIZE,
                        static_cast<size_t>(static_cast<uint32_t>(mapping.in_array)),
                        static_cast<size_t>(static_cast<uint32_t>(mapping.out_array)), from.data(),
                        from.size(), to.data(), to.size()});
  }
  const size_t num_inputs = request.plan.input_specs.size();
  const plinth_ifrt_remap_plan plan = {plinth_ifrt_remap_plan_STRUCT_SIZE,
                                       c_specs.data(),
                                       num_inputs,
                                       c_specs.data() + num_inputs,
                                       num_outputs,
                                       mappings.data(),
                                       mappings.size()};
  std::vector<plinth_ifrt_array*> made = Room(num_outputs);
  PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_arrays_remap(client_.get(), &plan, arrays.data(),
                                                        arrays.size(), semantics, made.data())));
  const std::vector<std::vector<ChargeRef>> charges(num_outputs, ChargesOf(request.array_handles));
  DropDeleted(request.array_handles);
  return std::optional<Answer>(
      proxy::RemapArraysResponse{Insert(request.result_handles, made, charges)});
}

HostBufferRef Session::HostMemoryOf(const Entry& entry) const {
  plinth_ifrt_array* array = entry.array.get();
  plinth_ifrt_future* raw = nullptr;
  if (!FromC(plinth_ifrt_arrays_ready(client_.get(), &array, 1, &raw)).ok()) return nullptr;
  const FutureHandle ready(raw);
  // What asks for the memory would wait for the contents.
  if (!plinth_ifrt_future_is_ready(ready.get())) return nullptr;
  void* tensor = nullptr;
  if (!FromC(plinth_ifrt_array_to_dlpack(array, /*shard=*/-1, &tensor)).ok()) return nullptr;
  const std::shared_ptr<const ifrt::DlpackManaged> managed(
      static_cast<ifrt::DlpackManaged*>(tensor),
      [charges = entry.charges](ifrt::DlpackManaged* one) { one->deleter(one); });
  const ifrt::DlpackTensor& memory = managed->tensor;
  const std::span<const int64_t> dims(memory.dims, static_cast<size_t>(memory.rank));
  std::vector<int64_t> dense(dims.size());
  DenseByteStrides(dims, 1, {}, dense);
  if (memory.device_type != ifrt::kDlpackCpu ||
      !std::equal(dense.begin(), dense.end(), memory.strides)) {
    return nullptr;
  }
  size_t bytes = memory.type_bits / 8;
  for (const int64_t dim : dims) bytes *= static_cast<size_t>(dim);
  return HostBuffer::Over(static_cast<const char*>(memory.data) + memory.byte_offset, bytes,
                          managed);
}

Session::Result Session::On(const proxy::CopyToHostBufferRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const Entry* entry, Find(request.array_handle));
  plinth_ifrt_array* array = entry->array.get();
  size_t rank = 0;
  const int64_t* dims = plinth_ifrt_array_dims(array, &rank);
  const auto type = static_cast<DType>(plinth_ifrt_array_type(array));
  PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, HostSpan(type, {dims, rank}, request.byte_strides));
  if (IsDense(type, {dims, rank}, request.byte_strides)) {
    if (HostBufferRef shared = HostMemoryOf(*entry)) {
      PLINTH_RETURN_IF_ERROR(buffers_->Put(request.host_buffer_handle, std::move(shared)));
      return std::optional<Answer>(proxy::CopyToHostBufferResponse());
    }
  }
  PLINTH_ASSIGN_OR_RETURN(const HostBufferRef buffer,
                          HostBuffer::Create(buffers_->account(), bytes));
  const plinth_ifrt_host_destination destination = {
      plinth_ifrt_host_destination_STRUCT_SIZE, buffer->data(),
      request.byte_strides.has_value() ? request.byte_strides->strides.data() : nullptr};
  plinth_ifrt_future* copied = nullptr;
  PLINTH_RETURN_IF_ERROR(
      FromC(plinth_ifrt_arrays_to_host(client_.get(), &array, 1, &destination, &copied)));
  // The closure keeps the buffer until the copy is done, also when the session has ended.
  return WhenReady(
      FutureHandle(copied),
      [buffer, buffers = buffers_, handle = request.host_buffer_handle]() -> Expected<Answer> {
        PLINTH_RETURN_IF_ERROR(buffers->Put(handle, buffer));
        return Answer(proxy::CopyToHostBufferResponse());
      });
}

Session::Result Session::On(const proxy::DeleteArrayRequest& request) {
  Status error;
  for (const uint64_t handle : request.array_handle) {
    const Expected<const Entry*> entry = Find(handle);
    if (!entry.ok()) {
      if (error.ok()) error = entry.status();
      continue;
    }
    plinth_ifrt_array* array = (*entry)->array.get();
    plinth_ifrt_arrays_delete(&array, 1);
  }
  DropDeleted(request.array_handle);
  const uint64_t handle = next_handle_++;
  InsertFuture(handle, {}, error);
  return std::optional<Answer>(proxy::DeleteArrayResponse{handle});
}

Session::Result Session::On(const proxy::IsArrayDeletedRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const Entry* entry, Find(request.array_handle));
  return std::optional<Answer>(
      proxy::IsArrayDeletedResponse{plinth_ifrt_array_is_deleted(entry->array.get())});
}

Session::Result Session::On(const proxy::DestructArrayRequest& request) {
  std::string missing;
  for (const uint64_t handle : request.array_handle) {
    if (arrays_.erase(handle) == 0 && missing.size() < 200) missing += StrCat(" ", handle);
  }
  if (!missing.empty()) return NotFound("there are no arrays", missing);
  return std::optional<Answer>(proxy::DestructArrayResponse());
}

}  // namespace plinth::serve
