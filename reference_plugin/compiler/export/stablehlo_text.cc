// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/export/stablehlo_text.h"

#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "plinth/program/printer.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/export/stablehlo_attributes.h"

namespace plinth::compiler {
namespace {

constexpr std::string_view kOwnDialect = "plinth.";

// As what an op of the IR is written; empty: as a custom call.
std::string NameOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCumulativeReduce:
      return "stablehlo.reduce_window";
    case Opcode::kCall:
    case Opcode::kComposite:
    case Opcode::kManualComputation:
    case Opcode::kReshard:
    case Opcode::kShardingConstraint:
    case Opcode::kErf:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRedistribute:
    case Opcode::kSend:
    case Opcode::kTopK:
      return "";
    default:
      return StrCat("stablehlo.", Name(opcode));
  }
}

class StablehloWriter {
 public:
  explicit StablehloWriter(const Module& module)
      : module_(module), names_(static_cast<size_t>(module.num_values()), -1) {}

  std::string Write() && {
    Put("module ");
    program::PrintSymbol(module_.name, &text_);
    Put(" attributes {mhlo.num_partitions = ", module_.num_partitions,
        " : i32, mhlo.num_replicas = ", module_.num_replicas, " : i32} {\n");
    const Block& body = *module_.entry->body;
    Put("  func.func public @main(");
    for (size_t i = 0; i < body.arguments.size(); ++i) {
      if (i > 0) Put(", ");
      PutValue(*body.arguments[i]);
      Put(": ", StablehloType(body.arguments[i]->type));
      PutDonation(static_cast<int32_t>(i));
    }
    Put(") -> (");
    const auto& results = body.terminator()->operands;
    for (size_t i = 0; i < results.size(); ++i) {
      Put(i > 0 ? ", " : "", StablehloType(results[i]->type));
    }
    Put(") {\n");
    for (const Op* op : body.ops) {
      if (op->opcode == Opcode::kReturn) {
        PutOp("func.return", *op, {}, 2);
      } else {
        PutIrOp(*op, 2);
      }
    }
    Put("  }\n}\n");
    return std::move(text_);
  }

 private:
  template <typename... Pieces>
  void Put(const Pieces&... pieces) {
    (StrPiece(pieces).AppendTo(text_), ...);
  }

  void PutValue(const Value& value) {
    int32_t& name = names_[static_cast<size_t>(value.id)];
    if (name < 0) name = next_++;
    Put("%", name);
  }

  void PutDonation(int32_t argument) {
    for (const Donation& donation : module_.donations) {
      if (donation.argument != argument) continue;
      if (donation.output < 0) {
        Put(" {jax.buffer_donor = true}");
      } else {
        Put(" {tf.aliasing_output = ", donation.output, " : i32}");
      }
      return;
    }
  }

  void PutIrOp(const Op& op, int indent) {
    if (op.opcode == Opcode::kRng) return PutRng(op, indent);
    if (op.opcode == Opcode::kAllToAll && op.operands.size() > 1) return PutEach(op, indent);
    const bool is_part = op.opcode == Opcode::kRngBitGenerator && op.operands.size() > 1;
    const std::string name = is_part ? "" : NameOf(op.opcode);
    if (!name.empty()) return PutOp(name, op, PartsOf(op), indent);
    // As frameworks write those that XLA knows and StableHLO does not.
    const bool is_known = op.opcode == Opcode::kErf || op.opcode == Opcode::kTopK;
    Parts parts;
    parts.attributes = StrCat("call_target_name = \"", is_known ? "mhlo." : kOwnDialect,
                              op.opcode == Opcode::kTopK ? "topk" : Name(op.opcode), "\"");
    parts.has_regions = false;
    if (is_known) {
      parts.discardable =
          StrCat("mhlo.attributes = {",
                 op.opcode == Opcode::kTopK
                     ? StrCat("k = ", op.Get<DimensionAttributes>().count, " : i64, largest = true")
                     : "",
                 "}, mhlo.version = 1 : i64");
    }
    PutOp("stablehlo.custom_call", op, parts, indent);
  }

