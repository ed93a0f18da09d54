#include "impl/loader/open.h"

#include <dlfcn.h>

#include "plinth/support/str_cat.h"

namespace plinth::loader {

Expected<const PJRT_Api*> OpenPlugin(const OpenOptions& options) {
  void* library = dlopen(options.path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return NotFound("cannot open the plugin ", options.path, ": ",
                    reason == nullptr ? "the system gives no reason" : reason);
  }
  void* symbol = dlsym(library, "GetPjrtApi");
  if (symbol == nullptr) {
    return FailedPrecondition(options.path, " is no PJRT plugin: it does not export GetPjrtApi");
  }
  const PJRT_Api* api = reinterpret_cast<const PJRT_Api* (*)()>(symbol)();
  if (api == nullptr) {
    return FailedPrecondition("GetPjrtApi of ", options.path, " returned null");
  }
  return api;
}

}  // namespace plinth::loader
