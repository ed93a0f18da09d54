// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/calls/registered_call.h"

#include <cstring>
#include <optional>
#include <utility>

#include "api/support/ffi_dtype.h"
#include "reference_plugin/backend/calls/ffi_attributes.h"
#include "reference_plugin/backend/calls/ffi_types.h"
#include "reference_plugin/backend/run/call_context.h"

namespace plinth::backend {
namespace {

constexpr int32_t kTypedApiVersion = 4;

// Operands or results of a call site, but for where they lie.
class Buffers {
 public:
  static Expected<Buffers> Make(std::span<const CustomCallArray> arrays) {
    Buffers buffers;
    for (const CustomCallArray& array : arrays) {
      const XLA_FFI_DataType type = FfiDataType(array.dtype);
      if (type == XLA_FFI_DataType_INVALID) {
        return Unimplemented("handlers cannot be given arrays of ", Name(array.dtype));
      }
      buffers.types_.push_back(type);
      buffers.dims_.push_back(array.dims);
    }
    return buffers;
  }

  size_t size() const { return types_.size(); }

  void Fill(std::span<void* const> data, std::vector<XLA_FFI_Buffer>& buffers,
            std::vector<void*>& pointers) const {
    buffers.resize(size());
    pointers.resize(size());
    for (size_t i = 0; i < size(); ++i) {
      XLA_FFI_Buffer& buffer = buffers[i];
      buffer.struct_size = XLA_FFI_Buffer_STRUCT_SIZE;
      buffer.extension_start = nullptr;
      buffer.dtype = types_[i];
      buffer.data = types_[i] == XLA_FFI_DataType_TOKEN ? nullptr : data[i];
      buffer.rank = static_cast<int64_t>(dims_[i].size());
      // The C API has no const; handlers do not write there.
      buffer.dims = const_cast<int64_t*>(dims_[i].data());
      pointers[i] = &buffer;
    }
  }

 private:
  std::vector<XLA_FFI_DataType> types_;
  std::vector<compiler::Dims> dims_;
};

// Waits for what a handler left under way.
Status Await(std::unique_ptr<XLA_FFI_Future> future) {
  const std::shared_ptr<FfiFutureState> state = future->state;
  std::unique_lock lock(state->mutex);
  state->changed.wait(lock, [&] { return state->is_complete; });
  return state->status;
}

// What a handler keeps within one execution.
struct ExecutionStates {
  FfiState prepare, initialize;
};

class TypedCallStep final : public PreparedStep {
 public:
  TypedCallStep(const XLA_FFI_Handler_Bundle& bundle, Buffers operands, Buffers results,
                std::unique_ptr<const FfiAttributes> attributes, std::string place)
      : bundle_(bundle),
        operands_(std::move(operands)),
        results_(std::move(results)),
        attributes_(std::move(attributes)),
        place_(std::move(place)) {}

  bool may_wait() const override { return true; }

  Status Instantiate() {
    if (bundle_.instantiate == nullptr) return Status();
    XLA_FFI_InvokeContext context{};
    return Call(bundle_.instantiate, XLA_FFI_ExecutionStage_INSTANTIATE, context, {}, {});
  }

  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext& run) const override {
    return RunStages(operands, results, run).WithContext(place_);
  }

 private:
  Status RunStages(std::span<void* const> operands, std::span<void* const> results,
                   const RunContext& run) const {
    XLA_FFI_InvokeContext context{};
    context.call = run.call;
    context.queue = static_cast<CallQueue*>(run.queue);
    if (bundle_.prepare != nullptr || bundle_.initialize != nullptr) {
      std::shared_ptr<void>& kept = run.call->step_states[this];
      const bool is_first = kept == nullptr;
      if (is_first) kept = std::make_shared<ExecutionStates>();
      auto* states = static_cast<ExecutionStates*>(kept.get());
      context.states[XLA_FFI_ExecutionStage_PREPARE] = &states->prepare;
      context.states[XLA_FFI_ExecutionStage_INITIALIZE] = &states->initialize;
      if (is_first && bundle_.prepare != nullptr) {
        PLINTH_RETURN_IF_ERROR(
            Call(bundle_.prepare, XLA_FFI_ExecutionStage_PREPARE, context, operands, results));
      }
      if (is_first && bundle_.initialize != nullptr) {
        PLINTH_RETURN_IF_ERROR(Call(bundle_.initialize, XLA_FFI_ExecutionStage_INITIALIZE, context,
                                    operands, results));
      }
    }
    return Call(bundle_.execute, XLA_FFI_ExecutionStage_EXECUTE, context, operands, results);
  }

