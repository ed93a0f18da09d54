// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_CALL_STATE_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_CALL_STATE_H_

#include <array>
#include <cstring>
#include <string>

#include "impl/layers/layer.h"
#include "impl/layers/validation/check_tables.h"
#include "impl/layers/validation/handle_table.h"
#include "impl/layers/validation/raw_futures.h"
#include "impl/layers/validation/report.h"
#include "impl/layers/validation/uses.h"
#include "plinth/support/args.h"
#include "plinth/support/error.h"
#include "plinth/support/status.h"
#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {

// What all calls of one layer share. Any thread.
struct LayerState {
  LayerState(const Options& options, LogSink sink, int minor)
      : reporter(options, std::move(sink)), plugin_minor(minor) {}

  const CheckTables& checks = CheckTables::Get();
  const Kinds& kinds = Kinds::Get();
  HandleTable table;
  Reporter reporter;
  RawFutures raw_futures;
  const int plugin_minor;
  const uint64_t id = NewId();
  alignas(64) std::atomic<uint64_t> num_calls{0};  // as far as threads have taken numbers
  alignas(64) std::atomic<bool> is_initialized{false};
  // Kinds of handles, as bits, that functions may have handed out unseen: one that is not known is
  // taken for good from then on.
  std::atomic<uint64_t> open_kinds{checks.never_given_out()};

 private:
  // Not 0, and no other layer's.
  static uint64_t NewId() {
    static constinit std::atomic<uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }
};

// One call while it passes the layer. Lives on its thread's stack.
struct CallState {
  CallState(LayerState& s, const Call& c, const CallChecks& p)
      : layer(s), call(c), checks(p), args(static_cast<char*>(c.args())) {}
  ~CallState() {
    uses.PopTo(uses_before);
    if (refusal != nullptr) [[unlikely]] {
      DropRefusal();
    }
  }
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;

  struct Input {
    Sight sight;
    uint16_t offset;
  };

  LayerState& layer;
  const Call& call;
  const CallChecks& checks;
  char* const args;
  size_t size = 0;  // bytes of `args` that the caller's struct_size reaches
  Origin at;
  HandleRef client = {};  // that the first handle belongs to
  ThreadUses& uses = ThreadUses::OfThisThread();
  const uint32_t uses_before = uses.depth();
  size_t num_inputs = 0;
  uint32_t saw_flags = 0;  // of all handles that the rows found, in lists too
  bool is_misused = false;
  bool is_faulty = false;  // as is_misused, by the plugin
  // How the first misuse is answered where it is, and in which words.
  StatusCode code = StatusCode::kOk;
  PJRT_Error* failure = nullptr;               // what the plugin answered, once it did
  std::string* refusal = nullptr;              // owned; out of line, for calls that are right
  HandleRef freed = {};                        // what the call frees
  std::array<Input, kMaxHandleInputs> inputs;  // single handles, in order; not initialized

  template <typename T>
  T Read(size_t offset) const {
    T value;
    std::memcpy(&value, args + offset, sizeof(value));
    return value;
  }

  // The arguments, for functions whose rows say that `Args` is what they take. Fields behind the
  // minimum size of the struct are read with HasField.
  template <typename Args>
  Args& As() const {
    return *reinterpret_cast<Args*>(args);
  }

  // The first handle among the arguments; without one, or with a bad one, its handle is null.
  Sight First() const {
    return num_inputs > 0 && inputs[0].sight.alive() ? inputs[0].sight : Sight{};
  }

  // The handle at that offset of the arguments, as First.
  Sight InputAt(size_t offset) const {
    for (size_t i = 0; i < num_inputs; ++i) {
      if (inputs[i].offset == offset && inputs[i].sight.alive()) return inputs[i].sight;
    }
    return {};
  }

  const reflection::Requirement& Of(const char* field, const char* otherwise) const {
    return RequirementOf(call.function(), field, otherwise);
  }

  // Tells of a misuse by the caller; in mode `error` the call will be answered with `error_code`.
  [[gnu::cold, gnu::noinline]] void Misuse(const reflection::Requirement& requirement,
                                           StatusCode error_code, const std::string& what) {
    layer.reporter.Report(Side::kClient, requirement, at, what);
    if (is_misused) return;
    is_misused = true;
    code = error_code;
    refusal = new std::string(ReportText(Side::kClient, requirement, at, what));
  }
  void InvalidArgument(const reflection::Requirement& requirement, const std::string& what) {
    Misuse(requirement, StatusCode::kInvalidArgument, what);
  }
  void FailedPrecondition(const reflection::Requirement& requirement, const std::string& what) {
    Misuse(requirement, StatusCode::kFailedPrecondition, what);
  }
  [[gnu::cold, gnu::noinline]] void DropRefusal() { delete refusal; }
  // Tells of a misuse by the plugin.
  void Fault(const reflection::Requirement& requirement, const std::string& what) {
    is_faulty = true;
    layer.reporter.Report(Side::kPlugin, requirement, at, what);
  }

  // "`buffer` = 0x55 is a PJRT_Buffer "
  std::string Name(const char* field, int kind, const void* address) const {
    return StrCat("`", field, "` = ", Hex(address), " is a ", reflection::Handles()[kind]);
  }

  // A question of the layer's own to what lies below; true if it was answered.
  template <typename Args>
  bool Ask(reflection::function::Id function, Args* question) const {
    question->struct_size = StructOf<Args>::kSize;
    PJRT_Error* error = call.Below(function, question);
    if (error == nullptr) return true;
    DropError(error);
    return false;
  }

  // Code and text of an error that stays the caller's.
  Status StatusOf(const PJRT_Error* error) const {
    PJRT_Error_GetCode_Args number = {};
    number.error = error;
    if (!Ask(reflection::function::kPJRT_Error_GetCode, &number)) {
      return Status(StatusCode::kUnknown, "an error without a code");
    }
    PJRT_Error_Message_Args text = {};
    text.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE;
    text.error = error;
    call.Below(reflection::function::kPJRT_Error_Message, &text);
    return StatusFromParts(RawEnum(number.code), text.message, text.message_size);
  }

  // Frees an error that the layer asked for.
  void DropError(PJRT_Error* error) const {
    PJRT_Error_Destroy_Args destroy = {};
    destroy.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
    destroy.error = error;
    call.Below(reflection::function::kPJRT_Error_Destroy, &destroy);
  }
};

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_CALL_STATE_H_
