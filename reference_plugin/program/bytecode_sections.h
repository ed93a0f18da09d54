// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_BYTECODE_SECTIONS_H_
#define REFERENCE_PLUGIN_PROGRAM_BYTECODE_SECTIONS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/program/bytecode_attributes.h"
#include "reference_plugin/program/bytecode_cursor.h"
#include "reference_plugin/program/module_builder.h"

namespace plinth::program {

// The container of an MLIR bytecode file: head, sections and their tables.
class BytecodeSections {
 public:
  enum Id : uint8_t {
    kStrings = 0,
    kDialect = 1,
    kAttrType = 2,
    kAttrTypeOffset = 3,
    kIr = 4,
    kResource = 5,
    kResourceOffset = 6,
    kDialectVersions = 7,
    kProperties = 8,
    kNumIds = 9,
  };

  struct OpName {
    std::string_view dialect_name;
    std::string_view name;
    bool registered = true;  // Known to the program that wrote the file.
  };

  BytecodeSections(std::span<const std::byte> file, ModuleBuilder& builder)
      : file_(file), builder_(builder), attributes_(builder, file.size()) {}

  // Reads everything but the IR. An error is also kept in status().
  Status Read();

  size_t file_size() const { return file_.size(); }
  uint64_t version() const { return version_; }
  BytecodeCursor ir() const { return sections_[kIr]; }
  std::span<const OpName> op_names() const { return op_names_; }
  std::span<const BytecodeCursor> properties() const { return properties_; }
  BytecodeAttributes& attributes() { return attributes_; }

  // Reads the section that begins at the cursor, which must be of that kind.
  bool ReadSection(BytecodeCursor& at, Id wanted, BytecodeCursor* section);
  const Status& status() const { return status_; }

 private:
  struct DialectEntry {
    std::string_view name;
    Dialect dialect;
  };

  bool ReadAnySection(BytecodeCursor& at, uint8_t* id, BytecodeCursor* section);
  bool ReadHead(BytecodeCursor& at);
  bool CheckProducer(std::string_view producer);
  bool ReadStrings();
  bool ReadDialects();
  bool ReadAttributeOffsets();
  bool ReadResources();
  bool ReadResourceGroup(BytecodeCursor& offsets, BytecodeCursor& data, bool of_dialect);
  bool ReadPropertiesTable();
  bool StringAt(BytecodeCursor& at, uint64_t index, std::string_view* text);
  bool ReadString(BytecodeCursor& at, std::string_view* text);
  bool ReadDialectIndex(BytecodeCursor& at, uint64_t* index);

  Failure Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
    return {};
  }
  Failure Expect(const BytecodeCursor& at, std::string_view expected) {
    return Fail(BytecodeError(at.offset(), "expected ", expected));
  }

  std::span<const std::byte> file_;
  ModuleBuilder& builder_;
  BytecodeAttributes attributes_;
  Status status_;
  uint64_t version_ = 0;
  BytecodeCursor sections_[kNumIds];
  bool present_[kNumIds] = {};
  std::vector<std::string_view> strings_;
  std::vector<DialectEntry> dialects_;
  std::vector<OpName> op_names_;
  std::vector<BytecodeCursor> properties_;
  std::vector<BytecodeAttributes::Resource> resources_;
};

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_BYTECODE_SECTIONS_H_
