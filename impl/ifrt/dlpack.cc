// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/dlpack.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "impl/ifrt/host.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

constexpr uint32_t kMajor = 1;
constexpr uint32_t kMinor = 1;

// DLPack's codes of types. Most stand for types of several sizes.
struct TypeCode {
  DTypeClass kind;
  uint8_t code;
};
constexpr TypeCode kCodes[] = {{DTypeClass::kSigned, 0},
                               {DTypeClass::kUnsigned, 1},
                               {DTypeClass::kFloat, 2},
                               {DTypeClass::kComplex, 5},
                               {DTypeClass::kPred, 6}};
// Those with a code of their own.
struct OwnCode {
  DType type;
  uint8_t code;
};
constexpr OwnCode kOwnCodes[] = {
    {DType::kBF16, 4},          {DType::kF8E3M4, 7},      {DType::kF8E4M3, 8},
    {DType::kF8E4M3B11FNUZ, 9}, {DType::kF8E4M3FN, 10},   {DType::kF8E4M3FNUZ, 11},
    {DType::kF8E5M2, 12},       {DType::kF8E5M2FNUZ, 13}, {DType::kF8E8M0FNU, 14}};

// Nothing for types of less than a byte: plugins pack them as they like.
std::optional<uint8_t> CodeOf(DType type) {
  const DTypeInfo& info = InfoOf(type);
  if (type != DType::kPred && info.bits != 8 * info.bytes) return std::nullopt;
  for (const OwnCode& own : kOwnCodes) {
    if (own.type == type) return own.code;
  }
  for (const TypeCode& of_kind : kCodes) {
    if (of_kind.kind == info.kind) return of_kind.code;
  }
  return std::nullopt;
}

// What a tensor of this library keeps.
struct Export {
  DlpackManaged managed = {};
  Ref<const Client> client;
  Shard::Buffer buffer;
  std::unique_ptr<client::ExternalReference> reference;  // Goes before the buffer.
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;

  static void Delete(DlpackManaged* managed) { delete static_cast<Export*>(managed->manager); }
};

Status SetDevice(const client::Buffer& buffer, const Device& device, DlpackTensor* tensor) {
  PLINTH_ASSIGN_OR_RETURN(const bool is_on_cpu, buffer.IsOnCpu());
  if (is_on_cpu) {
    tensor->device_type = kDlpackCpu;
    return {};
  }
  if (device.client->platform_name() != "cuda") {
    return Unimplemented("a DLPack tensor in the memory of ", device.Name(), " of platform ",
                         device.client->platform_name(), ", for which DLPack has no number here");
  }
  tensor->device_type = kDlpackCuda;
  PLINTH_ASSIGN_OR_RETURN(tensor->device_id, device.raw.LocalHardwareId());
  return {};
}

// Strides in elements of a buffer that is dense in some order of dimensions.
Expected<std::vector<int64_t>> StridesOf(const client::Buffer& buffer, DType type,
                                         std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  PLINTH_ASSIGN_OR_RETURN(const client::Layout layout, buffer.DeviceLayout());
  if (!layout.byte_strides.empty()) {
    for (size_t d = 0; d < dims.size(); ++d) strides[d] = layout.byte_strides[d] / ByteSize(type);
    return strides;
  }
  if (!layout.tiles.empty()) return Unimplemented("a DLPack tensor of an array in tiles");
  // "" means row-major, for any rank.
  DenseByteStrides(dims, 1, layout.minor_to_major, strides);
  return strides;
}

Status CheckTensor(const DlpackManaged* managed, const ArraySpec& spec) {
  if (managed == nullptr) return InvalidArgument("it is null");
  if (managed->major != kMajor) {
    return InvalidArgument("it is of DLPack ", managed->major, ".", managed->minor,
                           "; DLPack 1.x is known here");
  }
  const DlpackTensor& tensor = managed->tensor;
  const std::optional<uint8_t> code = CodeOf(spec.type);
  if (!code) return Unimplemented("DLPack tensors of type ", Name(spec.type));
  const int bits = 8 * static_cast<int>(ByteSize(spec.type));
  if (tensor.type_code != *code || tensor.type_bits != bits || tensor.type_lanes != 1) {
    return InvalidArgument("its DLPack type is ", int{tensor.type_code}, " of ",
                           int{tensor.type_bits}, " bits, ", tensor.type_lanes, " lanes; ",
                           Name(spec.type), " is ", int{*code}, " of ", bits, ", 1 lane");
  }
  if (tensor.device_type != kDlpackCpu) {
    return Unimplemented("its memory is that of a device of DLPack's type ", tensor.device_type,
                         "; only host memory (", kDlpackCpu, ") is taken over");
  }
  if (tensor.rank < 0 || tensor.rank > static_cast<int32_t>(kMaxRank) ||
      (tensor.rank != 0 && tensor.dims == nullptr)) {
    return InvalidArgument("it has ", tensor.rank, " dimensions, or none of their sizes");
  }
  return {};
}

std::span<const int64_t> DimsOf(const DlpackTensor& tensor) {
  return {tensor.dims, static_cast<size_t>(tensor.rank)};
}

// Its first element.
const std::byte* DataOf(const DlpackTensor& tensor) {
  if (tensor.data == nullptr) return nullptr;
  return static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
}

