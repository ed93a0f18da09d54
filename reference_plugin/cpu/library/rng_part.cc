// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/rng_part.h"

#include <span>

#include "reference_plugin/backend/run/backend.h"

namespace plinth::cpu::library {
namespace {

using compiler::Dims;

// Words [first, last) of a counter are elements at + w * stride.
struct Unit {
  uint64_t counter = 0;
  int64_t at = 0, first = 0, last = 1;
};

// A part is made of rows. The elements of a row follow one another in the whole (Philox), or its
// counters do (ThreeFry).
class RngPart {
 public:
  RngPart(const RngStream& stream, const Dims& whole, const Dims& part)
      : stream_(stream), part_(part), whole_weights_(part), part_weights_(part) {
    const size_t rank = part.size();
    const bool has_pairs = stream.is_threefry && stream.element_bytes < 8;
    split_ = has_pairs ? stream.split : rank;
    row_rank_ = rank - 1;
    row_elements_ = part[rank - 1];
    while (!stream.is_threefry && row_rank_ > 0 && part[row_rank_] == whole[row_rank_]) {
      row_elements_ *= part[--row_rank_];
    }
    int64_t of_whole = 1, of_part = 1;
    for (size_t d = rank; d-- > 0;) {
      whole_weights_[d] = of_whole;
      part_weights_[d] = of_part;
      of_whole *= d == split_ ? (whole[d] + 1) / 2 : whole[d];
      of_part *= part[d];
    }
    stride_ = split_ < rank ? part_weights_[split_] : 1;
  }

  int64_t stride() const { return stride_; }

  // Goes from unit to unit of the part that begins there.
  class Walk {
   public:
    Walk(const RngPart& part, const Dims& starts) : of_(part), starts_(starts), counts_(starts) {
      for (size_t d = 0; d < starts.size(); ++d) {
        counts_[d] =
            d == of_.split_ ? (starts[d] + of_.part_[d] - 1) / 2 - starts[d] / 2 + 1 : of_.part_[d];
      }
      const int64_t per = of_.stream_.ElementsPerCounter();
      // A row of Philox may begin and end within a counter.
      units_per_row_ =
          of_.stream_.is_threefry ? counts_.back() : (of_.row_elements_ + per - 2) / per + 1;
      index_.resize(of_.row_rank_);
    }

    int64_t NumUnits() const {
      int64_t rows = 1;
      for (size_t d = 0; d < of_.row_rank_; ++d) rows *= counts_[d];
      return rows * units_per_row_;
    }

    void GoTo(int64_t unit) {
      in_row_ = unit % units_per_row_;
      int64_t row = unit / units_per_row_;
      for (size_t d = of_.row_rank_; d-- > 0;) {
        index_[d] = row % counts_[d];
        row /= counts_[d];
      }
      FindRow();
    }

    // Where the walk stands, and on to the next. False: no element is there.
    bool Take(Unit& unit) {
      const bool is_any = At(unit);
      if (++in_row_ == units_per_row_) {
        in_row_ = 0;
        for (size_t d = of_.row_rank_; d-- > 0;) {
          if (++index_[d] < counts_[d]) break;
          index_[d] = 0;
        }
        FindRow();
      }
      return is_any;
    }

   private:
    void FindRow() {
      in_whole_ = in_part_ = 0;
      words_ = {0, 0, 0, 1};
      for (size_t d = 0; d < starts_.size(); ++d) {
        // Along what is left of the row, it begins where the part does.
        const int64_t index = d < of_.row_rank_ ? index_[d] : 0;
        if (d == of_.split_) {
          FindPair(starts_[d] / 2 + index, words_);
          in_whole_ += (starts_[d] / 2 + index) * of_.whole_weights_[d];
          if (d < of_.row_rank_) in_part_ += words_.at;
        } else {
          in_whole_ += (starts_[d] + index) * of_.whole_weights_[d];
          in_part_ += index * of_.part_weights_[d];
        }
      }
    }

    // What the part has of a pair, and where.
    void FindPair(int64_t pair, Unit& unit) const {
      const int64_t start = starts_[of_.split_], size = of_.part_[of_.split_];
      unit.at = (2 * pair - start) * of_.part_weights_[of_.split_];
      unit.first = 2 * pair < start ? 1 : 0;
      unit.last = std::min<int64_t>(2, start + size - 2 * pair);
    }

