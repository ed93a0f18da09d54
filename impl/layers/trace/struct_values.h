// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_STRUCT_VALUES_H_
#define PLINTH_IMPL_LAYERS_TRACE_STRUCT_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "plinth/reflection/reflection.h"

namespace plinth::layers {

// What a visitor is told of one field of a struct: exactly one of the functions below for each
// field that the struct has, in order.
class StructVisitor {
 public:
  virtual ~StructVisitor() = default;

  virtual void Null(const reflection::Field& field) = 0;
  // Numbers, booleans and enums: `count` elements of field.element_size bytes; a field that is the
  // value itself has is_list = false.
  virtual void Numbers(const reflection::Field& field, const void* data, size_t count,
                       bool is_list) = 0;
  // Characters, or untyped memory of known length.
  virtual void Bytes(const reflection::Field& field, const void* data, size_t size) = 0;
  virtual void Handle(const reflection::Field& field, const void* handle) = 0;
  virtual void Handles(const reflection::Field& field, const void* const* handles,
                       size_t count) = 0;
  virtual void HandleLists(const reflection::Field& field, const void* const* const* lists,
                           size_t count, size_t inner_count) = 0;
  // One struct, or a list of them; each is visited by a call of VisitStruct.
  virtual void Structs(const reflection::Field& field, const reflection::Struct& structure,
                       std::span<const void* const> elements, bool is_list) = 0;
  // Callbacks, memory of unknown length, and forms that the registry does not describe.
  virtual void Opaque(const reflection::Field& field, const void* pointer) = 0;
};

struct VisitOptions {
  // Whether what an output points to was written; false if the call failed.
  bool outputs = true;
  // Lists of more elements than this are opaque.
  size_t max_elements = size_t{1} << 20;
};

// Visits the fields that lie inside of a struct that somebody else made: `data` is of any size that
// its own struct_size says, possibly null. `parent_is_input`: the struct is part of an input, so
// that its fields are inputs too. Memory that the callee fills in is opaque until it is written.
void VisitStruct(const reflection::Struct& structure, const void* data, bool parent_is_input,
                 const VisitOptions& options, StructVisitor& visitor);

// Bytes of a struct that the other side has.
size_t SizeOfStruct(const reflection::Struct& structure, const void* data);

// Reads a field of type size_t, int64_t or int, as a length; 0 for a negative one.
uint64_t LengthIn(const void* data, const reflection::Field& field);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_STRUCT_VALUES_H_
