// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/watch.h"

#include <immintrin.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <utility>

#include "plinth/support/abi_version.h"
#include "plinth/support/str_cat.h"

namespace plinth::conformance {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Function;

constexpr std::byte kPattern{0xA5};
constexpr unsigned kSeed = 20261129;
// Longer lists and texts are no answer to anything that the suite asks.
constexpr uint64_t kMostElements = uint64_t{1} << 32;

// Rounding, flushing of subnormals and masks of exceptions, of SSE and x87; without sticky flags.
uint32_t FpModes() {
  uint16_t x87;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return (_mm_getcsr() & 0xFFC0u) | static_cast<uint32_t>(x87) << 16;
}

void SetFpModes(uint32_t modes) {
  _mm_setcsr((_mm_getcsr() & ~0xFFC0u) | (modes & 0xFFC0u));
  auto x87 = static_cast<uint16_t>(modes >> 16);
  __asm__ volatile("fldcw %0" : : "m"(x87));
}

uint64_t ReadNumber(const std::byte* at, const Field& field) {
  uint64_t value = 0;
  std::memcpy(&value, at, std::min<size_t>(field.size, sizeof(value)));
  return value;
}

// Outputs that need not be set: values that mean nothing while the field after them is false, and
// the event of a copy that only asks for the size.
bool IsOptional(const Function& function, const Field& field, const std::byte* args) {
  if (&function == &reflection::Get(reflection::function::kPJRT_Buffer_ToHostBuffer)) {
    PJRT_Buffer_ToHostBuffer_Args copy;
    std::memcpy(&copy, args,
                std::min<size_t>(sizeof(copy), PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE));
    return copy.dst == nullptr && field.base == Base::kHandle;
  }
  return &function == &reflection::Get(reflection::function::kPJRT_Device_MemoryStats) &&
         field.base == Base::kInteger;
}

// Of what an input points to so many bytes are compared.
constexpr size_t kMostInput = 4096;

// False where they cannot be read, as cases give addresses that are wrong.
bool ReadBytes(uint64_t address, void* bytes, size_t size) {
  iovec to = {bytes, size}, from = {reinterpret_cast<void*>(address), size};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(size);
}

// A hash of the bytes there; 0 where they cannot be read.
size_t HashOf(uint64_t address, size_t size) {
  std::byte bytes[kMostInput];
  size = std::min(size, kMostInput);
  if (!ReadBytes(address, bytes, size)) return 0;
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes), size});
}

bool IsText(const Field& field) {
  return field.base == Base::kChar && field.depth == 1 &&
         !field.name.view().starts_with("serialized");
}

}  // namespace

void WatchFindings::Add(std::string_view requirement, std::string text) {
  std::lock_guard lock(mutex_);
  auto is_same = [&](const Finding& finding) { return finding.text == text; };
  if (findings_.size() >= 20 || std::any_of(findings_.begin(), findings_.end(), is_same)) return;
  findings_.push_back({std::string(requirement), std::move(text)});
}

std::vector<Finding> WatchFindings::Take() {
  std::lock_guard lock(mutex_);
  return std::exchange(findings_, {});
}

CallWatch::CallWatch(const Function& function, void* args, int minor)
    : function_(function), args_(static_cast<std::byte*>(args)), minor_(minor) {
  fp_modes_ = FpModes();
  pthread_sigmask(SIG_SETMASK, nullptr, &signals_);
  if (args == nullptr || !function.IsRegular()) return;
  const reflection::Struct& structure = reflection::Structs()[function.args];
  if (!structure.carries_struct_size || structure.size > before_.size()) return;
  std::memcpy(&size_, args, sizeof(size_));
  // What is too small is refused, and what has a size that lies has a case of its own.
  if (size_ < structure.minimum_size) return;
  size_t known = function.table < 0 ? EndAt(structure, minor) : structure.end;
  size_ = std::min<size_t>({size_, known, structure.size});
  structure_ = &structure;
  std::memcpy(before_.data(), args, size_);
  for (const Field& field : FieldsOf(structure)) {
    if (IsFilled(field)) std::fill_n(At(field), field.size, kPattern);
  }
  NoteInputs(structure, args_, size_, 0);
}

