// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/report.h"

#include <charconv>
#include <csignal>
#include <cstring>

#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {
namespace {

using reflection::Base;
using reflection::Field;

constexpr size_t kMaxListed = 8;
constexpr size_t kMaxText = 40;

const char* NameOf(reflection::RequirementClass of) {
  switch (of) {
    case reflection::RequirementClass::kContract:
      return "contract";
    case reflection::RequirementClass::kRobust:
      return "robust";
    default:
      return "undefined";
  }
}

uint64_t ReadUnsigned(const char* from, size_t size) {
  uint64_t value = 0;
  std::memcpy(&value, from, size < sizeof(value) ? size : sizeof(value));
  return value;
}

std::string ValueOf(Base base, const char* from, size_t size) {
  uint64_t bits = ReadUnsigned(from, size);
  switch (base) {
    case Base::kBool:
      return bits == 0 ? "false" : "true";
    case Base::kInteger:
    case Base::kEnum:
      return size == 4 ? StrCat(static_cast<int32_t>(bits)) : StrCat(static_cast<int64_t>(bits));
    case Base::kUnsigned:
      return StrCat(bits);
    default:
      return bits == 0 ? "null" : Hex(bits);
  }
}

std::string DescribeField(std::span<const Field> fields, const Field& field, const char* args) {
  const char* at = args + field.offset;
  if (field.depth == 0) return ValueOf(field.base, at, field.size);
  const char* list = nullptr;
  std::memcpy(&list, at, sizeof(list));
  if (list == nullptr) return "null";
  bool readable =
      field.direction == reflection::Direction::kOut && field.depth == 1 && field.length_field >= 0;
  if (!readable) return Hex(list);
  const Field& length_field = fields[field.length_field];
  uint64_t length = ReadUnsigned(args + length_field.offset, length_field.size);
  if (field.base == Base::kChar) {
    return StrCat('"', std::string_view(list, length < kMaxText ? length : kMaxText),
                  length > kMaxText ? "...\"" : "\"");
  }
  if (field.base == Base::kStruct || field.base == Base::kUnion) return Hex(list);
  std::string out = "{";
  for (uint64_t i = 0; i < length && i < kMaxListed; ++i) {
    if (i > 0) out += ", ";
    out += ValueOf(field.base, list + i * field.element_size, field.element_size);
  }
  return out + (length > kMaxListed ? ", ...}" : "}");
}

}  // namespace

std::string ReportText(Side side, const reflection::Requirement& requirement, Origin at,
                       const std::string& what) {
  return StrCat("misuse by the ", side == Side::kClient ? "client" : "plugin", " [", requirement.id,
                "] in ", ToString(at), ": ", what, ". Required (",
                NameOf(requirement.requirement_class), "): ", requirement.text);
}

void Reporter::Report(Side side, const reflection::Requirement& requirement, Origin at,
                      const std::string& what) {
  uint64_t number = count_.fetch_add(1, std::memory_order_relaxed);
  if (number < options_.limit) {
    sink_(StrCat("validation: ", ReportText(side, requirement, at, what)));
  } else if (number == options_.limit) {
    sink_(StrCat("validation: ", options_.limit, " reports are written, more are left out"));
  }
  if (options_.mode == Mode::kBreak) std::raise(SIGTRAP);
}

std::string Hex(uint64_t value) {
  char digits[24] = "0x";
  auto [end, error] = std::to_chars(digits + 2, digits + sizeof(digits), value, 16);
  return std::string(digits, end);
}

std::string ToString(Origin origin) {
  if (origin.function < 0) return "no call";
  return StrCat("call #", origin.call, " of ", reflection::Functions()[origin.function].name);
}

std::string Describe(const HandleTable& table, const Handle* handle) {
  History history = table.HistoryOf(handle);
  std::string out = StrCat((history.flags & kOwned) != 0 ? "created by " : "first given out by ",
                           ToString(history.created));
  if (history.deleted.call != 0) {
    const char* how = "deleted by ";
    if ((history.flags & kDonated) != 0) how = "donated by ";
    if ((history.flags & kSet) != 0) {
      how = (history.flags & kUserEvent) != 0 ? "set by " : "used by ";
    }
    out += StrCat(", ", how, ToString(history.deleted));
  }
  if (history.freed.call != 0) out += StrCat(", freed by ", ToString(history.freed));
  if (history.parent_is_gone) {
    out += StrCat(", its ", reflection::Handles()[history.parent->kind()], " ",
                  Hex(history.parent->address()), " freed");
    if (history.parent_freed.call != 0) out += StrCat(" by ", ToString(history.parent_freed));
  }
  return out;
}

std::string DescribeFields(const reflection::Struct& structure, const void* args, size_t size,
                           reflection::Direction direction) {
  std::string out;
  auto fields = reflection::FieldsOf(structure);
  for (const Field& field : fields) {
    bool is_head = field.base == Base::kStructSize || field.base == Base::kExtensionChain;
    if (is_head || field.direction != direction || field.base == Base::kUnion) continue;
    if (static_cast<size_t>(field.offset) + field.size > size) continue;
    if (!out.empty()) out += ", ";
    out += StrCat(field.name, " = ", DescribeField(fields, field, static_cast<const char*>(args)));
  }
  return out;
}

}  // namespace plinth::layers::validation
