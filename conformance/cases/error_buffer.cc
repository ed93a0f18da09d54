// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/error_buffer.h"

#include <algorithm>
#include <string>
#include <vector>

namespace plinth::conformance {

Expected<OwnedBuffer> NewErrorBuffer(const Context& context, PJRT_Memory* memory,
                                     PJRT_Error_Code code, std::string_view text,
                                     const HostArray& array, std::string_view payload) {
  std::string given(text), note(payload);
  std::vector<int64_t> dims = array.dims;
  auto args = MakeArgs<PJRT_Client_CreateErrorBuffer_Args>();
  args.client = context.client();
  args.error_code = code;
  args.error_message = given.data();
  args.error_message_size = given.size();
  args.shape_dims = dims.data();
  args.shape_num_dims = dims.size();
  args.shape_element_type = static_cast<PJRT_Buffer_Type>(ToC(array.type));
  args.memory = memory;
  auto value = MakeArgs<PJRT_NamedValue>();
  value.name = "note";
  value.name_size = 4;
  value.type = PJRT_NamedValue_kString;
  value.string_value = note.data();
  value.value_size = note.size();
  if (!note.empty()) args.payload = &value, args.num_payload = 1;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  std::fill(given.begin(), given.end(), '?');
  std::fill(note.begin(), note.end(), '?');
  std::fill(dims.begin(), dims.end(), 99);
  return OwnedBuffer(context.plugin(), args.buffer);
}

}  // namespace plinth::conformance
