// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/scatter_scalars.h"

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/library/combine.h"
#include "reference_plugin/cpu/library/index_reader.h"

namespace plinth::cpu::library {
namespace {

using compiler::Opcode;

template <class Op, typename T, typename Index>
void Scatter(const ScalarUpdates& u) {
  const int64_t first = std::max<int64_t>(u.first, 0), end = std::min(u.end, u.parts[0].end);
  const int64_t stride = u.parts[0].byte_stride;
  const std::byte* index = u.indices;
  const std::byte* from = u.updates;
  std::byte* array = u.array;
  for (int64_t i = 0; i < u.count; ++i) {
    const int64_t position = ReadIndexAs<Index>(index);
    bool inside = position >= first && position < end;
    int64_t offset = position * (inside ? stride : 0);
    for (size_t p = 1; p < u.parts.size(); ++p) {
      const int64_t next = ReadIndexAs<Index>(index + static_cast<int64_t>(p) * u.part_stride);
      inside = inside && next >= 0 && next < u.parts[p].end;
      offset += inside ? next * u.parts[p].byte_stride : 0;
    }
    if (inside) {
      T element, update;
      std::memcpy(&element, array + offset, sizeof(T));
      std::memcpy(&update, from, sizeof(T));
      element = Op::Apply(element, update);
      std::memcpy(array + offset, &element, sizeof(T));
    }
    index += u.index_stride;
    from += u.update_stride;
    array += u.array_stride;
  }
}

template <class Op, typename T>
ScatterScalars ForIndex(DType index_type) {
  switch (index_type) {
    case DType::kS32:
      return Scatter<Op, T, int32_t>;
    case DType::kU32:
      return Scatter<Op, T, uint32_t>;
    case DType::kS64:
      return Scatter<Op, T, int64_t>;
    default:
      return nullptr;
  }
}

template <typename T>
ScatterScalars ForOp(Opcode opcode, DType index_type) {
  switch (opcode) {
    case Opcode::kAdd:
      return ForIndex<AddElements, T>(index_type);
    case Opcode::kMultiply:
      return ForIndex<MultiplyElements, T>(index_type);
    case Opcode::kMaximum:
      return ForIndex<MaximumOfElements, T>(index_type);
    case Opcode::kMinimum:
      return ForIndex<MinimumOfElements, T>(index_type);
    default:
      return nullptr;
  }
}

}  // namespace

ScatterScalars FindScatterScalars(const compiler::Combiner& combiner, DType type,
                                  DType index_type) {
  if (IsAssignment(combiner)) {
    switch (ByteSize(type)) {
      case 1:
        return ForIndex<TakeSecond, uint8_t>(index_type);
      case 2:
        return ForIndex<TakeSecond, uint16_t>(index_type);
      case 4:
        return ForIndex<TakeSecond, uint32_t>(index_type);
      case 8:
        return ForIndex<TakeSecond, uint64_t>(index_type);
      default:
        return nullptr;
    }
  }
  const std::optional<Opcode> opcode = SingleOp(combiner);
  if (!opcode.has_value()) return nullptr;
  switch (type) {
    case DType::kS32:
      return ForOp<int32_t>(*opcode, index_type);
    case DType::kU32:
      return ForOp<uint32_t>(*opcode, index_type);
    case DType::kS64:
      return ForOp<int64_t>(*opcode, index_type);
    case DType::kBF16:
      return ForOp<BFloat16>(*opcode, index_type);
    case DType::kF32:
      return ForOp<float>(*opcode, index_type);
    case DType::kF64:
      return ForOp<double>(*opcode, index_type);
    default:
      return nullptr;
  }
}

}  // namespace plinth::cpu::library
