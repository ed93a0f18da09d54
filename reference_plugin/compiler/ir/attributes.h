// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_ATTRIBUTES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_ATTRIBUTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/small_vector.h"
#include "reference_plugin/compiler/ir/device_groups.h"

namespace plinth::program {
class Attribute;
}

namespace plinth::compiler {

// Dimension sizes, or one number per dimension.
using Dims = SmallVector<int64_t, 6>;

// The attributes of each kind of op, checked by the importer: a pass may rely on every index being
// in range, every list having one entry per dimension, and shapes being consistent with them.

// kConstant. Elements in host form: little endian, row major, one byte per pred or sub-byte
// element. A splat holds one element. `owner` keeps `bytes` alive.
struct ConstantAttributes {
  std::span<const std::byte> bytes;
  bool is_splat = false;
  std::shared_ptr<const void> owner;
  // Equal elements; who owns them does not matter.
  friend bool operator==(const ConstantAttributes& a, const ConstantAttributes& b) {
    return a.is_splat == b.is_splat && a.bytes.size() == b.bytes.size() &&
           (a.bytes.data() == b.bytes.data() ||
            std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin()));
  }
};

enum class ComparisonDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
enum class ComparisonType : uint8_t { kFloat, kTotalOrder, kSigned, kUnsigned };
struct CompareAttributes {
  ComparisonDirection direction;
  ComparisonType type;
  friend bool operator==(const CompareAttributes&, const CompareAttributes&) = default;
};

// kIota, kConcatenate, kCumulativeReduce (with `reverse`), kTopK (with `count`), kSort (with
// `is_stable`), kGetDimensionSize.
struct DimensionAttributes {
  int64_t dimension = 0;
  bool reverse = false;
  bool is_stable = false;
  int64_t count = 0;
  friend bool operator==(const DimensionAttributes&, const DimensionAttributes&) = default;
};

// kBroadcastInDim: result dimension of each operand dimension. kTranspose: operand dimension of
// each result dimension. kReduce, kReverse, kMap: the dimensions, ascending.
struct DimensionsAttributes {
  Dims dimensions;
  friend bool operator==(const DimensionsAttributes&, const DimensionsAttributes&) = default;
};

struct SliceAttributes {
  Dims start, limit, stride;
  friend bool operator==(const SliceAttributes&, const SliceAttributes&) = default;
};
struct DynamicSliceAttributes {
  Dims sizes;
  friend bool operator==(const DynamicSliceAttributes&, const DynamicSliceAttributes&) = default;
};
struct PadAttributes {
  Dims low, high, interior;  // low and high may be negative
  friend bool operator==(const PadAttributes&, const PadAttributes&) = default;
};

enum class Precision : uint8_t { kDefault, kHigh, kHighest };

// How a program asks for a dot to be computed. A precision type that is nothing is tf32, which is
// no element type.
struct DotAlgorithm {
  std::optional<DType> lhs_precision, rhs_precision, accumulation;
  int64_t lhs_components = 1, rhs_components = 1;
  int64_t primitive_operations = 1;
  bool allow_imprecise_accumulation = false;
  friend bool operator==(const DotAlgorithm&, const DotAlgorithm&) = default;
};

struct DotAttributes {
  Dims lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
  Precision precision = Precision::kDefault;
  std::optional<DotAlgorithm> algorithm;  // back ends may compute more exactly
  friend bool operator==(const DotAttributes&, const DotAttributes&) = default;
};

// One entry per spatial (kConvolution) or operand (kReduceWindow, kSelectAndScatter) dimension.
struct Window {
  Dims sizes, strides, padding_low, padding_high, base_dilation, window_dilation;
  SmallVector<bool, 8> reversal;  // kConvolution only
  friend bool operator==(const Window&, const Window&) = default;
};

struct WindowAttributes {
  Window window;
  friend bool operator==(const WindowAttributes&, const WindowAttributes&) = default;
};

struct ConvolutionAttributes {
  Window window;
  int64_t input_batch, input_feature;
  Dims input_spatial;
  int64_t kernel_input_feature, kernel_output_feature;
  Dims kernel_spatial;
  int64_t output_batch, output_feature;
  Dims output_spatial;
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  Precision precision = Precision::kDefault;
  friend bool operator==(const ConvolutionAttributes&, const ConvolutionAttributes&) = default;
};

struct GatherAttributes {
  Dims offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims,
      start_index_map, slice_sizes;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  friend bool operator==(const GatherAttributes&, const GatherAttributes&) = default;
};

struct ScatterAttributes {
  Dims update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
      scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
  friend bool operator==(const ScatterAttributes&, const ScatterAttributes&) = default;
};

enum class RngAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
struct RngBitGeneratorAttributes {
  RngAlgorithm algorithm;
  // The array that the bits are a part of; the operands after the state say where that begins, one
  // s32 per dimension. Empty: the bits are all of it.
  Dims whole = {};
  friend bool operator==(const RngBitGeneratorAttributes&,
                         const RngBitGeneratorAttributes&) = default;
};
enum class RngDistribution : uint8_t { kUniform, kNormal };
struct RngAttributes {
  RngDistribution distribution;
  friend bool operator==(const RngAttributes&, const RngAttributes&) = default;
};

