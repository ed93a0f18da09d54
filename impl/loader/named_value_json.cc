#include "impl/loader/named_value_json.h"

#include <cmath>

namespace plinth::loader {
namespace {

Expected<Value> ValueFromJson(const cJSON* item) {
  auto whole = [](const cJSON* number) {
    return cJSON_IsNumber(number) && std::floor(number->valuedouble) == number->valuedouble &&
           std::fabs(number->valuedouble) <= 9007199254740992.0;
  };
  if (cJSON_IsString(item)) return Value(std::string(item->valuestring));
  if (cJSON_IsBool(item)) return Value(cJSON_IsTrue(item) != 0);
  if (whole(item)) return Value(static_cast<int64_t>(item->valuedouble));
  if (cJSON_IsNumber(item)) return Value(static_cast<float>(item->valuedouble));
  if (!cJSON_IsArray(item)) {
    return InvalidArgument("the option '", item->string, "' is ", JsonTypeName(item));
  }
  std::vector<int64_t> list;
  for (const cJSON* child = item->child; child != nullptr; child = child->next) {
    if (!whole(child)) {
      return InvalidArgument("the option '", item->string, "' is no list of whole numbers");
    }
    list.push_back(static_cast<int64_t>(child->valuedouble));
  }
  return Value(std::move(list));
}

}  // namespace

Json JsonInteger(int64_t value) { return Json(cJSON_CreateRaw(StrCat(value).c_str())); }

Json ValueToJson(const Value& value) {
  if (auto* text = std::get_if<std::string>(&value)) return JsonTextValue(*text);
  if (auto* integer = std::get_if<int64_t>(&value)) return JsonInteger(*integer);
  if (auto* number = std::get_if<float>(&value)) return Json(cJSON_CreateNumber(*number));
  if (auto* flag = std::get_if<bool>(&value)) return Json(cJSON_CreateBool(*flag));
  Json list(cJSON_CreateArray());
  for (int64_t item : std::get<std::vector<int64_t>>(value)) {
    JsonAppend(list.get(), JsonInteger(item));
  }
  return list;
}

Expected<std::vector<NamedValue>> OptionsFromJson(std::string_view text) {
  std::vector<NamedValue> options;
  if (text.empty()) return options;
  PLINTH_ASSIGN_OR_RETURN(Json json, ParseJsonObject(text));
  for (const cJSON* item = json->child; item != nullptr; item = item->next) {
    PLINTH_ASSIGN_OR_RETURN(Value value, ValueFromJson(item));
    options.push_back({item->string, std::move(value)});
  }
  return options;
}

}  // namespace plinth::loader
