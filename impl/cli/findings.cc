// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/findings.h"

#include <string>

#include "plinth/support/abi_version.h"
#include "plinth/support/plugin_hint.h"
#include "plinth/support/str_cat.h"

namespace plinth::cli {
namespace {

// What a library belongs to that plugins need and hosts often lack, and the packages that have it.
constexpr struct {
  std::string_view part_of_name;
  std::string_view vendor;
  std::string_view package;
} kLibraries[] = {
    {"libcuda.so", "the NVIDIA driver", "the driver itself"},
    {"libnvidia", "the NVIDIA driver", "the driver itself"},
    {"libcudart", "CUDA", "pip nvidia-cuda-runtime"},
    {"libcublas", "CUDA", "pip nvidia-cublas"},
    {"libcudnn", "CUDA", "pip nvidia-cudnn-cu12 or -cu13"},
    {"libnccl", "CUDA", "pip nvidia-nccl-cu12 or -cu13"},
    {"libcupti", "CUDA", "pip nvidia-cuda-cupti"},
    {"libcufft", "CUDA", "pip nvidia-cufft"},
    {"libcusolver", "CUDA", "pip nvidia-cusolver"},
    {"libcusparse", "CUDA", "pip nvidia-cusparse"},
    {"libnvJitLink", "CUDA", "pip nvidia-nvjitlink"},
    {"libnvrtc", "CUDA", "pip nvidia-cuda-nvrtc"},
    {"libnvshmem", "CUDA", "pip nvidia-nvshmem-cu12 or -cu13"},
    {"libamdhip64", "ROCm", "apt hip-runtime-amd"},
    {"libhsa-runtime64", "ROCm", "apt hsa-rocr"},
    {"librocblas", "ROCm", "apt rocblas"},
    {"libhipblaslt", "ROCm", "apt hipblaslt"},
    {"libhipblas", "ROCm", "apt hipblas"},
    {"libhipfft", "ROCm", "apt hipfft"},
    {"libhipsolver", "ROCm", "apt hipsolver"},
    {"libhipsparse", "ROCm", "apt hipsparse"},
    {"libMIOpen", "ROCm", "apt miopen-hip"},
    {"librccl", "ROCm", "apt rccl"},
    {"librocsolver", "ROCm", "apt rocsolver"},
    {"librocm", "ROCm", "apt rocm-smi-lib, rocm-core"},
    {"libroctx", "ROCm", "apt roctracer"},
    {"libroctracer", "ROCm", "apt roctracer"},
    {"librocprofiler", "ROCm", "apt rocprofiler-sdk"},
    {"libccl.so", "oneAPI", "apt intel-oneapi-ccl, pip oneccl"},
    {"libsycl", "oneAPI", "apt intel-oneapi-runtime-dpcpp-cpp, pip intel-sycl-rt"},
    {"libmkl", "oneAPI", "apt intel-oneapi-runtime-mkl, pip mkl"},
    {"libimf.so", "oneAPI", "apt intel-oneapi-runtime-compilers, pip intel-cmplr-lib-rt"},
    {"libsvml.so", "oneAPI", "apt intel-oneapi-runtime-compilers, pip intel-cmplr-lib-rt"},
    {"libirng.so", "oneAPI", "apt intel-oneapi-runtime-compilers, pip intel-cmplr-lib-rt"},
    {"libintlc.so", "oneAPI", "apt intel-oneapi-runtime-compilers, pip intel-cmplr-lib-rt"},
    {"libiomp5", "oneAPI", "apt intel-oneapi-runtime-openmp, pip intel-openmp"},
    {"libtbb", "oneAPI", "apt libtbb12, pip tbb"},
    {"libmpi.so", "oneAPI", "apt intel-oneapi-mpi, pip impi-rt"},
    {"libOpenCL", "oneAPI", "apt ocl-icd-libopencl1"},
    {"libze_loader", "oneAPI", "apt libze1 (Level Zero)"},
    {"libstdc++", "the system", "an update: the plugin was built with a newer compiler"},
    {"libopenblas", "OpenBLAS", "apt libopenblas0"},
};

// Missing libraries by whom they are of, in the order of the first of each: one problem each.
void CheckLibraries(const Json& missing, std::vector<Finding>& findings) {
  struct Group {
    std::string vendor, text;
  };
  std::vector<Group> groups;
  for (const Json& library : missing.Elements()) {
    const std::string_view name = library.At("name").Text();
    std::string_view vendor, package = "the package that has it, or its folder in LD_LIBRARY_PATH";
    for (const auto& row : kLibraries) {
      if (name.find(row.part_of_name) == std::string_view::npos) continue;
      vendor = row.vendor;
      package = row.package;
      break;
    }
    Group* group = nullptr;
    for (Group& each : groups) {
      if (each.vendor == vendor) group = &each;
    }
    if (group == nullptr) group = &groups.emplace_back(Group{std::string(vendor), ""});
    const std::string_view needed_by = library.At("needed_by").Text();
    group->text += StrCat(group->text.empty() ? "" : "; ", name,
                          needed_by.empty() ? "" : StrCat(", which ", needed_by, " needs"),
                          " (install ", package, ")");
  }
  for (const Group& group : groups) {
    findings.push_back(
        {Finding::Kind::kProblem, StrCat("missing libraries", group.vendor.empty() ? "" : " of ",
                                         group.vendor, ": ", group.text)});
  }
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
  // Nobody here knows what stands in the table of another major version.
  if (const int64_t major = IntOf(table, "major"); major != kPjrtMajor) {
    findings.push_back(
        {Finding::Kind::kNote, StrCat("only the version of a table of PJRT ", major,
                                      ".x is read; its functions may mean anything")});
    return;
  }
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

// One hint at most: the first that fits.
void AddHint(const Json& probe, std::vector<Finding>& findings) {
  const std::string text = StrCat(probe.At("verdict").Text(), "\n", probe.At("message").Text(),
                                  "\n", probe.At("standard_error").Text());
  const std::string_view hint = PluginHint(probe.At("path").Text(), text);
  if (!hint.empty()) findings.push_back({Finding::Kind::kNote, std::string(hint)});
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
  CheckLibraries(probe.At("missing_libraries"), findings);
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

std::string NewerThan(int64_t minor) {
  if (minor <= 0 || minor >= kPjrtDeclaredMinor) return {};
  static constexpr struct {
    std::string_view name;
    int since;
  } kFunctions[] = {
#define PLINTH_PJRT_FUNCTION(slot, name, since, absent, minimum_struct_size) {#name, since},
#include "plinth/support/abi_tables.inc"
  };
  std::string names;
  int count = 0;
  for (const auto& function : kFunctions) {
    if (function.since <= minor) continue;
    if (++count <= 8) names += StrCat(names.empty() ? "" : ", ", function.name);
  }
  if (count > 8) names += StrCat(" and ", count - 8, " more");
  return StrCat("the newest known is 0.", kPjrtDeclaredMinor, "; ",
                count == 0 ? "since 0." + std::to_string(minor) +
                                 " no function was added, but some structs grew"
                           : "the plugin was built before " + names);
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
