// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/testing/fake_plugin.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "plinth/support/abi_version.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader::testing {
namespace {

using reflection::Field;
using reflection::Struct;

// An error without a head: reading its first word as one does not end well.
struct FakeError {
  const void* head = reinterpret_cast<const void*>(uintptr_t{0x11});
  PJRT_Error_Code code;
  std::string message;
};

std::atomic<int> live_errors{0};

FakeError* AsFake(const PJRT_Error* error) {
  return reinterpret_cast<FakeError*>(const_cast<PJRT_Error*>(error));
}

const PJRT_Error_FunctionTable kHead = {
    PJRT_Error_FunctionTable_STRUCT_SIZE,
    sizeof(PJRT_Error),
    nullptr,
    [](PJRT_Error* error) {
      --live_errors;
      delete AsFake(error);
    },
    [](const PJRT_Error* error, const char** message, size_t* size) {
      *message = AsFake(error)->message.data();
      *size = AsFake(error)->message.size();
    },
    [](const PJRT_Error* error) { return AsFake(error)->code; },
    [](const PJRT_Error*, PJRT_Error_PayloadVisitor visitor, void* argument) {
      visitor("key", 3, "value", 5, argument);
    },
};

class Fake final : public FakePlugin {
 public:
  const PJRT_Api* Make(const FakeOptions& options) override;
  void FailNext(PJRT_Error_Code code, const std::string& message) override {
    failure_ = {code, message};
  }
  void InNext(std::function<void(void* args)> run) override { in_next_ = std::move(run); }
  PJRT_Error* NewError(PJRT_Error_Code code, const std::string& message) override;
  int LiveErrors() const override { return live_errors; }
  std::vector<FakeCall> TakeCalls() override { return std::exchange(calls_, {}); }
  void Record(bool on) override { records_ = on; }
  void CompleteEvents(PJRT_Error_Code code) override;

  PJRT_Error* Call(int function, char* args);
  const PJRT_Api* last() const {
    if (options_.on_get) options_.on_get();
    return options_.returns_null ? nullptr : last_;
  }

 private:
  PJRT_Error* CallOnError(int function, void* args);
  static void AnswerMemories(int function, char* args);
  PJRT_Error* CheckSize(int structure, const char* source);
  int KnownMinor() const { return std::min(options_.minor, kPjrtDeclaredMinor); }

