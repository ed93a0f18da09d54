// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_ERRORS_H_
#define PLINTH_IMPL_LOADER_ERRORS_H_

#include <string>

#include "impl/loader/plugin_table.h"
#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// Errors of one plugin, as everything above the plugin sees them: with the head of 0.107, whatever
// the plugin's minor. Any thread.
class PluginErrors {
 public:
  explicit PluginErrors(const PluginTable& table);

  // Takes an error that the plugin made. One without a head is made again, with code, message and
  // payloads, and the plugin's own is destroyed; others are given back as they are.
  PJRT_Error* Lift(PJRT_Error* error) const;

  // Code and message of an error with a head; the error lives on.
  static PJRT_Error_Code CodeOf(const PJRT_Error* error);
  static std::string MessageOf(const PJRT_Error* error);

  // PJRT_Error_Destroy, _Message, _GetCode and _ForEachPayload for errors of anybody.
  PJRT_Error* Call(int function, void* args) const;
  static bool Handles(int function);

 private:
  Status Read(PJRT_Error* error) const;

  bool have_heads_;
  PJRT_Error_Destroy* destroy_;
  PJRT_Error_Message* message_;
  PJRT_Error_GetCode* get_code_;
  PJRT_Error_ForEachPayload* for_each_payload_;
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_ERRORS_H_
