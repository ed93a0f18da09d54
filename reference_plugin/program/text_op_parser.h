// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_TEXT_OP_PARSER_H_
#define REFERENCE_PLUGIN_PROGRAM_TEXT_OP_PARSER_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reference_plugin/program/op_schema.h"
#include "reference_plugin/program/text_parser_base.h"

namespace plinth::program {

// Ops and regions of MLIR text, in generic form and in their own.
class OpParser : private AttributeParser {
 public:
  OpParser(std::string_view text, ModuleBuilder& builder) : AttributeParser(text, builder) {}

  plinth::Expected<Module> ReadModule();

 private:
  // An op while it is read.
  struct OpState {
    Op op = Op::kModule;
    size_t start = 0;
    std::vector<ValueId> operands;
    std::vector<NamedAttribute> attributes;
    std::vector<TypeRef> result_types;
    std::vector<Region> regions;
    // Results get their numbers before the regions do, from the names on the left.
    std::vector<std::pair<std::string_view, int64_t>> result_names;  // Name, how many.
    size_t num_named = 0;
    ValueId first_result = 0;
    bool results_defined = false;
    int depth = 0;  // Of regions.
    LocationRef location = nullptr;
  };
  struct Value {
    ValueId first = 0;
    int64_t count = 1;
  };
  struct BlockArgument {
    std::string_view name;
    TypeRef type = nullptr;
    LocationRef location = nullptr;
  };
  using PieceFunction = bool (OpParser::*)(OpState&);
  struct Piece {
    std::string_view name;
    PieceFunction parse;
  };
  static const Piece kPieces[];

  bool ParseTopLevel(Operation* root);
  bool ParseOperation(std::optional<Op> parent, int depth);
  bool ParseResultNames(OpState& state);
  bool ParseGeneric(OpState& state);
  bool FinishOperation(OpState& state, std::optional<Op> parent);
  std::optional<Op> CustomName(std::string_view name, std::optional<Op> parent) const;

  // The pieces of a form.
  bool ParseForm(OpState& state, std::string_view form);
  bool ParsePiece(OpState& state, std::string_view piece);
  bool ParseOptional(OpState& state, std::string_view piece);
  bool ParseTypes(OpState& state, char kind);
  bool ParseInherent(OpState& state, std::string_view name, bool as_symbol);
  bool ParseFormType(TypeRef* type, bool* functional);
  bool ParseSlice(OpState& state);
  bool ParseConstant(OpState& state);
  bool ParseConvolutionNumbers(OpState& state);
  bool ParseWindow(OpState& state);
  bool ParseWindowPadding(OpState& state);
  bool ParsePrecision(OpState& state);
  bool ParseDotDimensions(OpState& state);
  bool ParseDimensionPair(std::vector<int64_t>* lhs, std::vector<int64_t>* rhs);
  bool ParseFormat(OpState& state);
  bool ParseReduce(OpState& state);
  bool ParseReduceShort(OpState& state, Op inner);
  bool ParseReduceRegion(OpState& state);
  bool ParseWhile(OpState& state);
  bool ParseBody(OpState& state);
  bool ParseBarrierOperands(OpState& state);
  bool ParseDirection(OpState& state);
  bool ParseCompositeRegions(OpState& state);
  bool ParseInShardings(OpState& state);
  bool ParseOutShardings(OpState& state);
  bool ParseOptionalInShardings(OpState& state);
  bool ParseOptionalOutShardings(OpState& state);
  bool ParseShardings(OpState& state, std::string_view name);
  bool ParseModule(OpState& state);
  bool ParseFunc(OpState& state);
  bool ParseFuncResults(std::vector<TypeRef>* types, std::vector<AttributeRef>* attributes);

  // Regions and values.
  bool ParseRegion(OpState& state, std::span<const BlockArgument> arguments);
  bool ParseOptionalBlockHead(std::vector<BlockArgument>* arguments);
  bool ParseTypedArguments(char open, char close, std::vector<BlockArgument>* arguments);
  bool ParseOperand(ValueId* value);
  bool ParseOperands(OpState& state);
  bool DefineName(std::string_view name, Value value);
  bool DefineArgument(const BlockArgument& argument);
  bool DefineResults(OpState& state);
  bool ReserveResults(OpState& state);
  bool CheckOperandTypes(const OpState& state, std::span<const TypeRef> types);
  bool TypeOperandsAndResults(OpState& state, TypeRef functional);
  void AddAttribute(OpState& state, std::string_view name, AttributeRef value) {
    state.attributes.push_back({name, value});
  }
  LocationRef PlaceOf(size_t position);
  bool ParseOptionalLocation(LocationRef* location);

  std::unordered_map<std::string_view, Value> values_;
  std::vector<std::string_view> names_in_scope_;  // Inner regions last.
  std::vector<TypeRef> value_types_;
  ValueId next_value_ = 0;
  std::vector<uint32_t> num_values_;
  std::vector<Operation> op_stack_;
  // Where PlaceOf counted up to.
  size_t counted_ = 0;
  uint32_t line_ = 1;
  size_t line_start_ = 0;
};

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_TEXT_OP_PARSER_H_
