// SPDX-License-Identifier: Apache-2.0
#include "conformance/mutants/generated_mutants.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "conformance/mutants/mutant.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/str_cat.h"

namespace plinth::mutants {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Function;
using reflection::Owner;
using Kind = GeneratedMutant::Kind;
using Slot = PJRT_Error* (*)(void*);

constexpr size_t kCoreFunctions =
    (sizeof(PJRT_Api) - offsetof(PJRT_Api, PJRT_Error_Destroy)) / sizeof(void*);

// The one that this process is.
GeneratedMutant active;

Slot RealSlot(const Function& function) {
  Slot slot;
  std::memcpy(&slot, reinterpret_cast<const char*>(&Real()) + function.offset, sizeof(slot));
  return slot;
}

PJRT_Event* NewEvent(bool is_ready) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  FreeError(Real().PJRT_Event_Create(&create));
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = create.event;
  if (is_ready) FreeError(Real().PJRT_Event_Set(&set));
  return create.event;
}

void SpoilNumber(char* at, const Field& field) {
  uint64_t value = 0;
  std::memcpy(&value, at, field.size);
  if (active.kind == Kind::kOffByOne) ++value;
  if (active.kind == Kind::kAbsurd) value = static_cast<uint64_t>(int64_t{-77});
  if (active.kind == Kind::kFlipped) value = value == 0 ? 1 : 0;
  std::memcpy(at, &value, field.size);
}

void SpoilOutput(char* args, const reflection::Struct& structure, const Field& field) {
  char* at = args + field.offset;
  uint64_t struct_size;
  std::memcpy(&struct_size, args, sizeof(struct_size));
  if (field.offset + field.size > struct_size) return;
  const Field* length = field.length_field < 0 ? nullptr : &FieldsOf(structure)[field.length_field];
  if (length != nullptr && length->offset + length->size > struct_size) return;
  size_t count = 0;
  if (length != nullptr) std::memcpy(&count, args + length->offset, sizeof(count));
  auto set_count = [&](size_t value) { std::memcpy(args + length->offset, &value, sizeof(value)); };
  switch (active.kind) {
    case Kind::kNull:
      std::memset(at, 0, field.size);
      break;
    case Kind::kShorter:
      if (count > 0) set_count(count - 1);
      break;
    case Kind::kWithNul: {
      static std::set<std::string> texts;
      static std::mutex mutex;
      std::lock_guard<std::mutex> lock(mutex);
      const char* text;
      std::memcpy(&text, at, sizeof(text));
      if (text == nullptr) break;
      const char* longer = texts.emplace(text, count).first->c_str();
      std::memcpy(at, &longer, sizeof(longer));
      set_count(count + 1);
      break;
    }
    case Kind::kStale: {
      static std::mutex mutex;
      static std::optional<std::pair<std::string, size_t>> first;
      std::lock_guard<std::mutex> lock(mutex);
      if (!first) first.emplace(std::string(at, field.size), count);
      std::memcpy(at, first->first.data(), field.size);
      if (length != nullptr) set_count(first->second);
      break;
    }
    case Kind::kReady:
    case Kind::kNeverReady: {
      PJRT_Event* event = NewEvent(active.kind == Kind::kReady);
      std::memcpy(at, &event, sizeof(event));
      break;
    }
    default:
      SpoilNumber(at, field);
      break;
  }
}

PJRT_Error* Run(size_t number, void* args) {
  const Function& function = reflection::Functions()[number];
  const reflection::Struct& structure = reflection::Structs()[function.args];
  Slot behind = RealSlot(function);
  size_t size = 0;
  if (args == nullptr) return behind(args);
  std::memcpy(&size, args, sizeof(size));
  if (size < structure.minimum_size) return behind(args);
  static std::atomic<int> calls = 0;
  if (active.kind == Kind::kRefuses || (active.kind == Kind::kRefusesAgain && calls++ % 2 == 1)) {
    return MakeError(PJRT_Error_Code_INTERNAL, "it does not work today");
  }
  if (active.kind == Kind::kRefusesNull) {
    void* handle;
    std::memcpy(&handle, static_cast<char*>(args) + FieldsOf(structure)[active.field].offset,
                sizeof(handle));
    if (handle == nullptr) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "null");
    return behind(args);
  }
  PJRT_Error* error = behind(args);
  if (error != nullptr && active.kind == Kind::kSwallows) {
    FreeError(error);
    return nullptr;
  }
  if (error != nullptr && active.kind == Kind::kWrongCode) {
    FreeError(error);
    return MakeError(PJRT_Error_Code_INTERNAL, "something went wrong");
  }
  if (error != nullptr || active.field < 0) return error;
  const Field& field = FieldsOf(structure)[active.field];
  if (active.kind == Kind::kChangesInput) {
    if (field.offset + field.size <= size) ++static_cast<char*>(args)[field.offset];
    return nullptr;
  }
  SpoilOutput(static_cast<char*>(args), structure, field);
  return nullptr;
}

