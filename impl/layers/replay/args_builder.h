// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_REPLAY_ARGS_BUILDER_H_
#define PLINTH_IMPL_LAYERS_REPLAY_ARGS_BUILDER_H_

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "impl/layers/replay/captured_call.h"
#include "impl/layers/replay/handle_map.h"

namespace plinth::layers {

// Builds the argument struct of a captured call with the handles of the plugin under replay. What
// it builds lives as long as this object.
class ArgsBuilder {
 public:
  explicit ArgsBuilder(const HandleMap& handles) : handles_(handles) {}

  // A struct with its inputs filled in; everything else is zero. NOT_FOUND if a handle is missing,
  // DATA_LOSS if the capture contradicts the registry.
  Expected<void*> Build(const reflection::Struct& structure,
                        const std::vector<CapturedField>& fields, bool parent_is_input = false);

  // Zeroed memory.
  void* Allocate(size_t size);

 private:
  Status Fill(const reflection::Struct& structure, const std::vector<CapturedField>& fields,
              bool parent_is_input, char* place);
  Status FillField(const reflection::Struct& structure, const reflection::Field& field,
                   const CapturedValue& value, bool is_input, char* place);
  Status FillStructs(const reflection::Field& field, const CapturedValue& value, bool is_input,
                     char* place, size_t& count);
  Expected<void*> HandleOf(const reflection::Field& field, uint64_t id) const;
  Status FillLayout(const reflection::Field& field, const CapturedValue& value, char* place);
  void* Copy(const void* data, size_t size);
  // Sets the length of a list. Two lists with one length have to agree.
  Status PutLength(const reflection::Struct& structure, const reflection::Field& field,
                   int16_t index, uint64_t count, char* place);

  const HandleMap& handles_;
  std::deque<std::unique_ptr<char[]>> memory_;
  std::deque<NamedValueArray> named_values_;
  std::map<const char*, uint64_t> lengths_;  // that lists have set, by their place
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_ARGS_BUILDER_H_
