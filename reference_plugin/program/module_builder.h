// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_MODULE_BUILDER_H_
#define REFERENCE_PLUGIN_PROGRAM_MODULE_BUILDER_H_

#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plinth/program/program.h"
#include "plinth/support/status.h"
#include "reference_plugin/program/arena.h"

namespace plinth::program {

struct ModuleContents {
  Arena arena;
  Operation root;
  std::vector<Function> functions;
  std::vector<const Operation*> meshes;
  std::unordered_map<std::string_view, uint32_t> function_index;
};

// Makes the parts of a module in its arena; both readers use it. Types come out unique.
class ModuleBuilder {
 public:
  explicit ModuleBuilder(size_t input_size);

  // A program may refer to one part of itself as often as it likes, at a byte or two each time.
  // What is done anew for each such reference and grows with the part (a copy of it, a look at each
  // entry) is counted here, in bytes, so that all of it stays in proportion to the input. False
  // when it does not; Disproportion() is the error then.
  [[nodiscard]] bool Spend(uint64_t bytes) {
    spent_ += bytes;
    return spent_ <= spend_limit_;
  }
  // The same for a list of that many entries; those of ordinary ops are short and free.
  [[nodiscard]] bool SpendOnList(size_t entries, size_t entry_bytes) {
    return entries <= kShortList || Spend(entries * entry_bytes);
  }
  bool in_proportion() const { return spent_ <= spend_limit_; }
  static Status Disproportion();

  Arena& arena() { return contents_->arena; }

  AttributeRef New(const Attribute& attribute) { return arena().New(attribute); }
  AttributeRef NewArray(std::span<const AttributeRef> elements) {
    return New(Attribute::Array(arena().Copy(elements)));
  }
  // Sorts by name; null when a name occurs twice.
  AttributeRef NewDictionary(std::vector<NamedAttribute> entries);
  AttributeRef NewInts(std::span<const int64_t> values) {
    return New(Attribute::DenseArray(Scalar(DType::kS64), arena().Copy(values)));
  }
  AttributeRef NewInt(DType type, int64_t value) {
    return New(Attribute::Integer(Scalar(type), value));
  }
  AttributeRef NewStruct(std::string_view static_name, std::span<const NamedAttribute> fields) {
    return New(Attribute::Struct(static_name, arena().Copy(fields)));
  }

  // Null when an extent is negative, there are more than 128, the number of elements does not fit
  // int64_t, or the encoding (#stablehlo.bounds) has not one bound per extent.
  TypeRef Tensor(DType dtype, bool is_index, std::span<const int64_t> dims, AttributeRef encoding);
  TypeRef Scalar(DType dtype);
  TypeRef Simple(TypeKind kind);  // Index, token, none.
  TypeRef TupleOrFuture(TypeKind kind, std::span<const TypeRef> elements);
  TypeRef Function(std::span<const TypeRef> inputs, std::span<const TypeRef> results);

  LocationRef unknown_location() const { return &unknown_location_; }

  // Takes the finished module op and finds its functions and meshes. `num_values[i]` belongs to
  // the i-th func.func. The builder is used up.
  Expected<Module> Finish(const Operation& root, std::span<const uint32_t> num_values);

 private:
  static constexpr size_t kShortList = 20;

  TypeRef Intern(const Type& type);
  uint64_t HashOf(const Type& type) const;
  Status AddFunction(const Operation& op, uint32_t num_values);
  Expected<std::span<const Attributes>> SplitAttributes(const Operation& op, std::string_view name,
                                                        size_t count);
  static const Location unknown_location_;

  std::unique_ptr<ModuleContents> contents_;
  std::vector<TypeRef> table_;  // Open addressing; a power of two.
  size_t num_types_ = 0;
  TypeRef scalars_[kNumDTypes] = {};
  uint64_t spent_ = 0;
  const uint64_t spend_limit_;
};

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_MODULE_BUILDER_H_
