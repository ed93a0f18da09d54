// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/convert.h"

#include <algorithm>
#include <utility>

#include "plinth/support/shape.h"
#include "plinth/support/str_cat.h"

namespace plinth::serve {
namespace {

// IFRT's numbers of types: those of XLA's PrimitiveType to 29, then its own.
constexpr std::pair<int32_t, DType> kKinds[] = {
    {1, DType::kPred},        {2, DType::kS8},          {3, DType::kS16},
    {4, DType::kS32},         {5, DType::kS64},         {6, DType::kU8},
    {7, DType::kU16},         {8, DType::kU32},         {9, DType::kU64},
    {10, DType::kF16},        {11, DType::kF32},        {12, DType::kF64},
    {15, DType::kC64},        {16, DType::kBF16},       {17, DType::kToken},
    {18, DType::kC128},       {19, DType::kF8E5M2},     {20, DType::kF8E4M3FN},
    {21, DType::kS4},         {22, DType::kU4},         {23, DType::kF8E4M3B11FNUZ},
    {24, DType::kF8E5M2FNUZ}, {25, DType::kF8E4M3FNUZ}, {26, DType::kS2},
    {27, DType::kU2},         {28, DType::kF8E4M3},     {29, DType::kF8E3M4},
    {30, DType::kF4E2M1FN},   {31, DType::kF8E8M0FNU},  {32, DType::kS1},
    {33, DType::kU1},         {34, DType::kF6E2M3FN},   {35, DType::kF6E3M2FN},
};

constexpr int64_t kMaxElements = int64_t{1} << 48;

// "xla::ifrt::HloSharding" -> "HloSharding".
std::string_view ShortName(std::string_view type_name) {
  const size_t colons = type_name.rfind("::");
  return colons == std::string_view::npos ? type_name : type_name.substr(colons + 2);
}

template <typename Message>
Expected<Message> ReadAs(const std::string& bytes) {
  Message message;
  PLINTH_RETURN_IF_ERROR(proxy::Read(bytes, &message));
  return message;
}

// Where no box of the array is told for each device, only the number of the shards is known.
Expected<ifrt::Sharding> OpaqueOn(const ifrt::Client& client, const proxy::DeviceListProto& list,
                                  const std::string& memory_kind) {
  PLINTH_ASSIGN_OR_RETURN(const auto devices, DevicesFromProto(client, list.device_ids));
  return devices.size() == 1 ? FromIfrt(client.Single(devices[0], memory_kind))
                             : FromIfrt(client.Opaque(devices, memory_kind));
}

}  // namespace

Status FromC(plinth_status* status) { return FromIfrt(ifrt::Status(status)); }

Status FromIfrt(const ifrt::Status& status) {
  if (status.ok()) return {};
  return Status(static_cast<StatusCode>(status.code()), status.message());
}

proxy::StatusProto ToProto(const Status& status) {
  return {static_cast<int32_t>(status.code()), std::string(status.message())};
}

Status ErrorFromProto(const proxy::StatusProto& proto) {
  if (proto.code <= 0 || proto.code > static_cast<int32_t>(StatusCode::kUnauthenticated)) {
    return Status(StatusCode::kUnknown, proto.message);
  }
  return Status(static_cast<StatusCode>(proto.code), proto.message);
}

Expected<DType> TypeFromProto(const proxy::DTypeProto& proto) {
  for (const auto& [kind, type] : kKinds) {
    if (kind == proto.kind) return type;
  }
  return Unimplemented("element type ", proto.kind, " of IFRT",
                       proto.kind == 99 ? " (strings)" : "");
}

proxy::DTypeProto ToProto(DType type) {
  for (const auto& [kind, known] : kKinds) {
    if (known == type) return {kind};
  }
  return {};
}

Status CheckShape(const proxy::ShapeProto& shape) {
  int64_t elements = 1;
  for (const int64_t dim : shape.dims) {
    if (dim < 0) return InvalidArgument("a dimension of ", dim);
    if (dim != 0 && elements > kMaxElements / dim) {
      return InvalidArgument("a shape of more than 2^48 elements");
    }
    elements *= std::max<int64_t>(dim, 1);
  }
  return {};
}

Expected<std::vector<ifrt::Device>> DevicesFromProto(const ifrt::Client& client,
                                                     std::span<const int32_t> ids) {
  std::vector<ifrt::Device> devices;
  for (const int32_t id : ids) {
    const std::optional<ifrt::Device> device = client.FindDevice(id);
    if (!device) return NotFound("there is no device ", id);
    devices.push_back(*device);
  }
  return devices;
}

Expected<ifrt::Sharding> ShardingFromProto(const ifrt::Client& client,
                                           const proxy::ShardingProto& proto) {
  const std::string_view name = ShortName(proto.serialized_sharding.type_name);
  const std::string& bytes = proto.serialized_sharding.data;
  if (name == "SingleDeviceSharding") {
    PLINTH_ASSIGN_OR_RETURN(const auto single, ReadAs<proxy::SingleDeviceShardingProto>(bytes));
    PLINTH_ASSIGN_OR_RETURN(const auto devices,
                            DevicesFromProto(client, std::span(&single.device_id, 1)));
    return FromIfrt(client.Single(devices[0], single.memory_kind.value_or("")));
  }
  if (name == "HloSharding") {
    PLINTH_ASSIGN_OR_RETURN(const auto hlo, ReadAs<proxy::HloShardingProto>(bytes));
    PLINTH_ASSIGN_OR_RETURN(const auto devices, DevicesFromProto(client, hlo.devices.device_ids));
    const std::string kind = hlo.memory_kind.value_or("");
    if (devices.size() == 1) return FromIfrt(client.Single(devices[0], kind));
    auto made = client.FromOpSharding(devices, hlo.xla_op_sharding, kind);
    // Such as unreduced ones, which programs give and take.
    if (made.status().code() == PJRT_Error_Code_UNIMPLEMENTED) made = client.Opaque(devices, kind);
    return FromIfrt(made);
  }
  if (name == "ConcreteEvenSharding") {
    PLINTH_ASSIGN_OR_RETURN(const auto even, ReadAs<proxy::ConcreteEvenShardingProto>(bytes));
    if (!even.is_fully_replicated) {
      return OpaqueOn(client, even.devices, even.memory_kind.value_or(""));
    }
    PLINTH_ASSIGN_OR_RETURN(const auto devices, DevicesFromProto(client, even.devices.device_ids));
    return FromIfrt(client.Replicated(devices, even.memory_kind.value_or("")));
  }
  if (name == "ConcreteSharding") {
    PLINTH_ASSIGN_OR_RETURN(const auto concrete, ReadAs<proxy::ConcreteShardingProto>(bytes));
    return OpaqueOn(client, concrete.devices, concrete.memory_kind.value_or(""));
  }
  if (name == "OpaqueSharding") {
    PLINTH_ASSIGN_OR_RETURN(const auto opaque, ReadAs<proxy::OpaqueShardingProto>(bytes));
    return OpaqueOn(client, opaque.devices, opaque.memory_kind.value_or(""));
  }
  return Unimplemented("a sharding of type '", name.substr(0, 100), "'");
}

proxy::ShardingProto ToProto(const ifrt::Sharding& sharding, size_t rank) {
  const std::vector<ifrt::Device> devices = sharding.devices();
  std::optional<std::string> kind;
  if (!sharding.memory_kind().empty()) kind = std::string(sharding.memory_kind());
  if (devices.size() == 1) {
    return {{"xla::ifrt::SingleDeviceSharding",
             proxy::Write(proxy::SingleDeviceShardingProto{devices[0].id(), kind})}};
  }
  proxy::DeviceListProto list;
  for (const ifrt::Device& device : devices) list.device_ids.push_back(device.id());
  if (const auto bytes = sharding.ToOpSharding(rank); bytes.ok()) {
    return {{"xla::ifrt::HloSharding",
             proxy::Write(proxy::HloShardingProto{std::move(list), *bytes, kind})}};
  }
  return {{"xla::ifrt::OpaqueSharding",
           proxy::Write(proxy::OpaqueShardingProto{std::move(list), kind})}};
}

Expected<plinth_ifrt_copy_semantics> CopySemanticsFromProto(int32_t semantics) {
  switch (semantics) {
    case 1:
      return PLINTH_IFRT_ALWAYS_COPY;
    case 2:
      return PLINTH_IFRT_REUSE_INPUT;
    case 3:
      return PLINTH_IFRT_DONATE_INPUT;
    default:
      return InvalidArgument("copy semantics ", semantics, " are none of 1, 2 and 3");
  }
}

Expected<int64_t> HostSpan(DType type, std::span<const int64_t> dims,
                           const std::optional<proxy::ByteStrides>& strides) {
  const int64_t element = ByteSize(type);
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  if (!strides.has_value() || count == 0) return count * element;
  if (strides->strides.size() != dims.size()) {
    return InvalidArgument(strides->strides.size(), " strides for ", dims.size(), " dimensions");
  }
  int64_t last = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t stride = strides->strides[d];
    if (dims[d] == 1) continue;
    if (stride <= 0 || stride > kMaxElements * 16 / dims[d]) {
      return InvalidArgument("a stride of ", stride, " bytes in dimension ", d);
    }
    last += stride * (dims[d] - 1);
  }
  return last + element;
}

bool IsDense(DType type, std::span<const int64_t> dims,
             const std::optional<proxy::ByteStrides>& strides) {
  if (!strides.has_value()) return true;
  std::vector<int64_t> dense(dims.size());
  DenseByteStrides(dims, ByteSize(type), {}, dense);
  return strides->strides == dense;
}

}  // namespace plinth::serve