void CallWatch::NoteInputs(const reflection::Struct& structure, const std::byte* at, size_t size,
                           int depth) {
  constexpr int kDeepest = 3;
  std::array<std::byte, 512> copy;
  for (const Field& field : FieldsOf(structure)) {
    if (field.direction == Direction::kIn && field.base == Base::kStruct && field.depth == 0 &&
        field.offset + field.size <= size && depth < kDeepest) {
      NoteInputs(reflection::Structs()[field.target], at + field.offset, field.size, depth + 1);
    }
    const size_t length = InputSize(structure, at, size, field);
    if (length == 0 || num_inputs_ == inputs_.size()) continue;
    const uint64_t address = ReadNumber(at + field.offset, field);
    inputs_[num_inputs_++] = {&field, address, length, HashOf(address, length)};
    if (field.base != Base::kStruct || field.depth != 1 || field.length_field >= 0 ||
        length > copy.size() || depth >= kDeepest || !ReadBytes(address, copy.data(), length))
      continue;
    NoteInputs(reflection::Structs()[field.target], copy.data(), length, depth + 1);
  }
}

size_t CallWatch::InputSize(const reflection::Struct& structure, const std::byte* at, size_t size,
                            const Field& field) const {
  if (field.direction != Direction::kIn || field.depth == 0 || field.offset + field.size > size ||
      ReadNumber(at + field.offset, field) == 0)
    return 0;
  if (field.base == Base::kStruct && field.depth == 1 && field.length_field < 0) {
    // What is freed is no longer there.
    if (function_.name.view().ends_with("_Destroy")) return 0;
    // This one gets its program there.
    if (&function_ == &reflection::Get(reflection::function::kPJRT_Executable_OptimizedProgram))
      return 0;
    const reflection::Struct& nested = reflection::Structs()[field.target];
    size_t said = nested.size;
    if (nested.carries_struct_size &&
        !ReadBytes(ReadNumber(at + field.offset, field), &said, sizeof(said)))
      return 0;
    return std::min<size_t>(said, nested.size);
  }
  // A block that is not const is one to write to.
  if (field.length_field < 0 || field.type.view().find("const") == std::string_view::npos) return 0;
  const Field& length = FieldsOf(structure)[field.length_field];
  if (length.direction != Direction::kIn || length.offset + length.size > size) return 0;
  uint64_t count = ReadNumber(at + length.offset, length);
  size_t each = field.depth > 1 ? sizeof(void*) : std::max<size_t>(field.element_size, 1);
  return std::min<uint64_t>(count, kMostInput) * each;
}

bool CallWatch::IsFilled(const Field& field) const {
  return field.direction == Direction::kOut && field.base != Base::kUnion &&
         field.base != Base::kStruct && field.offset + field.size <= size_ &&
         (field.safe_since <= minor_ || function_.table >= 0);
}

