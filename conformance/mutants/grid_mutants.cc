// SPDX-License-Identifier: Apache-2.0
#include "conformance/mutants/grid_mutants.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/str_cat.h"

namespace plinth::mutants {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Function;
using reflection::Owner;
using Effect = GridMutant::Effect;
using Slot = PJRT_Error* (*)(void*);

// What conditions look at.
struct Array {
  PJRT_Buffer* buffer;
  PJRT_Buffer_Type type;
  std::vector<int64_t> dims;
  size_t size;
  int call;  // the number of the function's call
};

struct Condition {
  const char* name;
  const char* words;
  bool (*holds)(const Array& array);
};

int HardwareIdOf(PJRT_Device* device) {
  auto args = MakeArgs<PJRT_Device_LocalHardwareId_Args>();
  args.device = device;
  FreeError(Real().PJRT_Device_LocalHardwareId(&args));
  return args.local_hardware_id;
}

bool IsOtherThread() {
  static const std::thread::id first = std::this_thread::get_id();
  return std::this_thread::get_id() != first;
}

constexpr Condition kConditions[] = {
    {"short", "of 16-bit integers",
     [](const Array& a) {
       return a.type == PJRT_Buffer_Type_S16 || a.type == PJRT_Buffer_Type_U16;
     }},
    {"complex", "of c128", [](const Array& a) { return a.type == PJRT_Buffer_Type_C128; }},
    {"tiny", "of f8e5m2", [](const Array& a) { return a.type == PJRT_Buffer_Type_F8E5M2; }},
    {"nibble", "of s4", [](const Array& a) { return a.type == PJRT_Buffer_Type_S4; }},
    {"predicate", "of pred", [](const Array& a) { return a.type == PJRT_Buffer_Type_PRED; }},
    {"scalar", "without dimensions", [](const Array& a) { return a.dims.empty(); }},
    {"rank3", "of three dimensions", [](const Array& a) { return a.dims.size() == 3; }},
    {"rank5", "of five dimensions or more", [](const Array& a) { return a.dims.size() >= 5; }},
    {"ones", "with a dimension of 1",
     [](const Array& a) {
       return a.dims.size() > 1 && std::count(a.dims.begin(), a.dims.end(), 1) > 0;
     }},
    {"square", "of as many rows as columns",
     [](const Array& a) { return a.dims.size() == 2 && a.dims[0] == a.dims[1]; }},
    {"prime", "with 1009 columns",
     [](const Array& a) { return !a.dims.empty() && a.dims.back() == 1009; }},
    {"large", "of more than 200,000 bytes", [](const Array& a) { return a.size > 200000; }},
    {"empty", "without elements", [](const Array& a) { return a.size == 0; }},
    {"odd", "of an odd number of bytes",
     [](const Array& a) { return a.size > 1 && a.size % 2 == 1; }},
    {"second_device", "on the second device",
     [](const Array& a) { return HardwareIdOf(DeviceOf(a.buffer)) == 1; }},
    {"other_memory", "in another memory than the default one",
     [](const Array& a) { return MemoryOf(a.buffer) != DefaultMemoryOf(DeviceOf(a.buffer)); }},
    {"turned", "that are not row-major", [](const Array& a) { return !IsRowMajor(a.buffer); }},
    {"later", "after forty", [](const Array& a) { return a.call > 40; }},
    {"other_thread", "on another thread", [](const Array&) { return IsOtherThread(); }},
};

constexpr size_t kCoreFunctions =
    (sizeof(PJRT_Api) - offsetof(PJRT_Api, PJRT_Error_Destroy)) / sizeof(void*);

// The one that this process is.
GridMutant active;

template <typename Value>
Value At(const void* args, const Field& field) {
  Value value;
  std::memcpy(&value, static_cast<const char*>(args) + field.offset, sizeof(value));
  return value;
}

// Whether the caller's struct reaches that far.
bool IsThere(const void* args, const Field& field) {
  size_t size;
  std::memcpy(&size, args, sizeof(size));
  return field.offset + field.size <= size;
}

bool IsBuffer(const Field& field) {
  return field.base == Base::kHandle && field.target == reflection::handle::kPJRT_Buffer;
}
bool IsExecute(const Function& function) {
  return function.name.view() == "PJRT_LoadedExecutable_Execute";
}

// The field with the array that conditions look at: what is taken, or else what is made.
const Field* LookedAt(const reflection::Struct& structure) {
  const Field* found = nullptr;
  for (const Field& field : FieldsOf(structure)) {
    if (!IsBuffer(field) || field.depth != 0) continue;
    if (field.direction == Direction::kIn) return &field;
    found = &field;
  }
  return found;
}

// The conditions that hold for an array, as bits.
uint64_t Holding(PJRT_Buffer* buffer, int call) {
  if (buffer == nullptr || IsDeleted(buffer)) return 0;
  auto args = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  args.buffer = buffer;
  FreeError(Real().PJRT_Buffer_Dimensions(&args));
  const Array array{
      buffer, ElementTypeOf(buffer), {args.dims, args.dims + args.num_dims}, SizeOf(buffer), call};
  uint64_t bits = 0;
  for (size_t c = 0; c < std::size(kConditions); ++c)
    bits |= kConditions[c].holds(array) ? uint64_t{1} << c : 0;
  return bits;
}

uint64_t HoldingForArguments(const PJRT_LoadedExecutable_Execute_Args& args, int call) {
  uint64_t bits = 0;
  for (size_t d = 0; args.argument_lists != nullptr && d < args.num_devices; ++d) {
    for (size_t i = 0; i < args.num_args; ++i) bits |= Holding(args.argument_lists[d][i], call);
  }
  return bits;
}

void Corrupt(PJRT_Buffer* buffer) {
  ChangeBytes(buffer, [](char* bytes, size_t size) { bytes[size - 1] ^= 1; });
}

// Frees what the caller gets, which a call that fails does not give.
void TakeBack(char* args, const reflection::Struct& structure) {
  for (const Field& field : FieldsOf(structure)) {
    if (field.direction != Direction::kOut || field.base != Base::kHandle || field.depth != 0 ||
        field.owner != Owner::kCaller || !IsThere(args, field))
      continue;
    if (IsBuffer(field)) Destroy(At<PJRT_Buffer*>(args, field));
    if (field.target == reflection::handle::kPJRT_Event && At<PJRT_Event*>(args, field) != nullptr)
      Drop(At<PJRT_Event*>(args, field));
    std::memset(args + field.offset, 0, field.size);
  }
}

// What a mutant that spoils changes.
enum class Spoiled { kNothing, kMade, kRead, kNumber, kBool, kLength };

std::pair<Spoiled, const Field*> SpoiledOf(const reflection::Struct& structure) {
  const Field* number = nullptr;
  const Field* length = nullptr;
  for (const Field& field : FieldsOf(structure)) {
    if (field.name.view() == "dst") return {Spoiled::kRead, &field};
    if (field.direction != Direction::kOut) continue;
    if (IsBuffer(field)) return {Spoiled::kMade, &field};
    if (field.depth == 0 && field.base == Base::kBool) return {Spoiled::kBool, &field};
    if (field.depth == 0 && (field.base == Base::kInteger || field.base == Base::kUnsigned ||
                             field.base == Base::kEnum))
      number = &field;
    if (field.depth == 1 && field.length_field >= 0)
      length = &FieldsOf(structure)[field.length_field];
  }
  if (length != nullptr) return {Spoiled::kLength, length};
  return {number == nullptr ? Spoiled::kNothing : Spoiled::kNumber, number};
}

void CorruptRead(char* args, PJRT_Buffer* read, const Field& dst,
                 const reflection::Struct& structure) {
  char* to = At<char*>(args, dst);
  size_t size = SizeOf(read);
  PJRT_Event* event = nullptr;
  for (const Field& field : FieldsOf(structure)) {
    if (field.name.view() == "transfer_size") size = static_cast<size_t>(At<int64_t>(args, field));
    if (field.name.view() == "event") event = At<PJRT_Event*>(args, field);
  }
  if (to != nullptr && size > 0 && event != nullptr && !IsPending(read) && !Fails(event))
    to[size - 1] ^= 1;
}

void Spoil(char* args, const reflection::Struct& structure, PJRT_Buffer* looked_at) {
  auto [what, field] = SpoiledOf(structure);
  if (field == nullptr || !IsThere(args, *field)) return;
  char* at = args + field->offset;
  uint64_t value = 0;
  std::memcpy(&value, at, std::min<size_t>(field->size, sizeof(value)));
  switch (what) {
    case Spoiled::kNothing:
      return;
    case Spoiled::kMade:
      return Corrupt(At<PJRT_Buffer*>(args, *field));
    case Spoiled::kRead:
      return CorruptRead(args, looked_at, *field, structure);
    case Spoiled::kNumber:
      value -= value > 0 ? 1 : 0;
      break;
    case Spoiled::kBool:
      value = value == 0 ? 1 : 0;
      break;
    case Spoiled::kLength:
      value -= value > 0 ? 1 : 0;
      break;
  }
  std::memcpy(at, &value, field->size);
}

PJRT_Error* MakeRefusal() { return MakeError(PJRT_Error_Code_INTERNAL, "it does not work today"); }

// Calls the function behind between two looks at the array. `before` is told which conditions hold
// and may refuse; `after` is told the same once the call has succeeded.
template <typename Before, typename After>
PJRT_Error* CallLooking(size_t number, void* args, Before before, After after) {
  static std::array<std::atomic<int>, kCoreFunctions> calls;
  const Function& function = reflection::Functions()[number];
  const reflection::Struct& structure = reflection::Structs()[function.args];
  Slot behind;
  std::memcpy(&behind, reinterpret_cast<const char*>(&Real()) + function.offset, sizeof(behind));
  size_t size = 0;
  if (args != nullptr) std::memcpy(&size, args, sizeof(size));
  if (size < structure.minimum_size) return behind(args);
  const int call = ++calls[number];
  const Field* looked_at = IsExecute(function) ? nullptr : LookedAt(structure);
  auto look = [&] {
    if (looked_at == nullptr) {
      return HoldingForArguments(*static_cast<const PJRT_LoadedExecutable_Execute_Args*>(args),
                                 call);
    }
    return Holding(At<PJRT_Buffer*>(args, *looked_at), call);
  };
  const bool is_made = looked_at != nullptr && looked_at->direction == Direction::kOut;
  // A call that only asks how large the destination has to be reads nothing.
  auto [what, spoiled] = SpoiledOf(structure);
  const bool reads = what != Spoiled::kRead || At<char*>(args, *spoiled) != nullptr;
  uint64_t bits = is_made || !reads ? 0 : look();
  if (PJRT_Error* error = before(bits)) return error;
  if (PJRT_Error* error = behind(args)) return error;
  return after(is_made ? look() : bits);
}

bool Holds(uint64_t bits) { return (bits >> active.condition & 1) != 0; }

PJRT_Error* Run(void* args) {
  const Function& function = reflection::Functions()[active.function];
  const reflection::Struct& structure = reflection::Structs()[function.args];
  auto refuse = [&](uint64_t bits) {
    return Holds(bits) && active.effect == Effect::kRefuses ? MakeRefusal() : nullptr;
  };
  return CallLooking(active.function, args, refuse, [&](uint64_t bits) -> PJRT_Error* {
    if (!Holds(bits)) return nullptr;
    if (active.effect == Effect::kLeaks) Forget(200);
    if (active.effect == Effect::kSpoils && IsExecute(function)) {
      auto outputs = OutputsOf(*static_cast<const PJRT_LoadedExecutable_Execute_Args*>(args));
      if (!outputs.empty()) Corrupt(outputs[0]);
    } else if (active.effect == Effect::kSpoils) {
      Spoil(static_cast<char*>(args), structure, At<PJRT_Buffer*>(args, *LookedAt(structure)));
    }
    if (active.effect != Effect::kRefuses) return nullptr;
    TakeBack(static_cast<char*>(args), structure);
    return MakeRefusal();
  });
}

// Writes which conditions have held for arrays of a function, each once.
PJRT_Error* Record(size_t number, void* args) {
  static std::array<std::atomic<uint64_t>, kCoreFunctions> seen;
  auto accept = [](uint64_t) -> PJRT_Error* { return nullptr; };
  return CallLooking(number, args, accept, [&](uint64_t bits) -> PJRT_Error* {
    const uint64_t fresh = bits & ~seen[number].fetch_or(bits);
    std::string lines;
    for (size_t c = 0; c < std::size(kConditions); ++c) {
      if ((fresh >> c & 1) != 0)
        lines += StrCat(reflection::Functions()[number].name, ".", kConditions[c].name, "\n");
    }
    const char* path = std::getenv("PLINTH_MUTANT_LOG");
    const int file = lines.empty() || path == nullptr
                         ? -1
                         : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) {
      (void)!write(file, lines.data(), lines.size());
      close(file);
    }
    return nullptr;
  });
}

