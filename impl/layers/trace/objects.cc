// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/objects.h"

namespace plinth::layers {

Status PeekError(const PJRT_Error* error) {
  const PJRT_Error_FunctionTable* table = error->vtable;
  if (table == nullptr || table->struct_size < PJRT_Error_FunctionTable_STRUCT_SIZE) {
    return Status(StatusCode::kUnknown, "");
  }
  const char* message = nullptr;
  size_t size = 0;
  table->message(error, &message, &size);
  return StatusFromParts(table->get_code(error), message, size);
}

std::shared_ptr<const Objects::Executable> Objects::Find(PJRT_LoadedExecutable* executable) {
  {
    std::lock_guard lock(mutex_);
    auto found = executables_.find(executable);
    if (found != executables_.end()) return found->second;
  }
  auto known = std::make_shared<const Executable>(Ask(executable));
  std::lock_guard lock(mutex_);
  return executables_.try_emplace(executable, std::move(known)).first->second;
}

void Objects::Forget(const PJRT_LoadedExecutable* executable) {
  std::lock_guard lock(mutex_);
  executables_.erase(executable);
}

Objects::Executable Objects::Ask(PJRT_LoadedExecutable* executable) const {
  Executable known;
  auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = executable;
  if (!lower_(get).ok() || get.executable == nullptr) return known;
  auto name = MakeArgs<PJRT_Executable_Name_Args>();
  name.executable = get.executable;
  if (lower_(name).ok() && name.executable_name != nullptr) {
    known.name.assign(name.executable_name, name.executable_name_size);
  }
  auto outputs = MakeArgs<PJRT_Executable_NumOutputs_Args>();
  outputs.executable = get.executable;
  if (lower_(outputs).ok()) known.num_outputs = outputs.num_outputs;
  auto destroy = MakeArgs<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  static_cast<void>(lower_(destroy));
  return known;
}

}  // namespace plinth::layers
