// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/reshard_plan.h"

#include <algorithm>

#include "impl/ifrt/device_program.h"
#include "impl/ifrt/relayout.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

// The source shards that hold one box.
struct Holders {
  IndexDomain domain;
  std::vector<size_t> places;
};

std::vector<Holders> HoldersOf(const Sharding& from, std::span<const IndexDomain> domains) {
  std::vector<Holders> holders;
  for (size_t place = 0; place < from.addressable().size(); ++place) {
    const IndexDomain& domain = domains[from.addressable()[place]];
    if (domain.IsEmpty()) continue;
    const auto known = std::find_if(holders.begin(), holders.end(),
                                    [&](const Holders& one) { return one.domain == domain; });
    if (known != holders.end()) {
      known->places.push_back(place);
    } else {
      holders.push_back({domain, {place}});
    }
  }
  return holders;
}

// Of equal shards the one on that device, else one after the other for one target after the other.
size_t Nearest(const Sharding& from, const Holders& holders, const Device* device, size_t target) {
  for (const size_t place : holders.places) {
    if (from.devices()[from.addressable()[place]] == device) return place;
  }
  return holders.places[target % holders.places.size()];
}

// Writes the lines of a join. Values are numbered in order.
class JoinWriter {
 public:
  JoinWriter(DType type, std::span<const JoinPart> parts) : type_(type), parts_(parts) {}

  std::optional<std::string> Write(const IndexDomain& whole,
                                   std::span<const int64_t> minor_to_major) {
    std::string arguments;
    for (size_t i = 0; i < parts_.size(); ++i) {
      arguments += StrCat(i == 0 ? "" : ", ", "%arg", i, ": ",
                          TensorType(type_, parts_[i].argument.extents));
      values_.push_back(Cut(i));
      indices_.push_back(i);
    }
    const std::optional<std::string> result = Join(whole, indices_);
    if (!result) return std::nullopt;
    const std::string type = TensorType(type_, whole.extents);
    return StrCat("module @ifrt_join {\n  func.func public @main(", arguments, ") -> ",
                  ResultIn(type, minor_to_major), " {\n", lines_, "    return ", *result, " : ",
                  type, "\n  }\n}\n");
  }

 private:
  std::string Cut(size_t i) {
    const JoinPart& part = parts_[i];
    std::string argument = StrCat("%arg", i);
    if (part.argument == part.piece) return argument;
    std::string ranges;
    for (size_t d = 0; d < part.piece.origin.size(); ++d) {
      const int64_t begin = part.piece.origin[d] - part.argument.origin[d];
      ranges += StrCat(d == 0 ? "" : ", ", begin, ":", begin + part.piece.extents[d]);
    }
    std::string value = StrCat("%", num_values_++);
    lines_ += StrCat("    ", value, " = stablehlo.slice ", argument, " [", ranges, "] : (",
                     TensorType(type_, part.argument.extents), ") -> ",
                     TensorType(type_, part.piece.extents), "\n");
    return value;
  }

  // Cuts `box` where no piece is cut, and joins the two sides.
  std::optional<std::string> Join(const IndexDomain& box, std::span<const size_t> pieces) {
    if (pieces.size() == 1) return values_[pieces[0]];
    for (size_t d = 0; d < box.origin.size(); ++d) {
      std::vector<size_t> order(pieces.begin(), pieces.end());
      const auto begin = [&](size_t i) { return parts_[i].piece.origin[d]; };
      const auto end = [&](size_t i) { return begin(i) + parts_[i].piece.extents[d]; };
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return begin(a) < begin(b); });
      std::string values;
      std::string types;
      size_t first = 0;
      int64_t reached = box.origin[d];
      std::vector<std::pair<size_t, size_t>> groups;
      for (size_t i = 0; i < order.size(); ++i) {
        if (i > first && begin(order[i]) >= reached) {
          groups.emplace_back(first, i);
          first = i;
        }
        reached = std::max(reached, end(order[i]));
      }
      groups.emplace_back(first, order.size());
      if (groups.size() == 1) continue;
      for (const auto& [from, to] : groups) {
        IndexDomain part = box;
        part.origin[d] = begin(order[from]);
        int64_t last = part.origin[d];
        for (size_t i = from; i < to; ++i) last = std::max(last, end(order[i]));
        part.extents[d] = last - part.origin[d];
        const std::optional<std::string> value =
            Join(part, std::span<const size_t>(order).subspan(from, to - from));
        if (!value) return std::nullopt;
        values += StrCat(values.empty() ? "" : ", ", *value);
        types += StrCat(types.empty() ? "" : ", ", TensorType(type_, part.extents));
      }
      const std::string value = StrCat("%", num_values_++);
      lines_ += StrCat("    ", value, " = stablehlo.concatenate ", values, ", dim = ", d, " : (",
                       types, ") -> ", TensorType(type_, box.extents), "\n");
      return value;
    }
    return std::nullopt;
  }

  const DType type_;
  const std::span<const JoinPart> parts_;
  std::string lines_;
  std::vector<std::string> values_;
  std::vector<size_t> indices_;
  int num_values_ = 0;
};

}  // namespace

Expected<std::vector<ReshardTarget>> PlanReshard(std::span<const int64_t> dims,
                                                 const Sharding& from, const Sharding& to) {
  PLINTH_ASSIGN_OR_RETURN(const std::vector<IndexDomain> from_domains,
                          from.partitioning().Domains(dims));
  PLINTH_ASSIGN_OR_RETURN(const std::vector<IndexDomain> to_domains,
                          to.partitioning().Domains(dims));
  const std::vector<Holders> holders = HoldersOf(from, from_domains);
  std::vector<ReshardTarget> targets;
  for (const size_t shard : to.addressable()) {
    ReshardTarget target{.domain = to_domains[shard]};
    const Device* const device = to.devices()[shard];
    int64_t found = 0;
    for (const Holders& one : holders) {
      IndexDomain common = Intersect(one.domain, target.domain);
      if (common.IsEmpty()) continue;
      found += common.NumElements();
      target.pieces.push_back({Nearest(from, one, device, targets.size()), std::move(common)});
    }
    if (found != target.domain.NumElements()) {
      return Unimplemented(
          "elements ", target.domain.ToString(), " for ", device->Name(),
          " are on devices of other processes only; a copy (plinth_ifrt_arrays_copy) "
          "moves whole shards between processes");
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

std::optional<std::string> JoinProgram(DType type, const IndexDomain& whole,
                                       std::span<const JoinPart> parts,
                                       std::span<const int64_t> minor_to_major) {
  return JoinWriter(type, parts).Write(whole, minor_to_major);
}

}  // namespace plinth::ifrt
