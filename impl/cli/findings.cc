// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/findings.h"

#include "plinth/support/abi_version.h"
#include "plinth/support/str_cat.h"

namespace plinth::cli {
namespace {

// What a library belongs to that plugins need and hosts often lack.
constexpr struct {
  std::string_view part_of_name;
  std::string_view advice;
} kLibraries[] = {
    {"libcuda.so", "it belongs to the NVIDIA driver: install the driver"},
    {"libnvidia", "it belongs to the NVIDIA driver: install the driver"},
    {"libcudart", "it belongs to the CUDA toolkit: install it, or the plugin's CUDA packages"},
    {"libcublas", "it belongs to the CUDA toolkit: install it, or the plugin's CUDA packages"},
    {"libcudnn", "it belongs to cuDNN: install it, or the plugin's cuDNN package"},
    {"libnccl", "it belongs to NCCL: install it, or the plugin's NCCL package"},
    {"libamdhip", "it belongs to ROCm: install it"},
    {"librocm", "it belongs to ROCm: install it"},
    {"libze_loader", "it belongs to Intel's Level Zero: install it"},
    {"libsycl", "it belongs to Intel's oneAPI: install it"},
    {"libstdc++", "the plugin was built with a newer compiler: update the system"},
    {"libopenblas", "install OpenBLAS"},
};

std::string_view AdviceFor(std::string_view text) {
  for (const auto& row : kLibraries) {
    if (text.find(row.part_of_name) != std::string_view::npos) return row.advice;
  }
  return "install the package that has it, or add its folder to LD_LIBRARY_PATH";
}

// Functions that the table of a minor has; 0 if that minor is not known.
int TableSizeOf(int64_t minor) {
  static constexpr struct {
    int of_minor, functions;
  } kSizes[] = {
#define PLINTH_PJRT_TABLE_SIZE(of_minor, functions) {of_minor, functions},
#include "plinth/support/abi_tables.inc"
  };
  for (const auto& row : kSizes) {
    if (row.of_minor == minor) return row.functions;
  }
  return 0;
}

// Whether clients call the function without looking whether it is there.
bool IsCalledUntested(std::string_view function, int64_t minor, bool* is_required) {
  enum Absent { Required, Stub, Null };
  static constexpr struct {
    std::string_view name;
    int since;
    Absent absent;
  } kFunctions[] = {
#define PLINTH_PJRT_FUNCTION(slot, name, since, absent, minimum_struct_size) {#name, since, absent},
#include "plinth/support/abi_tables.inc"
  };
  for (const auto& row : kFunctions) {
    if (row.name != function) continue;
    *is_required = row.absent == Required;
    return row.absent != Null && row.since <= minor;
  }
  return false;
}

void CheckTable(const Json& table, std::vector<Finding>& findings) {
  const int64_t minor = IntOf(table, "minor");
  const int64_t slots = IntOf(table, "slots");
  if (minor > kPjrtDeclaredMinor) {
    findings.push_back({Finding::Kind::kWarning,
                        StrCat("PJRT 0.", minor, " is newer than this libplinth, which knows 0.",
                               kPjrtDeclaredMinor, ": what is newer is not used")});
  }
  if (const int expected = TableSizeOf(minor); expected != 0 && expected != slots) {
    findings.push_back(
        {Finding::Kind::kWarning, StrCat("its table says PJRT 0.", minor, " and has ", slots,
                                         " functions; that revision has ", expected)});
  }
  for (const Json& element : table.At("slots_null").Elements()) {
    const std::string_view function = element.Text();
    bool is_required = false;
    if (!IsCalledUntested(function, minor, &is_required)) continue;
    if (is_required) {
      findings.push_back(
          {Finding::Kind::kProblem, StrCat(function, " is null; every plugin must have it")});
    } else {
      findings.push_back(
          {Finding::Kind::kWarning,
           StrCat(function,
                  " is null, and frameworks call it without looking: they crash unless libplinth "
                  "is in between")});
    }
  }
}

void CheckExtensions(const Json& extensions, std::vector<Finding>& findings) {
  std::vector<int64_t> seen;
  for (const Json& extension : extensions.Elements()) {
    const int64_t type = IntOf(extension, "type", -1);
    for (int64_t other : seen) {
      if (other == type) {
        findings.push_back(
            {Finding::Kind::kWarning,
             StrCat("extension ", type, " is twice in its chain; the first counts")});
      }
    }
    seen.push_back(type);
  }
}

// What to do about failures that are known.
constexpr struct {
  std::string_view of_path;  // Part of the plugin's path, or empty.
  std::string_view part_of_text;
  std::string_view advice;
} kHints[] = {
    {"libtpu", "hung",
     "without Google's metadata server libtpu waits for it: set TPU_SKIP_MDS_QUERY=1"},
    {"", "No jellyfish device", "no TPU can be seen here"},
    {"", "cuInit",
     "no NVIDIA GPU, or no driver for it, can be seen here: see what nvidia-smi says"},
    {"", "No visible GPU", "no GPU can be seen here: see what nvidia-smi says"},
    {"", "undefined symbol: _Py", "it is a module of Python, not a plugin"},
    {"", "undefined symbol: Py", "it is a module of Python, not a plugin"},
    {"", "GLIBC_", "it needs a newer glibc: update the system, or take an older plugin"},
    {"", "does not export GetPjrtApi", "it is a library, but no PJRT plugin"},
};

// One hint at most: the first that fits.
void AddHint(const Json& probe, std::vector<Finding>& findings) {
  const std::string text = StrCat(probe.At("verdict").Text(), "\n", probe.At("message").Text(),
                                  "\n", probe.At("standard_error").Text());
  const std::string_view path = probe.At("path").Text();
  for (const auto& hint : kHints) {
    if (path.find(hint.of_path) == std::string_view::npos) continue;
    if (text.find(hint.part_of_text) == std::string::npos) continue;
    findings.push_back({Finding::Kind::kNote, std::string(hint.advice)});
    return;
  }
}

}  // namespace

int64_t IntOf(const Json& object, std::string_view key, int64_t otherwise) {
  return object.At(key).AsInteger().value_or(otherwise);
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::vector<Finding> FindingsOf(const Json& probe) {
  std::vector<Finding> findings;
  for (const Json& library : probe.At("missing_libraries").Elements()) {
    const std::string_view name = library.At("name").Text();
    findings.push_back(
        {Finding::Kind::kProblem, StrCat("missing library ", name, ": ", AdviceFor(name))});
  }
  const std::string_view verdict = probe.At("verdict").Text();
  if (verdict != "works") {
    findings.push_back(
        {Finding::Kind::kProblem, StrCat("it ", verdict, ": ", probe.At("message").Text())});
    AddHint(probe, findings);
  }
  if (const Json* table = probe.Find("table"); table != nullptr) CheckTable(*table, findings);
  CheckExtensions(probe.At("extensions"), findings);
  if (const std::string_view text = probe.At("standard_error").Text(); !text.empty()) {
    findings.push_back(
        {Finding::Kind::kNote, StrCat("it wrote to standard error: ", FirstLine(text))});
  }
  return findings;
}

std::vector<std::string> KnownQuirks(int64_t minor) {
  static constexpr struct {
    std::string_view of;
    int first, last;
    std::string_view text;
  } kQuirks[] = {
#define PLINTH_QUIRK(of, first_minor, last_minor, text) {of, first_minor, last_minor, text},
#include "quirks.inc"
#undef PLINTH_QUIRK
  };
  std::vector<std::string> result;
  for (const auto& quirk : kQuirks) {
    if (minor >= quirk.first && minor <= quirk.last) {
      result.push_back(StrCat(quirk.of, ": ", quirk.text));
    }
  }
  return result;
}

}  // namespace plinth::cli
