// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/emitted_code.h"

#include <algorithm>
#include <utility>

#include "reference_plugin/cpu/kernels/cost.h"
#include "reference_plugin/cpu/kernels/piece_finder.h"

namespace plinth::cpu::kernels {
namespace {

using emit::Piece;
using emit::PieceValue;

// Rows that are read by a routine (TileProgram::reduces_rows) and are no longer than this: there,
// what the routine asks before and after each row takes most of the time. Zen 5, maxima of rows of
// 16 f32: 24 ns by the routine, 9 by code.
constexpr int64_t kLongestCodedRow = 128;

// An op on values in registers takes this part less than its routine: Zen 5, 0.006 ns an element
// and op of 20 plain ones on 64 KB, where a routine takes 0.07; twice that with AVX2.
constexpr double kSavedPart = 0.8;

// For a point, of the ops and constants of a piece.
double SavedNs(const Piece& piece) {
  double ns = 0;
  for (const PieceValue& value : piece) {
    if (value.kind == PieceValue::Kind::kOp) ns += kSavedPart * ElementNs(value.node);
    if (value.kind == PieceValue::Kind::kConstant) ns += kContiguousNs;
  }
  return ns;
}

// Points of a tile of the parallel space.
double PointsOf(const TileProgram& program, bool over_reduced) {
  return static_cast<double>(program.parallel.max_lanes) *
         static_cast<double>(over_reduced ? program.domain.reduced_points : 1);
}

bool JoinsTiles(const TileProgram& program, const PhaseProgram& phase, const PhasePieces& found) {
  // One loop over tiles: what is linear over the lanes of one is so over all.
  if (program.phases.size() != 1 || program.lanes != Lanes::kParallel || phase.over_reduced ||
      program.parallel.counts.size() != 1) {
    return false;
  }
  if (found.units.size() != 1 || !found.units[0].is_piece || !found.iotas.empty() ||
      !found.stores.empty() || !phase.rows.empty() || !phase.saves.empty()) {
    return false;
  }
  const bool reads_in_place =
      std::all_of(found.loads.begin(), found.loads.end(),
                  [](const LoadStep& step) { return step.direct && step.load.bounds.empty(); });
  const Piece& piece = found.units[0].piece;
  // A register of the frame has one tile.
  return reads_in_place && std::all_of(piece.begin(), piece.end(), [&](const PieceValue& value) {
           return value.slot < 0 ||
                  program.frame.slot_offsets()[static_cast<size_t>(value.slot)] < 0;
         });
}

}  // namespace

std::unique_ptr<const EmittedCode> EmittedCode::Make(const TileProgram& program, Options options,
                                                     emit::CodeCache& codes) {
  auto emitted = std::make_unique<EmittedCode>();
  if (options.whole_rows &&
      (!program.reduces_rows || program.domain.reduced_points <= kLongestCodedRow)) {
    emitted->row_ = RowCode::Describe(program, options.past_cache);
  }
  if (emitted->row_.has_value()) {
    for (const emit::RowPhase& phase : emitted->row_->row().phases) {
      emitted->saved_ns_ += SavedNs(phase.piece) * PointsOf(program, /*over_reduced=*/true);
    }
  }
  std::vector<Piece> pieces;
  for (const PhaseProgram& phase : program.phases) {
    Phase& out = emitted->phases_.emplace_back();
    if (emitted->row_.has_value() && phase.over_reduced) continue;
    PhasePieces found = FindPieces(program, phase, options.past_cache);
    emitted->joins_tiles_ = JoinsTiles(program, phase, found);
    for (PhaseUnit& unit : found.units) {
      if (!unit.is_piece) {
        out.steps.push_back({nullptr, phase.code[unit.begin]});
        continue;
      }
      emitted->saved_ns_ += SavedNs(unit.piece) * PointsOf(program, phase.over_reduced);
      pieces.push_back(std::move(unit.piece));
      out.steps.push_back({});
    }
    out.loads = std::move(found.loads);
    out.iotas = std::move(found.iotas);
    out.stores = std::move(found.stores);
    out.memories = std::move(found.memories);
  }
  if (pieces.empty() && !emitted->row_.has_value()) return nullptr;
  emitted->code_ = codes.Get(pieces, emitted->row_.has_value() ? &emitted->row_->row() : nullptr);
  if (emitted->code_ == nullptr) return nullptr;
  if (emitted->row_.has_value()) emitted->row_->set_function(emitted->code_->row());
  size_t number = 0;
  for (Phase& phase : emitted->phases_) {
    for (Step& step : phase.steps) {
      if (step.instruction.function == nullptr) step.piece = emitted->code_->function(number++);
    }
  }
  return emitted;
}

}  // namespace plinth::cpu::kernels
