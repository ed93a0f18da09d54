// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/ffi.h"

#include "plinth/support/str_cat.h"

namespace plinth::sdk {
namespace {

// Away from where frameworks begin to count, which ask for ids that they gave to types themselves.
constexpr int64_t kFirstId = int64_t{1} << 40;

}  // namespace

Expected<int64_t> FfiTypes::Register(std::string_view name, int64_t type_id,
                                     const FfiTypeInfo& info) {
  if (name.empty()) return InvalidArgument("a type without a name cannot be registered");
  const std::lock_guard lock(mutex_);
  if (const auto known = ids_.find(name); known != ids_.end()) {
    if (type_id != 0 && type_id != known->second) {
      return Status(
          StatusCode::kAlreadyExists,
          StrCat("type \"", name, "\" has the id ", known->second, "; it was asked for ", type_id));
    }
    if (!(types_[known->second].info == info)) {
      return Status(StatusCode::kAlreadyExists,
                    StrCat("type \"", name, "\" is registered with another deleter"));
    }
    return known->second;
  }
  if (type_id == 0) {
    do {
      type_id = kFirstId + next_id_++;
    } while (types_.contains(type_id));
  } else if (const auto other = types_.find(type_id); other != types_.end()) {
    return Status(StatusCode::kAlreadyExists,
                  StrCat("the id ", type_id, ", asked for by type \"", name, "\", is that of \"",
                         other->second.name, "\""));
  }
  ids_.emplace(name, type_id);
  types_.emplace(type_id, Type{std::string(name), info});
  return type_id;
}

Expected<FfiTypeInfo> FfiTypes::Find(int64_t type_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = types_.find(type_id);
  if (found == types_.end()) return NotFound("no type has the id ", type_id);
  return found->second.info;
}

}  // namespace plinth::sdk
