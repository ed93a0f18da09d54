// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/alias_buffer.h"

#include "plinth/support/row_major_layout.h"

namespace plinth::conformance {

Expected<Alias> MakeAlias(const Context& context, PJRT_Memory* memory,
                          const std::vector<int64_t>& dims, PJRT_Buffer_Type type) {
  RowMajorLayout layout(dims.size());
  std::vector<int64_t> given = dims;
  auto args = MakeArgs<PJRT_Client_CreateAliasBuffer_Args>();
  args.client = context.client();
  args.memory = memory;
  args.shape_dims = given.data();
  args.shape_num_dims = given.size();
  args.shape_element_type = type;
  args.shape_layout = layout.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  std::fill(given.begin(), given.end(), 99);  // borrowed for the call
  return Alias{OwnedBuffer(context.plugin(), args.alias_buffer), args.fulfill_alias_buffer_cb};
}

Status FulfillAlias(const Context& context, PJRT_FulfillAliasBufferCallback* fulfill,
                    PJRT_Buffer* buffer) {
  auto args = MakeArgs<PJRT_Client_FulfillAliasBuffer_Args>();
  args.client = context.client();
  args.buffer = buffer;
  args.status_code = PJRT_Error_Code_OK;
  args.fulfill_alias_buffer_cb = fulfill;
  return context.plugin().Call(args);
}

}  // namespace plinth::conformance
