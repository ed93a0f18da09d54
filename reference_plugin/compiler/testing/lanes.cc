// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/lanes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/testing/lane_algorithms.h"
#include "reference_plugin/compiler/testing/oracle.h"

namespace plinth::compiler::testing {
namespace {

using Index = std::vector<int64_t>;
// What every lane has of a value.
using LaneNumbers = std::vector<Numbers>;

int64_t Flat(const Dims& dims, const Index& index) {
  int64_t flat = 0;
  for (size_t i = 0; i < dims.size(); ++i) flat = flat * dims[i] + index[i];
  return flat;
}

void ForEachIndex(const Dims& dims, const std::function<void(const Index&)>& visit) {
  Index index(dims.size(), 0);
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  for (int64_t i = 0; i < count; ++i) {
    visit(index);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++index[d] < dims[d]) break;
      index[d] = 0;
    }
  }
}

bool IsIn(const Dims& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

double Elementwise(const Op& op, std::span<const double> x) {
  const bool is_integer = !IsFloat(op.operands[0]->type.dtype);
  switch (op.opcode) {
    case Opcode::kAdd:
      return x[0] + x[1];
    case Opcode::kSubtract:
      return x[0] - x[1];
    case Opcode::kMultiply:
      return x[0] * x[1];
    case Opcode::kDivide:
      return is_integer ? std::trunc(x[0] / x[1]) : x[0] / x[1];
    case Opcode::kRemainder:
      return std::fmod(x[0], x[1]);
    case Opcode::kMaximum:
      return std::max(x[0], x[1]);
    case Opcode::kMinimum:
      return std::min(x[0], x[1]);
    case Opcode::kAnd:
      return x[0] != 0 && x[1] != 0;
    case Opcode::kOr:
      return x[0] != 0 || x[1] != 0;
    case Opcode::kNegate:
      return -x[0];
    case Opcode::kAbs:
      return std::abs(x[0]);
    case Opcode::kTanh:
      return std::tanh(x[0]);
    case Opcode::kExponential:
      return std::exp(x[0]);
    case Opcode::kLog:
      return std::log(x[0]);
    case Opcode::kSqrt:
      return std::sqrt(x[0]);
    case Opcode::kNot:
      return x[0] == 0;
    case Opcode::kConvert:
    case Opcode::kReducePrecision:
      return IsFloat(op.type().dtype) ? x[0] : std::trunc(x[0]);
    case Opcode::kSelect:
      return x[0] != 0 ? x[1] : x[2];
    case Opcode::kClamp:
      return std::min(std::max(x[1], x[0]), x[2]);
    case Opcode::kCompare:
      switch (op.Get<CompareAttributes>().direction) {
        case ComparisonDirection::kEq:
          return x[0] == x[1];
        case ComparisonDirection::kNe:
          return x[0] != x[1];
        case ComparisonDirection::kGe:
          return x[0] >= x[1];
        case ComparisonDirection::kGt:
          return x[0] > x[1];
        case ComparisonDirection::kLe:
          return x[0] <= x[1];
        case ComparisonDirection::kLt:
          return x[0] < x[1];
      }
      return NAN;
    default:
      return NAN;
  }
}

class LaneRun {
 public:
  explicit LaneRun(size_t num_lanes) : num_lanes_(num_lanes) {}

  void Set(const Value* value, LaneNumbers numbers) {
    values_.insert_or_assign(value, std::move(numbers));
  }
  const LaneNumbers& Get(const Value* value) const { return values_.find(value)->second; }

  Status RunBlock(const Block& block) {
    for (const Op* op : block.ops) {
      if (op->opcode == Opcode::kReturn) break;
      PLINTH_RETURN_IF_ERROR(RunOp(*op).WithContext(Describe(*op)));
    }
    return Status();
  }

 private:
  // One result, computed lane by lane from operands; `make` is told the lane.
  template <typename Make>
  Status Each(const Op& op, const Make& make) {
    LaneNumbers made(num_lanes_);
    for (size_t lane = 0; lane < num_lanes_; ++lane) made[lane] = make(lane);
    Set(op.result(), std::move(made));
    return Status();
  }
  // One result whose elements are elements of the first operand, or what `outside` gives.
  template <typename From>
  Status EachElement(const Op& op, const From& from) {
    return Each(op, [&](size_t lane) {
      Numbers made;
      ForEachIndex(op.type().dims, [&](const Index& index) { made.push_back(from(lane, index)); });
      return made;
    });
  }
  double At(const Value* value, size_t lane, const Index& index) const {
    return Get(value)[lane][static_cast<size_t>(Flat(value->type.dims, index))];
  }
  double Scalar(const Value* value, size_t lane) const { return Get(value)[lane][0]; }

  Expected<int64_t> Common(const Value* value) const {
    const double first = Scalar(value, 0);
    for (size_t lane = 1; lane < num_lanes_; ++lane) {
      if (Scalar(value, lane) != first) return Internal("devices take different branches");
    }
    return static_cast<int64_t>(first);
  }

  // The region of two scalars on two numbers.
  static double Combine(const Block& region, double a, double b) {
    const Op& op = *region.ops[0];
    const double x[] = {a, b};
    return Elementwise(op, x);
  }

  Index Starts(const Op& op, size_t first, size_t lane, const Dims& dims, const Dims& sizes) const {
    Index starts;
    for (size_t i = 0; i < dims.size(); ++i) {
      const int64_t start = static_cast<int64_t>(Scalar(op.operands[first + i], lane));
      starts.push_back(std::clamp<int64_t>(start, 0, dims[i] - sizes[i]));
    }
    return starts;
  }

  Status RunOp(const Op& op) {
    if (IsElementwise(op.opcode) && op.opcode != Opcode::kBitcastConvert) {
      return Each(op, [&](size_t lane) {
        Numbers made(static_cast<size_t>(op.type().NumElements()));
        std::vector<double> x(op.operands.size());
        for (size_t i = 0; i < made.size(); ++i) {
          for (size_t k = 0; k < x.size(); ++k) x[k] = Get(op.operands[k])[lane][i];
          made[i] = Elementwise(op, x);
        }
        return made;
      });
    }
    switch (op.opcode) {
      case Opcode::kConstant:
        return Each(op, [&](size_t) {
          const auto& constant = op.Get<ConstantAttributes>();
          const size_t size = static_cast<size_t>(ByteSize(op.type().dtype));
          Numbers made;
          for (int64_t i = 0; i < op.type().NumElements(); ++i) {
            const size_t at = constant.is_splat ? 0 : static_cast<size_t>(i) * size;
            made.push_back(Load(op.type().dtype, constant.bytes.data() + at));
          }
          return made;
        });
      case Opcode::kIota: {
        const size_t dim = static_cast<size_t>(op.Get<DimensionAttributes>().dimension);
        return EachElement(op, [&](size_t, const Index& i) { return static_cast<double>(i[dim]); });
      }
      case Opcode::kPartitionId:
        return Each(op, [](size_t lane) { return Numbers{static_cast<double>(lane)}; });
      case Opcode::kShardingConstraint:
      case Opcode::kReshard:
      case Opcode::kReshape:
        return Each(op, [&](size_t lane) { return Get(op.operands[0])[lane]; });
      case Opcode::kOptimizationBarrier:
        for (size_t i = 0; i < op.results.size(); ++i) Set(op.results[i], Get(op.operands[i]));
        return Status();
      case Opcode::kBroadcastInDim: {
        const Dims& map = op.Get<DimensionsAttributes>().dimensions;
        const Dims& in = op.operands[0]->type.dims;
        return EachElement(op, [&](size_t lane, const Index& index) {
          Index from;
          for (size_t i = 0; i < map.size(); ++i) {
            from.push_back(in[i] == 1 ? 0 : index[static_cast<size_t>(map[i])]);
          }
          return At(op.operands[0], lane, from);
        });
      }
      case Opcode::kTranspose: {
        const Dims& map = op.Get<DimensionsAttributes>().dimensions;
        return EachElement(op, [&](size_t lane, const Index& index) {
          Index from(index.size());
          for (size_t i = 0; i < map.size(); ++i) from[static_cast<size_t>(map[i])] = index[i];
          return At(op.operands[0], lane, from);
        });
      }
      case Opcode::kReverse: {
        const Dims& reversed = op.Get<DimensionsAttributes>().dimensions;
        return EachElement(op, [&](size_t lane, Index index) {
          for (int64_t dim : reversed) {
            int64_t& at = index[static_cast<size_t>(dim)];
            at = op.type().dims[static_cast<size_t>(dim)] - 1 - at;
          }
          return At(op.operands[0], lane, index);
        });
      }
      case Opcode::kSlice: {
        const auto& slice = op.Get<SliceAttributes>();
        return EachElement(op, [&](size_t lane, Index index) {
          for (size_t i = 0; i < index.size(); ++i) {
            index[i] = slice.start[i] + index[i] * slice.stride[i];
          }
          return At(op.operands[0], lane, index);
        });
      }
      case Opcode::kPad: {
        const auto& pad = op.Get<PadAttributes>();
        return EachElement(op, [&](size_t lane, Index index) {
          for (size_t i = 0; i < index.size(); ++i) {
            const int64_t at = index[i] - pad.low[i], step = pad.interior[i] + 1;
            index[i] = at / step;
            if (at < 0 || at % step != 0 || index[i] >= op.operands[0]->type.dims[i]) {
              return Scalar(op.operands[1], lane);
            }
          }
          return At(op.operands[0], lane, index);
        });
      }
      case Opcode::kConcatenate: {
        const size_t dim = static_cast<size_t>(op.Get<DimensionAttributes>().dimension);
        return EachElement(op, [&](size_t lane, Index index) {
          for (const Value* operand : op.operands) {
            if (index[dim] < operand->type.dims[dim]) return At(operand, lane, index);
            index[dim] -= operand->type.dims[dim];
          }
          return std::nan("");
        });
      }
      case Opcode::kDynamicSlice:
        return EachElement(op, [&](size_t lane, Index index) {
          const Index starts = Starts(op, 1, lane, op.operands[0]->type.dims, op.type().dims);
          for (size_t i = 0; i < index.size(); ++i) index[i] += starts[i];
          return At(op.operands[0], lane, index);
        });
      case Opcode::kDynamicUpdateSlice:
        return EachElement(op, [&](size_t lane, const Index& index) {
          const Dims& sizes = op.operands[1]->type.dims;
          const Index starts = Starts(op, 2, lane, op.type().dims, sizes);
          Index from = index;
          for (size_t i = 0; i < index.size(); ++i) {
            from[i] -= starts[i];
            if (from[i] < 0 || from[i] >= sizes[i]) return At(op.operands[0], lane, index);
          }
          return At(op.operands[1], lane, from);
        });
      case Opcode::kDotGeneral:
        return RunDot(op);
      case Opcode::kWhile:
        return RunWhile(op);
      case Opcode::kIf:
      case Opcode::kCase:
        return RunBranch(op);
      default:
        return InfoOf(op.opcode).category == Category::kCollective ? RunCollective(op)
                                                                   : RunAlone(op);
    }
  }

  Status RunDot(const Op& op) {
    const auto& dot = op.Get<DotAttributes>();
    const Dims &a = op.operands[0]->type.dims, &b = op.operands[1]->type.dims;
    Dims contracted;
    for (int64_t dim : dot.lhs_contracting) contracted.push_back(a[static_cast<size_t>(dim)]);
    return EachElement(op, [&](size_t lane, const Index& index) {
      Index x(a.size()), y(b.size());
      size_t at = 0;
      for (size_t i = 0; i < dot.lhs_batch.size(); ++i, ++at) {
        x[static_cast<size_t>(dot.lhs_batch[i])] = index[at];
        y[static_cast<size_t>(dot.rhs_batch[i])] = index[at];
      }
      for (int64_t dim = 0; dim < std::ssize(a); ++dim) {
        if (IsIn(dot.lhs_batch, dim) || IsIn(dot.lhs_contracting, dim)) continue;
        x[static_cast<size_t>(dim)] = index[at++];
      }
      for (int64_t dim = 0; dim < std::ssize(b); ++dim) {
        if (IsIn(dot.rhs_batch, dim) || IsIn(dot.rhs_contracting, dim)) continue;
        y[static_cast<size_t>(dim)] = index[at++];
      }
      double sum = 0;
      ForEachIndex(contracted, [&](const Index& k) {
        for (size_t i = 0; i < k.size(); ++i) {
          x[static_cast<size_t>(dot.lhs_contracting[i])] = k[i];
          y[static_cast<size_t>(dot.rhs_contracting[i])] = k[i];
        }
        sum += At(op.operands[0], lane, x) * At(op.operands[1], lane, y);
      });
      return sum;
    });
  }

  // Each lane for itself.
  Status RunAlone(const Op& op) {
    std::vector<LaneNumbers> made(op.results.size());
    const RunRegion region = [](const Block& block, const Numbers& arguments) -> Expected<Numbers> {
      if (OnlyOpOf(block).has_value() && block.ops[0]->operands[0] == block.arguments[0]) {
        return Numbers{Combine(block, arguments[0], arguments[1])};
      }
      LaneRun run(1);
      for (size_t i = 0; i < arguments.size(); ++i) run.Set(block.arguments[i], {{arguments[i]}});
      PLINTH_RETURN_IF_ERROR(run.RunBlock(block));
      Numbers results;
      for (const Value* value : block.terminator()->operands) {
        results.push_back(run.Scalar(value, 0));
      }
      return results;
    };
    for (size_t lane = 0; lane < num_lanes_; ++lane) {
      std::vector<const Numbers*> operands;
      for (const Value* operand : op.operands) operands.push_back(&Get(operand)[lane]);
      PLINTH_ASSIGN_OR_RETURN(std::vector<Numbers> results, RunAlgorithm(op, operands, region));
      for (size_t i = 0; i < results.size(); ++i) made[i].push_back(std::move(results[i]));
    }
    for (size_t i = 0; i < made.size(); ++i) Set(op.results[i], std::move(made[i]));
    return Status();
  }

  Status RunWhile(const Op& op) {
    std::vector<LaneNumbers> carries;
    for (const Value* operand : op.operands) carries.push_back(Get(operand));
    for (int turn = 0; turn < 1000; ++turn) {
      for (const Block* block : op.blocks) {
        for (size_t i = 0; i < carries.size(); ++i) Set(block->arguments[i], carries[i]);
      }
      PLINTH_RETURN_IF_ERROR(RunBlock(*op.blocks[0]));
      PLINTH_ASSIGN_OR_RETURN(const int64_t go, Common(op.blocks[0]->terminator()->operands[0]));
      if (go == 0) break;
      PLINTH_RETURN_IF_ERROR(RunBlock(*op.blocks[1]));
      for (size_t i = 0; i < carries.size(); ++i) {
        carries[i] = Get(op.blocks[1]->terminator()->operands[i]);
      }
    }
    for (size_t i = 0; i < carries.size(); ++i) Set(op.results[i], carries[i]);
    return Status();
  }

  Status RunBranch(const Op& op) {
    PLINTH_ASSIGN_OR_RETURN(int64_t branch, Common(op.operands[0]));
    const int64_t last = std::ssize(op.blocks) - 1;
    if (op.opcode == Opcode::kIf) branch = branch != 0 ? 0 : 1;
    if (branch < 0 || branch > last) branch = last;
    const Block& block = *op.blocks[static_cast<size_t>(branch)];
    PLINTH_RETURN_IF_ERROR(RunBlock(block));
    for (size_t i = 0; i < op.results.size(); ++i) {
      Set(op.results[i], Get(block.terminator()->operands[i]));
    }
    return Status();
  }

  // Each lane's operands meet; the groups say whose.
  Status RunCollective(const Op& op) {
    if (op.opcode == Opcode::kRedistribute) return RunRedistribute(op);
    for (size_t i = 0; i < op.operands.size(); ++i) PLINTH_RETURN_IF_ERROR(RunCollective(op, i));
    return Status();
  }

  Status RunCollective(const Op& op, size_t which) {
    const auto& collective = op.Get<CollectiveAttributes>();
    const Value* const operand = op.operands[which];
    Value* const result = op.results[which];
    const Dims &in = operand->type.dims, &out = result->type.dims;
    LaneNumbers made(num_lanes_);
    if (op.opcode == Opcode::kCollectivePermute) {
      made.assign(num_lanes_, Numbers(static_cast<size_t>(result->type.NumElements()), 0));
      std::vector<bool> sent(num_lanes_), received(num_lanes_);
      for (const auto& pair : collective.groups) {
        const size_t from = static_cast<size_t>(pair[0]), to = static_cast<size_t>(pair[1]);
        if (sent[from] || received[to]) return Internal("a permutation names a device twice");
        sent[from] = received[to] = true;
        made[to] = Get(operand)[from];
      }
      Set(result, std::move(made));
      return Status();
    }
    std::vector<bool> seen(num_lanes_);
    for (const auto& group : collective.groups) {
      for (size_t rank = 0; rank < group.size(); ++rank) {
        const size_t lane = static_cast<size_t>(group[rank]);
        if (seen[lane]) return Internal("groups name a device twice");
        seen[lane] = true;
        Numbers& mine = made[lane];
        ForEachIndex(out, [&](const Index& index) {
          mine.push_back(CollectiveElement(op, operand, collective, group, rank, in, index));
        });
      }
    }
    Set(result, std::move(made));
    return Status();
  }

  // Each element is looked for on all devices of the group.
  Status RunRedistribute(const Op& op) {
    const auto& collective = op.Get<CollectiveAttributes>();
    size_t first = 0;
    for (size_t i = 0; i < op.results.size(); ++i) {
      const Redistribution& how = collective.redistributions[i];
      RunOneRedistribution(op, how, first, op.results[i]);
      first += how.sources.size();
    }
    return Status();
  }
  // The arrays stand at `first` and after it.
  void RunOneRedistribution(const Op& op, const Redistribution& how, size_t first,
                            const Value* result) {
    const auto& collective = op.Get<CollectiveAttributes>();
    const size_t rank = result->type.dims.size();
    LaneNumbers made(num_lanes_);
    for (const auto& group : collective.groups) {
      for (size_t member = 0; member < group.size(); ++member) {
        const size_t lane = static_cast<size_t>(group[member]);
        ForEachIndex(result->type.dims, [&](Index index) {
          for (size_t d = 0; d < rank; ++d)
            index[d] += how.windows.Of(static_cast<int64_t>(member), d);
          double number = Scalar(op.operands.back(), lane);
          for (size_t i = 0; i < how.sources.size(); ++i) {
            Find(op.operands[first + i], how.sources[i], group, index, number);
          }
          made[lane].push_back(number);
        });
      }
    }
    Set(result, std::move(made));
  }
  void Find(const Value* operand, const Redistribution::Source& source,
            const std::vector<int64_t>& group, const Index& index, double& number) const {
    for (size_t member = 0; member < group.size(); ++member) {
      Index at = index;
      bool is_there = true;
      for (size_t d = 0; d < at.size(); ++d) {
        at[d] -= source.parts.Of(static_cast<int64_t>(member), d);
        is_there &= at[d] >= 0 && at[d] < operand->type.dims[d] && index[d] >= source.low[d] &&
                    index[d] < source.high[d];
      }
      if (is_there) number = At(operand, static_cast<size_t>(group[member]), at);
    }
  }

  double CollectiveElement(const Op& op, const Value* operand,
                           const CollectiveAttributes& collective,
                           const std::vector<int64_t>& group, size_t rank, const Dims& in,
                           Index index) const {
    const size_t dim = static_cast<size_t>(collective.dimension);
    const auto lane_of = [&](int64_t member) {
      return static_cast<size_t>(group[static_cast<size_t>(member)]);
    };
    switch (op.opcode) {
      case Opcode::kAllGather: {
        const int64_t member = index[dim] / in[dim];
        index[dim] %= in[dim];
        return At(operand, lane_of(member), index);
      }
      case Opcode::kAllToAll: {
        const size_t joined = static_cast<size_t>(collective.concat_dimension);
        const int64_t piece = in[joined];
        const int64_t member = index[joined] / piece;
        index[joined] %= piece;
        index[dim] += static_cast<int64_t>(rank) * (in[dim] / collective.split_count);
        return At(operand, lane_of(member), index);
      }
      case Opcode::kCollectiveBroadcast:
        return At(operand, lane_of(0), index);
      case Opcode::kReduceScatter:
        index[dim] += static_cast<int64_t>(rank) * op.type().dims[dim];
        [[fallthrough]];
      case Opcode::kAllReduce: {
        double sum = At(operand, lane_of(0), index);
        for (size_t i = 1; i < group.size(); ++i) {
          sum = Combine(*op.blocks[0], sum, At(operand, lane_of(static_cast<int64_t>(i)), index));
        }
        return sum;
      }
      default:
        return NAN;
    }
  }

  size_t num_lanes_;
  std::unordered_map<const Value*, LaneNumbers> values_;
};

}  // namespace

Expected<std::vector<std::vector<Numbers>>> RunLanes(
    const Module& module, const std::vector<std::vector<Numbers>>& arguments) {
  const Block& body = *module.entry->body;
  LaneRun run(arguments.size());
  for (size_t i = 0; i < body.arguments.size(); ++i) {
    LaneNumbers numbers;
    for (const auto& lane : arguments) numbers.push_back(lane[i]);
    run.Set(body.arguments[i], std::move(numbers));
  }
  PLINTH_RETURN_IF_ERROR(run.RunBlock(body));
  std::vector<std::vector<Numbers>> results(arguments.size());
  for (const Value* value : body.terminator()->operands) {
    for (size_t lane = 0; lane < results.size(); ++lane) {
      results[lane].push_back(run.Get(value)[lane]);
    }
  }
  return results;
}

}  // namespace plinth::compiler::testing
