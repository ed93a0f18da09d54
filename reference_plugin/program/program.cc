// SPDX-License-Identifier: Apache-2.0
#include "plinth/program/program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "reference_plugin/program/module_builder.h"

namespace plinth::program {
namespace {

constexpr unsigned char kBytecodeMagic[4] = {0x4D, 0x4C, 0xEF, 0x52};
constexpr size_t kLongestLocation = 400;

void AppendLocation(const Location& location, int depth, std::string* out) {
  if (out->size() > kLongestLocation || depth > 16) {
    if (!out->ends_with("...")) out->append("...");
    return;
  }
  switch (location.kind) {
    case Location::Kind::kUnknown:
      out->append("unknown");
      break;
    case Location::Kind::kFile:
      out->append(StrCat(location.text, ":", location.line, ":", location.column));
      break;
    case Location::Kind::kInstruction:
      if (location.children.size() > 1) {
        AppendLocation(*location.children[1], depth + 1, out);
        if (out->ends_with("...")) return;
        out->append(", ");
      }
      [[fallthrough]];
    case Location::Kind::kName:
      out->append(StrCat("\"", location.text, "\""));
      if (!location.children.empty()) {
        out->push_back('(');
        AppendLocation(*location.children[0], depth + 1, out);
        out->push_back(')');
      }
      break;
    case Location::Kind::kCallSite:
    case Location::Kind::kFused: {
      const char* between = location.kind == Location::Kind::kFused ? ", " : " called from ";
      for (size_t i = 0; i < location.children.size(); ++i) {
        if (i > 0) out->append(between);
        AppendLocation(*location.children[i], depth + 1, out);
        if (out->ends_with("...")) return;
      }
      break;
    }
  }
}

}  // namespace

std::string ToString(LocationRef location) {
  std::string out;
  AppendLocation(*location, 0, &out);
  return out;
}

AttributeRef Find(Attributes attributes, std::string_view name) {
  for (const NamedAttribute& attribute : attributes) {
    if (attribute.name == name) return attribute.value;
  }
  return nullptr;
}

AttributeRef Operation::Find(std::string_view name) const {
  return program::Find(attributes, name);
}

int64_t Operation::Int(std::string_view name, int64_t absent) const {
  AttributeRef attribute = Find(name);
  return attribute == nullptr ? absent : attribute->integer();
}

std::string_view Operation::Text(std::string_view name) const {
  AttributeRef attribute = Find(name);
  return attribute == nullptr ? std::string_view() : attribute->text();
}

std::span<const int64_t> Operation::Ints(std::string_view name) const {
  AttributeRef attribute = Find(name);
  return attribute == nullptr ? std::span<const int64_t>() : attribute->integers();
}

Module::Module() = default;
Module::Module(std::unique_ptr<ModuleContents> contents) : contents_(std::move(contents)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

std::string_view Module::name() const { return op().Text("sym_name"); }
const Operation& Module::op() const { return contents_->root; }
std::span<const Function> Module::functions() const { return contents_->functions; }
std::span<const Operation* const> Module::meshes() const { return contents_->meshes; }
size_t Module::memory() const { return contents_->arena.reserved() + sizeof(ModuleContents); }

const Function* Module::FindFunction(std::string_view function_name) const {
  const auto at = contents_->function_index.find(function_name);
  return at == contents_->function_index.end() ? nullptr : &contents_->functions[at->second];
}

const Function* Module::main() const {
  if (const Function* function = FindFunction("main"); function != nullptr) return function;
  const Function* found = nullptr;
  for (const Function& function : contents_->functions) {
    if (!function.is_public) continue;
    if (found != nullptr) return nullptr;
    found = &function;
  }
  return found;
}

Expected<Module> Read(std::span<const std::byte> program) {
  if (program.empty()) {
    return InvalidArgument("the program is empty; MLIR bytecode or MLIR text was expected");
  }
  // Fewer bytes than that which begin like it are bytecode too, cut short.
  const size_t head = std::min(program.size(), sizeof(kBytecodeMagic));
  if (std::memcmp(program.data(), kBytecodeMagic, head) == 0) {
    return ReadBytecode(program);
  }
  return ReadText({reinterpret_cast<const char*>(program.data()), program.size()});
}

}  // namespace plinth::program