    bool At(Unit& unit) const {
      if (!of_.stream_.is_threefry) {
        const int64_t per = of_.stream_.ElementsPerCounter();
        const int64_t counter = in_whole_ / per + in_row_;
        const int64_t before = counter * per - in_whole_;
        unit = {static_cast<uint64_t>(counter), in_part_ + before, std::max<int64_t>(0, -before),
                std::min(per, of_.row_elements_ - before)};
        return unit.first < unit.last;
      }
      unit = words_;
      if (of_.split_ == of_.row_rank_) {
        FindPair(starts_[of_.split_] / 2 + in_row_, unit);
        unit.at += in_part_;
      } else {
        unit.at = in_part_ + in_row_;
      }
      unit.counter = static_cast<uint64_t>(in_whole_ + in_row_);
      return true;
    }

    const RngPart& of_;
    const Dims& starts_;
    Dims counts_;  // of units
    int64_t units_per_row_ = 0;
    Dims index_;  // of the row
    int64_t in_row_ = 0;
    int64_t in_whole_ = 0, in_part_ = 0;  // where the row begins
    Unit words_;                          // of the row, when its counters are of one pair
  };

 private:
  const RngStream& stream_;
  Dims part_;
  size_t split_ = 0;     // the dimension of pairs; the rank: none
  size_t row_rank_ = 0;  // of the array of rows
  int64_t row_elements_ = 1;
  Dims whole_weights_, part_weights_;
  int64_t stride_ = 1;
};

class RngPartStep final : public backend::PreparedStep {
 public:
  RngPartStep(const RngStream& stream, const Dims& whole, const Dims& part)
      : stream_(stream), whole_(whole), part_dims_(part), part_(stream_, whole, part) {}

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const RngStream::State state = stream_.Load(operands[0]);
    Dims starts;
    int64_t count = 1;
    for (size_t d = 0; d < part_dims_.size(); ++d) {
      int32_t start;
      std::memcpy(&start, operands[d + 1], sizeof start);
      starts.push_back(std::clamp<int64_t>(start, 0, whole_[d] - part_dims_[d]));
      count *= part_dims_[d];
    }
    if (count > 0) RunAll(state, starts, static_cast<std::byte*>(results[1]), context);
    stream_.StoreNext(state, results[0]);
    return Status();
  }

 private:
  void RunAll(const RngStream::State& state, const Dims& starts, std::byte* out,
              const backend::RunContext& context) const {
    constexpr int64_t kGrain = 4096;
    backend::ParallelFor(
        context.pool, RngPart::Walk(part_, starts).NumUnits(), kGrain,
        [&](int64_t begin, int64_t end) { RunUnits(state, starts, begin, end, out); });
  }

  void RunUnits(const RngStream::State& state, const Dims& starts, int64_t begin, int64_t end,
                std::byte* out) const {
    RngPart::Walk walk(part_, starts);
    walk.GoTo(begin);
    Unit units[kRngLanes];
    size_t size = 0;
    for (int64_t i = begin; i < end; ++i) {
      if (walk.Take(units[size])) ++size;
      if (size < kRngLanes && i + 1 < end) continue;
      Make(state, {units, size}, out);
      size = 0;
    }
  }

  void Make(const RngStream::State& state, std::span<const Unit> units, std::byte* out) const {
    uint32_t words[4][kRngLanes] = {};
    for (size_t i = 0; i < units.size(); ++i) {
      const uint64_t low = state[1] + units[i].counter;
      const uint64_t high = state[2] + (low < state[1] ? 1 : 0);
      words[0][i] = static_cast<uint32_t>(low);
      words[1][i] = static_cast<uint32_t>(low >> 32);
      words[2][i] = static_cast<uint32_t>(high);
      words[3][i] = static_cast<uint32_t>(high >> 32);
    }
    if (stream_.is_threefry) {
      ThreeFry2x32(words, state[0]);
    } else {
      Philox4x32(words, state[0]);
    }
    for (size_t i = 0; i < units.size(); ++i) {
      for (int64_t w = units[i].first; w < units[i].last; ++w) {
        const int64_t at = units[i].at + w * part_.stride();
        if (stream_.element_bytes == 8) {
          RngStream::StoreWide(out, at, words[2 * w][i], words[2 * w + 1][i]);
        } else {
          stream_.Store(out, at, words[w][i]);
        }
      }
    }
  }

  RngStream stream_;
  Dims whole_, part_dims_;
  RngPart part_;  // refers to stream_
};

}  // namespace

std::unique_ptr<backend::PreparedStep> MakeRngPart(const RngStream& stream, const Dims& whole,
                                                   const Dims& part) {
  return std::make_unique<RngPartStep>(stream, whole, part);
}

}  // namespace plinth::cpu::library