  // Without operands and results while instantiating.
  Status Call(XLA_FFI_Handler* handler, XLA_FFI_ExecutionStage stage,
              XLA_FFI_InvokeContext& context, std::span<void* const> operands,
              std::span<void* const> results) const {
    XLA_FFI_CallFrame frame;
    std::memset(&frame, 0, sizeof(frame));
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = GetFfiApi();
    frame.ctx = &context;
    frame.stage = context.stage = stage;
    context.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &instantiated_;
    frame.args.struct_size = XLA_FFI_Args_STRUCT_SIZE;
    frame.rets.struct_size = XLA_FFI_Rets_STRUCT_SIZE;
    frame.attrs = attributes_->attrs();

    std::vector<XLA_FFI_Buffer> operand_buffers, result_buffers;
    std::vector<void*> operand_pointers, result_pointers;
    std::vector<XLA_FFI_ArgType> operand_types;
    std::vector<XLA_FFI_RetType> result_types;
    if (stage != XLA_FFI_ExecutionStage_INSTANTIATE) {
      operands_.Fill(operands, operand_buffers, operand_pointers);
      results_.Fill(results, result_buffers, result_pointers);
      operand_types.assign(operands_.size(), XLA_FFI_ArgType_BUFFER);
      result_types.assign(results_.size(), XLA_FFI_RetType_BUFFER);
      frame.args.size = static_cast<int64_t>(operands_.size());
      frame.args.types = operand_types.data();
      frame.args.args = operand_pointers.data();
      frame.rets.size = static_cast<int64_t>(results_.size());
      frame.rets.types = result_types.data();
      frame.rets.rets = result_pointers.data();
    }
    Status status = TakeFfiError(handler(&frame));
    if (frame.future == nullptr) return status;
    // Also after an error: its work still uses what lies on this stack.
    Status later = Await(std::unique_ptr<XLA_FFI_Future>(frame.future));
    return status.ok() ? later : status;
  }

  const XLA_FFI_Handler_Bundle bundle_;
  const Buffers operands_, results_;
  const std::unique_ptr<const FfiAttributes> attributes_;
  const std::string place_;
  mutable FfiState instantiated_;  // written by Instantiate alone
};

// What XLA gives plain functions that may fail: text that is there if they did. Their code writes
// it with functions of its own copy of this type.
struct UntypedStatus {
  std::optional<std::string> message;
};

class UntypedCallStep final : public PreparedStep {
 public:
  enum class Form : uint8_t { kPlain = 1, kWithStatus = 2, kWithConfigAndStatus = 3 };

  UntypedCallStep(void* function, const CustomCall& call, std::string place)
      : function_(function),
        form_(static_cast<Form>(call.api_version)),
        config_(form_ == Form::kWithConfigAndStatus ? call.backend_config : std::string_view()),
        has_tuple_(call.results.size() != 1),
        place_(std::move(place)) {}

  bool may_wait() const override { return true; }

  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext&) const override {
    // Several results come as an array of pointers, one as itself.
    void* const out = has_tuple_ ? const_cast<void**>(results.data()) : results[0];
    const auto in = const_cast<const void**>(operands.data());
    UntypedStatus status;
    switch (form_) {
      case Form::kPlain:
        reinterpret_cast<void (*)(void*, const void**)>(function_)(out, in);
        break;
      case Form::kWithStatus:
        reinterpret_cast<void (*)(void*, const void**, UntypedStatus*)>(function_)(out, in,
                                                                                   &status);
        break;
      case Form::kWithConfigAndStatus:
        reinterpret_cast<void (*)(void*, const void**, const char*, size_t, UntypedStatus*)>(
            function_)(out, in, config_.data(), config_.size(), &status);
        break;
    }
    if (!status.message.has_value()) return Status();
    return Internal(place_, ": ", *status.message);
  }

 private:
  void* const function_;
  const Form form_;
  const std::string config_;  // a copy: functions in C take it for terminated
  const bool has_tuple_;
  const std::string place_;
};

}  // namespace

Expected<std::unique_ptr<PreparedStep>> PrepareRegisteredCall(const FfiRegistry::Handler& handler,
                                                              const CustomCall& call,
                                                              const std::string& place) {
  if (handler.is_typed != (call.api_version == kTypedApiVersion)) {
    return InvalidArgument("the program calls with api_version ", call.api_version,
                           ", and what was registered is ",
                           handler.is_typed ? "a typed handler" : "an untyped function");
  }
  if (!handler.is_typed) {
    if (call.api_version < 1 || call.api_version > 3) {
      return Unimplemented("calls of api_version ", call.api_version);
    }
    return std::unique_ptr<PreparedStep>(new UntypedCallStep(handler.function, call, place));
  }
  PLINTH_ASSIGN_OR_RETURN(Buffers operands, Buffers::Make(call.operands));
  PLINTH_ASSIGN_OR_RETURN(Buffers results, Buffers::Make(call.results));
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<const FfiAttributes> attributes,
                          FfiAttributes::Make(call.attributes, *call.budget));
  auto step = std::make_unique<TypedCallStep>(handler.bundle, std::move(operands),
                                              std::move(results), std::move(attributes), place);
  PLINTH_RETURN_IF_ERROR(step->Instantiate());
  return std::unique_ptr<PreparedStep>(std::move(step));
}

}  // namespace plinth::backend