  FakeOptions options_;
  const PJRT_Api* last_ = nullptr;
  std::pair<PJRT_Error_Code, std::string> failure_ = {PJRT_Error_Code_OK, ""};
  std::function<void(void* args)> in_next_;
  std::vector<FakeCall> calls_;
  bool records_ = false;
  std::vector<PJRT_Event_OnReady_Args> waiting_;
};

Fake& TheFake() {
  static auto* const fake = new Fake();
  return *fake;
}

template <int kFunction>
PJRT_Error* Slot(void* args) {
  return TheFake().Call(kFunction, static_cast<char*>(args));
}

template <int... kFunctions>
std::vector<void*> AllSlots(std::integer_sequence<int, kFunctions...>) {
  return {reinterpret_cast<void*>(&Slot<kFunctions>)...};
}

const Struct& TypeOf(int structure) { return reflection::Structs()[structure]; }

const PJRT_Api* Fake::Make(const FakeOptions& options) {
  options_ = options;
  waiting_.clear();
  int functions = options.functions;
  if (functions < 0) {
    functions = 0;
    for (const reflection::Function& function : reflection::Functions()) {
      if (function.table >= 0 || function.since > options.minor) break;
      ++functions;
    }
  }
  // Exactly as large as it says, so that a sanitizer sees who reads behind it.
  size_t size = offsetof(PJRT_Api, PJRT_Error_Destroy) + static_cast<size_t>(functions) * 8;
  char* table = new char[size]();
  std::vector<void*> slots =
      AllSlots(std::make_integer_sequence<int, reflection::kFunctionCount>());
  for (int i = 0; i < functions && i < reflection::kFunctionCount; ++i) {
    void* slot = options.null_slots.count(i) != 0 ? nullptr : slots[static_cast<size_t>(i)];
    auto garbage = options.garbage.find(i);
    if (garbage != options.garbage.end()) slot = const_cast<void*>(garbage->second);
    std::memcpy(table + reflection::Functions()[i].offset, &slot, sizeof(slot));
  }
  auto* api = reinterpret_cast<PJRT_Api*>(table);
  api->struct_size = options.announced_size != 0 ? options.announced_size : size;
  api->extension_start = options.extensions;
  api->pjrt_api_version.struct_size = options.version_size;
  api->pjrt_api_version.major_version = options.major;
  api->pjrt_api_version.minor_version = options.minor;
  last_ = api;
  // Kept for ever, as a plugin's own is.
  static auto* const tables = new std::vector<std::unique_ptr<char[]>>();
  tables->emplace_back(table);
  return api;
}

PJRT_Error* Fake::NewError(PJRT_Error_Code code, const std::string& message) {
  ++live_errors;
  auto* error = new FakeError{reinterpret_cast<const void*>(uintptr_t{0x11}), code, message};
  if (options_.minor >= 107) error->head = &kHead;
  return reinterpret_cast<PJRT_Error*>(error);
}

void Fake::CompleteEvents(PJRT_Error_Code code) {
  for (const PJRT_Event_OnReady_Args& args : std::exchange(waiting_, {})) {
    args.callback(code == PJRT_Error_Code_OK ? nullptr : NewError(code, "event failed"),
                  args.user_arg);
  }
}

PJRT_Error* Fake::CheckSize(int structure, const char* source) {
  size_t got;
  std::memcpy(&got, source, sizeof(got));
  size_t expected = reflection::EndAt(TypeOf(structure), KnownMinor());
  // What upstream's header of those minors said.
  if (structure == reflection::structure::kPJRT_Plugin_Attributes_Args && options_.minor <= 71) {
    expected = 24;
  }
  auto demand = options_.demands.find(structure);
  if (demand != options_.demands.end()) expected = demand->second;
  if (got == expected || (!options_.exact_sizes && got > expected)) return nullptr;
  return NewError(PJRT_Error_Code_INVALID_ARGUMENT,
                  StrCat("Unexpected ", TypeOf(structure).name, " size: expected ", expected,
                         ", got ", got, ". Check installed software versions."));
}

PJRT_Error* Fake::CallOnError(int function, void* raw) {
  namespace id = reflection::function;
  switch (function) {
    case id::kPJRT_Error_Destroy: {
      auto* args = static_cast<PJRT_Error_Destroy_Args*>(raw);
      if (args->error != nullptr) --live_errors;
      delete AsFake(args->error);
      return nullptr;
    }
    case id::kPJRT_Error_Message: {
      auto* args = static_cast<PJRT_Error_Message_Args*>(raw);
      args->message = AsFake(args->error)->message.data();
      args->message_size = AsFake(args->error)->message.size();
      return nullptr;
    }
    case id::kPJRT_Error_GetCode: {
      auto* args = static_cast<PJRT_Error_GetCode_Args*>(raw);
      args->code = AsFake(args->error)->code;
      return nullptr;
    }
    default: {
      auto* args = static_cast<PJRT_Error_ForEachPayload_Args*>(raw);
      args->visitor("key", 3, "value", 5, args->user_arg);
      return nullptr;
    }
  }
}

void Fake::AnswerMemories(int function, char* raw) {
  namespace id = reflection::function;
  // Addresses that nobody may read.
  static PJRT_Memory* const memories[2] = {reinterpret_cast<PJRT_Memory*>(uintptr_t{0x10}),
                                           reinterpret_cast<PJRT_Memory*>(uintptr_t{0x20})};
  if (function == id::kPJRT_Client_AddressableMemories) {
    auto* args = reinterpret_cast<PJRT_Client_AddressableMemories_Args*>(raw);
    args->addressable_memories = memories;
    args->num_addressable_memories = 2;
  } else if (function == id::kPJRT_Device_DefaultMemory) {
    reinterpret_cast<PJRT_Device_DefaultMemory_Args*>(raw)->memory = memories[1];
  }
}

PJRT_Error* Fake::Call(int function, char* args) {
  namespace id = reflection::function;
  const reflection::Function& called = reflection::Functions()[function];
  if (function == id::kPJRT_Error_Destroy || function == id::kPJRT_Error_Message ||
      function == id::kPJRT_Error_GetCode || function == id::kPJRT_Error_ForEachPayload) {
    return CallOnError(function, args);
  }
  const Struct& type = TypeOf(called.args);
  size_t size = 0;
  std::memcpy(&size, args, sizeof(size));
  if (records_) {
    FakeCall call{function, std::vector<unsigned char>(args, args + size), {}};
    if (function == id::kPJRT_LoadedExecutable_Execute) {
      auto* options = reinterpret_cast<PJRT_LoadedExecutable_Execute_Args*>(args)->options;
      if (options != nullptr) {
        auto* bytes = reinterpret_cast<unsigned char*>(options);
        call.options.assign(bytes, bytes + options->struct_size);
      }
    }
    calls_.push_back(std::move(call));
  }
  if (type.carries_struct_size) {
    if (PJRT_Error* error = CheckSize(called.args, args)) return error;
  }
  if (function == id::kPJRT_LoadedExecutable_Execute) {
    auto* options = reinterpret_cast<PJRT_LoadedExecutable_Execute_Args*>(args)->options;
    if (options != nullptr) {
      PJRT_Error* error = CheckSize(reflection::structure::kPJRT_ExecuteOptions,
                                    reinterpret_cast<const char*>(options));
      if (error != nullptr) return error;
    }
  }
  if (failure_.first != PJRT_Error_Code_OK) {
    auto [code, message] = std::exchange(failure_, {PJRT_Error_Code_OK, ""});
    return NewError(code, message);
  }
  if (function == id::kPJRT_Event_OnReady) {
    waiting_.push_back(*reinterpret_cast<PJRT_Event_OnReady_Args*>(args));
    return nullptr;
  }
  size_t end = reflection::EndAt(type, KnownMinor());
  for (const Field& field : reflection::FieldsOf(type)) {
    size_t field_end = static_cast<size_t>(field.offset) + field.size;
    if (field.direction == reflection::Direction::kOut && field_end <= end) {
      std::memset(args + field.offset, kWritten, field.size);
    }
  }
  if (options_.lists_memories) AnswerMemories(function, args);
  if (in_next_) std::exchange(in_next_, nullptr)(args);
  return nullptr;
}

}  // namespace
}  // namespace plinth::loader::testing

extern "C" {
__attribute__((visibility("default"))) plinth::loader::testing::FakePlugin* FakePlugin_Get() {
  return &plinth::loader::testing::TheFake();
}
__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  return plinth::loader::testing::TheFake().last();
}
}
