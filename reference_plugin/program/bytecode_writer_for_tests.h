// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_BYTECODE_WRITER_FOR_TESTS_H_
#define REFERENCE_PLUGIN_PROGRAM_BYTECODE_WRITER_FOR_TESTS_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plinth::program {

inline std::string Varint(uint64_t value) {
  int extra = 0;
  while (extra < 8 && (value >> (7 * (extra + 1))) != 0) ++extra;
  std::string out;
  if (extra < 8) {
    value = (value << 1 | 1) << extra;
  } else {
    out.push_back(0);
    extra = 7;
  }
  for (int i = 0; i <= extra; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

inline std::string Varints(std::initializer_list<uint64_t> values) {
  std::string out;
  for (uint64_t value : values) out += Varint(value);
  return out;
}

// Puts together bytecode files (container version 6) that no honest writer would write.
class BytecodeWriter {
 public:
  enum Dialect : uint64_t { kBuiltin, kVhlo, kSdy, kStablehlo };
  // Bits of an op's mask.
  enum : uint8_t { kAttributes = 0x01, kResults = 0x02, kOperands = 0x04, kRegions = 0x10 };

  // Each returns the index of what it added.
  uint64_t String(std::string_view text) {
    strings_.emplace_back(text);
    return strings_.size() - 1;
  }
  uint64_t OpName(Dialect dialect, std::string_view name) { return OpName(dialect, String(name)); }
  uint64_t OpName(Dialect dialect, uint64_t string) {
    op_names_ += Varints({dialect, 1, string << 1 | 1});
    return num_op_names_++;
  }
  uint64_t Attribute(Dialect dialect, const std::string& bytes) {
    return Add(dialect, bytes, &attributes_);
  }
  uint64_t Type(Dialect dialect, const std::string& bytes) { return Add(dialect, bytes, &types_); }
  uint64_t StringAttribute(std::string_view text) {
    return Attribute(kBuiltin, Varints({2, String(text)}));
  }

  // A region of one block without arguments.
  static std::string Region(uint64_t num_values, uint64_t num_ops, std::string_view ops) {
    return Varints({1, num_values, num_ops << 1}).append(ops);
  }

  void set_resource(std::string_view bytes) { resource_ = bytes; }

  // The file whose module's region, not isolated, is that.
  std::string File(const std::string& region) {
    const uint64_t module = OpName(kBuiltin, "module");
    const uint64_t unknown = Attribute(kBuiltin, Varint(15));
    std::string ir = Varints({1 << 1, module});
    ir.push_back(kRegions);
    ir += Varints({unknown, 1 << 1}) + region;

    const uint64_t key = String("r");
    std::string dialects = Varint(4);
    for (const char* name : {"builtin", "vhlo", "sdy", "stablehlo"}) {
      dialects += Varint(String(name) << 1);
    }
    dialects += Varint(num_op_names_) + op_names_;

    std::string sizes, text;
    for (size_t i = strings_.size(); i-- > 0;) sizes += Varint(strings_[i].size() + 1);
    for (const std::string& string : strings_) text += string + '\0';

    std::string file = "ML\xEFR" + Varint(6) + "test" + '\0';
    Section(0, Varint(strings_.size()) + sizes + text, &file);
    Section(1, dialects, &file);
    std::string data, offsets = Varints({attributes_.size(), types_.size()});
    for (const auto* entries : {&attributes_, &types_}) {
      for (const auto& [dialect, bytes] : *entries) {
        data += bytes;
        offsets += Varints({dialect, 1, bytes.size() << 1 | 1});
      }
    }
    Section(2, data, &file);
    Section(3, offsets, &file);
    Section(4, ir, &file);
    if (!resource_.empty()) {
      const std::string blob = Varints({1, resource_.size()}) + resource_;
      Section(5, blob, &file);
      Section(6, Varints({0, kBuiltin, 1, key, blob.size()}) + '\0', &file);
    }
    return file;
  }

 private:
  using Entries = std::vector<std::pair<Dialect, std::string>>;

  static uint64_t Add(Dialect dialect, const std::string& bytes, Entries* entries) {
    entries->emplace_back(dialect, bytes);
    return entries->size() - 1;
  }
  static void Section(char id, const std::string& contents, std::string* file) {
    file->push_back(id);
    *file += Varint(contents.size()) + contents;
  }

  std::vector<std::string> strings_;
  std::string op_names_;
  uint64_t num_op_names_ = 0;
  Entries attributes_, types_;
  std::string resource_;
};

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_BYTECODE_WRITER_FOR_TESTS_H_
