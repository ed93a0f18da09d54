// SPDX-License-Identifier: Apache-2.0
#ifndef IMPL_CLIENT_SRC_FAKE_TABLE_H_
#define IMPL_CLIENT_SRC_FAKE_TABLE_H_

#include <atomic>
#include <string>

#include "pjrt_c_api.h"

namespace plinth::client {

// A table for tests of what plugins do wrong: only the functions of errors are there, each test
// adds what it needs. Its errors are those of plugins before 0.107: no head, so only the table's
// own functions can read and free them.
class FakeTable {
 public:
  struct Error {
    uint64_t not_a_head = 0xdeadbeefdeadbeef;
    PJRT_Error_Code code;
    std::string message;
  };
  static inline std::atomic<int> live_errors = 0;

  static PJRT_Error* MakeError(PJRT_Error_Code code, std::string message) {
    ++live_errors;
    return reinterpret_cast<PJRT_Error*>(new Error{0xdeadbeefdeadbeef, code, std::move(message)});
  }

  explicit FakeTable(int minor = 57) {
    table.struct_size = PJRT_Api_STRUCT_SIZE;
    table.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
    table.pjrt_api_version.minor_version = minor;
    table.PJRT_Error_Destroy = +[](PJRT_Error_Destroy_Args* args) {
      if (args->error == nullptr) return;
      --live_errors;
      delete reinterpret_cast<Error*>(args->error);
    };
    table.PJRT_Error_Message = +[](PJRT_Error_Message_Args* args) {
      const auto* error = reinterpret_cast<const Error*>(args->error);
      args->message = error->message.data();
      args->message_size = error->message.size();
    };
    table.PJRT_Error_GetCode = +[](PJRT_Error_GetCode_Args* args) -> PJRT_Error* {
      args->code = reinterpret_cast<const Error*>(args->error)->code;
      return nullptr;
    };
  }

  PJRT_Api table = {};
};

}  // namespace plinth::client

#endif  // IMPL_CLIENT_SRC_FAKE_TABLE_H_
