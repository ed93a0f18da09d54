// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/print.h"

#include <utility>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/attribute_text.h"

namespace plinth::compiler {
namespace {

// Prints with values numbered in the order of the text, so that equal programs give equal text
// however many values passes made on the way.
class Printer {
 public:
  explicit Printer(int32_t num_values, const ValueNote* note = nullptr)
      : numbers_(static_cast<size_t>(num_values), -1), note_(note) {}
  std::string text() && { return std::move(text_); }

  void PrintModule(const Module& module) {
    text_ += StrCat("module @", module.name);
    if (module.num_replicas != 1) text_ += StrCat(" replicas=", module.num_replicas);
    if (module.num_partitions != 1) text_ += StrCat(" partitions=", module.num_partitions);
    text_ += '\n';
    for (const Donation& donation : module.donations) {
      text_ += StrCat("donate argument ", donation.argument, " to output ");
      text_ += donation.output < 0 ? "any" : StrCat(donation.output);
      text_ += '\n';
    }
    for (const MeshRef& mesh : module.meshes) {
      text_ += StrCat("mesh @", mesh->name, " = #sdy.mesh", ToString(*mesh), "\n");
    }
    for (const Function& function : module.functions) {
      next_ = 0;
      text_ += &function == module.entry ? "entry @" : "function @";
      text_ += function.name;
      PrintBlock(*function.body, 0);
      if (!function.argument_shardings.empty()) {
        text_ += StrCat("arguments of @", function.name, " ", ToString(function.argument_shardings),
                        "\n");
      }
      if (!function.result_shardings.empty()) {
        text_ +=
            StrCat("results of @", function.name, " ", ToString(function.result_shardings), "\n");
      }
    }
  }

  void PrintOp(const Op& op, int indent) {
    text_.append(static_cast<size_t>(indent), ' ');
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (i > 0) text_ += ", ";
      PrintValue(*op.results[i]);
    }
    if (!op.results.empty()) text_ += " = ";
    text_ += Name(op.opcode);
    text_ += '(';
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (i > 0) text_ += ", ";
      PrintValue(*op.operands[i]);
    }
    text_ += ')';
    std::string attributes = AttributesToString(op);
    if (op.shardings != nullptr) {
      attributes += StrCat(attributes.empty() ? "" : ", ", ToString(*op.shardings));
    }
    if (!attributes.empty()) text_ += StrCat(" {", attributes, "}");
    for (size_t i = 0; i < op.results.size(); ++i) {
      text_ += i == 0 ? " : " : ", ";
      PrintType(*op.results[i]);
    }
    text_ += '\n';
    for (const Block* block : op.blocks) {
      text_.append(static_cast<size_t>(indent) + 2, ' ');
      text_ += "block";
      PrintBlock(*block, indent + 2);
    }
  }

 private:
  void PrintBlock(const Block& block, int indent) {
    text_ += '(';
    for (size_t i = 0; i < block.arguments.size(); ++i) {
      if (i > 0) text_ += ", ";
      PrintValue(*block.arguments[i]);
      text_ += ": ";
      PrintType(*block.arguments[i]);
    }
    text_ += ") {\n";
    for (const Op* op : block.ops) PrintOp(*op, indent + 2);
    text_.append(static_cast<size_t>(indent), ' ');
    text_ += "}\n";
  }
  void PrintType(const Value& value) {
    text_ += value.type.ToString();
    if (note_ == nullptr) return;
    const std::string note = (*note_)(value);
    if (!note.empty()) text_ += StrCat(" ", note);
  }
  void PrintValue(const Value& value) {
    text_ += '%';
    if (numbers_.empty()) {
      text_ += StrCat(value.id);
      return;
    }
    int32_t& number = numbers_[static_cast<size_t>(value.id)];
    if (number < 0) number = next_++;
    text_ += StrCat(number);
  }

  std::vector<int32_t> numbers_;  // By value id; empty: print the ids themselves.
  const ValueNote* note_;
  int32_t next_ = 0;
  std::string text_;
};

}  // namespace

std::string ToString(const Module& module) {
  Printer printer(module.num_values());
  printer.PrintModule(module);
  return std::move(printer).text();
}

std::string ToString(const Module& module, const ValueNote& note) {
  Printer printer(module.num_values(), &note);
  printer.PrintModule(module);
  return std::move(printer).text();
}

std::string ToString(const Op& op) {
  Printer printer(0);
  printer.PrintOp(op, 0);
  return std::move(printer).text();
}

}  // namespace plinth::compiler
