// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/module_builder.h"

#include <algorithm>
#include <utility>

#include "reference_plugin/program/equality.h"

namespace plinth::program {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
  // The upper bits of the values must reach the lower bits of the hash, which choose the place.
  return hash ^ hash >> 32;
}

bool SameType(const Type& a, const Type& b) {
  if (a.kind != b.kind || a.dtype != b.dtype || a.is_index != b.is_index) return false;
  if (!std::ranges::equal(a.dims, b.dims) || !std::ranges::equal(a.elements, b.elements) ||
      !std::ranges::equal(a.results, b.results)) {
    return false;
  }
  if (a.encoding == b.encoding) return true;
  return a.encoding != nullptr && b.encoding != nullptr &&
         EqualAttributes(*a.encoding, *b.encoding);
}

// Constants are printed and read by recursion over their dimensions.
constexpr size_t kMaxRank = 128;

bool FitsInt64(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) return false;
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim == kDynamic || dim == 0) continue;
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return false;
  }
  // Sixteen bytes an element (complex<f64>) must stay countable too.
  return count <= std::numeric_limits<int64_t>::max() / 16;
}

}  // namespace

const Location ModuleBuilder::unknown_location_;

ModuleBuilder::ModuleBuilder(size_t input_size)
    : contents_(std::make_unique<ModuleContents>()),
      table_(64),
      spend_limit_(65536 + 64 * static_cast<uint64_t>(input_size)) {}

Status ModuleBuilder::Disproportion() {
  return InvalidArgument(
      "the program refers to long parts of itself so often that it is out of proportion");
}

AttributeRef ModuleBuilder::NewDictionary(std::vector<NamedAttribute> entries) {
  const auto by_name = [](const NamedAttribute& a, const NamedAttribute& b) {
    return a.name < b.name;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), by_name)) {
    std::sort(entries.begin(), entries.end(), by_name);
  }
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i - 1].name == entries[i].name) return nullptr;
  }
  return New(Attribute::Dictionary(arena().Copy(entries)));
}

uint64_t ModuleBuilder::HashOf(const Type& type) const {
  // An address as the seed: a program cannot know which of its types fall on one place.
  uint64_t hash = Mix(reinterpret_cast<uintptr_t>(contents_.get()),
                      static_cast<uint64_t>(type.kind) * 2 + type.is_index);
  hash = Mix(hash, static_cast<uint64_t>(type.dtype));
  for (int64_t dim : type.dims) hash = Mix(hash, static_cast<uint64_t>(dim));
  if (type.encoding != nullptr) {
    for (int64_t bound : type.encoding->Find("bounds")->integers()) {
      hash = Mix(hash, static_cast<uint64_t>(bound));
    }
  }
  for (TypeRef part : type.elements) hash = Mix(hash, reinterpret_cast<uintptr_t>(part));
  for (TypeRef part : type.results) hash = Mix(hash, reinterpret_cast<uintptr_t>(part));
  return hash;
}

TypeRef ModuleBuilder::Intern(const Type& type) {
  const auto place_in_table = [&](const Type& wanted, auto same) {
    size_t at = HashOf(wanted) & (table_.size() - 1);
    while (table_[at] != nullptr && !same(*table_[at])) at = (at + 1) & (table_.size() - 1);
    return at;
  };
  const size_t at = place_in_table(type, [&](const Type& known) { return SameType(known, type); });
  if (table_[at] != nullptr) return table_[at];
  Type copy = type;
  copy.dims = arena().Copy(type.dims);
  copy.elements = arena().Copy(type.elements);
  copy.results = arena().Copy(type.results);
  TypeRef made = arena().New(copy);
  table_[at] = made;
  if (++num_types_ * 2 > table_.size()) {
    std::vector<TypeRef> old = std::exchange(table_, std::vector<TypeRef>(table_.size() * 2));
    for (TypeRef entry : old) {
      if (entry == nullptr) continue;
      table_[place_in_table(*entry, [](const Type&) { return false; })] = entry;
    }
  }
  return made;
}

TypeRef ModuleBuilder::Tensor(DType dtype, bool is_index, std::span<const int64_t> dims,
                              AttributeRef encoding) {
  if (!FitsInt64(dims)) return nullptr;
  if (encoding != nullptr && encoding->Find("bounds")->integers().size() != dims.size()) {
    return nullptr;
  }
  Type type;
  type.kind = TypeKind::kTensor;
  type.dtype = dtype;
  type.is_index = is_index;
  type.dims = dims;
  type.encoding = encoding;
  return Intern(type);
}

