#include "impl/cli/probe_report.h"

#include <cjson/cJSON.h>

#include "plinth/client/api.h"
#include "plinth/support/abi_version.h"

namespace plinth::cli {
namespace {

using loader::JsonMember;

int IntOf(const cJSON* object, const char* key, int otherwise = 0) {
  const cJSON* member = JsonMember(object, key);
  return cJSON_IsNumber(member) ? member->valueint : otherwise;
}

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
  if (text.find("GLIBC_") != std::string_view::npos) {
    return "the plugin needs a newer glibc: update the system, or take an older plugin";
  }
  return "install the package that has it, or add its folder to LD_LIBRARY_PATH";
}

// Functions that the table of a minor has; 0 if that minor is not known.
int TableSizeOf(int minor) {
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
bool IsCalledUntested(std::string_view function, int minor, bool* is_required) {
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

void CheckTable(const cJSON* table, std::vector<Finding>& findings) {
  const int minor = IntOf(table, "minor");
  const int slots = IntOf(table, "slots");
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
  const cJSON* function = nullptr;
  cJSON_ArrayForEach(function, JsonMember(table, "slots_null")) {
    if (!cJSON_IsString(function)) continue;
    bool is_required = false;
    if (!IsCalledUntested(function->valuestring, minor, &is_required)) continue;
    if (is_required) {
      findings.push_back({Finding::Kind::kProblem,
                          StrCat(function->valuestring, " is null; every plugin must have it")});
    } else {
      findings.push_back(
          {Finding::Kind::kWarning,
           StrCat(function->valuestring,
                  " is null, and frameworks call it without looking: they crash unless libplinth "
                  "is in between")});
    }
  }
}

void CheckExtensions(const cJSON* extensions, std::vector<Finding>& findings) {
  std::vector<int> seen;
  const cJSON* extension = nullptr;
  cJSON_ArrayForEach(extension, extensions) {
    const int type = IntOf(extension, "type", -1);
    for (int other : seen) {
      if (other == type) {
        findings.push_back(
            {Finding::Kind::kWarning,
             StrCat("extension ", type, " is twice in its chain; the first counts")});
      }
    }
    seen.push_back(type);
  }
}

// The first line of what people read.
std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string PrintValue(const cJSON* value) {
  char* text = cJSON_PrintUnformatted(value);
  std::string result = text == nullptr ? "" : text;
  cJSON_free(text);
  return result;
}

}  // namespace

std::string_view TextOf(const cJSON* object, const char* key) {
  const cJSON* member = JsonMember(object, key);
  return cJSON_IsString(member) ? member->valuestring : "";
}

Expected<loader::Json> Probe(const ProbeOptions& options) {
  const plinth_load_options load = options.choice.LoadOptions();
  plinth_probe_options probe = {};
  probe.struct_size = plinth_probe_options_STRUCT_SIZE;
  probe.timeout_ms = options.timeout_ms;
  probe.create_client = options.create_client;
  std::string create_options;
  if (!options.choice.create_options.empty()) {
    PLINTH_ASSIGN_OR_RETURN(const client::Options values,
                            ParseOptions(options.choice.create_options));
    create_options = loader::JsonText(NamedValuesJson(values.values()).get());
    probe.create_options_json = create_options.c_str();
  }
  char* text = nullptr;
  PLINTH_RETURN_IF_ERROR(TakeStatus(plinth_probe(&load, &probe, &text)));
  const Owned<char> owned(text);
  return loader::ParseJsonObject(text);
}

void PrintProbe(const cJSON* probe, std::string_view indent, Output& output) {
  const auto line = [&](std::string_view label, std::string_view value) {
    const size_t width = 20 - indent.size();
    const std::string pad(label.size() + 1 < width ? width - label.size() - 1 : 1, ' ');
    output.Line(indent, label, ":", pad, value);
  };
  line("path", TextOf(probe, "path"));
  line("found by", StrCat(TextOf(probe, "found"), " (", TextOf(probe, "source"), ")"));
  if (const cJSON* table = JsonMember(probe, "table"); table != nullptr) {
    line("PJRT", StrCat(IntOf(table, "major"), ".", IntOf(table, "minor"), ", ",
                        IntOf(table, "slots_filled"), " of ", IntOf(table, "slots"), " functions"));
  }
  if (const cJSON* extensions = JsonMember(probe, "extensions"); extensions != nullptr) {
    std::vector<std::string> names;
    const cJSON* extension = nullptr;
    cJSON_ArrayForEach(extension, extensions) {
      names.push_back(
          StrCat(TextOf(extension, "name"), " (", IntOf(extension, "struct_size"), " bytes)"));
    }
    line("extensions", names.empty() ? "none" : StrJoin(names));
  }
  const cJSON* attribute = nullptr;
  cJSON_ArrayForEach(attribute, JsonMember(probe, "attributes")) {
    line("attribute", StrCat(attribute->string, " = ", PrintValue(attribute)));
  }
  const cJSON* client = JsonMember(probe, "client");
  if (JsonMember(client, "platform_name") != nullptr) {
    line("platform", StrCat(TextOf(client, "platform_name"), ", ",
                            FirstLine(TextOf(client, "platform_version"))));
  }
  const cJSON* device = nullptr;
  cJSON_ArrayForEach(device, JsonMember(client, "devices")) {
    line("device",
         StrCat(IntOf(device, "id"), ": ", TextOf(device, "kind"),
                cJSON_IsTrue(JsonMember(device, "addressable")) ? "" : ", of another process"));
  }
}

std::vector<Finding> FindingsOf(const cJSON* probe) {
  std::vector<Finding> findings;
  const cJSON* library = nullptr;
  cJSON_ArrayForEach(library, JsonMember(probe, "missing_libraries")) {
    const std::string_view name = TextOf(library, "name");
    findings.push_back(
        {Finding::Kind::kProblem, StrCat("missing library ", name, ": ", AdviceFor(name))});
  }
  const std::string_view verdict = TextOf(probe, "verdict");
  if (verdict != "works") {
    findings.push_back(
        {Finding::Kind::kProblem, StrCat("it ", verdict, ": ", TextOf(probe, "message"))});
    if (findings.size() == 1 && TextOf(probe, "message").find("GLIBC") != std::string_view::npos) {
      findings.push_back({Finding::Kind::kNote, std::string(AdviceFor("GLIBC_"))});
    }
  }
  if (const cJSON* table = JsonMember(probe, "table"); table != nullptr)
    CheckTable(table, findings);
  CheckExtensions(JsonMember(probe, "extensions"), findings);
  if (const std::string_view text = TextOf(probe, "standard_error"); !text.empty()) {
    findings.push_back(
        {Finding::Kind::kNote, StrCat("it wrote to standard error: ", FirstLine(text))});
  }
  return findings;
}

std::vector<std::string> KnownQuirks(int minor) {
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
