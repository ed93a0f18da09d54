// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_CHECK_TABLES_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_CHECK_TABLES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "plinth/reflection/reflection.h"

// What is to be checked on the arguments of each function, taken from the registry once, so that a
// call reads a few short rows and nothing else.
namespace plinth::layers::validation {

enum class CheckKind : uint8_t {
  kHandle,       // one handle
  kHandleList,   // a list of handles with a length
  kHandleLists,  // a list of lists
  kEnum,
  kPointer,  // is not null
  kArray,    // is not null if its length is not zero
  kStruct,   // a struct, or a list of structs of a frozen size
};

struct FieldCheck {
  CheckKind kind;
  bool nullable;
  uint8_t length_size = 0;  // bytes of the length field; 0: no length
  uint8_t inner_length_size = 0;
  int16_t target = -1;  // handle kind, enum or struct
  int16_t field = -1;   // index in FieldsOf the struct
  uint16_t offset = 0;
  uint16_t end = 0;
  uint16_t length_offset = 0;
  uint16_t inner_length_offset = 0;
  uint16_t element_size = 0;
  // For a handle that comes out: whether the caller frees it, and what it lives with.
  bool owned = false;
  int16_t parent_field = -1;  // offset of the handle that it is part of; -1: none
  int16_t parent_kind = -1;
  const reflection::Requirement* requirement = nullptr;
  const char* name = nullptr;
  int values_end = 0;  // of an enum: the values from 0 to here, without it, are all there

  // Whether an enum value is one of the type.
  bool HasValue(int value) const {
    if (value >= 0 && value < values_end) [[likely]] {
      return true;
    }
    return reflection::NameOf(reflection::Enums()[target], value) != nullptr;
  }
};

struct StructChecks {
  std::vector<FieldCheck> inputs;
  bool carries_struct_size = false;
  uint16_t minimum_size = 0;
  uint16_t full_size = 0;
};

// One of the single handles among the arguments, in few bytes: nearly every call has one.
struct HandleInput {
  uint16_t offset;
  uint16_t end;
  int8_t kind;
  bool nullable;
};

struct SpecialCheck;

inline constexpr size_t kMaxHandleInputs = 4;

// What every call reads comes first.
struct alignas(64) CallChecks {
  uint16_t minimum_size = 0;
  uint16_t full_size = 0;
  // The handle that the function frees: its offset, or -1.
  int16_t frees = -1;
  int16_t frees_kind = -1;
  int8_t answer_slot = -1;
  int8_t num_handles = 0;
  bool carries_struct_size = false;
  bool has_chain = false;
  bool needs_initialize = false;
  bool takes_error = false;  // one of those whose argument is an error
  bool has_outputs = false;  // that are checked, noted or compared
  bool tracks_calls = true;  // false: a call in flight does not count as a use
  // It asks of one handle, given alone, what is always answered alike.
  bool is_question = false;
  std::array<HandleInput, kMaxHandleInputs> handles;
  // What is checked of this function beyond the rows, or null.
  const SpecialCheck* special = nullptr;

  // The first `num_handles` are those of `handles`.
  std::vector<FieldCheck> inputs;
  std::vector<FieldCheck> outputs;
  // Output handles and pointers: null before the call, so that one that nobody writes is seen.
  std::vector<uint16_t> cleared;
  // What describes its first handle and never changes; hashed and compared. Without a length it is
  // the field itself.
  std::vector<FieldCheck> answers;
  // Kinds, as bits, of handles that it gives out where no row says how many.
  uint64_t opens_kinds = 0;
  const char* frees_name = nullptr;
};

// The rows of the tables above, made once for each process.
class CheckTables {
 public:
  static const CheckTables& Get();

  const CallChecks& Of(int function) const { return functions_[function]; }
  const StructChecks& OfStruct(int structure) const { return structs_[structure]; }

  // Kinds, as bits, of handles that no function gives out where the rows can see it.
  uint64_t never_given_out() const { return never_given_out_; }

  // The requirement about misuse of a handle after its end: that of its Destroy function.
  const reflection::Requirement* OnceOf(int handle_kind) const { return once_[handle_kind]; }

 private:
  CheckTables();
  std::vector<CallChecks> functions_;
  std::vector<StructChecks> structs_;
  std::vector<const reflection::Requirement*> once_;
  uint64_t never_given_out_ = 0;
};

// Kinds of handles that the layer treats by name.
struct Kinds {
  int buffer, client, device, device_description, error, event, loaded_executable, memory, topology,
      transfer_manager, fulfill_alias;
  uint64_t of_one_client;  // as bits: those of one call belong to one client
  static const Kinds& Get();
};

// The requirement of that id, which the registry has; a test sees to it.
const reflection::Requirement& Require(const char* id);

// The requirement about `field` of `function`, or `otherwise`.
const reflection::Requirement& RequirementOf(const reflection::Function& function,
                                             const char* field, const char* otherwise);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_CHECK_TABLES_H_
