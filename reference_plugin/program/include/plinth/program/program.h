// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_PROGRAM_PROGRAM_H_
#define PLINTH_PROGRAM_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "plinth/program/attribute.h"
#include "plinth/program/op.h"
#include "plinth/program/type.h"
#include "plinth/support/status.h"

// A program as it was written, before anything is known about what it means: ops, attributes,
// regions and types of StableHLO, func and sdy. MLIR bytecode (VHLO) and MLIR text (StableHLO)
// give the same form. Reading checks syntax, value numbering and the table of known ops; whether
// operand types fit an op is for the compiler's importer to say.
//
// Everything here is immutable and owned by its Module; any thread may read it.
namespace plinth::program {

// Where an op was written.
struct Location {
  enum class Kind : uint8_t { kUnknown, kFile, kName, kCallSite, kFused, kInstruction };
  Kind kind = Kind::kUnknown;
  std::string_view text;  // kFile: the file. kName, kInstruction (of HLO): the name.
  uint32_t line = 0;      // kFile; counted from 1.
  uint32_t column = 0;
  // kName: at most one, where the name is. kCallSite: callee, caller. kFused: all. kInstruction:
  // its computation, then what the framework said of it, if that is known.
  std::span<const Location* const> children;
};
using LocationRef = const Location*;  // Never null.

// "file.py:12:3", "\"jit(f)/add\"(file.py:12:3)", or "unknown".
std::string ToString(LocationRef location);

// Values are numbered from 0 within their function, in the order of the text: the arguments of a
// region, then op by op its results and after them what its regions define.
using ValueId = uint32_t;

struct Operation;

// A region of StableHLO holds one block, or none.
struct Region {
  bool has_block = false;
  ValueId first_argument = 0;  // The arguments are numbered on from here.
  std::span<const TypeRef> argument_types;
  std::span<const LocationRef> argument_locations;
  std::span<const Operation> operations;
};

struct Operation {
  Op op = Op::kModule;
  ValueId first_result = 0;  // The results are numbered on from here.
  std::span<const ValueId> operands;
  std::span<const TypeRef> result_types;
  // Sorted by name; inherent and discardable ones together. Optional inherent attributes that hold
  // their default are left out by every reader (README.md lists the defaults).
  std::span<const NamedAttribute> attributes;
  std::span<const Region> regions;
  LocationRef location = nullptr;

  // The attribute, or null.
  AttributeRef Find(std::string_view name) const;
  // The integer (or boolean), or `absent` when there is none.
  int64_t Int(std::string_view name, int64_t absent = 0) const;
  // A unit attribute is true when present.
  bool Bool(std::string_view name) const { return Find(name) != nullptr && IsTrue(*Find(name)); }
  // The text of a string, symbol or enum attribute, or "".
  std::string_view Text(std::string_view name) const;
  // The values of an array<i64: ...> (or array<i1: ...>), or none.
  std::span<const int64_t> Ints(std::string_view name) const;

 private:
  static bool IsTrue(const Attribute& attribute) {
    return attribute.Is(AttributeKind::kUnit) || attribute.integer() != 0;
  }
};

using Attributes = std::span<const NamedAttribute>;

// The attribute in a list sorted by name, or null.
AttributeRef Find(Attributes attributes, std::string_view name);

// A func.func, taken apart.
struct Function {
  const Operation* op = nullptr;
  std::string_view name;
  bool is_public = true;
  std::span<const TypeRef> argument_types;
  std::span<const TypeRef> result_types;
  // One list (perhaps empty) for every argument and result.
  std::span<const Attributes> argument_attributes;
  std::span<const Attributes> result_attributes;
  const Region* body = nullptr;  // Without a block for a declaration.
  uint32_t num_values = 0;       // In the body, nested regions included.
};

struct ModuleContents;  // Owns all memory; see module_builder.h.

// Movable. A default-made or moved-from Module may only be assigned to or destroyed.
class Module {
 public:
  Module();
  explicit Module(std::unique_ptr<ModuleContents> contents);
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  ~Module();

  // The symbol name of the module, or "".
  std::string_view name() const;
  // The module op; its one region holds functions and meshes.
  const Operation& op() const;
  Attributes attributes() const { return op().attributes; }
  // In the order of the program.
  std::span<const Function> functions() const;
  // sdy.mesh ops (attributes "sym_name", "mesh": struct "sdy.mesh").
  std::span<const Operation* const> meshes() const;

  // Null when there is no such function.
  const Function* FindFunction(std::string_view function_name) const;
  // @main, or the only public function; null when there is neither.
  const Function* main() const;

  // Heap bytes held.
  size_t memory() const;

 private:
  std::unique_ptr<ModuleContents> contents_;
};

// Reads MLIR bytecode or MLIR text, told apart by the first four bytes. The input is not needed
// afterwards.
//
// Errors: INVALID_ARGUMENT for what is malformed, with byte offset (bytecode) or line:column (text)
// and what was expected; UNIMPLEMENTED for ops, attributes, types and versions that are not known,
// naming them and the place. Memory is bounded by a multiple of the input's size.
Expected<Module> Read(std::span<const std::byte> program);
Expected<Module> ReadBytecode(std::span<const std::byte> bytecode);
Expected<Module> ReadText(std::string_view text);

// MLIR text in generic form, which ReadText and MLIR's own parser accept. Without locations.
std::string Print(const Module& module);

// Whether both are the same program: all but locations and the names of values. If not, and
// `first_difference` is not null, it says where and what.
bool Equal(const Module& a, const Module& b, std::string* first_difference = nullptr);

}  // namespace plinth::program

#endif  // PLINTH_PROGRAM_PROGRAM_H_
