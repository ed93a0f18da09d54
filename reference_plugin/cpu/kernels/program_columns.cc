// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "reference_plugin/cpu/kernels/program_builder.h"

namespace plinth::cpu::kernels {
namespace {

// A step that moves every so many bytes of memory.
template <class Step>
struct Column {
  Step* step = nullptr;
  const compiler::Access* access = nullptr;
  const LinearForm* form = nullptr;
  int64_t stride = 0;
  size_t bytes = 0;  // of an element
};

template <class Step>
bool AreOfSameRows(const Column<Step>& a, const Column<Step>& b) {
  return a.access->buffer == b.access->buffer && a.bytes == b.bytes && a.stride == b.stride &&
         a.access->dynamic_offsets == b.access->dynamic_offsets &&
         a.form->coefficients == b.form->coefficients;
}

// `has_gaps`: columns in between may be missing.
template <class Step>
void Join(std::vector<Column<Step>> columns, bool has_gaps) {
  std::stable_sort(columns.begin(), columns.end(),
                   [](const auto& a, const auto& b) { return a.form->offset < b.form->offset; });
  for (size_t i = 0; i < columns.size(); ++i) {
    const Column<Step>& first = columns[i];
    JointColumns& joint = first.step->columns;
    if (joint.is_with_first) continue;
    const auto bytes = static_cast<int64_t>(first.bytes);
    const auto most = std::min(static_cast<int64_t>(math::kMostColumns), first.stride / bytes);
    std::vector<int32_t> slots = {first.step->slot};
    for (size_t j = i + 1; j < columns.size(); ++j) {
      const int64_t offset = columns[j].form->offset - first.form->offset;
      const auto place = static_cast<size_t>(offset / bytes);
      if (!AreOfSameRows(first, columns[j]) || offset % bytes != 0 || offset / bytes >= most ||
          place < slots.size() || (place > slots.size() && !has_gaps) ||
          columns[j].step->columns.is_with_first) {
        continue;
      }
      slots.resize(place, -1);
      slots.push_back(columns[j].step->slot);
      columns[j].step->columns.is_with_first = true;
    }
    if (slots.size() == 1) continue;
    joint.functions = math::FindColumns(first.bytes, slots.size());
    joint.slots = std::move(slots);
  }
}

}  // namespace

void ProgramBuilder::JoinColumns(PhaseProgram* phase) const {
  const auto are_columns = [](const LaneMap& map, const ElementFunctions& element) {
    return map.linear && map.stride > static_cast<int64_t>(element.memory_bytes) &&
           math::FindColumns(element.memory_bytes, math::kFewestColumns).load != nullptr;
  };
  std::vector<Column<LoadStep>> loads;
  for (LoadStep& step : phase->loads) {
    const TileLoad& load = step.load;
    if (step.direct || step.cache >= 0 || step.block_rows > 0 || !load.bounds.empty() ||
        load.element.load != nullptr || !are_columns(*load.map, load.element)) {
      continue;
    }
    loads.push_back({&step, &kernel_.shape.inputs[static_cast<size_t>(load.form)],
                     &program_.domain.forms[static_cast<size_t>(load.form)], load.map->stride,
                     load.element.memory_bytes});
  }
  Join(std::move(loads), /*has_gaps=*/true);
  std::vector<Column<StoreStep>> stores;
  for (StoreStep& step : phase->stores) {
    const TileStore& store = step.store;
    // What lies in an input's memory is written before others may overwrite it.
    const bool is_register = frame_.slot_offsets()[static_cast<size_t>(step.slot)] >= 0;
    if (!is_register || store.element.store != nullptr || !are_columns(*store.map, store.element)) {
      continue;
    }
    const size_t output = static_cast<size_t>(store.form) - kernel_.shape.inputs.size();
    stores.push_back({&step, &kernel_.shape.outputs[output],
                      &program_.domain.forms[static_cast<size_t>(store.form)], store.map->stride,
                      store.element.memory_bytes});
  }
  Join(std::move(stores), /*has_gaps=*/false);
}

}  // namespace plinth::cpu::kernels