TypeRef ModuleBuilder::Scalar(DType dtype) {
  TypeRef& scalar = scalars_[static_cast<size_t>(dtype)];
  if (scalar == nullptr) {
    Type type;
    type.kind = TypeKind::kScalar;
    type.dtype = dtype;
    scalar = Intern(type);
  }
  return scalar;
}

TypeRef ModuleBuilder::Simple(TypeKind kind) {
  Type type;
  type.kind = kind;
  return Intern(type);
}

TypeRef ModuleBuilder::TupleOrFuture(TypeKind kind, std::span<const TypeRef> elements) {
  Type type;
  type.kind = kind;
  type.elements = elements;
  return Intern(type);
}

TypeRef ModuleBuilder::Function(std::span<const TypeRef> inputs, std::span<const TypeRef> results) {
  Type type;
  type.kind = TypeKind::kFunction;
  type.elements = inputs;
  type.results = results;
  return Intern(type);
}

Expected<std::span<const Attributes>> ModuleBuilder::SplitAttributes(const Operation& op,
                                                                     std::string_view name,
                                                                     size_t count) {
  if (!SpendOnList(count, sizeof(Attributes))) return Disproportion();
  std::vector<Attributes> lists(count);
  if (AttributeRef array = op.Find(name); array != nullptr) {
    if (array->elements().size() != count) {
      return InvalidArgument("function @", op.Text("sym_name"), " has ", count,
                             " values for which \"", name, "\" gives ", array->elements().size(),
                             " attribute lists");
    }
    for (size_t i = 0; i < count; ++i) {
      if (!array->elements()[i]->Is(AttributeKind::kDictionary)) {
        return InvalidArgument("function @", op.Text("sym_name"), ": \"", name,
                               "\" must hold dictionaries");
      }
      lists[i] = array->elements()[i]->fields();
    }
  }
  return std::span<const Attributes>(arena().Copy(lists));
}

Status ModuleBuilder::AddFunction(const Operation& op, uint32_t num_values) {
  AttributeRef type = op.Find("function_type");
  if (type == nullptr || type->type() == nullptr || type->type()->kind != TypeKind::kFunction) {
    return InvalidArgument("function @", op.Text("sym_name"), " has no function type");
  }
  program::Function function;
  function.op = &op;
  function.name = op.Text("sym_name");
  const std::string_view visibility = op.Text("sym_visibility");
  function.is_public = visibility.empty() || visibility == "public";
  function.argument_types = type->type()->elements;
  function.result_types = type->type()->results;
  PLINTH_ASSIGN_OR_RETURN(function.argument_attributes,
                          SplitAttributes(op, "arg_attrs", function.argument_types.size()));
  PLINTH_ASSIGN_OR_RETURN(function.result_attributes,
                          SplitAttributes(op, "res_attrs", function.result_types.size()));
  function.body = &op.regions[0];
  if (function.body->has_block &&
      !std::ranges::equal(function.body->argument_types, function.argument_types)) {
    return InvalidArgument("function @", function.name, ": the types of its arguments are not ",
                           "those of its function type");
  }
  function.num_values = num_values;
  const uint32_t index = static_cast<uint32_t>(contents_->functions.size());
  if (!contents_->function_index.emplace(function.name, index).second) {
    return InvalidArgument("function @", function.name, " is defined twice");
  }
  contents_->functions.push_back(function);
  return {};
}

Expected<Module> ModuleBuilder::Finish(const Operation& root,
                                       std::span<const uint32_t> num_values) {
  contents_->root = root;
  size_t next = 0;
  for (const Operation& op : root.regions[0].operations) {
    if (op.op == Op::kFunc) {
      PLINTH_RETURN_IF_ERROR(AddFunction(op, next < num_values.size() ? num_values[next] : 0));
      ++next;
    } else if (op.op == Op::kMesh) {
      contents_->meshes.push_back(&op);
    } else {
      return InvalidArgument("a module holds functions and meshes, not ", Name(op.op), " (at ",
                             ToString(op.location), ")");
    }
  }
  return Module(std::move(contents_));
}

}  // namespace plinth::program