struct ReducePrecisionAttributes {
  int32_t exponent_bits, mantissa_bits;
  friend bool operator==(const ReducePrecisionAttributes&,
                         const ReducePrecisionAttributes&) = default;
};

enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };
struct FftAttributes {
  FftType type;
  Dims length;
  friend bool operator==(const FftAttributes&, const FftAttributes&) = default;
};
struct CholeskyAttributes {
  bool lower = false;
  friend bool operator==(const CholeskyAttributes&, const CholeskyAttributes&) = default;
};
enum class TransposeMode : uint8_t { kNoTranspose, kTranspose, kAdjoint };
struct TriangularSolveAttributes {
  bool left_side, lower, unit_diagonal;
  TransposeMode transpose_a;
  friend bool operator==(const TriangularSolveAttributes&,
                         const TriangularSolveAttributes&) = default;
};

struct BatchNormAttributes {
  float epsilon;
  int64_t feature_index;
  friend bool operator==(const BatchNormAttributes&, const BatchNormAttributes&) = default;
};

// kCall and kComposite: the callee is a function of the same module.
struct CallAttributes {
  std::string callee;          // kComposite: the decomposition
  std::string composite_name;  // kComposite only, "chlo.top_k"
  int64_t version = 0;
  std::vector<std::pair<std::string, int64_t>> integer_attributes;  // kComposite only
  friend bool operator==(const CallAttributes&, const CallAttributes&) = default;
};

// kCustomCall. The types of operands and results are those of their bytes: the importer has put
// transposes where the call asks for another order than row major.
struct CustomCallAttributes {
  struct Alias {
    int32_t result, operand;
    friend bool operator==(const Alias&, const Alias&) = default;
  };

  // Of the program, which `owner` keeps alive: many calls may share one large attribute.
  std::string_view target;
  std::string_view backend_config;
  const program::Attribute* dictionary = nullptr;  // in place of a backend_config: api_version 4
  int32_t api_version = 1;
  bool has_side_effect = false;
  // The dimensions of each operand and result from the fastest varying on; empty for row major.
  std::vector<Dims> operand_layouts, result_layouts;
  std::vector<Alias> aliases;  // of one type; each result and each operand at most once
  std::shared_ptr<const void> owner;

  // Dictionaries are the same if they are one.
  friend bool operator==(const CustomCallAttributes& a, const CustomCallAttributes& b) {
    return a.target == b.target && a.backend_config == b.backend_config &&
           a.dictionary == b.dictionary && a.api_version == b.api_version &&
           a.has_side_effect == b.has_side_effect && a.operand_layouts == b.operand_layouts &&
           a.result_layouts == b.result_layouts && a.aliases == b.aliases;
  }
};

// Where something begins on each rank of a group. The digits of a rank say, each along one
// dimension, how many times `step` further than `first` that is: what this costs depends on the
// axes of a mesh, not on the devices.
struct Begins {
  struct Digit {
    int64_t stride, size;  // rank / stride % size; no two of them overlap
    size_t dim;
    int64_t step;
    friend bool operator==(const Digit&, const Digit&) = default;
  };
  Dims first;
  SmallVector<Digit, 4> digits;

  int64_t Of(int64_t rank, size_t dim) const {
    int64_t begin = first[dim];
    for (const Digit& digit : digits) {
      if (digit.dim == dim) begin += rank / digit.stride % digit.size * digit.step;
    }
    return begin;
  }
  friend bool operator==(const Begins&, const Begins&) = default;
};

// What is made of arrays that lie on several devices: windows of a whole, one per device.
struct Redistribution {
  struct Source {
    Begins parts;    // of each rank, in the whole; equal parts are copies, others do not overlap
    Dims low, high;  // the place of the whole that it may fill, at most
    friend bool operator==(const Source&, const Source&) = default;
  };
  std::vector<Source> sources;  // one per array
  Begins windows;               // of each rank's result
  friend bool operator==(const Redistribution&, const Redistribution&) = default;
};

// All collectives. kCollectivePermute: each group is a pair of source and target.
struct CollectiveAttributes {
  DeviceGroups groups;
  int64_t channel_id = 0;
  bool use_global_device_ids = false;
  int64_t dimension = 0;  // gather, scatter or split dimension
  int64_t concat_dimension = 0;
  int64_t split_count = 1;
  // kRedistribute: one per result, the same in all groups. The operands are the arrays of the
  // first, of the second, ..., and what is put where no array is.
  std::vector<Redistribution> redistributions;
  friend bool operator==(const CollectiveAttributes&, const CollectiveAttributes&) = default;
};

struct TupleIndexAttributes {
  int64_t index;
  friend bool operator==(const TupleIndexAttributes&, const TupleIndexAttributes&) = default;
};

using Attributes =
    std::variant<ConstantAttributes, CompareAttributes, DimensionAttributes, DimensionsAttributes,
                 SliceAttributes, DynamicSliceAttributes, PadAttributes, DotAttributes,
                 WindowAttributes, ConvolutionAttributes, GatherAttributes, ScatterAttributes,
                 RngBitGeneratorAttributes, RngAttributes, ReducePrecisionAttributes, FftAttributes,
                 CholeskyAttributes, TriangularSolveAttributes, BatchNormAttributes, CallAttributes,
                 CustomCallAttributes, CollectiveAttributes, TupleIndexAttributes>;

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_ATTRIBUTES_H_
