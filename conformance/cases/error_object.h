// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_ERROR_OBJECT_H_
#define PLINTH_CONFORMANCE_CASES_ERROR_OBJECT_H_

#include <string>

#include "conformance/cases/ask.h"

namespace plinth::conformance {

// What an error says that its caller holds; `error` stays the caller's.
inline std::string ErrorText(Context& context, PJRT_Error* error) {
  auto message = MakeArgs<PJRT_Error_Message_Args>();
  message.error = error;
  context.plugin().api()->PJRT_Error_Message(&message);
  return std::string(StringOf(message.message, message.message_size));
}

// Its code; -1 with a finding where there is none.
inline int ErrorCode(Context& context, PJRT_Error* error) {
  auto code = MakeArgs<PJRT_Error_GetCode_Args>();
  code.error = error;
  return context.Ok("PJRT-Error-code", "PJRT_Error_GetCode", context.plugin().Call(code))
             ? RawEnum(code.code)
             : -1;
}

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_ERROR_OBJECT_H_
