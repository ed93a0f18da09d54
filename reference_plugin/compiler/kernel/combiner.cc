// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/kernel/combiner.h"

#include <utility>

namespace plinth::compiler {
namespace {

bool IsParameter(const Node& node, int32_t index) {
  return node.kind == NodeKind::kParameter && node.index == index;
}

// Positive zero.
bool IsZero(const Node& node) {
  return node.kind == NodeKind::kConstant && node.constant == ScalarBits();
}

bool IsPositiveNan(const Node& node) {
  if (node.kind != NodeKind::kConstant) return false;
  switch (node.dtype) {
    case DType::kF16:
      return node.constant.low > 0x7c00 && node.constant.low <= 0x7fff;
    case DType::kBF16:
      return node.constant.low > 0x7f80 && node.constant.low <= 0x7fff;
    case DType::kF32:
      return node.constant.low > 0x7f800000 && node.constant.low <= 0x7fffffff;
    case DType::kF64:
      return node.constant.low > 0x7ff0000000000000 && node.constant.low <= 0x7fffffffffffffff;
    default:
      return false;
  }
}

// Expressions are walked as trees, however much their parts are shared. Larger ones and more of
// them than any framework writes are left to the comparator.
constexpr int kMostNodes = 64;
constexpr size_t kMostKeys = 64;

// Parameters 2i and 2i + 1 are the elements of operand i on the left and on the right; captured
// values are of no side.
class KeyFinder {
 public:
  KeyFinder(const Combiner& comparator, size_t num_operands)
      : nodes_(comparator.nodes), num_operands_(static_cast<int32_t>(num_operands)) {}

  // less(a, b), or less(a, b) or (equal(a, b) and rest).
  bool Find(int32_t number, std::vector<SortKey>& keys) const {
    const Node& node = nodes_[number];
    if (node.kind != NodeKind::kOp || keys.size() == kMostKeys) return false;
    if (node.opcode == Opcode::kCompare) return AddKey(node, keys);
    if (node.opcode != Opcode::kOr) return false;
    for (int first = 0; first < 2; ++first) {
      const Node& less = nodes_[node.operands[first]];
      const Node& both = nodes_[node.operands[1 - first]];
      if (!IsOp(less, Opcode::kCompare) || !IsOp(both, Opcode::kAnd)) continue;
      for (int second = 0; second < 2; ++second) {
        const Node& equal = nodes_[both.operands[second]];
        if (!IsOp(equal, Opcode::kCompare) || equal.compare.direction != ComparisonDirection::kEq) {
          continue;
        }
        std::vector<SortKey> found = keys;
        if (AddKey(less, found) && IsSameComparison(less, equal) &&
            Find(both.operands[1 - second], found)) {
          keys = std::move(found);
          return true;
        }
      }
    }
    return false;
  }

 private:
  static bool IsOp(const Node& node, Opcode opcode) {
    return node.kind == NodeKind::kOp && node.opcode == opcode;
  }

  bool IsSmall(int32_t number) const {
    int nodes_left = kMostNodes;
    return Fits(number, nodes_left);
  }

  bool Fits(int32_t number, int& nodes_left) const {
    if (--nodes_left < 0) return false;
    const Node& node = nodes_[number];
    for (int i = 0; i < node.num_operands; ++i) {
      if (!Fits(node.operands[i], nodes_left)) return false;
    }
    return true;
  }

  // Whether two expressions, one of which is small, are the same but for the side of their
  // parameters: `flip` is 1 where one is of the left and the other of the right, 0 where both are
  // of one side.
  bool IsSame(int32_t a, int32_t b, int32_t flip) const {
    const Node &x = nodes_[a], &y = nodes_[b];
    if (x.kind != y.kind || x.dtype != y.dtype) return false;
    switch (x.kind) {
      case NodeKind::kParameter:
        return x.index == (IsCaptured(y) ? y.index : y.index ^ flip);
      case NodeKind::kConstant:
        return x.constant == y.constant;
      case NodeKind::kOp:
        if (x.opcode != y.opcode || x.num_operands != y.num_operands ||
            x.compare.direction != y.compare.direction || x.compare.type != y.compare.type ||
            x.reduce_precision.exponent_bits != y.reduce_precision.exponent_bits ||
            x.reduce_precision.mantissa_bits != y.reduce_precision.mantissa_bits) {
          return false;
        }
        for (int i = 0; i < x.num_operands; ++i) {
          if (!IsSame(x.operands[i], y.operands[i], flip)) return false;
        }
        return true;
      default:
        return false;
    }
  }

  // The operands of x are small.
  bool IsSameComparison(const Node& x, const Node& y) const {
    // Of NaN and of signed zeros the types say different things.
    if (x.compare.type != y.compare.type) return false;
    return (IsSame(x.operands[0], y.operands[0], 0) && IsSame(x.operands[1], y.operands[1], 0)) ||
           (IsSame(x.operands[0], y.operands[1], 0) && IsSame(x.operands[1], y.operands[0], 0));
  }

