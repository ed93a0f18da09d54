// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/random_kernel.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::testing {
namespace {

using compiler::Access;
using compiler::Combiner;
using compiler::Dims;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Phase;
using compiler::Reduction;
using compiler::ScalarBits;

constexpr DType kTypes[] = {DType::kF32, DType::kF32,  DType::kF32, DType::kF64,
                            DType::kF16, DType::kBF16, DType::kS32, DType::kS64,
                            DType::kS8,  DType::kU16,  DType::kU32, DType::kPred};
constexpr int64_t kExtents[] = {1, 2, 3, 4, 5, 7, 8, 10, 13, 17, 31, 32, 64, 100, 257, 300, 1031};
constexpr int64_t kMostPoints = 20000;

bool IsRealType(DType type) { return InfoOf(type).kind == DTypeClass::kFloat; }

ScalarBits MakeScalar(DType type, int64_t value) {
  ScalarBits bits;
  std::byte* bytes = reinterpret_cast<std::byte*>(&bits);
  if (IsRealType(type)) {
    compiler::WriteFloat(type, static_cast<double>(value), bytes);
  } else if (type == DType::kPred) {
    bytes[0] = std::byte(value & 1);
  } else {
    compiler::WriteInteger(type, value, bytes);
  }
  return bits;
}

class Generator {
 public:
  Generator(uint64_t seed, const RandomKernelOptions& options)
      : random_(seed),
        types_(options.types.empty() ? std::span(kTypes) : options.types),
        more_ops_(options.more_ops),
        gathers_(options.gathers) {}

  RandomKernel Make() {
    out_.kernel.name = "random";
    MakeDomain();
    const bool reduces = out_.kernel.shape.num_parallel < rank() || Chance(10);
    if (reduces) {
      MakeReducingPhases();
    } else {
      Phase& phase = out_.kernel.body.phases.emplace_back();
      MakeNodes(&phase, 2 + Below(8));
      MakeStores(&phase, 1 + Below(3));
      if (Chance(20)) {
        MakeNodes(&out_.kernel.body.phases.emplace_back(), 2);
        AddRow(0);
        MakeStores(&out_.kernel.body.phases.back(), 1);
      }
    }
    return std::move(out_);
  }

 private:
  int64_t Below(int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit - 1)(random_);
  }
  bool Chance(int64_t percent) { return Below(100) < percent; }
  int64_t rank() const { return static_cast<int64_t>(out_.kernel.shape.extents.size()); }

  void MakeDomain() {
    const int64_t dims = Below(5);
    int64_t points = 1;
    for (int64_t d = 0; d < dims; ++d) {
      int64_t extent = kExtents[Below(static_cast<int64_t>(std::size(kExtents)))];
      if (Chance(1)) extent = 0;
      if (points * extent > kMostPoints) extent = 1 + Below(3);
      if (points * extent > kMostPoints) extent = 1;
      points *= std::max<int64_t>(1, extent);
      out_.kernel.shape.extents.push_back(extent);
    }
    out_.kernel.shape.num_parallel = static_cast<int32_t>(Chance(30) ? dims : Below(dims + 1));
  }

  // Strides over `dims` of the domain: a dense array in a random order of them, perhaps with gaps,
  // some dimensions reversed, some broadcast. Answers the size; the lowest offset is 0.
  int64_t MakeStrides(Access* access, const std::vector<size_t>& dims, bool output) {
    access->byte_strides = Dims(out_.kernel.shape.extents.size());
    access->byte_offset = 0;
    std::vector<size_t> order = dims;
    if (Chance(40)) std::shuffle(order.begin(), order.end(), random_);
    int64_t size = ByteSize(access->dtype);
    for (size_t i = order.size(); i-- > 0;) {
      const int64_t extent = out_.kernel.shape.extents[order[i]];
      if (!output && Chance(20)) continue;
      int64_t stride = size;
      if (Chance(10)) stride *= 1 + Below(3);
      size = extent == 0 ? size : stride * (extent - 1) + size;
      if (Chance(10)) size += ByteSize(access->dtype) * Below(3);
      if (Chance(10)) {
        access->byte_offset += stride * std::max<int64_t>(0, extent - 1);
        stride = -stride;
      }
      access->byte_strides[order[i]] = stride;
    }
    return size;
  }

  std::vector<size_t> DimsOf(bool over_reduced) const {
    std::vector<size_t> dims(
        static_cast<size_t>(over_reduced ? rank() : out_.kernel.shape.num_parallel));
    std::iota(dims.begin(), dims.end(), size_t{0});
    return dims;
  }

