// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/json_arguments.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "impl/layers/trace/struct_values.h"
#include "plinth/support/float_text.h"
#include "plinth/support/named_value.h"

namespace plinth::layers {
namespace {

using reflection::Base;
using reflection::Field;
namespace fn = reflection::function;

constexpr size_t kMaxListed = 16;  // elements of a list
constexpr size_t kMaxShown = 100;  // characters of a text
constexpr size_t kMaxStructs = 8;  // elements of a list of structs

const Field* FirstField() { return reflection::FieldsOf(reflection::Structs()[0]).data(); }

// Whether a field only says how long another one is. By the place of the field in the registry.
bool IsLength(const Field& field) {
  static const std::vector<bool>* lengths = [] {
    auto* result = new std::vector<bool>;
    for (const reflection::Struct& structure : reflection::Structs()) {
      auto first = static_cast<size_t>(structure.first_field);
      result->resize(std::max(result->size(), first + static_cast<size_t>(structure.num_fields)));
      for (const Field& other : reflection::FieldsOf(structure)) {
        for (int16_t length : {other.length_field, other.inner_length_field}) {
          if (length >= 0) (*result)[first + static_cast<size_t>(length)] = true;
        }
      }
    }
    return result;
  }();
  auto index = static_cast<size_t>(&field - FirstField());
  return !field.shown && index < lengths->size() && (*lengths)[index];
}

class ArgumentWriter : public StructVisitor {
 public:
  ArgumentWriter(JsonText& json, HandleTable& handles, const FinishedCall& finished)
      : json_(json), handles_(handles), finished_(finished) {}

  void Null(const Field&) override {}
  void Opaque(const Field&, const void*) override {}

  void Numbers(const Field& field, const void* data, size_t count, bool is_list) override {
    if (!is_list && IsLength(field)) return;
    Member(field.name.view(), [&] {
      if (!is_list) return Number(field, data);
      json_.Raw("[");
      for (size_t i = 0; i < std::min(count, kMaxListed); ++i) {
        if (i > 0) json_.Raw(",");
        Number(field, static_cast<const char*>(data) + i * field.element_size);
      }
      if (count > kMaxListed) json_.Raw(",\"...\"");
      json_.Raw("]");
    });
  }

  void Bytes(const Field& field, const void* data, size_t size) override {
    Member(field.name.view(), [&] {
      std::string_view text(static_cast<const char*>(data), size);
      bool is_text = field.base == Base::kChar && size <= kMaxShown &&
                     text.find('\0') == std::string_view::npos;
      json_.String(is_text ? text : std::string_view(StrCat(size, " bytes")));
    });
  }

  void Handle(const Field& field, const void* handle) override {
    Member(field.name.view(), [&] { HandleName(field, handle); });
  }
  void Handles(const Field& field, const void* const* handles, size_t count) override {
    Member(field.name.view(), [&] { HandleList(field, handles, count); });
  }
  void HandleLists(const Field& field, const void* const* const* lists, size_t count,
                   size_t inner_count) override {
    Member(field.name.view(), [&] {
      json_.Raw("[");
      for (size_t i = 0; i < std::min(count, kMaxStructs); ++i) {
        if (i > 0) json_.Raw(",");
        HandleList(field, lists[i], inner_count);
      }
      json_.Raw("]");
    });
  }

  void Structs(const Field& field, const reflection::Struct& structure,
               std::span<const void* const> elements, bool is_list) override {
    Member(field.name.view(), [&] {
      if (&structure == &reflection::Get(reflection::structure::kPJRT_NamedValue)) {
        return NamedValues(elements);
      }
      if (is_list) json_.Raw("[");
      for (size_t i = 0; i < std::min(elements.size(), kMaxStructs); ++i) {
        if (i > 0) json_.Raw(",");
        json_.Raw("{");
        bool outer_first = std::exchange(first_, true);
        VisitStruct(structure, elements[i], field.direction == reflection::Direction::kIn,
                    VisitOptions{finished_.error == nullptr}, *this);
        first_ = outer_first;
        json_.Raw("}");
      }
      if (is_list) json_.Raw("]");
    });
  }

  template <typename Write>
  void Member(std::string_view name, Write write) {
    size_t mark = json_.Mark();
    if (!first_) json_.Raw(",");
    json_.String(name);
    json_.Raw(":");
    write();
    if (json_.fits()) {
      first_ = false;
    } else {
      json_.TakeBack(mark);
    }
  }

