// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_FLOW_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_FLOW_H_

#include <vector>

#include "reference_plugin/compiler/partition/uses.h"

// Where the data of a program goes from op to op, for the propagation.
namespace plinth::compiler::partition {

// Something through which shardings go: an op with a rule, or the flow of data into one value.
struct FlowNode {
  Op* op = nullptr;
  bool is_edge = false;             // flow: all operands go into the one result
  bool has_shared_operand = false;  // one that is no scalar has another user, too
  bool is_elementwise = false;
  std::vector<int32_t> operands, results;  // places
};

// Values that always have one sharding share a place: the carries of a loop, for example.
struct FlowPlace {
  Value* owner = nullptr;            // whose type and sharding it has
  int32_t maker = -1;                // the node that makes it
  std::vector<int32_t> owner_users;  // nodes, in the order of the program
  std::vector<int32_t> other_users;  // of the values that are not the owner
  // An operand of a manual_computation as it goes in.
  const Op* manual = nullptr;
  int32_t manual_operand = -1;
};

struct Flow {
  std::vector<FlowNode> nodes;  // in the order of the program, before what is inside of them
  std::vector<FlowPlace> places;
  std::vector<int32_t> place_of;  // by value id; -1: values in regions of scalar code
};

Flow MakeFlow(Module& module);
// Whether the value is one of several that share a place; the same as in the flow.
bool IsJoined(const Value* value);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_FLOW_H_
