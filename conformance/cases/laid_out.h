// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_LAID_OUT_H_
#define PLINTH_CONFORMANCE_CASES_LAID_OUT_H_

#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

namespace plinth::conformance {

// The array on the device, in a layout; the plugin has read it. An error: it refuses the layout.
inline Expected<OwnedBuffer> UploadLaidOut(const Context& context, PJRT_Device* device,
                                           const HostArray& array,
                                           PJRT_Buffer_MemoryLayout& layout) {
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = array.bytes.data();
  args.type = ToC(array.type);
  args.dims = array.dims.data();
  args.num_dims = array.dims.size();
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = device;
  args.device_layout = &layout;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  if (done) PLINTH_RETURN_IF_ERROR(context.Await(done.get()));
  return buffer;
}

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_LAID_OUT_H_