template <size_t kNumber>
PJRT_Error* RecordOf(void* args) {
  return Record(kNumber, args);
}
template <size_t... kNumbers>
constexpr std::array<Slot, sizeof...(kNumbers)> Recorders(std::index_sequence<kNumbers...>) {
  return {RecordOf<kNumbers>...};
}

// What an array that is spoiled breaks.
std::string SpoiledRequirement(const Function& function, Spoiled what) {
  const std::string_view name = function.name.view();
  if (IsExecute(function)) return "PJRT-LoadedExecutable_Execute-results";
  if (name == "PJRT_Client_BufferFromHostBuffer") return "PJRT-Buffer_ToHostBuffer-contents";
  // The list is empty, a plugin may say that arrays are not on the CPU, and what is given for a
  // donated array is not there yet.
  if (name == "PJRT_Buffer_DynamicDimensionIndices" || name == "PJRT_Buffer_IsOnCpu" ||
      name == "PJRT_Buffer_DonateWithControlDependency")
    return "";
  if (what != Spoiled::kMade && what != Spoiled::kRead) return "PJRT-Args-output-true";
  for (const char* part : {"contents", "same-bytes", "no-copy", "offset"}) {
    std::string id = StrCat("PJRT-", name.substr(5), "-", part);
    if (reflection::FindRequirement(id) != nullptr) return id;
  }
  return "";
}