  // A flat array, padded at both ends, then cut into rows of which the last elements are dropped.
  // Answers the size.
  int64_t MakeFlatWindow(Access* access, const std::vector<size_t>& dims) {
    const size_t last = static_cast<size_t>(Below(static_cast<int64_t>(dims.size()) - 1)) + 1;
    const size_t row = dims[last - 1], column = dims[last];
    const int64_t columns = out_.kernel.shape.extents[column];
    const int64_t width = columns + Below(40 * columns + 1);
    const int64_t points = out_.kernel.shape.extents[row] * width;
    const int64_t low = Below(points + 1);
    const int64_t bytes = ByteSize(access->dtype);
    compiler::Bound bound;
    bound.coefficients = Dims(out_.kernel.shape.extents.size());
    bound.coefficients[row] = width;
    bound.coefficients[column] = 1;
    bound.offset = -low;
    bound.extent = 1 + Below(2 * width + 1);
    access->byte_strides = Dims(out_.kernel.shape.extents.size());
    access->byte_strides[row] = width * bytes;
    access->byte_strides[column] = bytes;
    access->byte_offset = -low * bytes;
    access->bounds.push_back(bound);
    access->fill = MakeScalar(access->dtype, Below(5));
    return bound.extent * bytes;
  }

  int32_t MakeInput(DType type, bool over_reduced) {
    Access access;
    access.dtype = type;
    access.buffer = static_cast<int32_t>(out_.operands.size());
    std::vector<size_t> dims = DimsOf(over_reduced);
    if (Chance(5)) dims.clear();
    int64_t size;
    if (dims.size() > 1 && Chance(10)) {
      size = MakeFlatWindow(&access, dims);
    } else {
      size = MakeStrides(&access, dims, false);
    }
    // Only the middle of a dimension is there; the rest is padding.
    if (!dims.empty() && access.bounds.empty() && Chance(20)) {
      const size_t d = dims[static_cast<size_t>(Below(static_cast<int64_t>(dims.size())))];
      const int64_t extent = out_.kernel.shape.extents[d];
      const int64_t low = Below(extent / 2 + 1);
      compiler::Bound bound;
      bound.coefficients = Dims(out_.kernel.shape.extents.size());
      bound.coefficients[d] = 1;
      bound.offset = -low;
      bound.extent = std::max<int64_t>(0, extent - low - Below(extent / 2 + 1));
      const int64_t stride = access.byte_strides[d];
      const int64_t cut = extent - bound.extent;
      if (stride > 0) {
        access.byte_offset -= stride * low;
      } else {
        access.byte_offset += stride * (cut - low);
      }
      size -= std::abs(stride) * std::min(cut, std::max<int64_t>(0, extent - 1));
      access.bounds.push_back(bound);
      access.fill = MakeScalar(type, Below(5));
    }
    int64_t bytes = std::max<int64_t>(size, 0);
    // With a dynamic offset the window lies somewhere in more of the same.
    if (access.bounds.empty() && Chance(10)) {
      const int64_t step = ByteSize(type) * (1 + Below(4));
      const int64_t maximum = Below(4);
      bytes += step * maximum;
      access.dynamic_offsets.push_back(
          {static_cast<int32_t>(out_.operands.size() + 1), DType::kS32, maximum, step});
    }
    AddOperand(type, bytes);
    if (!access.dynamic_offsets.empty()) {
      std::vector<std::byte> index(4);
      compiler::WriteInteger(DType::kS32, Below(8) - 2, index.data());
      out_.operands.push_back(std::move(index));
    }
    out_.kernel.shape.inputs.push_back(access);
    return static_cast<int32_t>(out_.kernel.shape.inputs.size() - 1);
  }

  void AddOperand(DType type, int64_t size) {
    const size_t element = static_cast<size_t>(ByteSize(type));
    std::vector<std::byte> bytes(static_cast<size_t>(size));
    for (size_t at = 0; at + element <= bytes.size(); at += element) {
      const ScalarBits bits = MakeScalar(type, Below(9) - 4);
      std::copy_n(reinterpret_cast<const std::byte*>(&bits), element, bytes.data() + at);
    }
    out_.operands.push_back(std::move(bytes));
  }

  // --- Nodes ------------------------------------------------------------------------------------