template <size_t kNumber>
PJRT_Error* Trampoline(void* args) {
  return Run(kNumber, args);
}

template <size_t... kNumbers>
constexpr std::array<Slot, sizeof...(kNumbers)> Trampolines(std::index_sequence<kNumbers...>) {
  return {Trampoline<kNumbers>...};
}

// The requirement that a null handle of the function is refused; empty if there is none.
std::string NullRequirement(const Function& function) {
  for (const Field& field : FieldsOf(reflection::Structs()[function.args])) {
    if (field.base != Base::kHandle || field.direction != Direction::kIn) continue;
    std::string id = StrCat("PJRT-", function.name.view().substr(5), "-", field.name);
    if (reflection::FindRequirement(id) != nullptr) return id;
  }
  return "";
}

// What the caller has to free, and cannot; and what it may free although it is null.
void AddOwners(std::vector<GeneratedMutant>& all, int number) {
  const Function& function = reflection::Functions()[number];
  const reflection::Struct& structure = reflection::Structs()[function.args];
  for (int f = 0; f < structure.num_fields; ++f) {
    const Field& field = FieldsOf(structure)[f];
    const std::string start = StrCat("PJRT-", function.name.view().substr(5), "-");
    if (field.base == Base::kHandle && field.direction == Direction::kIn &&
        reflection::FindRequirement(StrCat(start, "null")) != nullptr) {
      all.push_back({StrCat(function.name, ".", field.name, ".null_refused"), StrCat(start, "null"),
                     "null is refused", number, f, Kind::kRefusesNull});
    }
    std::string owner = StrCat(start, field.name, "-owner");
    if (field.direction != Direction::kOut || field.lifetime == nullptr ||
        reflection::FindRequirement(owner) == nullptr)
      continue;
    if (const Field* deleter = reflection::FindField(structure, field.lifetime.view())) {
      all.push_back({StrCat(function.name, ".", field.name, ".no_deleter"), owner,
                     "the deleter is null", number,
                     static_cast<int>(deleter - FieldsOf(structure).data()), Kind::kNull});
    } else if (const Function* destroy = reflection::FindFunction(field.lifetime.view());
               destroy != nullptr && destroy->table < 0) {
      all.push_back({StrCat(function.name, ".", field.name, ".not_freed"), owner,
                     "what is handed out cannot be freed",
                     static_cast<int>(destroy - reflection::Functions().data()), -1,
                     Kind::kRefuses});
    }
  }
}

