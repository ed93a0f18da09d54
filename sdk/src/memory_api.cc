// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/entry.h"

namespace plinth::sdk::internal {

Status Call(PJRT_Memory_Id_Args& args) {
  PLINTH_HANDLE(memory, args, memory);
  args.id = memory->memory->id();
  return {};
}

Status Call(PJRT_Memory_Kind_Args& args) {
  PLINTH_HANDLE(memory, args, memory);
  args.kind = memory->memory->kind().data();
  args.kind_size = memory->memory->kind().size();
  return {};
}

Status Call(PJRT_Memory_Kind_Id_Args& args) {
  PLINTH_HANDLE(memory, args, memory);
  args.kind_id = memory->memory->info().kind_id;
  return {};
}

Status Call(PJRT_Memory_DebugString_Args& args) {
  PLINTH_HANDLE(memory, args, memory);
  args.debug_string = memory->memory->info().debug_string.data();
  args.debug_string_size = memory->memory->info().debug_string.size();
  return {};
}

Status Call(PJRT_Memory_ToString_Args& args) {
  PLINTH_HANDLE(memory, args, memory);
  args.to_string = memory->memory->info().to_string.data();
  args.to_string_size = memory->memory->info().to_string.size();
  return {};
}

Status Call(PJRT_Memory_AddressableByDevices_Args& args) {
  PLINTH_HANDLE(memory, args, memory);
  args.devices = memory->devices.data();
  args.num_devices = memory->devices.size();
  return {};
}

}  // namespace plinth::sdk::internal
