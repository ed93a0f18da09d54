// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/equality.h"

#include <algorithm>
#include <cstring>

#include "plinth/program/program.h"

namespace plinth::program {
namespace {

bool EqualTypeLists(std::span<const TypeRef> a, std::span<const TypeRef> b) {
  return std::ranges::equal(a, b, [](TypeRef x, TypeRef y) { return EqualTypes(*x, *y); });
}

bool EqualFields(Attributes a, Attributes b) {
  return std::ranges::equal(a, b, [](const NamedAttribute& x, const NamedAttribute& y) {
    return x.name == y.name && EqualAttributes(*x.value, *y.value);
  });
}

// Finds the first difference of two ops, walking both in step.
class Comparison {
 public:
  bool Same(const Operation& a, const Operation& b) {
    if (a.op != b.op) return Differ(a, b, StrCat(Name(a.op), " here, ", Name(b.op), " there"));
    if (!std::ranges::equal(a.operands, b.operands)) return Differ(a, b, "other operands");
    if (a.first_result != b.first_result) return Differ(a, b, "other numbers of values before it");
    if (!EqualTypeLists(a.result_types, b.result_types)) {
      std::string types;
      for (TypeRef type : a.result_types) types += StrCat(" ", ToString(type));
      types += " here,";
      for (TypeRef type : b.result_types) types += StrCat(" ", ToString(type));
      return Differ(a, b, StrCat("results", types, " there"));
    }
    if (!SameAttributes(a, b)) return false;
    if (a.regions.size() != b.regions.size()) return Differ(a, b, "other numbers of regions");
    for (size_t i = 0; i < a.regions.size(); ++i) {
      if (!Same(a.regions[i], b.regions[i], a, b)) return false;
    }
    return true;
  }

  const std::string& difference() const { return difference_; }

 private:
  bool Same(const Region& a, const Region& b, const Operation& op_a, const Operation& op_b) {
    if (a.has_block != b.has_block || a.first_argument != b.first_argument ||
        !EqualTypeLists(a.argument_types, b.argument_types)) {
      return Differ(op_a, op_b, "other arguments of a region");
    }
    const size_t count = std::min(a.operations.size(), b.operations.size());
    for (size_t i = 0; i < count; ++i) {
      if (!Same(a.operations[i], b.operations[i])) return false;
    }
    if (a.operations.size() != b.operations.size()) {
      return Differ(op_a, op_b,
                    StrCat("a region with ", a.operations.size(), " ops here, ",
                           b.operations.size(), " there"));
    }
    return true;
  }

  bool SameAttributes(const Operation& a, const Operation& b) {
    for (const NamedAttribute& attribute : a.attributes) {
      AttributeRef other = b.Find(attribute.name);
      if (other == nullptr) {
        return Differ(a, b,
                      StrCat("attribute ", attribute.name, " = ", ToString(attribute.value),
                             " is here only"));
      }
      if (!EqualAttributes(*attribute.value, *other)) {
        return Differ(a, b,
                      StrCat("attribute ", attribute.name, ": ", ToString(attribute.value),
                             " here, ", ToString(other), " there"));
      }
    }
    for (const NamedAttribute& attribute : b.attributes) {
      if (a.Find(attribute.name) == nullptr) {
        return Differ(a, b,
                      StrCat("attribute ", attribute.name, " = ", ToString(attribute.value),
                             " is there only"));
      }
    }
    return true;
  }

  bool Differ(const Operation& a, const Operation& b, std::string_view what) {
    difference_ = StrCat(Name(a.op), " (", ToString(a.location), ") and ", Name(b.op), " (",
                         ToString(b.location), "): ", what);
    return false;
  }

  std::string difference_;
};

}  // namespace

bool EqualTypes(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.dtype != b.dtype || a.is_index != b.is_index) return false;
  if (!std::ranges::equal(a.dims, b.dims)) return false;
  if ((a.encoding == nullptr) != (b.encoding == nullptr)) return false;
  if (a.encoding != nullptr && !EqualAttributes(*a.encoding, *b.encoding)) return false;
  return EqualTypeLists(a.elements, b.elements) && EqualTypeLists(a.results, b.results);
}

bool EqualAttributes(const Attribute& a, const Attribute& b) {
  if (&a == &b) return true;
  if (a.kind() != b.kind() || a.integer() != b.integer() || a.float_bits() != b.float_bits() ||
      a.struct_name() != b.struct_name() || a.text() != b.text() || a.splat() != b.splat()) {
    return false;
  }
  if ((a.type() == nullptr) != (b.type() == nullptr)) return false;
  if (a.type() != nullptr && !EqualTypes(*a.type(), *b.type())) return false;
  if (!std::ranges::equal(a.integers(), b.integers())) return false;
  if (a.bytes().size() != b.bytes().size()) return false;
  if (!a.bytes().empty() &&
      std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) != 0) {
    return false;
  }
  if (!std::ranges::equal(a.elements(), b.elements(),
                          [](AttributeRef x, AttributeRef y) { return EqualAttributes(*x, *y); })) {
    return false;
  }
  return EqualFields(a.fields(), b.fields());
}

bool Equal(const Module& a, const Module& b, std::string* first_difference) {
  Comparison comparison;
  const bool same = comparison.Same(a.op(), b.op());
  if (!same && first_difference != nullptr) *first_difference = comparison.difference();
  return same;
}

}  // namespace plinth::program
