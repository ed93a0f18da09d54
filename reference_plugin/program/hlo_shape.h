// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_SHAPE_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_SHAPE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/program/hlo_known_parts.h"
#include "reference_plugin/program/module_builder.h"

namespace plinth::program {

// An array, a token, or a tuple of shapes.
struct HloShape {
  bool is_tuple = false;
  std::span<const HloShape> elements;  // Of a tuple.
  std::span<const TypeRef> leaves;     // Arrays and tokens in the order of the text.
  // Of an array: the order of its dimensions in memory, the fastest varying first.
  std::span<const int64_t> minor_to_major;

  bool IsRowMajor() const;
  // The number of leaves before element `index` of a tuple.
  size_t LeavesBefore(size_t index) const;
};

// "f32[2,3]" and "(f32[], (s32[4]))", cut where it is long.
std::string ToString(const HloShape& shape);

// Reads ShapeProtos; most of a program's are equal to one that it had before. Tuples nest 64 deep
// at most. Errors: INVALID_ARGUMENT for what is malformed; UNIMPLEMENTED for element types that are
// not known. Throws what WireReader throws.
class HloShapes {
 public:
  HloShapes(ModuleBuilder& builder, size_t program_size)
      : builder_(builder), known_(program_size) {}

  Status Read(std::string_view message, const HloShape** shape) {
    *shape = known_.At(message);
    if (*shape != nullptr) return {};
    HloShape parsed;
    PLINTH_RETURN_IF_ERROR(Parse(message, 0, &parsed));
    // The elements of a tuple may have taken its place.
    *shape = known_.At(message) = arena_.New(parsed);
    return {};
  }

 private:
  Status Parse(std::string_view message, int depth, HloShape* shape);
  Status ParseElement(std::string_view message, int depth, HloShape* shape);
  Status ParseArray(HloShape* shape);
  void ReadFields(std::string_view message);

  ModuleBuilder& builder_;
  Arena arena_;  // Of all but types and leaves, which are the program's.
  HloKnownParts<HloShape> known_;
  // What the message being read says, but for the shapes in a tuple.
  int64_t element_type_ = 0;
  std::vector<int64_t> dims_, minor_to_major_;
  bool is_dynamic_ = false;
};

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_SHAPE_H_
