// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_TABLE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_TABLE_H_

#include "plinth/program/program.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/import/import_attributes.h"
#include "reference_plugin/compiler/import/importer.h"
#include "reference_plugin/compiler/ir/opcode.h"

namespace plinth::compiler::importer {

// How one op of a program becomes IR.
struct ImportRow {
  enum class How : uint8_t {
    kRefused,  // UNIMPLEMENTED
    kOp,       // an op with the same operands, results and regions
    kBuild,    // whatever `build` makes of it
    kReturn,   // ends a block
  };
  How how = How::kRefused;
  Opcode opcode = Opcode::kReturn;
  AttributeConverter attributes = nullptr;  // kOp; null: the op has none
  Status (*build)(Importer& importer, const program::Operation& operation) = nullptr;
};

const ImportRow& ImportRowOf(program::Op op);

// Operand i is the dimensions of the one result, whose type says them too: INVALID_ARGUMENT if its
// type, or the constant that it may be, says otherwise.
Status CheckShapeOperand(const Importer& importer, size_t i);

// Builders that have a file of their own.
Status ImportApproxTopK(Importer& importer, const program::Operation& operation);
Status ImportComposite(Importer& importer, const program::Operation& operation);
Status ImportCustomCall(Importer& importer, const program::Operation& operation);
Status ImportDynamicBroadcast(Importer& importer, const program::Operation& operation);
Status ImportDynamicConvolution(Importer& importer, const program::Operation& operation);
Status ImportDynamicGather(Importer& importer, const program::Operation& operation);
Status ImportDynamicIota(Importer& importer, const program::Operation& operation);
Status ImportDynamicPad(Importer& importer, const program::Operation& operation);
Status ImportDynamicReshape(Importer& importer, const program::Operation& operation);
Status ImportRealDynamicSlice(Importer& importer, const program::Operation& operation);
Status ImportSetDimensionSize(Importer& importer, const program::Operation& operation);

}  // namespace plinth::compiler::importer

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_TABLE_H_
