// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_EXECUTABLE_ARRAYS_H_
#define PLINTH_SDK_SRC_EXECUTABLE_ARRAYS_H_

#include <memory>
#include <vector>

#include "pjrt_c_api_layouts_extension.h"
#include "plinth/sdk/executable.h"

// A layout as the Layouts extension hands it out.
struct PJRT_Layouts_MemoryLayout {
  std::shared_ptr<const plinth::sdk::Layout> layout;  // Null: row-major.
  size_t rank = 0;
  bool is_owned_by_executable = false;
};

namespace plinth::sdk {

// The C arrays of one side (parameters or results) of an executable.
struct ValueArrays {
  explicit ValueArrays(const std::vector<ValueInfo>& values);

  std::vector<PJRT_Buffer_Type> types;
  std::vector<int64_t> dims;  // Of all values, one after the other.
  std::vector<size_t> ranks;
  std::vector<const char*> memory_kinds;
  std::vector<size_t> memory_kind_sizes;
  // Empty unless every value has a sharding.
  std::vector<const char*> shardings;
  std::vector<size_t> sharding_sizes;
  std::vector<PJRT_Layouts_MemoryLayout> layouts;
  std::vector<PJRT_Layouts_MemoryLayout*> layout_pointers;
};

struct Executable::Arrays {
  explicit Arrays(const ExecutableInfo& info)
      : parameters(info.parameters), outputs(info.outputs), cost(info.cost) {
    for (size_t i = 0; i < info.parameters.size(); ++i) {
      if (info.parameters[i].is_donated) donated.push_back(i);
    }
  }

  std::vector<size_t> donated;  // Indices of the parameters that are.
  ValueArrays parameters;
  ValueArrays outputs;
  NamedValueArray cost;
};

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_SRC_EXECUTABLE_ARRAYS_H_
