// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_DEVICE_GROUPS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_DEVICE_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace plinth::compiler {

// Which devices a collective works among. A list names each device of a mesh; a program has
// hundreds of collectives and a few such lists, so copies share them.
class DeviceGroups {
 public:
  using Lists = std::vector<std::vector<int64_t>>;

  DeviceGroups() = default;
  DeviceGroups(Lists lists)  // NOLINT: the same
      : lists_(std::make_shared<const Lists>(std::move(lists))) {}

  const Lists& lists() const {
    static const Lists kNone;
    return lists_ == nullptr ? kNone : *lists_;
  }
  size_t size() const { return lists().size(); }
  bool empty() const { return lists().empty(); }
  Lists::const_iterator begin() const { return lists().begin(); }
  Lists::const_iterator end() const { return lists().end(); }
  const std::vector<int64_t>& operator[](size_t group) const { return lists()[group]; }

  // The same for copies, as long as one of them is there: what is known of groups is looked up by
  // it.
  const void* id() const { return lists_.get(); }
  friend bool operator==(const DeviceGroups& a, const DeviceGroups& b) {
    return a.lists_ == b.lists_ || a.lists() == b.lists();
  }

 private:
  std::shared_ptr<const Lists> lists_;  // null: none
};

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_DEVICE_GROUPS_H_
