// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_FROZEN_CALLBACKS_H_
#define PLINTH_CONFORMANCE_WINDOWS_FROZEN_CALLBACKS_H_

#include "conformance/windows/frozen/revision.h"

namespace plinth::windows {

// A callback of the caller and its argument, replaced by ones that convert the errors which cross.
// `Cancel` frees what was made, if the call that would have taken it failed.
struct ReplacedCallback {
  void* callback;
  void* user_arg;
  void (*cancel)(void* user_arg);
};

// `kind` is one of the callbacks of Kind; `callback` is not null.
ReplacedCallback ReplaceCallback(Kind kind, void* callback, void* user_arg);

}  // namespace plinth::windows

#endif  // PLINTH_CONFORMANCE_WINDOWS_FROZEN_CALLBACKS_H_
