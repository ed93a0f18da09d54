// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/collectives/route.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/cpu/collectives/block_rows.h"
#include "reference_plugin/cpu/collectives/collective.h"

namespace plinth::cpu::collectives {
namespace {

using compiler::Begins;
using compiler::Dims;

// A part or a window along one dimension.
struct Place {
  int64_t begin = 0;
  int64_t rank = 0;  // what it adds to the rank of those that have it
};

// In the order of the digits' numbers, the last one changing first.
std::vector<Place> PlacesAlong(size_t d, const Begins& begins) {
  std::vector<Place> places = {{begins.first[d], 0}};
  for (const Begins::Digit& digit : begins.digits) {
    if (digit.dim != d) continue;
    std::vector<Place> next;
    next.reserve(places.size() * static_cast<size_t>(digit.size));
    for (const Place& place : places) {
      for (int64_t i = 0; i < digit.size; ++i) {
        next.push_back({place.begin + i * digit.step, place.rank + i * digit.stride});
      }
    }
    places = std::move(next);
  }
  return places;
}

}  // namespace

Route::Route(size_t array, const compiler::Redistribution::Source& source, const Begins& windows,
             const Dims& part, const Dims& window, int64_t element_bytes, int64_t ranks)
    : array_(array),
      element_bytes_(element_bytes),
      from_strides_(compiler::DenseStrides(part, element_bytes)),
      to_strides_(compiler::DenseStrides(window, element_bytes)),
      extents_(part),
      row_(part.empty() ? 0 : part.size() - 1) {
  std::vector<Choice> dims(part.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    dims[d].dim = d;
    std::vector<Place> parts = PlacesAlong(d, source.parts);
    std::ranges::sort(parts, {}, &Place::begin);
    for (const Place& place : PlacesAlong(d, windows)) {
      Overlaps& overlaps = dims[d].windows.emplace_back();
      overlaps.begin = dims[d].overlaps.size();
      const int64_t low = std::max(place.begin, source.low[d]);
      const int64_t high = std::min(place.begin + window[d], source.high[d]);
      auto at = std::ranges::upper_bound(parts, low - part[d], {}, &Place::begin);
      for (; at != parts.end() && at->begin < high; ++at) {
        const int64_t begin = std::max(low, at->begin);
        const int64_t extent = std::min(high, at->begin + part[d]) - begin;
        if (extent <= 0) continue;
        overlaps.elements += extent;
        dims[d].overlaps.push_back({at->rank, extent, (begin - at->begin) * from_strides_[d],
                                    (begin - place.begin) * to_strides_[d]});
      }
      overlaps.end = dims[d].overlaps.size();
    }
  }
  const auto is_whole = [&](size_t d) {
    return part[d] == window[d] &&
           std::ranges::all_of(dims[d].overlaps,
                               [&](const Overlap& overlap) { return overlap.extent == part[d]; });
  };
  while (row_ > 0 && is_whole(row_)) --row_;
  piece_bytes_ = dims.empty() ? element_bytes : 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    for (const Overlap& overlap : dims[d].overlaps) {
      if (d != row_) break;
      piece_bytes_ = std::max(piece_bytes_, std::min(overlap.extent * from_strides_[d], kGrain));
    }
    if (dims[d].windows.size() == 1 && dims[d].overlaps.size() == 1) {
      const Overlap& only = dims[d].overlaps[0];
      extents_[d] = only.extent;
      elements_ *= only.extent;
      pieces_ *= Pieces(d, only);
      first_.rank += only.rank;
      first_.from += only.from;
      first_.to += only.to;
      continue;
    }
    for (Overlaps& overlaps : dims[d].windows) {
      for (size_t i = overlaps.begin; i < overlaps.end; ++i) {
        overlaps.pieces += Pieces(d, dims[d].overlaps[i]);
      }
    }
    choices_.push_back(std::move(dims[d]));
  }
  FindTargets(source, windows, ranks);
}

int64_t Route::RowBytes(const Dims& extents) const {
  return extents.empty() ? element_bytes_ : extents[row_] * from_strides_[row_];
}

int64_t Route::Pieces(size_t d, const Overlap& overlap) const {
  if (d < row_) return overlap.extent;
  return d == row_ ? PiecesOfRow(overlap.extent * from_strides_[d]) : 1;
}

