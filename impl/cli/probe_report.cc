// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/probe_report.h"

#include "impl/cli/findings.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/client_option.h"

namespace plinth::cli {
namespace {

// " 4 (80 bytes)": the version whose size the table has; extensions do not tell it themselves.
std::string VersionOf(const Json& extension, int64_t size) {
  const int64_t known = IntOf(extension, "known_struct_size", -1);
  if (size < 0) return {};
  if (known < 0) return StrCat(" (", size, " bytes)");
  const int64_t version = IntOf(extension, "known_version");
  if (size == known) return StrCat(" ", version, " (", size, " bytes)");
  return StrCat(size < known ? " before " : " after ", version, " (", size, " bytes, not ", known,
                ")");
}

}  // namespace

Expected<Json> Probe(const ProbeOptions& options) {
  const plinth_load_options load = options.choice.LoadOptions();
  plinth_probe_options probe = {};
  probe.struct_size = plinth_probe_options_STRUCT_SIZE;
  probe.timeout_ms = options.timeout_ms;
  probe.create_client = options.create_client;
  std::string create_options;
  if (!options.choice.create_options.empty()) {
    PLINTH_ASSIGN_OR_RETURN(const client::Options values,
                            ParseOptions(options.choice.create_options));
    create_options = NamedValuesJson(values.values()).ToString();
    probe.create_options_json = create_options.c_str();
  }
  char* text = nullptr;
  PLINTH_RETURN_IF_ERROR(TakeStatus(plinth_probe(&load, &probe, &text)));
  const Owned<char> owned(text);
  return Json::Parse(text);
}

void PrintProbe(const Json& probe, std::string_view indent, bool in_full, Output& output) {
  const auto line = [&](std::string_view label, std::string_view value) {
    const size_t width = 20 - indent.size();
    const std::string pad(label.size() + 1 < width ? width - label.size() - 1 : 1, ' ');
    output.Line(indent, label, label.empty() ? " " : ":", pad, value);
  };
  line("path", probe.At("path").Text());
  line("found by", StrCat(probe.At("found").Text(), " (", probe.At("source").Text(), ")"));
  if (const Json* table = probe.Find("table"); table != nullptr) {
    line("PJRT",
         StrCat(IntOf(*table, "major"), ".", IntOf(*table, "minor"), ", ",
                IntOf(*table, "slots_filled"), " of ", IntOf(*table, "slots"), " functions"));
    const std::string newer = NewerThan(IntOf(*table, "minor"));
    if (!newer.empty() && IntOf(*table, "major") == kPjrtMajor) line("", newer);
  }
  if (const Json* extensions = probe.Find("extensions"); extensions != nullptr) {
    std::vector<std::string> names;
    for (const Json& extension : extensions->Elements()) {
      // Before 0.45 they had no size.
      const int64_t size = IntOf(extension, "struct_size", -1);
      names.push_back(StrCat(extension.At("name").Text(), VersionOf(extension, size)));
    }
    line("extensions", names.empty() ? "none" : StrJoin(names));
  }
  for (const auto& [name, value] : probe.At("attributes").Members()) {
    if (name.starts_with(kClientOptionAttribute)) continue;
    line("attribute", StrCat(name, " = ", value.ToString()));
  }
  const Json& client = probe.At("client");
  if (client.Find("platform_name") != nullptr) {
    line("platform", StrCat(client.At("platform_name").Text(), ", ",
                            FirstLine(client.At("platform_version").Text())));
  }
  for (const Json& device : client.At("devices").Elements()) {
    line("device", StrCat(IntOf(device, "id"), ": ", device.At("kind").Text(),
                          device.At("addressable").IsTrue() ? "" : ", of another process"));
    if (!in_full) continue;
    for (const auto& [name, value] : device.At("attributes").Members()) {
      line("  attribute", StrCat(name, " = ", value.ToString()));
    }
    for (const Json& memory : device.At("memories").Elements()) {
      const bool is_default =
          IntOf(memory, "id", -1) == IntOf(device.At("default_memory"), "id", -2);
      line("  memory", StrCat(IntOf(memory, "id"), ": ", memory.At("kind").Text(),
                              is_default ? ", the default" : ""));
    }
    std::string numbers;
    for (const auto& [name, value] : device.At("memory_stats").Members()) {
      numbers += StrCat(numbers.empty() ? "" : ", ", name, " ", value.ToString());
    }
    if (!numbers.empty()) line("  statistics", numbers);
  }
  if (!in_full) return;
  std::vector<std::string> null;
  for (const Json& name : probe.At("table").At("slots_null").Elements()) {
    null.emplace_back(name.Text());
  }
  if (!null.empty()) line("null slots", StrJoin(null));
  for (const auto& [shape, layout] : client.At("default_layouts").Members()) {
    line("default layout", StrCat(shape, " ", layout.Text()));
  }
  for (const auto& [name, value] : probe.At("attributes").Members()) {
    if (!name.starts_with(kClientOptionAttribute)) continue;
    line("client option", StrCat(name.substr(kClientOptionAttribute.size()), " = ",
                                 value.ToString(), ", the default"));
  }
  for (const auto& [name, value] : probe.At("create_options").Members()) {
    line("client option", StrCat(name, " = ", value.ToString(), ", of its manifest"));
  }
}

}  // namespace plinth::cli