void CallWatch::Finish(bool failed, WatchFindings& findings) {
  const std::string name(function_.name.view());
  if (FpModes() != fp_modes_) {
    findings.Add("PJRT-Process-state", StrCat(name, " left other floating-point modes: ", FpModes(),
                                              ", not ", fp_modes_));
    SetFpModes(fp_modes_);
  }
  sigset_t signals;
  pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  for (int signal = 1; signal < 32; ++signal) {
    if (sigismember(&signals, signal) == sigismember(&signals_, signal)) continue;
    findings.Add("PJRT-Process-state",
                 StrCat(name, " left signal ", signal, " blocked or unblocked"));
    pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    break;
  }
  if (structure_ == nullptr) return;
  for (size_t i = 0; i < num_inputs_; ++i) {
    const Input& input = inputs_[i];
    size_t hash = input.hash == 0 ? 0 : HashOf(input.address, input.size);
    if (hash != input.hash) {
      findings.Add("PJRT-Args-input",
                   StrCat(name, " changed what `", input.field->name, "` points to, an input"));
    }
  }
  for (const Field& field : FieldsOf(*structure_)) {
    if (field.offset + field.size > size_) continue;
    if (field.direction == Direction::kIn) {
      if (std::memcmp(At(field), before_.data() + field.offset, field.size) != 0) {
        findings.Add("PJRT-Args-input", StrCat(name, " changed `", field.name, "`, an input"));
      }
      continue;
    }
    if (!IsFilled(field)) continue;
    bool is_untouched =
        std::all_of(At(field), At(field) + field.size, [](std::byte b) { return b == kPattern; });
    if (is_untouched) {
      std::memcpy(At(field), before_.data() + field.offset, field.size);
      if (!failed && !field.nullable && !IsOptional(function_, field, args_)) {
        findings.Add("PJRT-Args-output-set",
                     StrCat(name, " succeeded without setting `", field.name, "`"));
      }
    } else if (failed && field.base == Base::kHandle && field.depth == 0 &&
               ReadNumber(At(field), field) != 0) {
      findings.Add("PJRT-Args-output-failure", StrCat(name, " failed and set `", field.name, "`"));
      std::memcpy(At(field), before_.data() + field.offset, field.size);
    } else if (!failed) {
      LookAtOutput(field, findings);
    }
  }
  if (failed) return;
  for (const Field& field : FieldsOf(*structure_)) {
    if (IsFilled(field) && field.depth >= 1 && field.length_field >= 0)
      LookAtArray(field, findings);
  }
}

void CallWatch::LookAtOutput(const Field& field, WatchFindings& findings) const {
  uint64_t value = ReadNumber(At(field), field);
  if (field.depth == 0 && field.base == Base::kBool && value > 1) {
    findings.Add("PJRT-Args-output-enum",
                 StrCat(function_.name, " gave ", value, " for the bool `", field.name, "`"));
  }
  if (field.depth == 0 && field.base == Base::kEnum && minor_ <= kPjrtDeclaredMinor &&
      NameOf(reflection::Enums()[field.target], static_cast<int>(value)) == nullptr) {
    findings.Add("PJRT-Args-output-enum", StrCat(function_.name, " gave ", static_cast<int>(value),
                                                 " for `", field.name, "`"));
  }
  if (field.depth == 0 && field.base == Base::kHandle && !field.nullable && value == 0 &&
      !IsOptional(function_, field, args_)) {
    findings.Add("PJRT-Args-output-handle",
                 StrCat(function_.name, " succeeded and left `", field.name, "` null"));
  }
}

void CallWatch::LookAtArray(const Field& field, WatchFindings& findings) const {
  const Field& length = FieldsOf(*structure_)[field.length_field];
  if (length.direction != Direction::kOut || !IsFilled(length)) return;
  uint64_t count = ReadNumber(At(length), length);
  if (count > kMostElements) {
    return findings.Add("PJRT-Args-output-array",
                        StrCat(function_.name, " gave ", count, " for `", length.name, "`"));
  }
  uint64_t address = ReadNumber(At(field), field);
  if (address == 0) {
    if (count != 0 && !field.nullable && function_.table < 0) {
      findings.Add("PJRT-Args-output-array",
                   StrCat(function_.name, " succeeded with a null `", field.name, "` of ", count));
    }
    return;
  }
  if (IsText(field)) {
    std::string_view text(reinterpret_cast<const char*>(address), count);
    if (text.find('\0') != std::string_view::npos) {
      findings.Add("PJRT-Strings-size",
                   StrCat(function_.name, " gave a `", field.name, "` with NUL at byte ",
                          text.find('\0'), " of ", count));
    }
  }
  if (field.base == Base::kHandle && field.depth == 1) {
    std::set<void*> seen;
    for (uint64_t i = 0; i < count; ++i) {
      void* handle = reinterpret_cast<void* const*>(address)[i];
      if (handle == nullptr || !seen.insert(handle).second) {
        findings.Add("PJRT-Args-output-array",
                     StrCat(function_.name, " gave a `", field.name, "` whose element ", i,
                            handle == nullptr ? " is null" : " is there twice"));
        return;
      }
    }
  }
}

