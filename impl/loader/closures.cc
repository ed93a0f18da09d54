// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/closures.h"

#include <ffi.h>

#include <array>
#include <atomic>
#include <memory>

#include "impl/loader/thunk_dispatch.h"

namespace plinth::loader {
namespace {

struct FreeClosure {
  void operator()(ffi_closure* closure) const { ffi_closure_free(closure); }
};

// What the functions of one chain point to.
struct ClosureSet {
  struct Closure {
    const ThunkInstance* instance = nullptr;
    size_t offset = 0;
    std::unique_ptr<ffi_closure, FreeClosure> code;
  };
  ThunkInstance instance;
  std::array<Closure, reflection::kFunctionCount> closures;
  ClosureSet* before = nullptr;
};

// They live as long as the process. Only executable memory refers to them otherwise, where leak
// checkers do not look.
std::atomic<ClosureSet*> last_set = nullptr;

// Every function takes one pointer; what a function without a result leaves is not looked at.
void OnCall(ffi_cif*, void* result, void** arguments, void* user_data) {
  const auto& closure = *static_cast<const ClosureSet::Closure*>(user_data);
  *static_cast<PJRT_Error**>(result) =
      DispatchTo(*closure.instance, *static_cast<void**>(arguments[0]), closure.offset);
}

// The signature, which libffi's closures point to.
ffi_cif* Signature() {
  static ffi_type* arguments[] = {&ffi_type_pointer};
  static ffi_cif* const signature = [] {
    static ffi_cif made;
    return ffi_prep_cif(&made, FFI_DEFAULT_ABI, 1, &ffi_type_pointer, arguments) == FFI_OK
               ? &made
               : nullptr;
  }();
  return signature;
}

}  // namespace

Expected<Thunks> MakeClosures() {
  auto set = std::make_unique<ClosureSet>();
  Thunks thunks;
  thunks.instance = &set->instance;
  for (size_t i = 0; i < set->closures.size(); ++i) {
    ClosureSet::Closure& closure = set->closures[i];
    closure.instance = &set->instance;
    closure.offset = i * sizeof(ThunkInstance::Slot);
    void* function = nullptr;
    closure.code.reset(
        static_cast<ffi_closure*>(ffi_closure_alloc(sizeof(ffi_closure), &function)));
    if (closure.code == nullptr || Signature() == nullptr ||
        ffi_prep_closure_loc(closure.code.get(), Signature(), OnCall, &closure, function) !=
            FFI_OK) {
      return ResourceExhausted(
          "the system gives no memory for functions that are made at run time "
          "(is executable memory refused to this process?)");
    }
    thunks.functions[i] = function;
  }
  set->before = last_set.load();
  while (!last_set.compare_exchange_weak(set->before, set.get())) continue;
  static_cast<void>(set.release());
  return thunks;
}

}  // namespace plinth::loader
