// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/entry.h"
#include "sdk/src/wire.h"

namespace plinth::sdk::internal {

Status Call(PJRT_Get_Stream_For_External_Ready_Events_Args& args) {
  PLINTH_HANDLE(device, args, device);
  PLINTH_ASSIGN_OR_RETURN(args.stream, device->StreamForExternalReadyEvents());
  return {};
}

Status Call(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  return buffer->WaitUntilReadyOnStream(args.stream);
}

}  // namespace plinth::sdk::internal
