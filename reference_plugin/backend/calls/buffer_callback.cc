// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/ffi_types.h"
#include "reference_plugin/backend/calls/python.h"
#include "reference_plugin/backend/calls/python_callback_list.h"
#include "reference_plugin/backend/calls/registered_call.h"
#include "reference_plugin/backend/calls/table.h"

// jax.experimental.buffer_callback: a Python function that gets the buffers themselves, as objects
// of jaxlib's own types. Only jaxlib can make those, so the call goes on to the handler that jaxlib
// has for its own runtime. It is an XLA FFI handler as any other, and Python knows its address.
namespace plinth::backend {
namespace {

using python::Functions;
using python::Ref;

constexpr const char* kTarget = "xla_buffer_python_cpu_callback";
// Where jaxlib has had its list of handlers.
constexpr const char* kModules[] = {"jaxlib._jax", "jaxlib.xla_extension"};

// Python's lock is held.
Expected<XLA_FFI_Handler*> FindHandlerOfJaxlib(const Functions& f) {
  std::string error;
  for (const char* name : kModules) {
    const Ref module(f, f.ImportModule(name));
    const auto call = [&](const Ref& object, const char* method, const char* argument) {
      return python::CallMethod(f, object, method, Ref(f, object ? f.FromText(argument) : nullptr));
    };
    const Ref targets = call(module, "custom_call_targets", "Host");
    const Ref stages = call(targets, "__getitem__", kTarget);
    const Ref capsule = call(stages, "__getitem__", "execute");
    void* const address = capsule ? f.CapsulePointer(capsule.get(), nullptr) : nullptr;
    if (address != nullptr) {
      auto* const handler = reinterpret_cast<XLA_FFI_Handler*>(address);
      PLINTH_RETURN_IF_ERROR(CheckFfiHandler(handler).WithContext("jaxlib's handler"));
      return handler;
    }
    if (!error.empty()) error += "; ";
    error += python::TakeError(f);
  }
  return FailedPrecondition("buffer callbacks need jaxlib's own handler of ", kTarget,
                            ", and this process has none: ", error);
}

// Found once: like jaxlib itself it stays until the process ends.
std::atomic<XLA_FFI_Handler*>& HandlerOfJaxlib() {
  static std::atomic<XLA_FFI_Handler*> handler = nullptr;
  return handler;
}

// For `context.stream`, which is null on a CPU. An error would end the process: jaxlib takes it for
// an object of its own runtime.
XLA_FFI_Error* NoStream(XLA_FFI_Stream_Get_Args* args) {
  args->stream = nullptr;
  return nullptr;
}

XLA_FFI_Error* CallHandlerOfJaxlib(XLA_FFI_CallFrame* frame) {
  static const XLA_FFI_Api api = [] {
    XLA_FFI_Api table = *GetFfiApi();
    table.XLA_FFI_Stream_Get = NoStream;
    return table;
  }();
  frame->api = &api;
  return HandlerOfJaxlib().load()(frame);
}

class BufferCallbackStep final : public PreparedStep {
 public:
  BufferCallbackStep(uint64_t index, std::unique_ptr<PreparedStep> call)
      : index_(index), call_(std::move(call)) {}

  bool may_wait() const override { return true; }

  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext& context) const override {
    // The handler checks neither the list nor the number.
    PLINTH_RETURN_IF_ERROR(python::FindCallback(*context.call, index_).status());
    PLINTH_ASSIGN_OR_RETURN(const Functions* functions, python::Find());
    // Not when the program is compiled: who compiles may hold Python's lock and wait.
    if (HandlerOfJaxlib().load() == nullptr) {
      const python::Lock lock(*functions);
      PLINTH_ASSIGN_OR_RETURN(XLA_FFI_Handler* const handler, FindHandlerOfJaxlib(*functions));
      HandlerOfJaxlib().store(handler);
    }
    return call_->Run(operands, results, context);
  }

 private:
  const uint64_t index_;
  const std::unique_ptr<PreparedStep> call_;
};

Expected<std::unique_ptr<PreparedStep>> PrepareBufferCallback(const CustomCall& call) {
  PLINTH_ASSIGN_OR_RETURN(const int64_t index, call.Integer("index"));
  FfiRegistry::Handler handler;
  handler.bundle.execute = CallHandlerOfJaxlib;
  PLINTH_ASSIGN_OR_RETURN(
      std::unique_ptr<PreparedStep> step,
      PrepareRegisteredCall(handler, call, StrCat("custom_call @", call.target)));
  return std::unique_ptr<PreparedStep>(
      new BufferCallbackStep(static_cast<uint64_t>(index), std::move(step)));
}

constexpr CustomCallRow kBufferCallbackRows[] = {{kTarget, PrepareBufferCallback}};

}  // namespace

std::span<const CustomCallRow> BufferCallbackRows() { return kBufferCallbackRows; }

}  // namespace plinth::backend
