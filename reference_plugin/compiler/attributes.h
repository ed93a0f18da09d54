#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_ATTRIBUTES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "plinth/support/small_vector.h"

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
};

enum class ComparisonDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
enum class ComparisonType : uint8_t { kFloat, kTotalOrder, kSigned, kUnsigned };
struct CompareAttributes {
  ComparisonDirection direction;
  ComparisonType type;
};

// kIota, kConcatenate, kCumulativeReduce (with `reverse`), kTopK (with `count`), kSort.
struct DimensionAttributes {
  int64_t dimension = 0;
  bool reverse = false;
  bool is_stable = false;
  int64_t count = 0;
};

// kBroadcastInDim: result dimension of each operand dimension. kTranspose: operand dimension of
// each result dimension. kReduce, kReverse, kMap: the dimensions, ascending.
struct DimensionsAttributes {
  Dims dimensions;
};

struct SliceAttributes {
  Dims start, limit, stride;
};
struct DynamicSliceAttributes {
  Dims sizes;
};
struct PadAttributes {
  Dims low, high, interior;  // low and high may be negative
};

enum class Precision : uint8_t { kDefault, kHigh, kHighest };

struct DotAttributes {
  Dims lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
  Precision precision = Precision::kDefault;
};

// One entry per spatial (kConvolution) or operand (kReduceWindow, kSelectAndScatter) dimension.
struct Window {
  Dims sizes, strides, padding_low, padding_high, base_dilation, window_dilation;
  SmallVector<bool, 8> reversal;  // kConvolution only
};

struct WindowAttributes {
  Window window;
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
};

struct GatherAttributes {
  Dims offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims,
      start_index_map, slice_sizes;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
};

struct ScatterAttributes {
  Dims update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
      scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
};

enum class RngAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
struct RngBitGeneratorAttributes {
  RngAlgorithm algorithm;
};
enum class RngDistribution : uint8_t { kUniform, kNormal };
struct RngAttributes {
  RngDistribution distribution;
};

struct ReducePrecisionAttributes {
  int32_t exponent_bits, mantissa_bits;
};

enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };
struct FftAttributes {
  FftType type;
  Dims length;
};
struct CholeskyAttributes {
  bool lower = false;
};
enum class TransposeMode : uint8_t { kNoTranspose, kTranspose, kAdjoint };
struct TriangularSolveAttributes {
  bool left_side, lower, unit_diagonal;
  TransposeMode transpose_a;
};

struct BatchNormAttributes {
  float epsilon;
  int64_t feature_index;
};

// kCall and kComposite: the callee is a function of the same module.
struct CallAttributes {
  std::string callee;          // kComposite: the decomposition
  std::string composite_name;  // kComposite only, "chlo.top_k"
  int64_t version = 0;
  std::vector<std::pair<std::string, int64_t>> integer_attributes;  // kComposite only
};

struct CustomCallAttributes {
  std::string target;
  std::string backend_config;
  int32_t api_version = 1;
  bool has_side_effect = false;
};

struct CollectiveAttributes {
  std::vector<std::vector<int64_t>> groups;
  int64_t channel_id = 0;
  bool use_global_device_ids = false;
  int64_t dimension = 0;  // gather, scatter or split dimension
  int64_t concat_dimension = 0;
  int64_t split_count = 1;
};

struct TupleIndexAttributes {
  int64_t index;
};

using Attributes =
    std::variant<ConstantAttributes, CompareAttributes, DimensionAttributes, DimensionsAttributes,
                 SliceAttributes, DynamicSliceAttributes, PadAttributes, DotAttributes,
                 WindowAttributes, ConvolutionAttributes, GatherAttributes, ScatterAttributes,
                 RngBitGeneratorAttributes, RngAttributes, ReducePrecisionAttributes, FftAttributes,
                 CholeskyAttributes, TriangularSolveAttributes, BatchNormAttributes, CallAttributes,
                 CustomCallAttributes, CollectiveAttributes, TupleIndexAttributes>;

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_ATTRIBUTES_H_
