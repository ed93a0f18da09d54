// SPDX-License-Identifier: Apache-2.0
#include "plinth/program/printer.h"

#include <vector>

#include "plinth/program/program.h"
#include "reference_plugin/program/op_schema.h"

namespace plinth::program {
namespace {

class ProgramPrinter {
 public:
  std::string Print(const Operation& root) {
    PrintOperation(root, 0);
    return std::move(out_);
  }

 private:
  // How a value is written, by its number in the current function.
  struct ValueName {
    ValueId first = 0;
    uint32_t index = 0;
    enum : uint8_t { kArgument, kSingle, kOneOfMany } kind = kSingle;
  };

  void Name(ValueId value, const ValueName& name) {
    if (names_.size() <= value) names_.resize(value + 1);
    names_[value] = name;
  }

  void PutValue(ValueId value) {
    const ValueName& name = names_[value];
    out_ += name.kind == ValueName::kArgument ? "%arg" : "%";
    out_ += StrCat(name.first);
    if (name.kind == ValueName::kOneOfMany) out_ += StrCat("#", name.index);
  }

  void Indent(int depth) { out_.append(static_cast<size_t>(depth) * 2, ' '); }

  void PutTypes(std::span<const TypeRef> types) {
    for (size_t i = 0; i < types.size(); ++i) {
      if (i > 0) out_ += ", ";
      PrintType(*types[i], &out_);
    }
  }

  // The attributes that are inherent, or those that are not.
  void PutAttributes(const Operation& op, bool inherent, const char* open, const char* close) {
    bool any = false;
    for (const NamedAttribute& attribute : op.attributes) {
      if ((FindRule(op.op, attribute.name) != nullptr) != inherent) continue;
      out_ += any ? ", " : open;
      any = true;
      PrintNamed(attribute.name, *attribute.value, &out_);
    }
    if (any) out_ += close;
  }

  void PrintOperation(const Operation& op, int depth) {
    Indent(depth);
    const size_t num_results = op.result_types.size();
    if (num_results > 0) {
      out_ += StrCat("%", op.first_result);
      if (num_results > 1) out_ += StrCat(":", num_results);
      out_ += " = ";
    }
    out_ += StrCat("\"", program::Name(op.op), "\"(");
    std::string operand_types;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (i > 0) {
        out_ += ", ";
        operand_types += ", ";
      }
      PutValue(op.operands[i]);
      PrintType(*types_[op.operands[i]], &operand_types);
    }
    out_ += ")";
    PutAttributes(op, true, " <{", "}>");
    for (uint32_t i = 0; i < num_results; ++i) {
      const ValueId value = op.first_result + i;
      Name(value,
           {op.first_result, i, num_results == 1 ? ValueName::kSingle : ValueName::kOneOfMany});
      SetType(value, op.result_types[i]);
    }
    if (!op.regions.empty()) {
      out_ += " (";
      for (size_t i = 0; i < op.regions.size(); ++i) {
        if (i > 0) out_ += ", ";
        PrintRegion(op.regions[i], depth);
      }
      out_ += ")";
    }
    PutAttributes(op, false, " {", "}");
    out_ += StrCat(" : (", operand_types, ") -> ");
    if (num_results == 1) {
      PrintType(*op.result_types[0], &out_);
    } else {
      out_ += "(";
      PutTypes(op.result_types);
      out_ += ")";
    }
    out_ += "\n";
  }

  void SetType(ValueId value, TypeRef type) {
    if (types_.size() <= value) types_.resize(value + 1);
    types_[value] = type;
  }

  void PrintRegion(const Region& region, int depth) {
    out_ += "{\n";
    if (!region.argument_types.empty()) {
      Indent(depth);
      out_ += "^bb0(";
      for (uint32_t i = 0; i < region.argument_types.size(); ++i) {
        if (i > 0) out_ += ", ";
        const ValueId value = region.first_argument + i;
        Name(value, {value, 0, ValueName::kArgument});
        SetType(value, region.argument_types[i]);
        PutValue(value);
        out_ += ": ";
        PrintType(*region.argument_types[i], &out_);
      }
      out_ += "):\n";
    } else if (region.has_block && region.operations.empty()) {
      Indent(depth);
      out_ += "^bb0:\n";
    }
    for (const Operation& op : region.operations) PrintOperation(op, depth + 1);
    Indent(depth);
    out_ += "}";
  }

  std::string out_;
  std::vector<ValueName> names_;
  std::vector<TypeRef> types_;
};

}  // namespace

std::string Print(const Module& module) { return ProgramPrinter().Print(module.op()); }

}  // namespace plinth::program