  static int32_t Add(std::vector<Node>* nodes, Node node) {
    nodes->push_back(node);
    return static_cast<int32_t>(nodes->size() - 1);
  }
  static int32_t AddOp(std::vector<Node>* nodes, Opcode opcode, DType type,
                       std::initializer_list<int32_t> operands) {
    Node node;
    node.opcode = opcode;
    node.dtype = type;
    for (int32_t operand : operands) node.operands[node.num_operands++] = operand;
    return Add(nodes, node);
  }
  static int32_t AddConstant(std::vector<Node>* nodes, DType type, int64_t value) {
    Node node;
    node.kind = NodeKind::kConstant;
    node.dtype = type;
    node.constant = MakeScalar(type, value);
    return Add(nodes, node);
  }

  int32_t AddLeaf(Phase* phase, DType type) {
    const int64_t kind = Below(10);
    if (kind == 0) return AddConstant(&phase->nodes, type, Below(7) - 3);
    Node node;
    node.dtype = type;
    if (kind == 1 && type != DType::kPred && rank() > 0) {
      node.kind = NodeKind::kIota;
      node.index =
          static_cast<int32_t>(Below(phase->over_reduced || out_.kernel.shape.num_parallel == 0
                                         ? rank()
                                         : out_.kernel.shape.num_parallel));
      node.constant = {static_cast<uint64_t>(Below(5)), static_cast<uint64_t>(Below(5) - 2)};
      return Add(&phase->nodes, node);
    }
    node.kind = NodeKind::kInput;
    node.index = -1;
    if (Chance(20)) {
      for (size_t i = 0; i < out_.kernel.shape.inputs.size(); ++i) {
        const Access& input = out_.kernel.shape.inputs[i];
        if (input.dtype == type && input.value_offsets.empty()) {
          node.index = static_cast<int32_t>(i);
        }
      }
    }
    if (node.index < 0) node.index = MakeInput(type, phase->over_reduced);
    return Add(&phase->nodes, node);
  }

  // An input that lies anywhere in an array of more dimensions, of which indices say the place.
  int32_t AddGathered(Phase* phase, DType type) {
    constexpr DType kIndexTypes[] = {DType::kS32, DType::kU32, DType::kS64};
    const DType index = kIndexTypes[Below(3)];
    Node node;
    node.kind = NodeKind::kGathered;
    node.dtype = type;
    node.num_operands = static_cast<uint8_t>(1 + Below(2));
    for (uint8_t i = 0; i < node.num_operands; ++i) node.operands[i] = Pick(phase, index);
    Access access;
    access.dtype = type;
    access.buffer = static_cast<int32_t>(out_.operands.size());
    int64_t size = MakeStrides(&access, DimsOf(phase->over_reduced), /*output=*/false);
    for (uint8_t i = 0; i < node.num_operands; ++i) {
      const int64_t maximum = Below(9);
      const int64_t stride = ByteSize(type) * (Chance(50) ? 1 : 1 + Below(30));
      access.value_offsets.push_back({maximum, stride});
      size += maximum * stride;
    }
    AddOperand(type, size);
    node.index = static_cast<int32_t>(out_.kernel.shape.inputs.size());
    out_.kernel.shape.inputs.push_back(std::move(access));
    return Add(&phase->nodes, node);
  }

  int32_t Pick(Phase* phase, DType type) {
    std::vector<int32_t> fitting;
    for (size_t n = 0; n < phase->nodes.size(); ++n) {
      if (phase->nodes[n].dtype == type) fitting.push_back(static_cast<int32_t>(n));
    }
    if (fitting.empty() || Chance(20)) return AddLeaf(phase, type);
    return fitting[static_cast<size_t>(Below(static_cast<int64_t>(fitting.size())))];
  }

  DType AnyType() {
    return types_[static_cast<size_t>(Below(static_cast<int64_t>(types_.size())))];
  }

