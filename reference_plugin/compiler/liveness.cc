#include "reference_plugin/compiler/liveness.h"

#include <algorithm>
#include <iterator>

namespace plinth::compiler {
namespace {

class BitSet {
 public:
  explicit BitSet(size_t size) : words_((size + 63) / 64) {}
  bool Get(int32_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void Set(int32_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void Clear(int32_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
  void Add(const BitSet& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  bool operator==(const BitSet&) const = default;

  template <typename F>
  void ForEach(F f) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t word = words_[w]; word != 0; word &= word - 1) {
        f(static_cast<int32_t>(64 * w) + __builtin_ctzll(word));
      }
    }
  }

 private:
  std::vector<uint64_t> words_;
};

// Steps [begin, end) without jumps in or out but at the ends.
struct BasicBlock {
  int32_t begin, end;
  std::vector<int32_t> successors;  // block numbers; the number of blocks is the exit
  BitSet live_in;
};

bool IsJump(PlanStepKind kind) {
  return kind == PlanStepKind::kJump || kind == PlanStepKind::kJumpUnless ||
         kind == PlanStepKind::kSwitch;
}

std::vector<BasicBlock> FindBlocks(const LinearCode& code) {
  int32_t count = static_cast<int32_t>(code.steps.size());
  std::vector<int32_t> leaders = {0, count};
  for (int32_t k = 0; k < count; ++k) {
    const LinearStep& step = code.steps[k];
    if (!IsJump(step.kind)) continue;
    leaders.push_back(k + 1);
    leaders.insert(leaders.end(), step.targets.begin(), step.targets.end());
  }
  std::sort(leaders.begin(), leaders.end());
  leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  auto block_at = [&](int32_t step) {
    return static_cast<int32_t>(std::lower_bound(leaders.begin(), leaders.end(), step) -
                                leaders.begin());
  };
  std::vector<BasicBlock> blocks;
  for (size_t b = 0; b + 1 < leaders.size(); ++b) {
    BasicBlock block{leaders[b], leaders[b + 1], {}, BitSet(code.variables.size())};
    const LinearStep& last = code.steps[block.end - 1];
    if (IsJump(last.kind)) {
      for (int32_t target : last.targets) block.successors.push_back(block_at(target));
    }
    if (!IsJump(last.kind) || last.kind == PlanStepKind::kJumpUnless) {
      block.successors.push_back(block_at(block.end));
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace

std::vector<LiveRanges> ComputeLiveness(const LinearCode& code) {
  std::vector<BasicBlock> blocks = FindBlocks(code);
  int32_t num_blocks = static_cast<int32_t>(blocks.size());
  BitSet at_exit(code.variables.size());
  for (int32_t output : code.outputs) at_exit.Set(output);

  auto live_out = [&](const BasicBlock& block) {
    BitSet live(code.variables.size());
    for (int32_t successor : block.successors) {
      live.Add(successor == num_blocks ? at_exit : blocks[successor].live_in);
    }
    return live;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t b = num_blocks - 1; b >= 0; --b) {
      BitSet live = live_out(blocks[b]);
      for (int32_t k = blocks[b].end - 1; k >= blocks[b].begin; --k) {
        for (int32_t result : code.steps[k].results) live.Clear(result);
        for (int32_t operand : code.steps[k].operands) live.Set(operand);
      }
      if (live == blocks[b].live_in) continue;
      blocks[b].live_in = std::move(live);
      changed = true;
    }
  }

  // Ranges are found from the last to the first.
  std::vector<LiveRanges> ranges(code.variables.size());
  auto add = [&](int32_t variable, int32_t begin, int32_t end) {
    LiveRanges& list = ranges[variable];
    if (!list.empty() && list.back().begin <= end + 1) {
      list.back().begin = std::min(list.back().begin, begin);
    } else {
      list.push_back({begin, end});
    }
  };
  int32_t end_position = 2 * static_cast<int32_t>(code.steps.size());
  if (num_blocks == 0) {
    for (int32_t output : code.outputs) add(output, kEntryPosition, end_position);
  }
  std::vector<int32_t> live_until(code.variables.size(), -2);
  for (int32_t b = num_blocks - 1; b >= 0; --b) {
    const BasicBlock& block = blocks[b];
    int32_t block_begin = b == 0 ? kEntryPosition : 2 * block.begin - 1;
    int32_t block_end = b == num_blocks - 1 ? end_position : 2 * block.end - 1;
    live_out(block).ForEach([&](int32_t variable) { live_until[variable] = block_end; });
    for (int32_t k = block.end - 1; k >= block.begin; --k) {
      for (int32_t result : code.steps[k].results) {
        add(result, 2 * k, std::max(live_until[result], 2 * k + 1));
        live_until[result] = -2;
      }
      for (int32_t operand : code.steps[k].operands) {
        live_until[operand] = std::max(live_until[operand], 2 * k);
      }
    }
    blocks[b].live_in.ForEach([&](int32_t variable) {
      add(variable, block_begin, live_until[variable]);
      live_until[variable] = -2;
    });
  }
  for (LiveRanges& list : ranges) std::reverse(list.begin(), list.end());
  return ranges;
}

LiveSet::LiveSet(const LiveRanges& ranges) {
  for (const LiveRange& range : ranges) {
    end_of_.emplace_hint(end_of_.end(), range.begin, range.end);
  }
}

size_t LiveSet::Absorb(LiveSet other) {
  if (size() < other.size()) end_of_.swap(other.end_of_);
  for (auto [begin, end] : other.end_of_) {
    auto after = end_of_.upper_bound(begin);
    if (after != end_of_.end() && after->first == end) {
      end = after->second;
      after = end_of_.erase(after);
    }
    if (after != end_of_.begin() && std::prev(after)->second == begin) {
      std::prev(after)->second = end;
    } else {
      end_of_.emplace_hint(after, begin, end);
    }
  }
  return other.size();
}

}  // namespace plinth::compiler
