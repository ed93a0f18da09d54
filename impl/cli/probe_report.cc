#include "impl/cli/probe_report.h"

#include <cjson/cJSON.h>

namespace plinth::cli {
namespace {

using loader::JsonMember;

std::string PrintValue(const cJSON* value) {
  char* text = cJSON_PrintUnformatted(value);
  std::string result = text == nullptr ? "" : text;
  cJSON_free(text);
  return result;
}

}  // namespace

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

}  // namespace plinth::cli