  void AddRandomOp(Phase* phase, DType type) {
    if (gathers_ && Chance(30)) {
      AddGathered(phase, type);
      return;
    }
    const bool pred = type == DType::kPred;
    const int32_t a = Pick(phase, type), b = Pick(phase, type);
    switch (Below(8)) {
      case 0:
      case 1: {
        constexpr Opcode kArithmetic[] = {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply};
        constexpr Opcode kLogic[] = {Opcode::kAnd, Opcode::kOr, Opcode::kXor};
        AddOp(&phase->nodes, (pred ? kLogic : kArithmetic)[Below(3)], type, {a, b});
        break;
      }
      case 2:
        AddOp(&phase->nodes, Chance(50) ? Opcode::kMaximum : Opcode::kMinimum, type, {a, b});
        break;
      case 3:
        AddOp(&phase->nodes, pred ? Opcode::kNot : Opcode::kNegate, type, {a});
        break;
      case 4: {
        const int32_t compare = AddOp(&phase->nodes, Opcode::kCompare, DType::kPred, {a, b});
        Node& node = phase->nodes[static_cast<size_t>(compare)];
        node.compare.direction = static_cast<compiler::ComparisonDirection>(Below(6));
        node.compare.type = IsRealType(type) ? compiler::ComparisonType::kFloat
                            : InfoOf(type).kind == DTypeClass::kSigned
                                ? compiler::ComparisonType::kSigned
                                : compiler::ComparisonType::kUnsigned;
        break;
      }
      case 5:
        AddOp(&phase->nodes, Opcode::kSelect, type, {Pick(phase, DType::kPred), a, b});
        break;
      default: {
        const DType to = AnyType();
        // From floats to integers is the business of the routines' own tests.
        if (to == type || (IsRealType(type) && !IsRealType(to))) {
          AddOp(&phase->nodes, pred ? Opcode::kXor : Opcode::kSubtract, type, {a, b});
        } else {
          AddOp(&phase->nodes, Opcode::kConvert, to, {a});
        }
      }
    }
  }

  void MakeNodes(Phase* phase, int64_t count) {
    for (int64_t i = 0; i < count + more_ops_; ++i) AddRandomOp(phase, AnyType());
  }

  // A node of an earlier phase, kept.
  void AddRow(size_t phase_number) {
    const Phase& earlier = out_.kernel.body.phases[phase_number];
    if (earlier.nodes.empty()) return;
    Node node;
    node.kind = NodeKind::kRow;
    node.index = static_cast<int32_t>(phase_number);
    node.component = static_cast<int32_t>(Below(static_cast<int64_t>(earlier.nodes.size())));
    node.dtype = earlier.nodes[static_cast<size_t>(node.component)].dtype;
    std::vector<Node>& nodes = out_.kernel.body.phases.back().nodes;
    const int32_t row = Add(&nodes, node);
    if (node.dtype == DType::kPred) return;
    AddOp(&nodes, Opcode::kAdd, node.dtype, {row, row});
  }