void AddOutputs(std::vector<GeneratedMutant>& all, int number) {
  const Function& function = reflection::Functions()[number];
  const reflection::Struct& structure = reflection::Structs()[function.args];
  for (int f = 0; f < structure.num_fields; ++f) {
    const Field& field = FieldsOf(structure)[f];
    auto add = [&](std::string_view how, Kind kind, const char* requirement, std::string breaks) {
      all.push_back({StrCat(function.name, ".", field.name, ".", how), requirement,
                     std::move(breaks), number, f, kind});
    };
    if (field.direction == Direction::kIn && field.base == Base::kHandle && field.depth == 0) {
      add("changed", Kind::kChangesInput, "PJRT-Args-input", "an input is changed");
    }
    if (field.direction != Direction::kOut || field.base == Base::kUnion ||
        field.base == Base::kStruct || field.base == Base::kCallback)
      continue;
    if (field.depth == 0 && field.base == Base::kHandle) {
      if (!field.nullable)
        add("null", Kind::kNull, "PJRT-Args-output-handle", "the output is null");
      if (field.target == reflection::handle::kPJRT_Event) {
        add("early", Kind::kReady, "PJRT-Event_IsReady-monotone", "the event is ready at once");
        add("never", Kind::kNeverReady, "PJRT-Args-output-true", "the event is never ready");
      } else if (field.owner != Owner::kCaller) {
        add("stale", Kind::kStale, "PJRT-Args-output-true", "every call gives what the first gave");
      }
    } else if (field.depth == 0 && field.base == Base::kBool) {
      add("flipped", Kind::kFlipped, "PJRT-Args-output-true", "the answer is the opposite");
    } else if (field.depth == 0 && (field.base == Base::kInteger || field.base == Base::kUnsigned ||
                                    field.base == Base::kEnum)) {
      add("absurd", Kind::kAbsurd, "PJRT-Args-output-true", "the number is -77");
      if (field.base == Base::kEnum || field.size == 4 || field.name.view().starts_with("num_")) {
        add("off_by_one", Kind::kOffByOne, "PJRT-Args-output-true",
            "the number is too large by one");
        add("stale", Kind::kStale, "PJRT-Args-output-true", "every call gives what the first gave");
      }
    } else if (field.depth >= 1 && field.length_field >= 0 &&
               FieldsOf(structure)[field.length_field].direction == Direction::kOut) {
      add("null", Kind::kNull, "PJRT-Args-output-array", "the list or text is null");
      if (field.depth == 1)
        add("shorter", Kind::kShorter, "PJRT-Args-output-true", "the last element is missing");
      if (field.base == Base::kChar && field.depth == 1 &&
          !field.name.view().starts_with("serialized")) {
        add("with_nul", Kind::kWithNul, "PJRT-Strings-size", "the size counts a NUL at the end");
      }
      if (field.lifetime != nullptr && field.owner == Owner::kPlugin)
        add("stale", Kind::kStale, "PJRT-Args-output-true", "every call gives what the first gave");
    }
  }
}

}  // namespace

std::vector<GeneratedMutant> GeneratedMutants() {
  std::vector<GeneratedMutant> all;
  for (int number = 0; number < static_cast<int>(kCoreFunctions); ++number) {
    const Function& function = reflection::Functions()[number];
    const std::string_view name = function.name.view();
    // Without hardware that has them nobody makes these streams.
    if (function.IsRegular() && function.returns == reflection::Returns::kError &&
        !name.starts_with("PJRT_CopyToDeviceStream"))
      AddOwners(all, number);
    if (!function.IsRegular() || function.returns != reflection::Returns::kError ||
        function.table >= 0)
      continue;
    if (name == "PJRT_Plugin_Initialize" || name == "PJRT_Client_Create" ||
        name.starts_with("PJRT_CopyToDeviceStream"))
      continue;
    auto add = [&](std::string_view how, Kind kind, std::string requirement, std::string breaks) {
      all.push_back(
          {StrCat(name, ".", how), std::move(requirement), std::move(breaks), number, -1, kind});
    };
    add("refuses", Kind::kRefuses, "PJRT-Args-accepted", "every call is refused");
    add("refuses_again", Kind::kRefusesAgain, "PJRT-Args-accepted", "every second call is refused");
    std::string null = NullRequirement(function);
    if (!null.empty()) {
      add("swallows", Kind::kSwallows, null, "errors become successes");
      add("wrong_code", Kind::kWrongCode, null, "all errors have the code INTERNAL");
    }
    AddOutputs(all, number);
  }
  return all;
}

void ApplyGenerated(const GeneratedMutant& mutant, PJRT_Api& table) {
  static constexpr auto kTrampolines = Trampolines(std::make_index_sequence<kCoreFunctions>());
  active = mutant;
  const Function& function = reflection::Functions()[mutant.function];
  if (RealSlot(function) == nullptr) return;
  Slot slot = kTrampolines[static_cast<size_t>(mutant.function)];
  std::memcpy(reinterpret_cast<char*>(&table) + function.offset, &slot, sizeof(slot));
}

}  // namespace plinth::mutants