// Empty for dense row-major.
std::vector<int64_t> ByteStridesOf(const DlpackTensor& tensor, DType type) {
  if (tensor.strides == nullptr) return {};
  std::vector<int64_t> strides(tensor.strides, tensor.strides + tensor.rank);
  for (int64_t& stride : strides) stride *= ByteSize(type);
  const std::vector<int64_t> dense = RowMajorStrides(type, DimsOf(tensor));
  // Of dimensions of one element, and of arrays without any, strides say nothing.
  bool is_dense = true;
  bool is_empty = false;
  for (size_t d = 0; d < strides.size(); ++d) {
    is_dense = is_dense && (tensor.dims[d] == 1 || strides[d] == dense[d]);
    is_empty = is_empty || tensor.dims[d] == 0;
  }
  if (is_dense || is_empty) strides.clear();
  return strides;
}

}  // namespace

Expected<DlpackManaged*> ArrayToDlpack(Array& array, int64_t shard) {
  PLINTH_RETURN_IF_ERROR(array.CheckUsable("an array for DLPack"));
  const Sharding& sharding = *array.sharding();
  if (shard < 0 && !sharding.partitioning().IsFullyReplicated()) {
    return InvalidArgument("one shard of ", array.ToString(), " is not the whole array");
  }
  const auto place = static_cast<size_t>(std::max<int64_t>(shard, 0));
  if (place >= array.shards().size()) {
    return InvalidArgument("shard ", place, " of ", array.ToString(), ", which has ",
                           array.shards().size(), " on devices of this process");
  }
  const Shard& one = *array.shards()[place];
  if (!one.error().ok()) return one.error();
  auto made = std::make_unique<Export>();
  made->client = sharding.client();
  made->buffer = one.buffer();
  PLINTH_RETURN_IF_ERROR(made->buffer->Await());
  const std::optional<uint8_t> code = CodeOf(array.type());
  if (!code) return Unimplemented("DLPack tensors of type ", Name(array.type()));
  DlpackTensor& tensor = made->managed.tensor;
  tensor.type_code = *code;
  tensor.type_bits = static_cast<uint8_t>(8 * ByteSize(array.type()));
  tensor.type_lanes = 1;
  const Device& device = *sharding.devices()[sharding.addressable()[place]];
  PLINTH_RETURN_IF_ERROR(SetDevice(*made->buffer, device, &tensor));
  PLINTH_ASSIGN_OR_RETURN(made->dims, made->buffer->Dims());
  PLINTH_ASSIGN_OR_RETURN(made->strides, StridesOf(*made->buffer, array.type(), made->dims));
  PLINTH_ASSIGN_OR_RETURN(client::ExternalReference reference,
                          made->buffer->AddExternalReference());
  made->reference = std::make_unique<client::ExternalReference>(std::move(reference));
  tensor.data = made->reference->data();
  tensor.rank = static_cast<int32_t>(made->dims.size());
  tensor.dims = made->dims.data();
  tensor.strides = made->strides.data();
  made->managed.major = kMajor;
  made->managed.minor = kMinor;
  made->managed.flags = kDlpackReadOnly;
  made->managed.deleter = &Export::Delete;
  made->managed.manager = made.get();
  return &made.release()->managed;
}

Expected<Ref<Array>> ArrayFromDlpack(const Ref<const Client>& client, ArraySpec spec,
                                     std::span<DlpackManaged* const> tensors) {
  const Sharding& sharding = *spec.sharding;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Status status = CheckTensor(tensors[i], spec);
    if (!status.ok()) return status.WithContext(StrCat("tensor ", i));
  }
  HostSpec from{.spec = spec};
  std::vector<int64_t> strides;
  std::vector<const void*> shards;
  if (tensors.size() == 1 && std::ranges::equal(DimsOf(tensors[0]->tensor), spec.dims)) {
    strides = ByteStridesOf(tensors[0]->tensor, spec.type);
    from.data = DataOf(tensors[0]->tensor);
    from.byte_strides = strides;
  } else {
    if (tensors.size() != sharding.addressable().size()) {
      return InvalidArgument(tensors.size(), " tensors for ",
                             plinth::ToString(spec.type, spec.dims), ", which has ",
                             sharding.addressable().size(), " shards on devices of this process");
    }
    for (size_t place = 0; place < tensors.size(); ++place) {
      const DlpackTensor& tensor = tensors[place]->tensor;
      PLINTH_ASSIGN_OR_RETURN(
          const IndexDomain domain,
          sharding.partitioning().Domain(spec.dims, sharding.addressable()[place]));
      if (!std::ranges::equal(DimsOf(tensor), domain.extents)) {
        return InvalidArgument("tensor ", place, " has shape [", StrJoin(DimsOf(tensor), ","),
                               "]; its shard has [", StrJoin(domain.extents, ","), "]");
      }
      if (!ByteStridesOf(tensor, spec.type).empty()) {
        return InvalidArgument("tensor ", place, " is not dense row-major, as shards have to be");
      }
      shards.push_back(DataOf(tensor));
    }
    from.shard_data = shards;
  }
  PLINTH_ASSIGN_OR_RETURN(
      std::vector<Ref<Array>> made,
      ArraysFromHost(client, {&from, 1}, client::HostSemantics::kZeroCopy,
                     [all = std::vector<DlpackManaged*>(tensors.begin(), tensors.end())] {
                       for (DlpackManaged* managed : all) {
                         if (managed->deleter != nullptr) managed->deleter(managed);
                       }
                     }));
  return std::move(made[0]);
}

}  // namespace plinth::ifrt