  void HandleList(const Field& field, const void* const* handles, size_t count) {
    json_.Raw("[");
    for (size_t i = 0; i < std::min(count, kMaxListed); ++i) {
      if (i > 0) json_.Raw(",");
      HandleName(field, handles[i]);
    }
    if (count > kMaxListed) json_.Raw(",\"...\"");
    json_.Raw("]");
  }

 private:
  void HandleName(const Field& field, const void* handle) {
    uint64_t id = handle == finished_.destroyed ? finished_.taken.id : handles_.IdOf(field, handle);
    std::string_view type = reflection::Handles()[static_cast<size_t>(field.target)].view();
    type.remove_prefix(type.starts_with("PJRT_") ? 5 : 0);
    if (handle == nullptr) return json_.Raw("null");
    json_.Raw("\"");
    json_.Raw(type);
    if (id != 0) {
      json_.Raw("#");
      json_.Number(id);
    }
    json_.Raw("\"");
  }

  void NamedValues(std::span<const void* const> elements) {
    json_.Raw("{");
    bool first = true;
    for (size_t i = 0; i < std::min(elements.size(), kMaxListed); ++i) {
      auto values = NamedValuesFromC(static_cast<const PJRT_NamedValue*>(elements[i]), 1);
      if (!values.ok()) continue;
      if (!std::exchange(first, false)) json_.Raw(",");
      json_.String(values->front().name);
      json_.Raw(":");
      json_.String(ToString(values->front().value));
    }
    json_.Raw("}");
  }

  void Number(const Field& field, const void* data) {
    int64_t integer = 0;
    std::memcpy(&integer, data, std::min<size_t>(field.element_size, sizeof(integer)));
    if (field.base == Base::kBool) return json_.Raw(integer != 0 ? "true" : "false");
    if (field.base == Base::kFloat) {
      double number = 0;
      float narrow = 0;
      std::memcpy(field.element_size == 4 ? static_cast<void*>(&narrow) : &number, data,
                  field.element_size);
      if (field.element_size == 4) number = narrow;
      return json_.Raw(std::isfinite(number) ? FloatText(number) : "null");
    }
    if (field.base == Base::kUnsigned) return json_.Number(static_cast<uint64_t>(integer));
    if (field.element_size == 4) integer = static_cast<int32_t>(integer);
    if (field.element_size == 1) integer = static_cast<int8_t>(integer);
    if (field.base == Base::kEnum) {
      const reflection::Enum& type = reflection::Enums()[static_cast<size_t>(field.target)];
      if (const char* name = reflection::NameOf(type, static_cast<int>(integer))) {
        std::string_view text = name, prefix = type.name.view();
        if (text.starts_with(prefix)) text.remove_prefix(prefix.size() + 1);
        return json_.String(text);
      }
    }
    json_.Number(integer);
  }

  JsonText& json_;
  HandleTable& handles_;
  const FinishedCall& finished_;
  bool first_ = true;
};

}  // namespace

void AppendArguments(const FinishedCall& finished, Objects& objects, JsonText& json) {
  json.Raw("{");
  ArgumentWriter writer(json, objects.handles(), finished);
  if (finished.error != nullptr) {
    Status status = PeekError(finished.error);
    writer.Member("error", [&] { json.String(StatusCodeName(status.code())); });
    writer.Member("message", [&] { json.String(status.message(), 300); });
  }
  const reflection::Struct& structure =
      reflection::Structs()[static_cast<size_t>(finished.call.function().args)];
  VisitStruct(structure, finished.call.args(), false, VisitOptions{finished.error == nullptr},
              writer);
  if (finished.call.id() == fn::kPJRT_LoadedExecutable_Execute && finished.error == nullptr) {
    auto* args = finished.ArgsTo(&PJRT_LoadedExecutable_Execute_Args::output_lists);
    if (args != nullptr && args->num_devices > 0) {
      auto executable = objects.Find(args->executable);
      writer.Member("name", [&] { json.String(executable->name); });
      const Field* field = reflection::FindField(structure, "output_lists");
      if (executable->num_outputs > 0 && field != nullptr) {
        writer.Member("outputs", [&] {
          writer.HandleList(*field, reinterpret_cast<const void* const*>(args->output_lists[0]),
                            executable->num_outputs);
        });
      }
    }
  }
  json.Close("}");
}

}  // namespace plinth::layers
