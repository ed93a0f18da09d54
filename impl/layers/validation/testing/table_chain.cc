// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/testing/table_chain.h"

#include <array>
#include <cstring>
#include <utility>

#include "gtest/gtest.h"
#include "impl/layers/validation/validation_layer.h"

namespace plinth::layers::validation {
namespace {

TableChain* current = nullptr;

using Thunk = PJRT_Error* (*)(void* args);

template <int kFunction>
PJRT_Error* CallCurrent(void* args) {
  return current->Call(0, kFunction, args);
}

template <int... kFunctions>
constexpr std::array<Thunk, sizeof...(kFunctions)> MakeThunks(
    std::integer_sequence<int, kFunctions...>) {
  return {&CallCurrent<kFunctions>...};
}

constexpr auto kThunks = MakeThunks(std::make_integer_sequence<int, reflection::kFunctionCount>());

}  // namespace

TableChain::TableChain(const PJRT_Api* plugin, int minor) : plugin_(plugin), minor_(minor) {
  current = this;
  MakeTable();
}

TableChain::~TableChain() {
  if (current == this) current = nullptr;
}

void TableChain::UseValidation(const std::string& options) {
  LayerContext context;
  context.plugin_minor = minor_;
  context.options = options;
  context.log = [this](std::string_view line) {
    std::lock_guard<std::mutex> lock(mutex_);
    lines_.emplace_back(line);
  };
  context.chain = this;
  Expected<std::unique_ptr<Layer>> layer = CreateValidationLayer(context);
  ASSERT_TRUE(layer.ok()) << layer.status().ToString();
  layer_ = *std::move(layer);
}

std::vector<std::string> TableChain::TakeLines() {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(lines_, {});
}

PJRT_Error* TableChain::Call(int depth, int function, void* args) const {
  if (depth == 0 && layer_ != nullptr) {
    num_calls_.fetch_add(1, std::memory_order_relaxed);
    return layer_->OnCall(layers::Call(*this, 0, function, args));
  }
  auto answer = answers_.find(function);
  if (answer != answers_.end()) return answer->second(args);
  return CallPlugin(function, args);
}

PJRT_Error* TableChain::CallPlugin(int function, void* args) const {
  void* target = Target(function);
  if (target == nullptr) return nullptr;
  if (reflection::Functions()[function].returns == reflection::Returns::kNothing) {
    reinterpret_cast<void (*)(void*)>(target)(args);
    return nullptr;
  }
  return reinterpret_cast<Thunk>(target)(args);
}

void* TableChain::Target(int index) const {
  if (plugin_ == nullptr) return nullptr;
  const reflection::Function& function = reflection::Functions()[index];
  const char* table = reinterpret_cast<const char*>(plugin_);
  if (function.table >= 0) {
    table = nullptr;
    int type = reflection::Tables()[function.table].type;
    for (auto* node = plugin_->extension_start; node != nullptr; node = node->next) {
      if (node->type == type && function.offset + sizeof(void*) <= node->struct_size) {
        table = reinterpret_cast<const char*>(node);
      }
    }
  }
  if (table == nullptr) return nullptr;
  void* target;
  std::memcpy(&target, table + function.offset, sizeof(target));
  return target;
}

void TableChain::MakeTable() {
  api_.struct_size = PJRT_Api_STRUCT_SIZE;
  api_.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api_.pjrt_api_version.minor_version = minor_;
  std::map<int, char*> nodes;
  for (auto* node = plugin_ == nullptr ? nullptr : plugin_->extension_start; node != nullptr;
       node = node->next) {
    extensions_.push_back(std::make_unique<char[]>(node->struct_size));
    char* copy = extensions_.back().get();
    std::memcpy(copy, node, node->struct_size);
    auto* head = reinterpret_cast<PJRT_Extension_Base*>(copy);
    head->next = api_.extension_start;
    api_.extension_start = head;
    nodes[node->type] = copy;
  }
  for (int i = 0; i < reflection::kFunctionCount; ++i) {
    const reflection::Function& function = reflection::Functions()[i];
    char* table = reinterpret_cast<char*>(&api_);
    if (function.table >= 0) {
      auto node = nodes.find(reflection::Tables()[function.table].type);
      if (node == nodes.end() || Target(i) == nullptr || !function.IsRegular()) continue;
      table = node->second;
    }
    std::memcpy(table + function.offset, &kThunks[static_cast<size_t>(i)], sizeof(Thunk));
  }
}

}  // namespace plinth::layers::validation
