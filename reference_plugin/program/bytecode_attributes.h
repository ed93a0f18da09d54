// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_BYTECODE_ATTRIBUTES_H_
#define REFERENCE_PLUGIN_PROGRAM_BYTECODE_ATTRIBUTES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/program/bytecode_cursor.h"
#include "reference_plugin/program/failure.h"
#include "reference_plugin/program/module_builder.h"

namespace plinth::program {

enum class Dialect : uint8_t { kBuiltin, kVhlo, kSdy, kStablehlo, kOther };

// The attributes, types and locations of a bytecode file: decoded when first asked for, each at
// most once. Errors are kept in status(); every function that fails returns null after setting it.
class BytecodeAttributes {
 public:
  struct Resource {
    std::string_view key;
    std::span<const std::byte> blob;
  };

  BytecodeAttributes(ModuleBuilder& builder, size_t input_size)
      : builder_(builder), weight_limit_(4096 + 64 * static_cast<uint64_t>(input_size)) {}

  void set_strings(std::span<const std::string_view> strings) { strings_ = strings; }
  void set_resources(std::span<const Resource> resources) { resources_ = resources; }
  void AddAttribute(Dialect dialect, bool custom, BytecodeCursor data) {
    attributes_.push_back({data, dialect, custom});
  }
  void AddType(Dialect dialect, bool custom, BytecodeCursor data) {
    types_.push_back({data, dialect, custom});
  }

  AttributeRef GetAttribute(uint64_t index, size_t asked_at);
  TypeRef GetType(uint64_t index, size_t asked_at);
  LocationRef GetLocation(uint64_t index, size_t asked_at);

  // Read an index at the cursor, and what it stands for.
  AttributeRef ReadAttribute(BytecodeCursor& at);
  TypeRef ReadType(BytecodeCursor& at);
  LocationRef ReadLocation(BytecodeCursor& at);
  // Leaves null when the optional attribute is absent.
  bool ReadOptionalAttribute(BytecodeCursor& at, AttributeRef* attribute);

  const Status& status() const { return status_; }

 private:
  enum class State : uint8_t { kUntouched, kInProgress, kDone };
  struct Entry {
    BytecodeCursor data;
    Dialect dialect;
    bool custom;
    State state = State::kUntouched;
    bool is_location = false;
    uint32_t weight = 0;  // How large it would be written out as a tree.
    const void* value = nullptr;
  };
  using EnumRow = std::string_view;

  // Resolves an entry, or returns null.
  Entry* Resolve(std::vector<Entry>& entries, uint64_t index, size_t asked_at, bool is_type);
  bool DecodeAttribute(Entry& entry);
  const Type* DecodeType(Entry& entry);

  AttributeRef DecodeBuiltin(uint64_t code, BytecodeCursor& at);
  LocationRef DecodeLocation(uint64_t code, BytecodeCursor& at);
  AttributeRef DecodeVhlo(uint64_t code, BytecodeCursor& at);
  AttributeRef DecodeSdy(uint64_t code, BytecodeCursor& at);
  const Type* DecodeBuiltinType(uint64_t code, BytecodeCursor& at);
  const Type* DecodeVhloType(uint64_t code, BytecodeCursor& at);
  // Of regions of the sdy dialect alone: whoever writes VHLO leaves the types of their arguments.
  const Type* DecodeStablehloType(uint64_t code, BytecodeCursor& at);

  AttributeRef ReadEnum(BytecodeCursor& at, std::string_view name);
  AttributeRef ReadArray(BytecodeCursor& at);
  AttributeRef ReadDictionary(BytecodeCursor& at);
  AttributeRef ReadInteger(BytecodeCursor& at);
  AttributeRef ReadFloat(BytecodeCursor& at);
  AttributeRef ReadElements(BytecodeCursor& at);
  AttributeRef ReadDenseArray(BytecodeCursor& at);
  AttributeRef ReadResourceElements(BytecodeCursor& at);
  // A struct whose fields came as attributes of their own.
  AttributeRef NewStruct(const BytecodeCursor& at, std::string_view static_name,
                         std::span<const NamedAttribute> fields);
  bool ReadFactors(BytecodeCursor& at, std::vector<int64_t>* factors);
  AttributeRef ReadOpShardingRule(BytecodeCursor& at);
  AttributeRef ReadSharding(BytecodeCursor& at, int revision);
  bool ReadString(BytecodeCursor& at, std::string_view* text);
  bool ReadSignedList(BytecodeCursor& at, std::vector<int64_t>* values);
  bool ReadFloatBits(BytecodeCursor& at, DType type, uint64_t* bits);
  bool ReadTypeList(BytecodeCursor& at, std::vector<TypeRef>* types);
  // A list of attributes, each a struct of that name when `struct_name` is not empty.
  AttributeRef ReadAttributeList(BytecodeCursor& at, std::string_view struct_name);
  bool ReadAttributeOf(BytecodeCursor& at, AttributeKind kind, AttributeRef* attribute);
  const Type* ReadTensor(BytecodeCursor& at, bool has_encoding);

  Failure Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
    return {};
  }
  Failure Truncated(const BytecodeCursor& at, std::string_view expected) {
    return Fail(BytecodeError(at.offset(), "expected ", expected));
  }
  Failure Unknown(const BytecodeCursor& at, std::string_view what, uint64_t code);

  ModuleBuilder& builder_;
  const uint64_t weight_limit_;
  std::span<const std::string_view> strings_;
  std::span<const Resource> resources_;
  std::vector<Entry> attributes_;
  std::vector<Entry> types_;
  int depth_ = 0;
  uint64_t weight_ = 0;  // Of the entry being decoded.
  Status status_;
};

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_BYTECODE_ATTRIBUTES_H_
