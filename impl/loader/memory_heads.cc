// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/memory_heads.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string_view>

#include "impl/loader/plugin_shape.h"

namespace plinth::loader {
namespace {

using reflection::Direction;
using reflection::Field;

bool IsMemory(const Field& field) {
  return field.base == reflection::Base::kHandle && field.depth <= 1 &&
         std::string_view(reflection::Handles()[static_cast<size_t>(field.target)]) ==
             "PJRT_Memory";
}

template <typename T>
void Write(char* target, size_t offset, T value) {
  std::memcpy(target + offset, &value, sizeof(T));
}

}  // namespace

bool MemoryHeads::Concerns(const reflection::Function& function) {
  if (function.args < 0) return false;
  auto fields = reflection::FieldsOf(reflection::Structs()[function.args]);
  return std::any_of(fields.begin(), fields.end(), IsMemory);
}

PJRT_Memory* MemoryHeads::HeadLocked(PJRT_Memory* plugin) {
  std::unique_ptr<Head>& head = heads_[plugin];
  if (head == nullptr) {
    head = std::make_unique<Head>();
    head->vtable = nullptr;
    head->plugin = plugin;
  }
  return head.get();
}

PJRT_Memory* MemoryHeads::HeadOf(PJRT_Memory* plugin) {
  if (plugin == nullptr) return nullptr;
  {
    std::shared_lock lock(mutex_);
    auto found = heads_.find(plugin);
    if (found != heads_.end()) return found->second.get();
  }
  std::lock_guard lock(mutex_);
  return HeadLocked(plugin);
}

PJRT_Memory* const* MemoryHeads::HeadsOf(PJRT_Memory* const* plugin, size_t count) {
  if (plugin == nullptr || count == 0) return plugin;
  std::vector<PJRT_Memory*> key(plugin, plugin + count);
  std::lock_guard lock(mutex_);
  std::unique_ptr<PJRT_Memory*[]>& list = lists_[key];
  if (list == nullptr) {
    list = std::make_unique<PJRT_Memory*[]>(count);
    for (size_t i = 0; i < count; ++i) {
      list[i] = plugin[i] == nullptr ? nullptr : HeadLocked(plugin[i]);
    }
  }
  return list.get();
}

PJRT_Error* MemoryHeads::Call(const reflection::Function& function, void* args,
                              const std::function<PJRT_Error*(void* args)>& next) {
  const reflection::Struct& type = reflection::Structs()[function.args];
  auto* caller = static_cast<char*>(args);
  size_t size = TrueSize(function.args, Read<size_t>(caller, 0));
  if (size < type.minimum_size) return next(args);  // Which says so.

  char copy[256] = {};
  static_assert(sizeof(PJRT_Client_BufferFromHostBuffer_Args) <= sizeof(copy));
  size = std::min<size_t>({size, type.end, sizeof(copy)});
  std::memcpy(copy, caller, size);
  Write(copy, 0, size);
  auto fields = reflection::FieldsOf(type);
  for (const Field& field : fields) {
    if (!IsMemory(field) || field.direction != Direction::kIn ||
        size_t{field.offset} + field.size > size) {
      continue;
    }
    auto* head = static_cast<Head*>(Read<PJRT_Memory*>(caller, field.offset));
    Write(copy, field.offset, head == nullptr ? nullptr : head->plugin);
  }
  PJRT_Error* error = next(copy);
  if (error != nullptr) return error;
  for (const Field& field : fields) {
    if (field.direction == Direction::kIn || size_t{field.offset} + field.size > size) continue;
    std::memcpy(caller + field.offset, copy + field.offset, field.size);
    if (!IsMemory(field)) continue;
    if (field.depth == 0) {
      Write(caller, field.offset, HeadOf(Read<PJRT_Memory*>(copy, field.offset)));
    } else {
      const Field& length = fields[static_cast<size_t>(field.length_field)];
      Write(caller, field.offset,
            HeadsOf(Read<PJRT_Memory* const*>(copy, field.offset),
                    Read<size_t>(copy, length.offset)));
    }
  }
  return nullptr;
}

}  // namespace plinth::loader
