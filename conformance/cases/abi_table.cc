// SPDX-License-Identifier: Apache-2.0
// L0: the table itself.

#include <set>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/descriptions.h"
#include "plinth/support/abi_version.h"

namespace plinth::conformance {
namespace {

using reflection::Absent;

constexpr int kMaxExtensions = 1000;

void Version(Context& context) {
  const PJRT_Api& api = *context.plugin().api();
  context.Note(StrCat(api.pjrt_api_version.major_version, ".", api.pjrt_api_version.minor_version));
  context.Check("PJRT-Api-struct_size", api.pjrt_api_version.major_version == kPjrtMajor,
                "the major version is ", api.pjrt_api_version.major_version, ", this suite is for ",
                kPjrtMajor);
}

void Size(Context& context) {
  const PJRT_Api& api = *context.plugin().api();
  int minor = context.plugin().minor();
  size_t wanted = 0;
#define PLINTH_PJRT_TABLE_SIZE(table_minor, function_count) \
  if (minor == table_minor) wanted = 40 + 8 * function_count;
#include "plinth/support/abi_tables.inc"
  context.Note(StrCat("struct_size ", api.struct_size));
  if (wanted == 0) return;  // newer than this suite, or older than the history of exact tables
  context.Check("PJRT-Api-struct_size", api.struct_size >= wanted, "a table of 0.", minor, " has ",
                wanted, " bytes, struct_size is ", api.struct_size);
}

void Slots(Context& context) {
  std::string absent;
  for (const auto& function : reflection::Functions()) {
    if (function.table >= 0 || function.since > context.plugin().minor()) continue;
    if (context.plugin().Slot(function) != nullptr) continue;
    if (function.absent == Absent::kNull) {
      absent += StrCat(absent.empty() ? "" : ", ", function.name);
    } else {
      context.Fail("PJRT-Api-full", StrCat("the slot of ", function.name, " is null"));
    }
  }
  if (!absent.empty()) context.Note("absent: " + absent);
}

void Extensions(Context& context) {
  std::set<int> types;
  std::string chain;
  int count = 0;
  for (const PJRT_Extension_Base* node = context.plugin().api()->extension_start; node != nullptr;
       node = node->next) {
    if (!context.Check("PJRT-Args-extension_start", ++count < kMaxExtensions,
                       "the chain has more than ", kMaxExtensions, " nodes: it runs in a circle")) {
      return;
    }
    int type = RawEnum(node->type);
    chain += StrCat(chain.empty() ? "" : " ", type, ":", node->struct_size);
    context.Check("PJRT-Args-extension_start", node->struct_size >= sizeof(*node), "extension ",
                  type, " has the struct_size ", node->struct_size);
    context.Check("PJRT-Args-extension_start", types.insert(type).second, "extension ", type,
                  " is twice on the chain");
    const reflection::Table* table = reflection::FindTable(type);
    if (table == nullptr) continue;
    for (const auto& function : reflection::Functions()) {
      if (function.table < 0 || &reflection::Tables()[function.table] != table) continue;
      bool is_reached = function.offset + sizeof(void*) <= node->struct_size;
      if (!is_reached || function.absent == Absent::kNull) continue;
      context.Check("PJRT-Api-full", context.plugin().Slot(function) != nullptr, "the slot of ",
                    function.name, " is null");
    }
  }
  context.Note("type:size " + chain);
}

void Attributes(Context& context) {
  auto args = MakeArgs<PJRT_Plugin_Attributes_Args>();
  if (!context.Ok("PJRT-Plugin_Attributes-early", "PJRT_Plugin_Attributes",
                  context.plugin().Call(args))) {
    return;
  }
  auto again = MakeArgs<PJRT_Plugin_Attributes_Args>();
  if (context.Ok("PJRT-Args-accepted", "PJRT_Plugin_Attributes again",
                 context.plugin().Call(again))) {
    context.Check("PJRT-Args-output-same", again.num_attributes == args.num_attributes,
                  "num_attributes is ", args.num_attributes, ", and then ", again.num_attributes);
  }
  if (!context.Check("PJRT-Plugin_Attributes-lifetime",
                     args.attributes != nullptr || args.num_attributes == 0,
                     "`attributes` is null with num_attributes ", args.num_attributes)) {
    return;
  }
  for (size_t i = 0; i < args.num_attributes; ++i) {
    const PJRT_NamedValue& value = args.attributes[i];
    std::string name(value.name, value.name_size);
    int type = RawEnum(value.type);
    // Elements of an array are as far apart as their size of always.
    if (i > 0) {
      context.Check("PJRT-Args-frozen", value.struct_size == args.attributes[0].struct_size,
                    "attribute ", i, " has the struct_size ", value.struct_size, ", the first has ",
                    args.attributes[0].struct_size);
    }
    context.Check("PJRT-Plugin_Attributes-lifetime", type >= 0 && type <= PJRT_NamedValue_kBool,
                  "attribute ", name, " has the type ", type);
    std::string text = name;
    if (type == PJRT_NamedValue_kInt64) text += StrCat(" = ", value.int64_value);
    if (type == PJRT_NamedValue_kString) {
      text += StrCat(" = ", std::string_view(value.string_value, value.value_size));
    }
    if (type == PJRT_NamedValue_kInt64List) {
      text += " =";
      for (size_t k = 0; k < value.value_size; ++k) text += StrCat(" ", value.int64_array_value[k]);
    }
    context.Note(text);
  }
  (void)AttributesText(context, args.attributes, args.num_attributes, "PJRT_Plugin_Attributes");
}

// What the plugin says of itself: its attributes, and which slots of its table are filled.
std::string SelfOf(Context& context) {
  std::string text;
  for (const reflection::Function& function : reflection::Functions())
    text += context.plugin().Slot(function) == nullptr ? '-' : '+';
  auto args = MakeArgs<PJRT_Plugin_Attributes_Args>();
  if (!context.plugin().Call(args).ok()) return text;
  return StrCat(
      text, " ", args.num_attributes, " ",
      AttributesText(context, args.attributes, args.num_attributes, "PJRT_Plugin_Attributes"));
}

void InitializeAgain(Context& context) {
  constexpr char kAgain[] = "PJRT-Plugin_Initialize-again";
  const std::string before = SelfOf(context);
  // It does nothing however often it is called.
  for (int i = 0; i < 3; ++i) {
    auto args = MakeArgs<PJRT_Plugin_Initialize_Args>();
    context.Ok(kAgain, "PJRT_Plugin_Initialize, another time", context.plugin().Call(args));
    const std::string after = SelfOf(context);
    context.Check(kAgain, after == before,
                  "the plugin, which was initialized again, says of itself \"", after,
                  "\", before that \"", before, "\"");
  }
}

// Every error has a code, a text, and from 0.107 on a head.
void Errors(Context& context) {
  auto args = MakeArgs<PJRT_Client_PlatformName_Args>();
  void* slot =
      context.plugin().Slot(reflection::Get(reflection::function::kPJRT_Client_PlatformName));
  if (slot == nullptr) return;
  args.struct_size = 1;
  PJRT_Error* error = reinterpret_cast<PJRT_Error* (*)(void*)>(slot)(&args);
  if (!context.Check("PJRT-Args-struct_size-smaller", error != nullptr,
                     "PJRT_Client_PlatformName with struct_size 1 and a null client succeeded")) {
    return;
  }
  if (context.plugin().minor() >= 107) {
    const PJRT_Error_FunctionTable* head;
    std::memcpy(&head, error, sizeof(head));
    bool has_head = context.Check("PJRT-Error-head", head != nullptr, "the error has a null head");
    if (has_head) {
      context.Check("PJRT-Error-head",
                    head->destroy != nullptr && head->message != nullptr &&
                        head->get_code != nullptr && head->for_each_payload != nullptr,
                    "a slot of the error's head is null");
    }
  }
  auto code = MakeArgs<PJRT_Error_GetCode_Args>();
  code.error = error;
  if (context.Ok("PJRT-Error-code", "PJRT_Error_GetCode", context.plugin().Call(code))) {
    int number = RawEnum(code.code);
    context.Check("PJRT-Error-code", number > 0 && number <= PJRT_Error_Code_UNAUTHENTICATED,
                  "the code of the error is ", number);
  }
  std::string texts[2];
  for (std::string& text : texts) {
    auto message = MakeArgs<PJRT_Error_Message_Args>();
    message.error = error;
    context.plugin().api()->PJRT_Error_Message(&message);
    text.assign(message.message, message.message_size);
  }
  context.Check("PJRT-Error_Message-const", texts[0] == texts[1], "the text was `", texts[0],
                "`, then `", texts[1], "`");
  auto nothing = MakeArgs<PJRT_Error_Destroy_Args>();
  context.plugin().api()->PJRT_Error_Destroy(&nothing);
  // Each error is an object of its own.
  args.struct_size = 1;
  PJRT_Error* other = reinterpret_cast<PJRT_Error* (*)(void*)>(slot)(&args);
  bool is_new = context.Check("PJRT-Error-caller-frees", other != error,
                              "two calls that failed returned the same error");
  if (is_new) (void)context.plugin().Take(other);
  Status status = context.plugin().Take(error);
  context.Check("PJRT-Args-struct_size-smaller", status.code() == StatusCode::kInvalidArgument,
                "struct_size 1: expected INVALID_ARGUMENT, got ", status.ToString());
  context.Check("PJRT-Args-struct_size-smaller", !status.message().empty(),
                "the error has no text");
}

}  // namespace

void AddTableCases(std::vector<Case>& cases) {
  auto add = [&](const char* name, std::vector<std::string> requirements, void (*run)(Context&),
                 bool is_robust = false) {
    cases.push_back({StrCat("L0/table/", name), Level::kL0, ClientNeed::kNone,
                     std::move(requirements), run, is_robust});
  };
  add("version", {"PJRT-Api-struct_size"}, Version);
  add("size", {"PJRT-Api-struct_size"}, Size);
  add("slots", {"PJRT-Api-full", "PJRT-Api-stub"}, Slots);
  add("extensions", {"PJRT-Args-extension_start", "PJRT-Api-full"}, Extensions);
  add("attributes",
      {"PJRT-Plugin_Attributes-early", "PJRT-Plugin_Attributes-lifetime", "PJRT-Args-frozen",
       kOutputTrue, "PJRT-Strings-size", "PJRT-Args-output-enum"},
      Attributes);
  add("initialize_again", {"PJRT-Plugin_Initialize-again"}, InitializeAgain, true);
  add("errors",
      {"PJRT-Error-head", "PJRT-Error-code", "PJRT-Error_Message-const", "PJRT-Error_Destroy-null",
       "PJRT-Args-struct_size-smaller", "PJRT-Error-caller-frees"},
      Errors);
}

}  // namespace plinth::conformance
