// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_SHARDING_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_SHARDING_H_

#include <optional>

#include "plinth/program/compile_options.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/ir/sharding.h"

// Shardings in XLA's form, which programs and clients exchange.
namespace plinth::compiler {

// All devices along one axis, of which shardings of this form use parts.
MeshRef FlatMesh(int64_t num_devices);
bool IsFlat(const Mesh& mesh);

// The sharding of an array over the devices of `flat`; null if it says nothing (kUnknown, kManual).
// All dimensions are closed. A list of devices that is no grid of them in some order gets a mesh of
// its own.
//
// INVALID_ARGUMENT unless it has a tile dimension per dimension, and each device is in one tile.
Expected<ShardingRef> FromOpSharding(const program::OpSharding& sharding, const Type& type,
                                     const MeshRef& flat);

// The parts of the axis of `flat` along which each device is on its own where a sharding of this
// form stands: none for most, the whole axis for kManual, `last_tile_dims` says which. Nothing if
// they are no parts of it. `sharding` is one that FromOpSharding takes for a value of that type.
std::optional<AxisList> ManualPartsOf(const program::OpSharding& sharding, const Type& type,
                                      const MeshRef& flat);

// Short for any number of devices, but for those of a mesh in an order of its own.
program::OpSharding ToOpSharding(const Sharding& sharding);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_SHARDING_H_
