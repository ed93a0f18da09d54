// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_ATTRIBUTES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_ATTRIBUTES_H_

#include <memory>
#include <span>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/program/program.h"

// From the attributes of a program to ours. These check form (lengths that defaults depend on,
// known enum values); whether the numbers fit the types is for CheckOp.
namespace plinth::compiler {

using AttributesRef = std::shared_ptr<const Attributes>;

struct AttributeSource {
  const program::Operation& op;
  std::span<Value* const> operands;
  std::span<const Type> results;
  const std::shared_ptr<const void>& owner;  // Keeps the program's bytes alive.
};

using AttributeConverter = Expected<AttributesRef> (*)(const AttributeSource& source);

Expected<AttributesRef> ConvertConstant(const AttributeSource& source);
Expected<AttributesRef> ConvertCompare(const AttributeSource& source);
Expected<AttributesRef> ConvertIota(const AttributeSource& source);
Expected<AttributesRef> ConvertDimension(const AttributeSource& source);
Expected<AttributesRef> ConvertSort(const AttributeSource& source);
Expected<AttributesRef> ConvertBroadcastInDim(const AttributeSource& source);
Expected<AttributesRef> ConvertBroadcast(const AttributeSource& source);
Expected<AttributesRef> ConvertTranspose(const AttributeSource& source);
Expected<AttributesRef> ConvertDimensions(const AttributeSource& source);  // made ascending
Expected<AttributesRef> ConvertSlice(const AttributeSource& source);
Expected<AttributesRef> ConvertDynamicSlice(const AttributeSource& source);
Expected<AttributesRef> ConvertPad(const AttributeSource& source);
Expected<AttributesRef> ConvertDotGeneral(const AttributeSource& source);
Expected<AttributesRef> ConvertDot(const AttributeSource& source);
Expected<AttributesRef> ConvertConvolution(const AttributeSource& source);
Expected<AttributesRef> ConvertReduceWindow(const AttributeSource& source);
Expected<AttributesRef> ConvertGather(const AttributeSource& source);
Expected<AttributesRef> ConvertScatter(const AttributeSource& source);
Expected<AttributesRef> ConvertRng(const AttributeSource& source);
Expected<AttributesRef> ConvertRngBitGenerator(const AttributeSource& source);
Expected<AttributesRef> ConvertReducePrecision(const AttributeSource& source);
Expected<AttributesRef> ConvertFft(const AttributeSource& source);
Expected<AttributesRef> ConvertCholesky(const AttributeSource& source);
Expected<AttributesRef> ConvertTriangularSolve(const AttributeSource& source);
Expected<AttributesRef> ConvertBatchNorm(const AttributeSource& source);
Expected<AttributesRef> ConvertCall(const AttributeSource& source);
Expected<AttributesRef> ConvertComposite(const AttributeSource& source);
Expected<AttributesRef> ConvertCollective(const AttributeSource& source);
Expected<AttributesRef> ConvertTupleIndex(const AttributeSource& source);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_ATTRIBUTES_H_