  void MakeStores(Phase* phase, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const size_t last = phase->nodes.size() - 1;
      const size_t n = i == 0 ? last : static_cast<size_t>(Below(static_cast<int64_t>(last + 1)));
      Access access;
      access.dtype = phase->nodes[n].dtype;
      access.buffer = static_cast<int32_t>(out_.result_sizes.size());
      out_.result_sizes.push_back(MakeStrides(&access, DimsOf(phase->over_reduced), true));
      phase->stores.push_back(
          {static_cast<int32_t>(n), static_cast<int32_t>(out_.kernel.shape.outputs.size())});
      out_.kernel.shape.outputs.push_back(access);
    }
  }

  // --- Reductions -------------------------------------------------------------------------------

  // The node clamped to [-8, 8], NaN replaced: sums stay exact, comparisons have an order.
  int32_t Clamped(Phase* phase, int32_t n) {
    const DType type = phase->nodes[static_cast<size_t>(n)].dtype;
    if (!IsRealType(type)) return n;
    const int32_t zero = AddConstant(&phase->nodes, type, 0);
    const int32_t high = AddConstant(&phase->nodes, type, 8);
    const int32_t low = AddConstant(&phase->nodes, type, -8);
    const int32_t number = AddOp(&phase->nodes, Opcode::kCompare, DType::kPred, {n, n});
    const int32_t value = AddOp(&phase->nodes, Opcode::kSelect, type, {number, n, zero});
    const int32_t limited = AddOp(&phase->nodes, Opcode::kMinimum, type, {value, high});
    return AddOp(&phase->nodes, Opcode::kMaximum, type, {limited, low});
  }

  static std::vector<Node> Parameters(std::initializer_list<DType> types) {
    std::vector<Node> nodes;
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (DType type : types) {
        Node node;
        node.kind = NodeKind::kParameter;
        node.dtype = type;
        node.index = static_cast<int32_t>(nodes.size());
        nodes.push_back(node);
      }
    }
    return nodes;
  }

  void AddInitial(Phase* phase, Reduction* reduction, DType type) {
    if (Chance(30)) {
      Node node;
      node.kind = NodeKind::kInput;
      node.dtype = type;
      Access access;
      access.dtype = type;
      access.buffer = static_cast<int32_t>(out_.operands.size());
      access.byte_strides = Dims(out_.kernel.shape.extents.size());
      const ScalarBits bits = MakeScalar(type, 3);
      const std::byte* bytes = reinterpret_cast<const std::byte*>(&bits);
      out_.operands.emplace_back(bytes, bytes + ByteSize(type));
      node.index = static_cast<int32_t>(out_.kernel.shape.inputs.size());
      out_.kernel.shape.inputs.push_back(access);
      reduction->initial.push_back(Add(&phase->nodes, node));
    } else {
      reduction->initial.push_back(AddConstant(&phase->nodes, type, Below(5) - 2));
    }
  }

  void MakeReduction(Phase* phase) {
    Reduction reduction;
    const int32_t input =
        Clamped(phase, static_cast<int32_t>(Below(static_cast<int64_t>(phase->nodes.size()))));
    const DType type = phase->nodes[static_cast<size_t>(input)].dtype;
    reduction.inputs.push_back(input);
    AddInitial(phase, &reduction, type);
    Combiner& combiner = reduction.combiner;
    const int64_t kind = Below(11);
    if (kind < 5) {
      constexpr Opcode kReal[] = {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum};
      constexpr Opcode kWhole[] = {Opcode::kAdd, Opcode::kMultiply, Opcode::kXor};
      constexpr Opcode kPred[] = {Opcode::kAnd, Opcode::kOr, Opcode::kXor};
      combiner.nodes = Parameters({type});
      const Opcode opcode = IsRealType(type)       ? kReal[Below(3)]
                            : type == DType::kPred ? kPred[Below(3)]
                                                   : kWhole[Below(3)];
      combiner.results.push_back(
          AddOp(&combiner.nodes, opcode, type,
                {static_cast<int32_t>(kind % 2), static_cast<int32_t>(1 - kind % 2)}));
    } else if (kind < 7) {
      // The first or the last element.
      combiner.nodes = Parameters({type});
      combiner.results.push_back(static_cast<int32_t>(kind - 5));
    } else if (kind < 8) {
      // a * x + b composed with c * x + d, modulo 2^32: associative, and does not commute.
      MakeAffine(phase, &reduction);
    } else if (kind < 9) {
      MakeCapturing(phase, &reduction);
    } else {
      MakeArgMax(phase, &reduction, type);
    }
    phase->reductions.push_back(std::move(reduction));
  }

  // a + b + c, modulo 2^32, with a captured c.
  void MakeCapturing(Phase* phase, Reduction* reduction) {
    constexpr DType kType = DType::kU32;
    reduction->inputs = {Pick(phase, kType)};
    reduction->initial.clear();
    AddInitial(phase, reduction, kType);
    reduction->captured = {reduction->initial[0]};
    reduction->initial.clear();
    AddInitial(phase, reduction, kType);
    Combiner& combiner = reduction->combiner;
    combiner.nodes = Parameters({kType});
    Node captured = combiner.nodes[0];
    captured.index = 2;
    combiner.nodes.push_back(captured);
    const int32_t sum = AddOp(&combiner.nodes, Opcode::kAdd, kType, {0, 1});
    combiner.results.push_back(AddOp(&combiner.nodes, Opcode::kAdd, kType, {sum, 2}));
  }

  void MakeAffine(Phase* phase, Reduction* reduction) {
    constexpr DType kType = DType::kS32;
    reduction->inputs.clear();
    reduction->initial.clear();
    for (int i = 0; i < 2; ++i) {
      reduction->inputs.push_back(Pick(phase, kType));
      AddInitial(phase, reduction, kType);
    }
    Combiner& combiner = reduction->combiner;
    combiner.nodes = Parameters({kType, kType});
    const int32_t a = AddOp(&combiner.nodes, Opcode::kMultiply, kType, {0, 2});
    const int32_t cb = AddOp(&combiner.nodes, Opcode::kMultiply, kType, {2, 1});
    const int32_t b = AddOp(&combiner.nodes, Opcode::kAdd, kType, {cb, 3});
    combiner.results.push_back(a);
    combiner.results.push_back(b);
  }

  // The largest element and what stands beside its first occurrence.
  void MakeArgMax(Phase* phase, Reduction* reduction, DType type) {
    constexpr DType kIndex = DType::kS32;
    reduction->inputs.push_back(Pick(phase, kIndex));
    AddInitial(phase, reduction, kIndex);
    Combiner& combiner = reduction->combiner;
    combiner.nodes = Parameters({type, kIndex});
    const int32_t keep = AddOp(&combiner.nodes, Opcode::kCompare, DType::kPred, {0, 2});
    Node& compare = combiner.nodes[static_cast<size_t>(keep)];
    compare.compare.direction = compiler::ComparisonDirection::kGe;
    compare.compare.type = IsRealType(type) ? compiler::ComparisonType::kFloat
                           : InfoOf(type).kind == DTypeClass::kSigned
                               ? compiler::ComparisonType::kSigned
                               : compiler::ComparisonType::kUnsigned;
    combiner.results.push_back(AddOp(&combiner.nodes, Opcode::kSelect, type, {keep, 0, 2}));
    combiner.results.push_back(AddOp(&combiner.nodes, Opcode::kSelect, kIndex, {keep, 1, 3}));
  }

  void AddReduced(size_t reduction) {
    Phase& phase = out_.kernel.body.phases.back();
    Node node;
    node.kind = NodeKind::kReduced;
    node.index = static_cast<int32_t>(reduction);
    node.component =
        static_cast<int32_t>(Below(static_cast<int64_t>(reduced_types_[reduction].size())));
    node.dtype = reduced_types_[reduction][static_cast<size_t>(node.component)];
    const int32_t reduced = Add(&phase.nodes, node);
    if (node.dtype == DType::kPred) return;
    AddOp(&phase.nodes, Opcode::kSubtract, node.dtype, {reduced, Pick(&phase, node.dtype)});
  }

  void EndPhase() {
    const Phase& phase = out_.kernel.body.phases.back();
    for (const Reduction& reduction : phase.reductions) {
      std::vector<DType>& types = reduced_types_.emplace_back();
      for (int32_t input : reduction.inputs) {
        types.push_back(phase.nodes[static_cast<size_t>(input)].dtype);
      }
    }
  }

  // Between phases over reduced points: of what is known by then.
  void MakePointPhase() {
    Phase& phase = out_.kernel.body.phases.emplace_back();
    if (Chance(30)) MakeNodes(&phase, 1 + Below(2));
    for (size_t r = 0; r < reduced_types_.size(); ++r) AddReduced(r);
    const size_t phase_number = out_.kernel.body.phases.size() - 1;
    for (size_t p = 0; p < phase_number; ++p) {
      if (!out_.kernel.body.phases[p].over_reduced && Chance(50)) AddRow(p);
    }
    if (Chance(50)) MakeStores(&phase, 1);
  }

  void MakeReducingPhases() {
    const int64_t phases = 1 + Below(3);
    for (int64_t p = 0; p < phases; ++p) {
      Phase* phase = &out_.kernel.body.phases.emplace_back();
      phase->over_reduced = true;
      MakeNodes(phase, 1 + Below(5));
      if (!reduced_types_.empty()) {
        AddReduced(static_cast<size_t>(Below(static_cast<int64_t>(reduced_types_.size()))));
      }
      const int64_t earlier = static_cast<int64_t>(out_.kernel.body.phases.size()) - 1;
      if (earlier > 0 && Chance(70)) AddRow(static_cast<size_t>(Below(earlier)));
      if (Chance(p + 1 == phases ? 60 : 20)) MakeStores(phase, 1);
      const int64_t reductions = p + 1 < phases ? 1 + Below(2) : Below(2);
      for (int64_t r = 0; r < reductions; ++r) MakeReduction(phase);
      EndPhase();
      if (p + 1 < phases && Chance(30)) MakePointPhase();
    }
    if (Chance(10)) return;
    Phase& last = out_.kernel.body.phases.emplace_back();
    MakeNodes(&last, 1 + Below(3));
    for (size_t r = 0; r < reduced_types_.size(); ++r) AddReduced(r);
    MakeStores(&last, 1 + Below(2));
  }

  std::mt19937_64 random_;
  const std::span<const DType> types_;
  const int64_t more_ops_;
  const bool gathers_;
  RandomKernel out_;
  std::vector<std::vector<DType>> reduced_types_;
};

}  // namespace

RandomKernel MakeRandomKernel(uint64_t seed, const RandomKernelOptions& options) {
  return Generator(seed, options).Make();
}

}  // namespace plinth::compiler::testing
