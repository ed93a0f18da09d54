// SPDX-License-Identifier: Apache-2.0
#include "plinth/reflection/reflection.h"

#include <algorithm>
#include <unordered_map>

namespace plinth::reflection {
namespace {

#include "api/reflection/reflection_tables.inc"

static_assert(std::size(kFunctions) == kFunctionCount);
static_assert(std::size(kStructs) == kStructCount);
static_assert(std::size(kHandles) == kHandleCount);
static_assert(std::size(kEnums) == kEnumCount);
static_assert(std::size(kTables) == kTableCount);

template <typename Row>
const Row* FindByName(std::span<const Row> rows, std::string_view name) {
  auto found =
      std::find_if(rows.begin(), rows.end(), [=](const Row& r) { return name == r.name.view(); });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

Text::operator const char*() const { return offset_ == 0 ? nullptr : kStrings + offset_; }

std::span<const Function> Functions() { return kFunctions; }
std::span<const Struct> Structs() { return kStructs; }
std::span<const Enum> Enums() { return kEnums; }
std::span<const Table> Tables() { return kTables; }
std::span<const Requirement> Requirements() { return kRequirements; }
std::span<const Text> Handles() { return kHandles; }

std::span<const Field> FieldsOf(const Struct& structure) {
  return {kFields + structure.first_field, static_cast<size_t>(structure.num_fields)};
}

std::span<const EnumValue> ValuesOf(const Enum& enumeration) {
  return {kEnumValues + enumeration.first_value, static_cast<size_t>(enumeration.num_values)};
}

std::span<const Requirement> RequirementsOf(const Function& function) {
  return {kRequirements + function.first_requirement,
          static_cast<size_t>(function.num_requirements)};
}

const Function* FindFunction(std::string_view name) { return FindByName(Functions(), name); }
const Struct* FindStruct(std::string_view name) { return FindByName(Structs(), name); }
const Field* FindField(const Struct& structure, std::string_view name) {
  return FindByName(FieldsOf(structure), name);
}

const Requirement* FindRequirement(std::string_view id) {
  // Programs ask thousands of times at their start. Never freed: others may ask at the exit.
  static const auto* const by_id = [] {
    auto* map = new std::unordered_map<std::string_view, const Requirement*>;
    for (const Requirement& requirement : kRequirements)
      map->emplace(requirement.id.view(), &requirement);
    return map;
  }();
  auto found = by_id->find(id);
  return found == by_id->end() ? nullptr : found->second;
}

const Table* FindTable(int extension_type) {
  auto found = std::find_if(std::begin(kTables), std::end(kTables),
                            [=](const Table& t) { return t.type == extension_type; });
  return found == std::end(kTables) ? nullptr : found;
}

size_t EndAt(const Struct& structure, int minor) {
  size_t end = 0;
  for (const Field& field : FieldsOf(structure)) {
    bool is_head = field.base == Base::kStructSize || field.base == Base::kExtensionChain ||
                   field.base == Base::kExtensionNode;
    if (is_head || field.since <= minor) {
      end = std::max(end, static_cast<size_t>(field.offset) + field.size);
    }
  }
  return end;
}

const char* NameOf(const Enum& enumeration, int value) {
  for (const EnumValue& row : ValuesOf(enumeration)) {
    if (row.value == value) return row.name;
  }
  return nullptr;
}

}  // namespace plinth::reflection