// So many numbers a call may take from the generators of the C library.
constexpr int kMostDrawn = 1 << 16;

// Whether the next numbers of a generator come soon in the sequence of its seed.
template <typename Next, typename Wanted>
bool IsStillDrawn(Next next, Wanted wanted) {
  const int64_t first = next(), second = next();
  int64_t before = wanted();
  for (int i = 0; i < kMostDrawn; ++i) {
    const int64_t now = wanted();
    if (before == first && now == second) return true;
    before = now;
  }
  return false;
}

ProcessWatch::ProcessWatch() {
  // What the process has drawn so far says nothing to a case.
  srand(kSeed);
  srand48(kSeed);
  char path[4096];
  if (getcwd(path, sizeof(path)) != nullptr) folder_ = path;
  const char* locale = setlocale(LC_ALL, nullptr);
  if (locale != nullptr) locale_ = locale;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    environment_ += StrCat(*each, "\n");
  }
  char name[32] = {};
  prctl(PR_GET_NAME, name);
  thread_name_ = name;
  for (int resource : {RLIMIT_CORE, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE,
                       RLIMIT_STACK, RLIMIT_AS, RLIMIT_MEMLOCK}) {
    rlimit limit;
    getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    limits_ += StrCat(limit.rlim_cur, "/", limit.rlim_max, " ");
  }
  limits_ += StrCat("priority ", getpriority(PRIO_PROCESS, 0));
  cpu_set_t affinity;
  CPU_ZERO(&affinity);
  sched_getaffinity(0, sizeof(affinity), &affinity);
  affinity_.assign(reinterpret_cast<std::byte*>(&affinity),
                   reinterpret_cast<std::byte*>(&affinity + 1));
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGUSR1,
                     SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    const auto* bytes = reinterpret_cast<const std::byte*>(&action.sa_handler);
    handlers_.insert(handlers_.end(), bytes, bytes + sizeof(action.sa_handler));
  }
  umask_ = umask(0);
  umask(umask_);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    struct stat file = {};
    bool is_open = fstat(stream, &file) == 0;
    streams_ += is_open ? StrCat(file.st_dev, ":", file.st_ino, " ") : "closed ";
  }
}

void ProcessWatch::Finish(bool made_client, WatchFindings& findings) const {
  random_data own = {};
  char state[128] = {};
  initstate_r(kSeed, state, sizeof(state), &own);
  const bool is_seed_kept = IsStillDrawn([] { return int64_t{rand()}; },
                                         [&] {
                                           int32_t number = 0;
                                           random_r(&own, &number);
                                           return int64_t{number};
                                         });
  drand48_data own48 = {};
  srand48_r(kSeed, &own48);
  const bool is_seed48_kept = IsStillDrawn([] { return lrand48(); },
                                           [&] {
                                             int64_t number = 0;
                                             lrand48_r(&own48, &number);
                                             return number;
                                           });
  const ProcessWatch now;
  auto check = [&](bool is_same, std::string_view what, const std::string& before,
                   const std::string& after) {
    if (!is_same) {
      findings.Add(
          "PJRT-Process-state",
          StrCat("a call changed ", what,
                 before.empty() && after.empty() ? "" : StrCat(": ", after, ", was ", before)));
    }
  };
  check(folder_ == now.folder_, "the working directory", folder_, now.folder_);
  check(locale_ == now.locale_, "the locale", locale_, now.locale_);
  check(thread_name_ == now.thread_name_, "the name of the caller's thread", thread_name_,
        now.thread_name_);
  check(limits_ == now.limits_, "the limits or the priority of the process", limits_, now.limits_);
  check(affinity_ == now.affinity_, "the processors of the caller's thread", "", "");
  check(umask_ == now.umask_, "the mask of new files", "", "");
  check(streams_ == now.streams_, "the standard streams", streams_, now.streams_);
  if (made_client) return;
  check(is_seed_kept && is_seed48_kept, "the seed of the C library's random numbers", "", "");
  check(environment_ == now.environment_, "the environment", "", "");
  check(handlers_ == now.handlers_, "a signal handler", "", "");
}

}  // namespace plinth::conformance
