// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_FROZEN_REVISION_H_
#define PLINTH_CONFORMANCE_WINDOWS_FROZEN_REVISION_H_

#include <cstdint>

namespace plinth::windows {

// What a field holds that is not the same on both sides of a frozen plugin. `other` in brackets.
enum class Kind : uint8_t {
  kMemory,                // a memory, opaque before 0.105
  kMemories,              // an array of them (offset of the number of elements)
  kError,                 // an error, opaque before 0.107
  kBufferType,            // an element type: no greater than the revision's largest
  kBufferTypes,           // an array of them (offset of the number of elements)
  kStruct,                // a pointer to a struct that carries struct_size (index into structs)
  kShapeSpecs,            // an array of PJRT_ShapeSpec (offset of the number of elements)
  kHeadlessProcessInfos,  // PJRT_ProcessInfo before it had struct_size (offset of the number)
  // Callbacks that give or take errors (offset of the user argument):
  kOnReady,
  kKeyValueGet,
  kKeyValuePut,
  kKeyValueTryGet,
};

enum class Direction : uint8_t { kIn, kOut, kInout };

struct Field {
  uint16_t offset;
  Kind kind;
  Direction direction;
  uint16_t other;
};

struct Struct {
  const char* name;
  uint16_t announced;  // X_STRUCT_SIZE: what a caller must send at least
  uint16_t end;        // where the last field ends; more than `announced` where that was wrong
  uint16_t today;      // sizeof in the newest revision
  const Field* fields;
  int field_count;
};

struct Function {
  const char* name;
  uint16_t args;  // index into structs
};

struct Extension {
  int type;
  uint16_t size;
};

// What a plugin of one revision knows; one is generated for each.
struct Revision {
  const char* name;
  int minor;
  int largest_buffer_type;
  int shape_spec;  // index into structs, or -1
  const Struct* structs;
  const Function* functions;  // by slot
  int function_count;
  const Extension* extensions;
  int extension_count;
};

// The revision that this plugin is frozen at.
extern const Revision kRevision;

constexpr int kFirstMinorWithMemoryHead = 105;
constexpr int kFirstMinorWithErrorHead = 107;

}  // namespace plinth::windows

#endif  // PLINTH_CONFORMANCE_WINDOWS_FROZEN_REVISION_H_