void Route::FindTargets(const compiler::Redistribution::Source& source, const Begins& windows,
                        int64_t ranks) {
  const auto digit_of = [](int64_t rank, const Begins::Digit& digit) {
    return rank / digit.stride % digit.size;
  };
  targets_.reserve(static_cast<size_t>(ranks) * (choices_.size() + 1));
  for (int64_t target = 0; target < ranks; ++target) {
    // Of ranks that have the same part, the one sends it that is most like the target.
    int64_t sender = target + first_.rank;
    for (const Begins::Digit& digit : source.parts.digits) {
      sender -= digit_of(target, digit) * digit.stride;
    }
    targets_.push_back(static_cast<int32_t>(sender));
    for (const Choice& choice : choices_) {
      int64_t number = 0;
      for (const Begins::Digit& digit : windows.digits) {
        if (digit.dim == choice.dim) number = number * digit.size + digit_of(target, digit);
      }
      targets_.push_back(static_cast<int32_t>(number));
    }
  }
}

int64_t Route::NumElements(int64_t target) const {
  const auto numbers = NumbersOf(target);
  int64_t elements = elements_;
  for (size_t i = 0; i < choices_.size(); ++i) elements *= WindowOf(i, numbers).elements;
  return elements;
}

int64_t Route::NumPieces(int64_t target) const {
  const auto numbers = NumbersOf(target);
  int64_t pieces = pieces_;
  for (size_t i = 0; i < choices_.size(); ++i) pieces *= WindowOf(i, numbers).pieces;
  return pieces;
}

// Goes through the blocks that a target gets, and skips those before the pieces that are asked for.
class Route::Copier {
 public:
  using Members = std::span<const backend::CollectiveStep::Participant>;

  Copier(const Route& route, std::span<const int32_t> numbers, int64_t begin, int64_t end,
         Members members)
      : route_(route),
        numbers_(numbers),
        members_(members),
        skip_(begin),
        left_(end - begin),
        extents_(route.extents_) {}

  // There are so many pieces.
  void Copy(int64_t pieces, std::byte* to) && {
    Visit(0, pieces, numbers_[0], route_.first_.from, to + route_.first_.to);
  }

 private:
  // From a choice on; those before it leave so many pieces.
  void Visit(size_t choice, int64_t pieces, int64_t sender, int64_t from, std::byte* to) {
    if (choice == route_.choices_.size()) return CopyBlock(pieces, sender, from, to);
    const Overlaps& window = route_.WindowOf(choice, numbers_);
    const Choice& along = route_.choices_[choice];
    const int64_t others = pieces / window.pieces;
    for (size_t i = window.begin; i < window.end && left_ > 0; ++i) {
      const Overlap& overlap = along.overlaps[i];
      const int64_t with_this = others * route_.Pieces(along.dim, overlap);
      if (skip_ >= with_this) {
        skip_ -= with_this;
        continue;
      }
      extents_[along.dim] = overlap.extent;
      Visit(choice + 1, with_this, sender + overlap.rank, from + overlap.from, to + overlap.to);
    }
  }

  // Rows of a block, dimension by dimension: without a division for each.
  void CopyWhole(size_t d, const std::byte* from, std::byte* to) const {
    if (d == route_.row_) {
      std::memcpy(to, from, static_cast<size_t>(route_.RowBytes(extents_)));
      return;
    }
    for (int64_t i = 0; i < extents_[d]; ++i) {
      CopyWhole(d + 1, from + i * route_.from_strides_[d], to + i * route_.to_strides_[d]);
    }
  }

  void CopyBlock(int64_t pieces, int64_t sender, int64_t offset, std::byte* to) {
    const std::byte* const from =
        Bytes(members_[static_cast<size_t>(sender)].operands[route_.array_]) + offset;
    if (skip_ == 0 && left_ >= pieces) {
      left_ -= pieces;
      return CopyWhole(0, from, to);
    }
    const BlockRows rows(extents_, route_.from_strides_, route_.to_strides_, route_.element_bytes_,
                         route_.row_);
    const int64_t end = std::min(pieces, skip_ + left_);
    for (int64_t piece = skip_; piece < end; ++piece) rows.CopyPiece(piece, from, to);
    left_ -= end - skip_;
    skip_ = 0;
  }

  const Route& route_;
  const std::span<const int32_t> numbers_;
  const Members members_;
  int64_t skip_, left_;
  Dims extents_;
};

void Route::Copy(int64_t target, int64_t begin, int64_t end, Copier::Members members,
                 std::byte* to) const {
  if (begin >= end) return;
  Copier(*this, NumbersOf(target), begin, end, members).Copy(NumPieces(target), to);
}

}  // namespace plinth::cpu::collectives
