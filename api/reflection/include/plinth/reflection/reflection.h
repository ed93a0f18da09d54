// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFLECTION_REFLECTION_H_
#define PLINTH_REFLECTION_REFLECTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "plinth/reflection/reflection_names.h"

// The registry at run time: facts on each function, struct, field, enum and extension of the C API.
// For code that treats all of them alike: adapters, layers, encoders, conformance. All of it is
// constant data; every function here may be called from any thread and never fails.
namespace plinth::reflection {

// A text of the registry: an offset into one array, so that the tables need no relocations. Lives
// as long as the process.
class Text {
 public:
  constexpr Text(uint32_t offset) : offset_(offset) {}  // NOLINT: as the generated rows write it
  operator const char*() const;                         // NOLINT: null, or ending with NUL
  std::string_view view() const {
    const char* text = *this;
    return text == nullptr ? std::string_view() : text;
  }

 private:
  uint32_t offset_;  // 0: null
};

enum class Base : uint8_t {
  kStructSize,      // the size_t at the head of a struct
  kExtensionChain,  // extension_start
  kExtensionNode,   // the PJRT_Extension_Base at the head of an extension
  kVoid,            // with depth 1 and a length: bytes; otherwise an opaque pointer
  kChar,
  kBool,
  kInteger,
  kUnsigned,
  kFloat,
  kEnum,      // target: index in Enums()
  kHandle,    // target: index in Handles(); depth counts from the handle, which is a pointer itself
  kStruct,    // target: index in Structs()
  kUnion,     // which member is set is said by an enum of the same struct
  kCallback,  // a function that the caller or the callee supplies
  kSlot,      // of an extension's table; target: index in Functions(), -1 where the signature is
              // irregular
};

enum class Direction : uint8_t { kIn, kOut, kInout };
enum class IfUnknown : uint8_t { kNone, kDrop, kRefuse };
enum class Owner : uint8_t { kNone, kCaller, kPlugin };
enum class Absent : uint8_t { kRequired, kStub, kNull };
enum class Threads : uint8_t { kAny, kExclusive };
enum class Returns : uint8_t { kError, kNothing, kOther };
// What a function says about its handles.
enum class Answer : uint8_t {
  kOther,     // it may depend on what was done to them
  kStable,    // the same as long as they live
  kChanging,  // may be another at any time
};
enum class RequirementClass : uint8_t { kContract, kRobust, kUndefined };

struct Field {
  Text name;
  Text type;  // as C spells it
  uint16_t offset, size;
  Base base;
  int16_t target;
  uint8_t depth;          // pointers from the field to its elements; 0: the value itself
  uint16_t element_size;  // bytes of one element
  Direction direction;    // seen from the callee
  bool required;          // false: the registry has a default, which is zero
  IfUnknown if_unknown;
  bool nullable;
  Owner owner;
  int16_t length_field;  // field with the number of elements, counted within the struct; -1: none
  int16_t inner_length_field;  // the same, for the elements of lists of lists
  int16_t since;
  int16_t safe_since;  // from this minor on every revision has the field
  uint32_t only_with;  // fields of the struct, as bits: if all are unset, this one means nothing
  bool array;          // elements of an array whose shape other arguments give; null if it has none
  bool shown;          // a length that says how much a call moves
  Text lifetime;       // null, or as the registry says it: "call", or the function that frees it
};

struct Struct {
  Text name;
  int16_t first_field, num_fields;
  uint16_t end;           // where the last field ends: its X_STRUCT_SIZE
  uint16_t size;          // sizeof
  uint16_t minimum_size;  // smallest struct_size that a callee accepts
  int16_t since;
  bool carries_struct_size;
  bool frozen;       // never grows
  int16_t function;  // whose arguments it is; -1: nobody's
};

struct Function {
  Text name;
  int16_t slot;
  int16_t table;    // index in Tables(), or -1 for PJRT_Api
  uint16_t offset;  // of its slot in the table
  int16_t args;  // index in Structs(); -1: no argument struct, and nobody but its users knows how
                 // to call it
  int16_t since;
  Absent absent;
  Threads threads;
  Returns returns;
  Answer answer;
  bool allocates;          // memory of a device
  bool before_initialize;  // may be called before PJRT_Plugin_Initialize
  // Fields of its arguments, counted within the struct; -1: none. From a call that opens on, events
  // may wait for what the caller provides through the field's handle, until one that closes it.
  int16_t opens, closes;
  bool provides;  // afterwards something may be ready that was not
  int16_t first_requirement, num_requirements;
  Text doc;

  // Whether it is PJRT_Error* or void f(Args*), so that a wrapper can be generic.
  bool IsRegular() const { return args >= 0 && returns != Returns::kOther; }
};

struct EnumValue {
  Text name;
  int32_t value;
  int16_t since;
};

struct Enum {
  Text name;
  int16_t first_value, num_values;
  IfUnknown if_unknown;
};

// An extension that is a table of functions.
struct Table {
  Text name;        // of its struct
  int16_t type;     // PJRT_Extension_Type
  int16_t version;  // of its own header, which the registry describes
  int16_t structure;
};

struct Requirement {
  Text id;
  Text text;
  RequirementClass requirement_class;
  int16_t function;  // -1: holds everywhere
};

std::span<const Function> Functions();
std::span<const Struct> Structs();
std::span<const Enum> Enums();
std::span<const Table> Tables();
std::span<const Requirement> Requirements();
std::span<const Text> Handles();

inline const Function& Get(function::Id id) { return Functions()[id]; }
inline const Struct& Get(structure::Id id) { return Structs()[id]; }

std::span<const Field> FieldsOf(const Struct& structure);
std::span<const EnumValue> ValuesOf(const Enum& enumeration);
std::span<const Requirement> RequirementsOf(const Function& function);

// Null if there is none of that name.
const Function* FindFunction(std::string_view name);
const Struct* FindStruct(std::string_view name);
const Field* FindField(const Struct& structure, std::string_view name);
const Requirement* FindRequirement(std::string_view id);

// The extension with that PJRT_Extension_Type whose struct the registry holds, or null.
const Table* FindTable(int extension_type);

// The end of a struct for a plugin or client of a minor: with every field that any
// revision of that minor may have. At least the head.
size_t EndAt(const Struct& structure, int minor);

// The name of an enum value, or null if no revision has it.
const char* NameOf(const Enum& enumeration, int value);

}  // namespace plinth::reflection

#endif  // PLINTH_REFLECTION_REFLECTION_H_
