// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/about.h"

#include <cstdio>

#include "conformance/runner/context.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/client_option.h"
#include "plinth/support/json.h"

namespace plinth::conformance {
namespace {

constexpr char kPlugin[] = "about/plugin", kClient[] = "about/client";

// A fact travels as a note, "name=text".
void NoteFact(Context& context, std::string_view name, std::string_view text) {
  context.Note(StrCat(name, "=", text));
}

// A wrong size is for the cases to find: what cannot be a text is left out here.
std::string_view View(const char* text, size_t size) {
  constexpr size_t kLongest = 1 << 20;
  return text == nullptr || size > kLongest ? std::string_view() : std::string_view(text, size);
}

std::string ValueText(const PJRT_NamedValue& value) {
  switch (RawEnum(value.type)) {
    case PJRT_NamedValue_kString:
      return std::string(View(value.string_value, value.value_size));
    case PJRT_NamedValue_kInt64:
      return StrCat(value.int64_value);
    case PJRT_NamedValue_kFloat:
      return StrCat(value.float_value);
    case PJRT_NamedValue_kBool:
      return RawBool(value.bool_value) ? "true" : "false";
    case PJRT_NamedValue_kInt64List:
      if (value.int64_array_value == nullptr || value.value_size > 1000) return "";
      return StrJoin(
          std::vector<int64_t>(value.int64_array_value, value.int64_array_value + value.value_size),
          ".");
  }
  return "of an unknown type";
}

void AskPlugin(Context& context) {
  auto args = MakeArgs<PJRT_Plugin_Attributes_Args>();
  if (!context.plugin().Call(args).ok() || args.attributes == nullptr) return;
  for (size_t i = 0; i < args.num_attributes && i < 100; ++i) {
    const PJRT_NamedValue& attribute = args.attributes[i];
    const std::string_view name = View(attribute.name, attribute.name_size);
    if (name.starts_with(kClientOptionAttribute)) continue;  // `plinth info` shows them.
    NoteFact(context, StrCat("attribute ", name), ValueText(attribute));
  }
}

void AskClient(Context& context) {
  const Plugin& plugin = context.plugin();
  Expected<OwnedClient> client = context.NewClient();
  if (!client.ok()) return context.Fail("", client.status().ToString());
  auto platform = MakeArgs<PJRT_Client_PlatformName_Args>();
  platform.client = client->get();
  if (plugin.Call(platform).ok()) {
    NoteFact(context, "platform", View(platform.platform_name, platform.platform_name_size));
  }
  auto version = MakeArgs<PJRT_Client_PlatformVersion_Args>();
  version.client = client->get();
  if (plugin.Call(version).ok()) {
    NoteFact(context, "platform version",
             View(version.platform_version, version.platform_version_size));
  }
  auto devices = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  devices.client = client->get();
  if (!plugin.Call(devices).ok() || devices.addressable_devices == nullptr) return;
  NoteFact(context, "devices", StrCat(devices.num_addressable_devices));
  if (devices.num_addressable_devices == 0) return;
  auto description = MakeArgs<PJRT_Device_GetDescription_Args>();
  description.device = devices.addressable_devices[0];
  if (!plugin.Call(description).ok()) return;
  auto kind = MakeArgs<PJRT_DeviceDescription_Kind_Args>();
  kind.device_description = description.device_description;
  if (plugin.Call(kind).ok()) {
    NoteFact(context, "device", View(kind.device_kind, kind.device_kind_size));
  }
}

std::string TextOf(const Result& result) {
  std::string text;
  for (const Finding& finding : result.findings) {
    text += StrCat(text.empty() ? "" : "; ", finding.text);
  }
  switch (result.verdict) {
    case Verdict::kCrash:
      return StrCat("the plugin crashed while it made a client: ", text);
    case Verdict::kHang:
      return StrCat("the plugin hung while it made a client: ", text);
    default:
      return text;
  }
}

}  // namespace

Status CheckIsReadable(int major, int minor) {
  if (major != kPjrtMajor) {
    return FailedPrecondition("the plugin is of PJRT ", major, ".", minor,
                              "; this suite knows the table of major version ", kPjrtMajor,
                              " and does not read another");
  }
  if (minor < kPjrtOldestMinor) {
    return FailedPrecondition(
        "the plugin is of PJRT 0.", minor, "; the suite begins at 0.", kPjrtOldestMinor,
        ", as tables before it do not tell their size. `plinth doctor --allow-old` describes it");
  }
  return Status();
}

std::vector<Case> AboutCases() {
  return {{kPlugin, Level::kL0, ClientNeed::kNone, {}, AskPlugin},
          {kClient, Level::kL0, ClientNeed::kNone, {}, AskClient}};
}

About AskAbout(const SupervisorOptions& options) {
  const std::vector<Case> cases = AboutCases();
  SupervisorOptions quiet = options;
  quiet.on_result = nullptr;
  quiet.on_start = nullptr;
  quiet.jobs = 1;
  SupervisorOutcome outcome = RunCases(quiet, {&cases[0], &cases[1]});
  About about;
  about.error = outcome.error;
  about.version = outcome.version;
  sscanf(about.version.c_str(), "%d.%d", &about.major, &about.minor);
  for (const Result& result : outcome.results) {
    for (const std::string& note : result.notes) {
      size_t equals = note.find('=');
      if (equals == std::string::npos) continue;
      about.facts.emplace_back(note.substr(0, equals), note.substr(equals + 1));
    }
    if (result.name == kClient && result.verdict != Verdict::kPass) {
      about.no_client = TextOf(result);
      for (const std::string& note : result.notes) {
        if (note.starts_with("written before: ")) about.no_client += "\n" + note;
      }
    }
  }
  return about;
}

}  // namespace plinth::conformance