// Of other functions no array is asked for, or its handle ends.
bool IsInGrid(const Function& function) {
  const std::string_view name = function.name.view();
  if (function.args < 0 || !function.IsRegular() ||
      function.returns != reflection::Returns::kError || function.table >= 0 ||
      name == "PJRT_Buffer_Destroy" || name == "PJRT_Client_FulfillAliasBuffer")
    return false;
  return IsExecute(function) || LookedAt(reflection::Structs()[function.args]) != nullptr;
}

void Put(PJRT_Api& table, const Function& function, Slot slot) {
  Slot real;
  std::memcpy(&real, reinterpret_cast<const char*>(&Real()) + function.offset, sizeof(real));
  if (real != nullptr)
    std::memcpy(reinterpret_cast<char*>(&table) + function.offset, &slot, sizeof(slot));
}

}  // namespace

std::vector<GridMutant> GridMutants() {
  std::vector<GridMutant> all;
  for (int number = 0; number < static_cast<int>(kCoreFunctions); ++number) {
    const Function& function = reflection::Functions()[number];
    if (!IsInGrid(function)) continue;
    const Spoiled what = IsExecute(function)
                             ? Spoiled::kMade
                             : SpoiledOf(reflection::Structs()[function.args]).first;
    const std::string spoiled = SpoiledRequirement(function, what);
    for (size_t c = 0; c < std::size(kConditions); ++c) {
      const Condition& condition = kConditions[c];
      auto add = [&](const char* how, Effect effect, std::string requirement, const char* breaks) {
        all.push_back({StrCat(function.name, ".", condition.name, ".", how), std::move(requirement),
                       StrCat("for arrays ", condition.words, breaks), number, c, effect});
      };
      add("refuses", Effect::kRefuses, "PJRT-Args-accepted", " the call is refused");
      add("leaks", Effect::kLeaks, "PJRT-Process-memory", " the call leaves 200 bytes");
      if (what == Spoiled::kNothing || spoiled.empty()) continue;
      add("spoils", Effect::kSpoils, spoiled, " what the call gives is wrong in one place");
    }
  }
  return all;
}

void ApplyGrid(const GridMutant& mutant, PJRT_Api& table) {
  active = mutant;
  Put(table, reflection::Functions()[mutant.function], Run);
}

void RecordGrid(PJRT_Api& table) {
  static constexpr auto kRecorders = Recorders(std::make_index_sequence<kCoreFunctions>());
  for (size_t number = 0; number < kCoreFunctions; ++number) {
    const Function& function = reflection::Functions()[number];
    if (IsInGrid(function)) Put(table, function, kRecorders[number]);
  }
}

}  // namespace plinth::mutants
