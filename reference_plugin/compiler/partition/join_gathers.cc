// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/join_gathers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/uses.h"

namespace plinth::compiler::partition {
namespace {

// An array that is gathered alone may be written once for all devices, which pays among many.
constexpr size_t kMostDevices = 32;

// Which group a device is in, and as which of it.
struct Member {
  int64_t group = -1, place = -1;
};

// By device; nothing if the groups are not of one size, or a device is in two.
std::optional<std::map<int64_t, Member>> MembersOf(const DeviceGroups& groups) {
  std::map<int64_t, Member> members;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].size() != groups[0].size()) return std::nullopt;
    for (size_t place = 0; place < groups[i].size(); ++place) {
      const Member member = {static_cast<int64_t>(i), static_cast<int64_t>(place)};
      if (!members.emplace(groups[i][place], member).second) return std::nullopt;
    }
  }
  return members;
}

// Groups in which each device of one group of `inner` meets those that `outer` brings to it. They
// are listed inner group by inner group, in the order of the outer ones. Nothing: an inner group
// would be at several places of the outer ones, or devices meet others than those of their place.
std::optional<DeviceGroups> JoinedGroups(const DeviceGroups& inner, const DeviceGroups& outer) {
  const auto in = MembersOf(inner), out = MembersOf(outer);
  if (!in.has_value() || !out.has_value() || in->size() != out->size()) return std::nullopt;
  std::map<int64_t, std::vector<int64_t>> lists;  // of inner groups, by the first of them
  for (const std::vector<int64_t>& group : outer) {
    std::vector<int64_t> list;
    for (int64_t device : group) {
      const auto member = in->find(device), first = in->find(group[0]);
      if (member == in->end() || member->second.place != first->second.place) return std::nullopt;
      list.push_back(member->second.group);
    }
    const auto [known, is_new] = lists.emplace(list[0], list);
    if (!is_new && known->second != list) return std::nullopt;
  }
  DeviceGroups::Lists joined;
  std::unordered_set<int64_t> seen;
  for (const auto& [first, list] : lists) {
    std::vector<int64_t>& group = joined.emplace_back();
    for (int64_t which : list) {
      if (!seen.insert(which).second) return std::nullopt;
      const std::vector<int64_t>& devices = inner[static_cast<size_t>(which)];
      group.insert(group.end(), devices.begin(), devices.end());
    }
  }
  return joined;
}

class GatherJoiner {
 public:
  explicit GatherJoiner(Module& module) : module_(module) {}

  void Run() { Visit(*module_.entry->body); }

 private:
  void Visit(Block& block) {
    std::unordered_set<const Op*> before, joined;
    for (Op*& op : block.ops) {
      if (!replacements_.empty()) replacements_.FindAll({op->operands.data(), op->operands.size()});
      for (Block* inner : op->blocks) {
        if (HasScalarRegions(op->opcode)) {
          replacements_.Apply(*inner);
        } else {
          Visit(*inner);
        }
      }
      const bool may_join = op->opcode == Opcode::kAllGather && op->operands.size() == 1 &&
                            before.contains(op->operands[0]->op) && IsUsedOnce(op->operands[0]);
      if (op->opcode == Opcode::kRedistribute) before.insert(op);
      Op* const made = may_join ? Join(*op->operands[0]->op, *op) : nullptr;
      if (made == nullptr) continue;
      joined.insert(op->operands[0]->op);
      replacements_.Replace(op->result(), made->result());
      op = made;
    }
    std::erase_if(block.ops, [&](const Op* op) { return joined.contains(op); });
  }

  bool IsUsedOnce(const Value* value) {
    // Few programs get so far.
    if (num_uses_.empty()) num_uses_ = CountUses(module_, *module_.entry->body);
    return num_uses_[static_cast<size_t>(value->id)] == 1;
  }

  Op* Join(const Op& windows, const Op& gather) {
    CollectiveAttributes attributes = windows.Get<CollectiveAttributes>();
    const auto& gathered = gather.Get<CollectiveAttributes>();
    const size_t dim = static_cast<size_t>(gathered.dimension);
    const int64_t extent = windows.type().dims[dim];
    if (!StaysAlong(windows, dim)) return nullptr;
    std::optional<DeviceGroups> groups = JoinedGroups(attributes.groups, gathered.groups);
    if (!groups.has_value() || (*groups)[0].size() > kMostDevices) return nullptr;
    attributes.groups = *std::move(groups);
    const int64_t inner = std::ssize(windows.Get<CollectiveAttributes>().groups[0]);
    const int64_t count = std::ssize(gathered.groups[0]);
    for (Redistribution::Source& source : attributes.redistributions[0].sources) {
      source.parts.digits.push_back({inner, count, dim, extent});
      source.high[dim] = count * extent;
    }
    return module_.NewOp(Opcode::kRedistribute, {windows.operands.data(), windows.operands.size()},
                         {&gather.type(), 1}, MakeAttributes(std::move(attributes)),
                         gather.location);
  }

  // Whether all is at the begin of the dimension, and fills it.
  static bool StaysAlong(const Op& windows, size_t dim) {
    const auto& redistributions = windows.Get<CollectiveAttributes>().redistributions;
    if (redistributions.size() != 1) return false;
    const int64_t extent = windows.type().dims[dim];
    const auto are_zero = [&](const Begins& begins) {
      return begins.first[dim] == 0 &&
             std::none_of(begins.digits.begin(), begins.digits.end(),
                          [&](const Begins::Digit& digit) { return digit.dim == dim; });
    };
    const Redistribution& how = redistributions[0];
    for (size_t i = 0; i < how.sources.size(); ++i) {
      const Redistribution::Source& source = how.sources[i];
      if (!are_zero(source.parts) || source.low[dim] != 0 || source.high[dim] != extent ||
          windows.operands[i]->type.dims[dim] != extent) {
        return false;
      }
    }
    return are_zero(how.windows);
  }

  Module& module_;
  std::vector<int32_t> num_uses_;  // before anything was joined, by value id; empty: not counted
  Replacements replacements_;
};

}  // namespace

void JoinGathers(Module& module) { GatherJoiner(module).Run(); }

}  // namespace plinth::compiler::partition
