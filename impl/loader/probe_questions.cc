// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/probe_questions.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "impl/loader/named_value_json.h"
#include "impl/loader/plugin_table.h"
#include "pjrt_c_api_layouts_extension.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/args.h"
#include "plinth/support/dtype.h"
#include "plinth/support/error.h"
#include "plinth/support/extension_chain.h"
#include "plinth/support/named_value.h"

namespace plinth::loader {
namespace {

constexpr int kMaxExtensions = 1000;
constexpr size_t kMaxDescribed = 64;

constexpr const char* kFunctionNames[] = {
#define PLINTH_PJRT_FUNCTION(slot, name, since, absent, minimum_struct_size) #name,
#include "plinth/support/abi_tables.inc"
};

struct ExtensionName {
  int type;
  const char* name;
};
constexpr ExtensionName kExtensionNames[] = {
#define PLINTH_PJRT_ENUM_VALUE(enum_name, name, value, since) \
  {std::string_view(#enum_name) == "PJRT_Extension_Type" ? value : -1, #name},
#include "plinth/support/abi_tables.inc"
};

std::string_view NameOfExtension(int type) {
  constexpr std::string_view kPrefix = "PJRT_Extension_Type_";
  for (const ExtensionName& entry : kExtensionNames) {
    if (entry.type == type) return std::string_view(entry.name).substr(kPrefix.size());
  }
  return "unknown";
}

// The code and message of an error, which is destroyed.
Status Take(const PJRT_Api& api, PJRT_Error* error) {
  if (error == nullptr) return Status();
  PJRT_Error_Message_Args message = {PJRT_Error_Message_Args_STRUCT_SIZE, nullptr, error, nullptr,
                                     0};
  api.PJRT_Error_Message(&message);
  PJRT_Error_GetCode_Args code = {PJRT_Error_GetCode_Args_STRUCT_SIZE, nullptr, error,
                                  PJRT_Error_Code_UNKNOWN};
  PJRT_Error* without_code = api.PJRT_Error_GetCode(&code);
  // An error that says OK is an error all the same.
  const int raw_code = RawEnum(code.code);
  const bool has_code = without_code == nullptr && raw_code != PJRT_Error_Code_OK;
  Status status = StatusFromParts(has_code ? raw_code : PJRT_Error_Code_UNKNOWN, message.message,
                                  message.message_size);
  for (PJRT_Error* one : {without_code, error}) {
    if (one == nullptr) continue;
    PJRT_Error_Destroy_Args destroy = {PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, one};
    api.PJRT_Error_Destroy(&destroy);
  }
  return status;
}

// Calls a function of the table; one that is not there is an error too.
template <typename Args>
Status Invoke(const PJRT_Api& api, PJRT_Error* (*PJRT_Api::*slot)(Args*), Args& args) {
  const char* name = FunctionOf<Args>::kName;
  if (!HasField(api, slot) || api.*slot == nullptr) return Unimplemented(name, " is not there");
  return Take(api, (api.*slot)(&args)).WithContext(name);
}

std::string_view View(const char* text, size_t size) {
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

Status DescribeDevice(const PJRT_Api& api, PJRT_Device* device, Json::Object& out) {
  PJRT_Device_GetDescription_Args description = {PJRT_Device_GetDescription_Args_STRUCT_SIZE,
                                                 nullptr, device, nullptr};
  PLINTH_RETURN_IF_ERROR(Invoke(api, &PJRT_Api::PJRT_Device_GetDescription, description));
  PJRT_DeviceDescription* described = description.device_description;
  PJRT_DeviceDescription_Id_Args id = {PJRT_DeviceDescription_Id_Args_STRUCT_SIZE, nullptr,
                                       described, 0};
  PLINTH_RETURN_IF_ERROR(Invoke(api, &PJRT_Api::PJRT_DeviceDescription_Id, id));
  out["id"] = id.id;
  PJRT_DeviceDescription_Kind_Args kind = {PJRT_DeviceDescription_Kind_Args_STRUCT_SIZE, nullptr,
                                           described, nullptr, 0};
  PLINTH_RETURN_IF_ERROR(Invoke(api, &PJRT_Api::PJRT_DeviceDescription_Kind, kind));
  out["kind"] = View(kind.device_kind, kind.device_kind_size);
  PJRT_Device_IsAddressable_Args addressable = {PJRT_Device_IsAddressable_Args_STRUCT_SIZE, nullptr,
                                                device, false};
  PLINTH_RETURN_IF_ERROR(Invoke(api, &PJRT_Api::PJRT_Device_IsAddressable, addressable));
  out["addressable"] = addressable.is_addressable;
  return Status();
}

// What a function adds to the description; one that fails or is not there adds nothing.
Json AttributesOf(const PJRT_NamedValue* values, size_t count) {
  Json::Object out;
  Expected<std::vector<NamedValue>> read = NamedValuesFromC(values, count);
  if (!read.ok()) return out;
  for (const NamedValue& value : *read) out[value.name] = ValueToJson(value.value);
  return out;
}

Json DescribeMemory(const PJRT_Api& api, PJRT_Memory* memory) {
  Json::Object out;
  PJRT_Memory_Id_Args id = {PJRT_Memory_Id_Args_STRUCT_SIZE, nullptr, memory, 0};
  if (Invoke(api, &PJRT_Api::PJRT_Memory_Id, id).ok()) out["id"] = id.id;
  PJRT_Memory_Kind_Args kind = {PJRT_Memory_Kind_Args_STRUCT_SIZE, nullptr, memory, nullptr, 0};
  if (Invoke(api, &PJRT_Api::PJRT_Memory_Kind, kind).ok()) {
    out["kind"] = View(kind.kind, kind.kind_size);
  }
  return out;
}

// Attributes, memories and statistics of a device, as far as the plugin tells them.
void DescribeDeviceFurther(const PJRT_Api& api, PJRT_Device* device, Json::Object& out) {
  auto description = MakeArgs<PJRT_Device_GetDescription_Args>();
  description.device = device;
  if (Invoke(api, &PJRT_Api::PJRT_Device_GetDescription, description).ok()) {
    auto attributes = MakeArgs<PJRT_DeviceDescription_Attributes_Args>();
    attributes.device_description = description.device_description;
    if (Invoke(api, &PJRT_Api::PJRT_DeviceDescription_Attributes, attributes).ok()) {
      out["attributes"] = AttributesOf(attributes.attributes, attributes.num_attributes);
    }
  }
  auto memories = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  memories.device = device;
  if (Invoke(api, &PJRT_Api::PJRT_Device_AddressableMemories, memories).ok()) {
    Json::Array list;
    for (size_t i = 0; i < memories.num_memories && memories.memories != nullptr; ++i) {
      list.push_back(DescribeMemory(api, memories.memories[i]));
    }
    out["memories"] = std::move(list);
  }
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = device;
  if (Invoke(api, &PJRT_Api::PJRT_Device_DefaultMemory, memory).ok()) {
    out["default_memory"] = DescribeMemory(api, memory.memory);
  }
  auto stats = MakeArgs<PJRT_Device_MemoryStats_Args>();
  stats.device = device;
  if (!Invoke(api, &PJRT_Api::PJRT_Device_MemoryStats, stats).ok()) return;
  Json::Object numbers{{"bytes_in_use", stats.bytes_in_use}};
  if (stats.bytes_limit_is_set) numbers["bytes_limit"] = stats.bytes_limit;
  if (stats.peak_bytes_in_use_is_set) numbers["peak_bytes_in_use"] = stats.peak_bytes_in_use;
  if (stats.num_allocs_is_set) numbers["num_allocs"] = stats.num_allocs;
  if (stats.largest_alloc_size_is_set) numbers["largest_alloc_size"] = stats.largest_alloc_size;
  out["memory_stats"] = std::move(numbers);
}

// The layout that a client gives an array when nothing is said, "{1,0:T(8,128)}", of its Layouts
// extension.
Expected<std::string> DefaultLayout(const PJRT_Api& api, const PJRT_Layouts_Extension& layouts,
                                    PJRT_Client* client, PJRT_Buffer_Type type,
                                    std::span<const int64_t> dims) {
  PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args of_client = {};
  of_client.struct_size = PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args_STRUCT_SIZE;
  of_client.client = client;
  of_client.type = type;
  of_client.dims = dims.data();
  of_client.num_dims = dims.size();
  PLINTH_RETURN_IF_ERROR(Take(api, layouts.PJRT_Layouts_PJRT_Client_GetDefaultLayout(&of_client)));
  PJRT_Layouts_MemoryLayout_Serialize_Args as_text = {};
  as_text.struct_size = PJRT_Layouts_MemoryLayout_Serialize_Args_STRUCT_SIZE;
  as_text.layout = of_client.layout;
  Status status = Take(api, layouts.PJRT_Layouts_MemoryLayout_Serialize(&as_text));
  std::string text(View(as_text.serialized_bytes, as_text.serialized_bytes_size));
  if (as_text.serialized_layout_deleter != nullptr && as_text.serialized_layout != nullptr) {
    as_text.serialized_layout_deleter(as_text.serialized_layout);
  }
  PJRT_Layouts_MemoryLayout_Destroy_Args destroy = {};
  destroy.struct_size = PJRT_Layouts_MemoryLayout_Destroy_Args_STRUCT_SIZE;
  destroy.layout = of_client.layout;
  const Status destroyed = Take(api, layouts.PJRT_Layouts_MemoryLayout_Destroy(&destroy));
  if (status.ok()) status = destroyed;
  PLINTH_RETURN_IF_ERROR(status);
  return text;
}

// {"f32[256,256]": "{1,0}", ...}: of a few shapes, large enough to show tiles. Empty if the plugin
// does not tell.
Json DescribeDefaultLayouts(const PJRT_Api& api, PJRT_Client* client) {
  static constexpr int64_t kDims[] = {8, 16, 256, 256};
  static constexpr struct {
    DType type;
    size_t rank;
  } kShapes[] = {
      {DType::kF32, 1}, {DType::kF32, 2}, {DType::kF32, 4}, {DType::kBF16, 2}, {DType::kS8, 2}};
  Json::Object out;
  const PJRT_Extension_Base* node = FindExtension(api.extension_start, PJRT_Extension_Type_Layouts);
  const auto* layouts = reinterpret_cast<const PJRT_Layouts_Extension*>(node);
  if (layouts == nullptr ||
      layouts->base.struct_size <=
          offsetof(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Client_GetDefaultLayout) ||
      layouts->PJRT_Layouts_PJRT_Client_GetDefaultLayout == nullptr ||
      layouts->PJRT_Layouts_MemoryLayout_Serialize == nullptr ||
      layouts->PJRT_Layouts_MemoryLayout_Destroy == nullptr) {
    return out;
  }
  for (const auto& shape : kShapes) {
    const std::span<const int64_t> dims = std::span(kDims).last(shape.rank);
    Expected<std::string> text = DefaultLayout(api, *layouts, client, ToC(shape.type), dims);
    if (text.ok()) out[StrCat(Name(shape.type), "[", StrJoin(dims, ","), "]")] = *std::move(text);
  }
  return out;
}

Status DescribeClient(const PJRT_Api& api, PJRT_Client* client,
                      const std::function<void(const char*)>& stage, Json::Object& out) {
  stage("PJRT_Client_PlatformName");
  PJRT_Client_PlatformName_Args name = {PJRT_Client_PlatformName_Args_STRUCT_SIZE, nullptr, client,
                                        nullptr, 0};
  PLINTH_RETURN_IF_ERROR(Invoke(api, &PJRT_Api::PJRT_Client_PlatformName, name));
  out["platform_name"] = View(name.platform_name, name.platform_name_size);
  stage("PJRT_Client_PlatformVersion");
  PJRT_Client_PlatformVersion_Args version = {PJRT_Client_PlatformVersion_Args_STRUCT_SIZE, nullptr,
                                              client, nullptr, 0};
  PLINTH_RETURN_IF_ERROR(Invoke(api, &PJRT_Api::PJRT_Client_PlatformVersion, version));
  out["platform_version"] = View(version.platform_version, version.platform_version_size);
  stage("PJRT_Client_Devices");
  PJRT_Client_Devices_Args devices = {PJRT_Client_Devices_Args_STRUCT_SIZE, nullptr, client,
                                      nullptr, 0};
  PLINTH_RETURN_IF_ERROR(Invoke(api, &PJRT_Api::PJRT_Client_Devices, devices));
  Json::Array list;
  for (size_t i = 0; i < devices.num_devices && devices.devices != nullptr; ++i) {
    Json::Object device;
    PLINTH_RETURN_IF_ERROR(DescribeDevice(api, devices.devices[i], device));
    // Of the first few: a cluster has thousands.
    if (i < kMaxDescribed && device.At("addressable").IsTrue()) {
      stage("the memories of a device");
      DescribeDeviceFurther(api, devices.devices[i], device);
    }
    list.emplace_back(std::move(device));
  }
  out["devices"] = std::move(list);
  stage("the Layouts extension");
  out["default_layouts"] = DescribeDefaultLayouts(api, client);
  return Status();
}

}  // namespace

Json DescribeTable(const PJRT_Api& api) {
  constexpr size_t kFirst = offsetof(PJRT_Api, PJRT_Error_Destroy);
  const auto in_table = static_cast<size_t>(SlotsOf(api));
  int filled = 0;
  Json::Array null;
  for (size_t i = 0; i < in_table && i < std::size(kFunctionNames); ++i) {
    void* slot;
    std::memcpy(&slot, reinterpret_cast<const char*>(&api) + kFirst + i * sizeof(slot),
                sizeof(slot));
    if (slot != nullptr) {
      ++filled;
    } else {
      null.emplace_back(kFunctionNames[i]);
    }
  }
  return Json::Object{
      {"major", api.pjrt_api_version.major_version},
      {"minor", api.pjrt_api_version.minor_version},
      {"struct_size", api.struct_size},
      {"slots", in_table},
      {"slots_known", kPjrtFunctionCount},
      {"slots_filled", filled},
      {"slots_null", std::move(null)},
  };
}

Json DescribeExtensions(const PJRT_Api& api) {
  Json::Array list;
  const PJRT_Api_Version& version = api.pjrt_api_version;
  if (version.major_version != kPjrtMajor || version.minor_version < kPjrtOldestReadableMinor) {
    return list;
  }
  if (version.minor_version < kOldestMinorWithExtensions) {
    // The nodes had no struct_size then: a type, and the next.
    struct OldNode {
      int type;
      const OldNode* next;
    };
    const auto* node = reinterpret_cast<const OldNode*>(api.extension_start);
    for (int count = 0; node != nullptr && count < kMaxExtensions; ++count, node = node->next) {
      list.emplace_back(Json::Object{{"type", node->type}, {"name", NameOfExtension(node->type)}});
    }
    return list;
  }
  const PJRT_Extension_Base* node = api.extension_start;
  for (int count = 0; node != nullptr && count < kMaxExtensions; ++count, node = node->next) {
    int type = RawEnum(node->type);
    Json::Object entry{
        {"type", type}, {"name", NameOfExtension(type)}, {"struct_size", node->struct_size}};
    if (const reflection::Table* table = reflection::FindTable(type); table != nullptr) {
      entry["known_version"] = table->version;
      entry["known_struct_size"] = reflection::Structs()[table->structure].end;
    }
    list.emplace_back(std::move(entry));
  }
  return list;
}

Json DescribeStatus(const Status& status) {
  return Json::Object{{"code", StatusCodeName(status.code())}, {"message", status.message()}};
}

Status Initialize(const PJRT_Api& api) {
  PJRT_Plugin_Initialize_Args args = {PJRT_Plugin_Initialize_Args_STRUCT_SIZE, nullptr};
  return Invoke(api, &PJRT_Api::PJRT_Plugin_Initialize, args);
}

Status ReadAttributes(const PJRT_Api& api, Json::Object& attributes) {
  PJRT_Plugin_Attributes_Args args = {PJRT_Plugin_Attributes_Args_STRUCT_SIZE, nullptr, nullptr, 0};
  PLINTH_RETURN_IF_ERROR(Invoke(api, &PJRT_Api::PJRT_Plugin_Attributes, args));
  PLINTH_ASSIGN_OR_RETURN(std::vector<NamedValue> values,
                          NamedValuesFromC(args.attributes, args.num_attributes));
  for (const NamedValue& value : values) {
    attributes[value.name] = ValueToJson(value.value);
  }
  return Status();
}

Status QuestionClient(const PJRT_Api& api, std::string_view create_options_json,
                      const std::function<void(const char*)>& stage, Json::Object& out) {
  PLINTH_ASSIGN_OR_RETURN(std::vector<NamedValue> values, OptionsFromJson(create_options_json));
  NamedValueArray options(std::move(values));
  PJRT_Client_Create_Args create = {};
  create.struct_size = PJRT_Client_Create_Args_STRUCT_SIZE;
  create.create_options = options.data();
  create.num_options = options.size();
  PLINTH_RETURN_IF_ERROR(Invoke(api, &PJRT_Api::PJRT_Client_Create, create));
  if (create.client == nullptr) return Internal("PJRT_Client_Create succeeded without a client");
  Status described = DescribeClient(api, create.client, stage, out);
  stage("PJRT_Client_Destroy");
  PJRT_Client_Destroy_Args destroy = {PJRT_Client_Destroy_Args_STRUCT_SIZE, nullptr, create.client};
  Status destroyed = Invoke(api, &PJRT_Api::PJRT_Client_Destroy, destroy);
  return described.ok() ? destroyed : described;
}

}  // namespace plinth::loader