  // Takes the shape of its result as an operand, too.
  void PutRng(const Op& op, int indent) {
    const int32_t shape = next_++;
    const Dims& dims = op.type().dims;
    const std::string type = StrCat("tensor<", dims.size(), "xi64>");
    text_.append(static_cast<size_t>(indent) * 2, ' ');
    Put("%", shape, " = \"stablehlo.constant\"() <{value = dense<",
        dims.empty() ? "" : StrCat("[", StrJoin(dims, ", "), "]"), "> : ", type, "}> : () -> ",
        type, "\n");
    Parts parts = PartsOf(op);
    parts.more_operands = StrCat(", %", shape);
    parts.more_types = StrCat(", ", type);
    PutOp("stablehlo.rng", op, parts, indent);
  }

  // jaxlib reads all_to_alls of one array only.
  void PutEach(const Op& op, int indent) {
    Parts parts = PartsOf(op);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      parts.only = i;
      PutOp("stablehlo.all_to_all", op, parts, indent);
    }
  }

  // What an op is written with besides its operands, regions and results.
  struct Parts {
    std::string attributes;
    std::string discardable;  // those that the op does not define
    std::string more_operands, more_types;
    bool has_regions = true;
    std::optional<size_t> only;  // this operand and this result
  };

  Parts PartsOf(const Op& op) const {
    Parts parts;
    parts.attributes = StablehloAttributes(op, module_);
    return parts;
  }

  void PutOp(std::string_view name, const Op& op, const Parts& parts, int indent) {
    std::span<Value* const> operands = op.operands;
    std::span<Value* const> results = op.results;
    if (parts.only.has_value()) {
      operands = operands.subspan(*parts.only, 1);
      results = results.subspan(*parts.only, 1);
    }
    text_.append(static_cast<size_t>(indent) * 2, ' ');
    for (size_t i = 0; i < results.size(); ++i) {
      if (i > 0) Put(", ");
      PutValue(*results[i]);
    }
    if (!results.empty()) Put(" = ");
    Put("\"", name, "\"(");
    for (size_t i = 0; i < operands.size(); ++i) {
      if (i > 0) Put(", ");
      PutValue(*operands[i]);
    }
    Put(parts.more_operands, ")");
    if (!parts.attributes.empty()) Put(" <{", parts.attributes, "}>");
    if (parts.has_regions && !op.blocks.empty()) {
      Put(" (");
      for (size_t i = 0; i < op.blocks.size(); ++i) {
        if (i > 0) Put(", ");
        PutRegion(*op.blocks[i], indent);
      }
      Put(")");
    }
    if (!parts.discardable.empty()) Put(" {", parts.discardable, "}");
    Put(" : (");
    for (size_t i = 0; i < operands.size(); ++i) {
      Put(i > 0 ? ", " : "", StablehloType(operands[i]->type));
    }
    Put(parts.more_types, ") -> (");
    for (size_t i = 0; i < results.size(); ++i) {
      Put(i > 0 ? ", " : "", StablehloType(results[i]->type));
    }
    Put(")\n");
  }

  void PutRegion(const Block& block, int indent) {
    Put("{\n");
    text_.append(static_cast<size_t>(indent) * 2, ' ');
    Put("^bb0");
    for (size_t i = 0; i < block.arguments.size(); ++i) {
      Put(i > 0 ? ", " : "(");
      PutValue(*block.arguments[i]);
      Put(": ", StablehloType(block.arguments[i]->type));
    }
    Put(block.arguments.empty() ? ":\n" : "):\n");
    for (const Op* op : block.ops) PutIrOp(*op, indent + 1);
    text_.append(static_cast<size_t>(indent) * 2, ' ');
    Put("}");
  }

  const Module& module_;
  std::vector<int32_t> names_;  // by id of the value
  int32_t next_ = 0;
  std::string text_;
};

}  // namespace

std::string StablehloText(const Module& module) { return StablehloWriter(module).Write(); }

}  // namespace plinth::compiler
