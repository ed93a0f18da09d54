// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/answers.h"

#include <algorithm>
#include <cstring>

#include "conformance/cases/ask.h"
#include "conformance/cases/samples.h"

namespace plinth::conformance {

using reflection::Base;
using reflection::Direction;
using reflection::Field;

namespace {

template <typename T>
T Read(const std::vector<std::byte>& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

// What a named value says, wherever it lies.
void AddNamedValue(const PJRT_NamedValue& value, std::string& all) {
  all.append(StringOf(value.name, value.name_size));
  all += '=';
  const void* from = &value.int64_value;
  size_t size = sizeof(value.int64_value);
  switch (RawEnum(value.type)) {
    case PJRT_NamedValue_kString:
      from = value.string_value;
      size = value.value_size;
      break;
    case PJRT_NamedValue_kInt64List:
      from = value.int64_array_value;
      size = value.value_size * sizeof(int64_t);
      break;
    case PJRT_NamedValue_kFloat:
      size = sizeof(value.float_value);
      break;
    case PJRT_NamedValue_kBool:
      size = sizeof(value.bool_value);
      break;
    default:
      break;
  }
  if (from != nullptr) all.append(static_cast<const char*>(from), size);
  all += '|';
}

// The sizes of the texts of a list, where another field has them: `memory_kind_sizes` of
// `memory_kinds`.
const size_t* SizesOf(const reflection::Struct& structure, const Field& field,
                      const std::vector<std::byte>& answer) {
  std::string name(field.name.view());
  const Field* sizes = reflection::FindField(structure, name.substr(0, name.size() - 1) + "_sizes");
  return sizes == nullptr ? nullptr : Read<const size_t*>(answer, sizes->offset);
}

// `of_place`: where texts lie counts, and numbers do not. `of_handles`: so do handles that the
// plugin owns.
std::string Written(const reflection::Struct& structure, const std::vector<std::byte>& answer,
                    bool of_place, bool of_handles = false) {
  std::string all;
  auto add = [&](const void* from, size_t size) {
    if (from != nullptr) all.append(static_cast<const char*>(from), size);
    all += '|';
  };
  for (const Field& field : FieldsOf(structure)) {
    if (field.direction != Direction::kOut || field.base == Base::kCallback) continue;
    if (field.depth == 0) {
      const bool is_handle = field.base == Base::kHandle;
      if (!of_place && (!is_handle || (of_handles && field.owner != reflection::Owner::kCaller)))
        add(answer.data() + field.offset, field.size);
      continue;
    }
    const void* list = Read<const void*>(answer, field.offset);
    size_t count = 0;
    if (field.length_field >= 0) {
      count = Read<size_t>(answer, FieldsOf(structure)[field.length_field].offset);
    } else if (const Field* sizes = reflection::FindField(structure, "dim_sizes");
               sizes != nullptr && field.name.view() == "dims") {
      // The dimensions of all outputs, one after the other.
      const auto* each = Read<const size_t*>(answer, sizes->offset);
      size_t outputs = Read<size_t>(answer, FieldsOf(structure)[sizes->length_field].offset);
      for (size_t i = 0; i < outputs && each != nullptr; ++i) count += each[i];
    }
    if (list == nullptr || count == 0) continue;
    if (field.base == Base::kStruct) {
      if (reflection::Structs()[field.target].name.view() != "PJRT_NamedValue") continue;
      // Names find them; plugins that keep them in hash tables give them in any order.
      std::vector<std::string> values(count);
      for (size_t i = 0; i < count; ++i)
        AddNamedValue(static_cast<const PJRT_NamedValue*>(list)[i], values[i]);
      std::sort(values.begin(), values.end());
      for (const std::string& value : values) all += value;
    } else if (field.depth == 1) {
      add(list, count * field.element_size);
    } else {
      const size_t* sizes = SizesOf(structure, field, answer);
      for (size_t i = 0; i < count; ++i) {
        const char* text = static_cast<const char* const*>(list)[i];
        add(text, text == nullptr ? 0 : sizes == nullptr ? 1 : sizes[i]);
      }
      if (of_place) add(list, count * sizeof(void*));
    }
  }
  return all;
}

// What bytes and estimates of memory hold is the plugin's business.
bool IsCompared(const reflection::Function& function) {
  for (std::string_view part : {"_Serialize", "SizeOfGeneratedCode", "GetCompiledMemoryStats",
                                "_Destroy", "_Delete", "GetExecutable", "GetDeviceDescriptions"}) {
    if (function.name.view().find(part) != std::string_view::npos) return false;
  }
  return function.IsRegular() && function.table < 0 &&
         function.returns == reflection::Returns::kError;
}

}  // namespace

const Field* OnlyHandle(const reflection::Struct& structure) {
  const Field* only = nullptr;
  for (const Field& field : FieldsOf(structure)) {
    if (field.base == Base::kStructSize || field.base == Base::kExtensionChain) continue;
    // What only holds the answer is freed by a deleter of the same struct.
    if (field.owner == reflection::Owner::kCaller &&
        reflection::FindField(structure, field.lifetime.view()) == nullptr)
      return nullptr;
    if (field.direction == Direction::kOut) continue;
    if (field.base != Base::kHandle || field.depth != 0 || only != nullptr) return nullptr;
    only = &field;
  }
  return only;
}

std::string Contents(const reflection::Struct& structure, const std::vector<std::byte>& answer) {
  return Written(structure, answer, true);
}

std::string Meaning(const reflection::Struct& structure, const std::vector<std::byte>& answer,
                    bool of_handles) {
  return Written(structure, answer, false, of_handles);
}

std::vector<const reflection::Function*> FunctionsOf(Context& context, int kind) {
  std::vector<const reflection::Function*> all;
  for (const reflection::Function& function : reflection::Functions()) {
    if (!IsCompared(function) || context.plugin().Slot(function) == nullptr) continue;
    const Field* handle = OnlyHandle(reflection::Structs()[function.args]);
    if (handle != nullptr && handle->target == kind) all.push_back(&function);
  }
  return all;
}

std::string AnswerOf(Context& context, const reflection::Function& function, void* object,
                     bool of_handles) {
  const reflection::Struct& structure = reflection::Structs()[function.args];
  std::vector<std::byte> answer(structure.end);
  const size_t size = structure.end;
  std::memcpy(answer.data(), &size, sizeof(size));
  std::memcpy(answer.data() + OnlyHandle(structure)->offset, &object, sizeof(object));
  Status status = context.plugin().Call(function, answer.data());
  if (!status.ok()) return StrCat("error ", static_cast<int>(status.code()));
  std::string meaning = Meaning(structure, answer, of_handles);
  Arguments::FreeOutputs(context, function, answer.data(), structure.end);
  return meaning;
}

Answers AnswersOf(Context& context, int kind, void* object, bool of_handles) {
  Answers all;
  for (const reflection::Function* function : FunctionsOf(context, kind))
    all.emplace_back(function, AnswerOf(context, *function, object, of_handles));
  return all;
}

std::vector<Answers> AnswersOfClient(Context& context, bool of_handles) {
  namespace kinds = reflection::handle;
  std::vector<Answers> all = {
      AnswersOf(context, kinds::kPJRT_Client, context.client(), of_handles)};
  for (PJRT_Device* device : AddressableDevices(context)) {
    // The answers of statistics change.
    Answers answers = AnswersOf(context, kinds::kPJRT_Device, device, of_handles);
    std::erase_if(answers, [](const auto& answer) {
      return answer.first->answer == reflection::Answer::kChanging ||
             answer.first->name.view() == "PJRT_Device_MemoryStats";
    });
    auto lookup = MakeArgs<PJRT_Client_LookupDevice_Args>();
    lookup.client = context.client();
    lookup.id = DeviceIdOf(context, device);
    Status status = context.plugin().Call(lookup);
    answers.emplace_back(&reflection::Get(reflection::function::kPJRT_Client_LookupDevice),
                         status.ok() && lookup.device == device ? "found" : "not found");
    all.push_back(std::move(answers));
    for (PJRT_Memory* memory : MemoriesOf(context, device))
      all.push_back(AnswersOf(context, kinds::kPJRT_Memory, memory, of_handles));
  }
  return all;
}

}  // namespace plinth::conformance