  // Whether all parameters below are of one side.
  bool IsOfSide(int32_t number, int32_t side) const {
    const Node& node = nodes_[number];
    if (node.kind == NodeKind::kParameter) return IsCaptured(node) || node.index % 2 == side;
    if (node.kind != NodeKind::kOp) return node.kind == NodeKind::kConstant;
    for (int i = 0; i < node.num_operands; ++i) {
      if (!IsOfSide(node.operands[i], side)) return false;
    }
    return true;
  }

  bool AddKey(const Node& compare, std::vector<SortKey>& keys) const {
    bool less = compare.compare.direction == ComparisonDirection::kLt;
    if (!less && compare.compare.direction != ComparisonDirection::kGt) return false;
    int32_t a = compare.operands[0], b = compare.operands[1];
    if (!IsSmall(a) || !IsSame(a, b, 1)) return false;
    bool left_first = IsOfSide(a, 0) && IsOfSide(b, 1);
    if (!left_first && !(IsOfSide(a, 1) && IsOfSide(b, 0))) return false;
    SortKey key;
    key.key.results = {CopyExpression(a, key.key)};
    key.dtype = nodes_[a].dtype;
    key.descending = less != left_first;
    key.total_order = compare.compare.type == ComparisonType::kTotalOrder;
    keys.push_back(std::move(key));
    return true;
  }

  // Appends the nodes below `number`, in terms of operands instead of sides; returns its number.
  int32_t CopyExpression(int32_t number, Combiner& to) const {
    Node node = nodes_[number];
    if (node.kind == NodeKind::kParameter) {
      node.index = IsCaptured(node) ? node.index - num_operands_ : node.index / 2;
    }
    for (int i = 0; i < node.num_operands; ++i) {
      node.operands[i] = CopyExpression(node.operands[i], to);
    }
    to.nodes.push_back(node);
    return static_cast<int32_t>(to.nodes.size()) - 1;
  }

  bool IsCaptured(const Node& parameter) const { return parameter.index >= 2 * num_operands_; }

  const std::vector<Node>& nodes_;
  const int32_t num_operands_;
};

}  // namespace

std::optional<Opcode> SingleOp(const Combiner& combiner) {
  if (combiner.results.size() != 1) return std::nullopt;
  const Node& node = combiner.nodes[combiner.results[0]];
  if (node.kind != NodeKind::kOp || node.num_operands != 2) return std::nullopt;
  const Node &a = combiner.nodes[node.operands[0]], &b = combiner.nodes[node.operands[1]];
  bool in_order = IsParameter(a, 0) && IsParameter(b, 1);
  bool swapped = IsParameter(a, 1) && IsParameter(b, 0);
  if (in_order || (swapped && InfoOf(node.opcode).commutative)) return node.opcode;
  return std::nullopt;
}

bool IsAssignment(const Combiner& combiner) {
  return combiner.results.size() == 1 && IsParameter(combiner.nodes[combiner.results[0]], 1);
}

std::optional<int32_t> CanonicalFloat(const Combiner& expression) {
  if (expression.results.size() != 1) return std::nullopt;
  const std::vector<Node>& nodes = expression.nodes;
  bool zeros = false, nans = false;
  // select(x == 0, 0, ...) and select(x != x, NaN, ...), one around the other.
  std::optional<int32_t> parameter;
  const Node* node = &nodes[expression.results[0]];
  while (node->kind == NodeKind::kOp) {
    if (node->opcode != Opcode::kSelect) return std::nullopt;
    const Node &test = nodes[node->operands[0]], &constant = nodes[node->operands[1]];
    if (test.kind != NodeKind::kOp || test.opcode != Opcode::kCompare ||
        test.compare.type != ComparisonType::kFloat) {
      return std::nullopt;
    }
    const Node &left = nodes[test.operands[0]], &right = nodes[test.operands[1]];
    if (left.kind != NodeKind::kParameter || parameter.value_or(left.index) != left.index) {
      return std::nullopt;
    }
    parameter = left.index;
    const ComparisonDirection direction = test.compare.direction;
    if (direction == ComparisonDirection::kEq && IsZero(right) && IsZero(constant)) {
      zeros = true;
    } else if (direction == ComparisonDirection::kNe && IsParameter(right, left.index) &&
               IsPositiveNan(constant)) {
      nans = true;
    } else {
      return std::nullopt;
    }
    node = &nodes[node->operands[2]];
  }
  const bool is_all = zeros && nans && IsParameter(*node, *parameter);
  return is_all ? parameter : std::nullopt;
}

std::optional<std::vector<SortKey>> FindSortKeys(const Combiner& comparator, size_t num_operands) {
  std::vector<SortKey> keys;
  if (comparator.results.size() != 1) return std::nullopt;
  if (!KeyFinder(comparator, num_operands).Find(comparator.results[0], keys)) return std::nullopt;
  return keys;
}

}  // namespace plinth::compiler
