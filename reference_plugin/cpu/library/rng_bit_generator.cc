// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/rng_part.h"
#include "reference_plugin/cpu/library/rng_stream.h"

namespace plinth::cpu::library {
namespace {

using compiler::RngAlgorithm;

// All of the array.
class RngBitGeneratorStep final : public backend::PreparedStep {
 public:
  explicit RngBitGeneratorStep(const RngStream& stream) : stream_(stream) {}

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const RngStream::State state = stream_.Load(operands[0]);
    std::byte* out = static_cast<std::byte*>(results[1]);
    constexpr int64_t kGrain = 4096;
    backend::ParallelFor(context.pool, stream_.NumCounters(), kGrain,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; i += kRngLanes) {
                             const int64_t size = std::min<int64_t>(kRngLanes, end - i);
                             if (stream_.is_threefry) {
                               RunThreeFry(state, i, size, out);
                             } else {
                               RunPhilox(state, i, size, out);
                             }
                           }
                         });
    stream_.StoreNext(state, results[0]);
    return Status();
  }

 private:
  void RunPhilox(const RngStream::State& state, int64_t first, int64_t size, std::byte* out) const {
    uint32_t words[4][kRngLanes];
    const uint64_t low = state[1] + static_cast<uint64_t>(first);
    FillPhiloxCounters(words, low, state[2] + (low < state[1] ? 1 : 0));
    Philox4x32(words, state[0]);
    if (stream_.element_bytes == 8) {
      for (int64_t i = 0; i < size; ++i) {
        const int64_t index = 2 * (first + i);
        RngStream::StoreWide(out, index, words[0][i], words[1][i]);
        if (index + 1 < stream_.count)
          RngStream::StoreWide(out, index + 1, words[2][i], words[3][i]);
      }
      return;
    }
    for (int64_t i = 0; i < size; ++i) {
      const int64_t index = 4 * (first + i);
      const int64_t used = std::min<int64_t>(4, stream_.count - index);
      for (int64_t w = 0; w < used; ++w) stream_.Store(out, index + w, words[w][i]);
    }
  }

  void RunThreeFry(const RngStream::State& state, int64_t first, int64_t size,
                   std::byte* out) const {
    uint32_t words[2][kRngLanes];
    for (size_t i = 0; i < kRngLanes; ++i) {
      const uint64_t counter = state[1] + static_cast<uint64_t>(first) + i;
      words[0][i] = static_cast<uint32_t>(counter);
      words[1][i] = static_cast<uint32_t>(counter >> 32);
    }
    ThreeFry2x32(words, state[0]);
    if (stream_.element_bytes == 8) {
      for (int64_t i = 0; i < size; ++i)
        RngStream::StoreWide(out, first + i, words[0][i], words[1][i]);
      return;
    }
    const int64_t half = (stream_.length + 1) / 2;
    int64_t inner = first % stream_.inner;
    int64_t pair = first / stream_.inner % half;
    int64_t outer = first / stream_.inner / half;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t index = (outer * stream_.length + 2 * pair) * stream_.inner + inner;
      stream_.Store(out, index, words[0][i]);
      if (2 * pair + 1 < stream_.length) stream_.Store(out, index + stream_.inner, words[1][i]);
      if (++inner < stream_.inner) continue;
      inner = 0;
      if (++pair < half) continue;
      pair = 0;
      ++outer;
    }
  }

  RngStream stream_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareRngBitGenerator(
    const compiler::plan::PlanStep& step, const LibraryOptions&) {
  if (step.results.size() != 2 || step.attributes == nullptr ||
      !std::holds_alternative<compiler::RngBitGeneratorAttributes>(*step.attributes)) {
    return InvalidArgument("expected a state, and a state and bits as results; found ",
                           step.operands.size(), " operands and ", step.results.size(), " results");
  }
  const auto& [algorithm, whole] = std::get<compiler::RngBitGeneratorAttributes>(*step.attributes);
  const compiler::Type& state = step.operands[0].type;
  const int64_t most = algorithm == RngAlgorithm::kThreeFry ? 2 : 3;
  if (state.dtype != DType::kU64 || state.dims.size() != 1 || state.dims[0] < 2 ||
      state.dims[0] > most) {
    return InvalidArgument("the state is ", state.ToString(), "; expected u64[2]",
                           most == 3 ? " or u64[3]" : "");
  }
  const compiler::Type& bits = step.results[1].type;
  const DTypeClass kind = InfoOf(bits.dtype).kind;
  if (kind != DTypeClass::kSigned && kind != DTypeClass::kUnsigned) {
    return Unimplemented("the result is ", bits.ToString(), "; only integers are supported");
  }
  const RngStream stream(algorithm, state.dims[0], bits.dtype, whole.empty() ? bits.dims : whole);
  if (!whole.empty()) return MakeRngPart(stream, whole, bits.dims);
  return std::unique_ptr<backend::PreparedStep>(std::make_unique<RngBitGeneratorStep>(stream));
}

}  // namespace plinth::cpu::library
