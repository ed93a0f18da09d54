// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/descriptions.h"

#include <map>

#include "conformance/cases/ask.h"

namespace plinth::conformance {

std::vector<PJRT_Device*> AllDevices(Context& context) {
  auto args = Get<&PJRT_Client_Devices_Args::client>(context, context.client());
  if (!args) return {};
  return List(args->devices, args->num_devices);
}

std::string AttributesText(Context& context, const PJRT_NamedValue* values, size_t count,
                           std::string_view of) {
  std::map<std::string, std::string> named;
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue& value = values[i];
    std::string name(StringOf(value.name, value.name_size));
    context.Check(kOutputTrue, !name.empty() && name.find('\0') == std::string::npos, of,
                  ": attribute ", i, " has no name, or one with NUL");
    std::string text;
    switch (RawEnum(value.type)) {
      case PJRT_NamedValue_kString:
        text = StringOf(value.string_value, value.value_size);
        context.Check("PJRT-Strings-size", !text.ends_with('\0'), of, ": the text of attribute ",
                      name, " ends with NUL");
        break;
      case PJRT_NamedValue_kInt64:
        text = StrCat(value.int64_value);
        break;
      case PJRT_NamedValue_kInt64List:
        text = StrJoin(List(value.int64_array_value, value.value_size));
        break;
      case PJRT_NamedValue_kFloat:
        text = StrCat(value.float_value);
        break;
      case PJRT_NamedValue_kBool:
        text = RawBool(value.bool_value) ? "true" : "false";
        break;
      default:
        context.Fail("PJRT-Args-output-enum",
                     StrCat(of, ": attribute ", name, " has the type ", RawEnum(value.type)));
    }
    bool is_scalar = RawEnum(value.type) >= PJRT_NamedValue_kInt64 &&
                     RawEnum(value.type) != PJRT_NamedValue_kInt64List;
    context.Check(kOutputTrue, !is_scalar || value.value_size == 1, of, ": attribute ", name,
                  " is a scalar of ", value.value_size, " values");
    context.Check(kOutputTrue, value.struct_size >= 56, of, ": attribute ", name,
                  " has the struct_size ", value.struct_size);
    context.Check(kOutputTrue, named.emplace(name, text).second, of,
                  ": two attributes have the name ", name);
  }
  std::string all;
  for (const auto& [name, text] : named) all += StrCat(name, "=", text, "\n");
  return all;
}

Described Describe(Context& context, PJRT_DeviceDescription* description) {
  Described all;
  if (auto id = Get<&PJRT_DeviceDescription_Id_Args::device_description>(context, description))
    all.id = id->id;
  if (auto process = Get<&PJRT_DeviceDescription_ProcessIndex_Args::device_description>(
          context, description)) {
    all.process = process->process_index;
  }
  if (auto kind =
          Get<&PJRT_DeviceDescription_Kind_Args::device_description>(context, description)) {
    all.kind = StringOf(kind->device_kind, kind->device_kind_size);
  }
  if (auto text =
          Get<&PJRT_DeviceDescription_DebugString_Args::device_description>(context, description)) {
    all.debug = StringOf(text->debug_string, text->debug_string_size);
  }
  if (auto text =
          Get<&PJRT_DeviceDescription_ToString_Args::device_description>(context, description)) {
    all.text = StringOf(text->to_string, text->to_string_size);
  }
  if (auto attributes =
          Get<&PJRT_DeviceDescription_Attributes_Args::device_description>(context, description)) {
    all.attributes = AttributesText(context, attributes->attributes, attributes->num_attributes,
                                    StrCat("device ", all.id));
  }
  return all;
}

}  // namespace plinth::conformance
