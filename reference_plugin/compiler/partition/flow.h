// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_FLOW_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_FLOW_H_

#include <deque>
#include <vector>

#include "reference_plugin/compiler/ir/mesh.h"
#include "reference_plugin/compiler/partition/uses.h"

// Where the data of a program goes from op to op, for the propagation.
namespace plinth::compiler::partition {

// Something through which shardings go: an op with a rule, or the flow of data into one value.
struct FlowNode {
  Op* op = nullptr;
  bool is_edge = false;             // flow: all operands go into the one result
  bool has_shared_operand = false;  // one that is no scalar has another user, too
  bool is_elementwise = false;
  Passage passage = Passage::kBothWays;
  Opcode opcode = Opcode::kReturn;            // of the op, which is far away when nodes are visited
  SmallVector<int32_t, 4> operands, results;  // places
};

// Values that always have one sharding share a place: the carries of a loop, for example.
struct FlowPlace {
  Value* owner = nullptr;               // whose type and sharding it has
  int32_t maker = -1;                   // the node that makes it
  SmallVector<int32_t, 2> owner_users;  // nodes, in the order of the program
  std::vector<int32_t> other_users;     // of the values that are not the owner
  // An operand of a manual_computation as it goes in.
  const Op* manual = nullptr;
  int32_t manual_operand = -1;
  // What goes into a region that is manual in part, or comes out, has two places: one as those
  // outside see it, and one without the region's axes as the region sees it. Each names the other.
  int32_t other_side = -1;
  bool is_inside = false;
  const AxisList* manual_axes = nullptr;  // inside: those that it does not show
  int32_t group = -1;                     // in Flow::groups
};

struct Flow {
  std::vector<FlowNode> nodes;  // in the order of the program, before what is inside of them
  std::vector<FlowPlace> places;
  std::vector<std::vector<int32_t>> groups;  // places that the program wants to be spread alike
  std::deque<AxisList> manual_axes;          // of regions that are manual in part
  // By value id; -1: values in regions of scalar code and in manual ones.
  std::vector<int32_t> place_of;
};

// INVALID_ARGUMENT for manual computations whose axes do not go together.
Expected<Flow> MakeFlow(Module& module);
// Whether the value is one of several that share a place; the same as in the flow.
bool IsJoined(const Value* value);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_FLOW_H_
