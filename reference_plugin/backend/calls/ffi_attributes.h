// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_FFI_ATTRIBUTES_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_FFI_ATTRIBUTES_H_

#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "plinth/program/attribute.h"
#include "plinth/support/status.h"
#include "reference_plugin/backend/calls/table.h"
#include "xla_ffi_c_api.h"

namespace plinth::backend {

// A dictionary of a program in the form that handlers read. Owns all but the program's text, which
// lives as long as the program. Immutable.
class FfiAttributes {
 public:
  // Null is an empty dictionary. UNIMPLEMENTED names an attribute that handlers cannot be given,
  // RESOURCE_EXHAUSTED one that takes more memory than is left.
  static Expected<std::unique_ptr<const FfiAttributes>> Make(program::AttributeRef dictionary,
                                                             AttributeBudget& budget);

  const XLA_FFI_Attrs& attrs() const { return attrs_; }

 private:
  FfiAttributes() = default;
  Status Fill(program::AttributeRef dictionary, AttributeBudget& budget, int depth);
  Status Add(std::string_view name, const program::Attribute& value, AttributeBudget& budget,
             int depth);
  Status AddValue(const program::Attribute& value, AttributeBudget& budget, int depth);
  Status AddScalar(DType dtype, uint64_t bits);
  Status AddArray(DType dtype, std::vector<std::byte> bytes);

  XLA_FFI_Attrs attrs_{};
  std::vector<XLA_FFI_AttrType> types_;
  std::vector<XLA_FFI_ByteSpan*> name_pointers_;
  std::vector<void*> values_;

  // What the pointers point at; stable addresses.
  std::deque<XLA_FFI_ByteSpan> texts_;
  std::deque<XLA_FFI_Scalar> scalars_;
  std::deque<uint64_t> scalar_bits_;
  std::deque<XLA_FFI_Array> arrays_;
  std::deque<std::vector<std::byte>> array_bytes_;
  std::deque<std::unique_ptr<FfiAttributes>> dictionaries_;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_FFI_ATTRIBUTES_H_
