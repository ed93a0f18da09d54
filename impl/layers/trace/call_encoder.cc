// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/call_encoder.h"

#include <cstring>

#include "impl/layers/trace/struct_values.h"
#include "plinth/support/dtype.h"
#include "plinth/support/named_value.h"

namespace plinth::layers {
namespace {

using capture::Tag;
using reflection::Field;
namespace fn = reflection::function;

constexpr size_t kMaxElements = 32768;  // of lists; arrays are no lists

class Encoder : public StructVisitor {
 public:
  Encoder(const FinishedCall& finished, HandleTable& handles, const std::string_view* array,
          CaptureFile& file, capture::Writer& out)
      : finished_(finished), handles_(handles), array_(array), file_(file), out_(out) {}

  void Begin(const Field& field, Tag tag) {
    out_.Varint(uint64_t{field.offset} + 1);
    out_.Byte(static_cast<uint8_t>(tag));
  }

  // The data of an array without elements may be null.
  void Null(const Field& field) override { ArrayOr(Tag::kNull, field); }
  void Opaque(const Field& field, const void*) override { ArrayOr(Tag::kOpaque, field); }

  void Numbers(const Field& field, const void* data, size_t count, bool is_list) override {
    Begin(field, is_list ? Tag::kNumbers : Tag::kNumber);
    if (is_list) return out_.Numbers(data, count, field.element_size);
    out_.Byte(static_cast<uint8_t>(field.element_size));
    out_.Raw(data, field.element_size);
  }

  void Bytes(const Field& field, const void* data, size_t size) override {
    // Memory that the plugin fills in may not be filled in yet; what is only mapped is not data.
    if (field.base == reflection::Base::kVoid && (field.direction != reflection::Direction::kIn ||
                                                  finished_.call.id() == fn::kPJRT_Client_DmaMap)) {
      return Begin(field, Tag::kOpaque);
    }
    Begin(field, Tag::kBytes);
    file_.AddBlob({static_cast<const char*>(data), size}, out_);
  }

  void Handle(const Field& field, const void* handle) override {
    Begin(field, Tag::kHandle);
    out_.Varint(NumberOf(field, handle));
  }
  void Handles(const Field& field, const void* const* handles, size_t count) override {
    Begin(field, Tag::kHandles);
    HandleList(field, handles, count);
  }
  void HandleLists(const Field& field, const void* const* const* lists, size_t count,
                   size_t inner_count) override {
    Begin(field, Tag::kHandleLists);
    out_.Varint(count);
    out_.Varint(inner_count);
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < inner_count; ++k) out_.Varint(NumberOf(field, lists[i][k]));
    }
  }

  void Structs(const Field& field, const reflection::Struct& structure,
               std::span<const void* const> elements, bool is_list) override {
    if (&structure == &reflection::Get(reflection::structure::kPJRT_NamedValue)) {
      return NamedValues(field, elements);
    }
    if (&structure == &reflection::Get(reflection::structure::kPJRT_Buffer_MemoryLayout)) {
      return Layout(field, *static_cast<const PJRT_Buffer_MemoryLayout*>(elements[0]));
    }
    Begin(field, is_list ? Tag::kStructs : Tag::kStruct);
    if (is_list) out_.Varint(elements.size());
    for (const void* element : elements) {
      VisitStruct(structure, element, field.direction == reflection::Direction::kIn, Options(),
                  *this);
      out_.Varint(0);
    }
  }

  VisitOptions Options() const { return {finished_.error == nullptr, kMaxElements}; }

 private:
  void ArrayOr(Tag tag, const Field& field) {
    if (array_ == nullptr || !field.array) return Begin(field, tag);
    Begin(field, Tag::kHostData);
    file_.AddBlob(*array_, out_);
  }

  uint64_t NumberOf(const Field& field, const void* handle) {
    if (handle != nullptr && handle == finished_.destroyed) return finished_.taken.id;
    return handles_.IdOf(field, handle);
  }
  void HandleList(const Field& field, const void* const* handles, size_t count) {
    out_.Varint(count);
    for (size_t i = 0; i < count; ++i) out_.Varint(NumberOf(field, handles[i]));
  }

  void NamedValues(const Field& field, std::span<const void* const> elements) {
    Expected<std::vector<NamedValue>> values = NamedValuesFromC(
        elements.empty() ? nullptr : static_cast<const PJRT_NamedValue*>(elements[0]),
        elements.size());
    if (!values.ok()) return Begin(field, Tag::kOpaque);
    Begin(field, Tag::kNamedValues);
    out_.Varint(values->size());
    for (const NamedValue& value : *values) {
      out_.Text(value.name);
      out_.Byte(static_cast<uint8_t>(value.value.index()));
      if (auto* text = std::get_if<std::string>(&value.value)) {
        out_.Text(*text);
      } else if (auto* integer = std::get_if<int64_t>(&value.value)) {
        out_.Raw(integer, sizeof(*integer));
      } else if (auto* list = std::get_if<std::vector<int64_t>>(&value.value)) {
        out_.Numbers(list->data(), list->size(), sizeof(int64_t));
      } else if (auto* number = std::get_if<float>(&value.value)) {
        out_.Raw(number, sizeof(*number));
      } else {
        out_.Byte(std::get<bool>(value.value) ? 1 : 0);
      }
    }
  }

  static bool IsSmall(const void* list, size_t size) {
    return size <= kMaxElements && (list != nullptr || size == 0);
  }

  void Layout(const Field& field, const PJRT_Buffer_MemoryLayout& layout) {
    int type = RawEnum(layout.type);
    if (type == PJRT_Buffer_MemoryLayout_Type_Strides &&
        IsSmall(layout.strides.byte_strides, layout.strides.num_byte_strides)) {
      Begin(field, Tag::kLayout);
      out_.Varint(static_cast<uint64_t>(type));
      out_.Numbers(layout.strides.byte_strides, layout.strides.num_byte_strides, sizeof(int64_t));
      return;
    }
    const PJRT_Buffer_MemoryLayout_Tiled& tiled = layout.tiled;
    size_t tile_dims = 0;
    bool readable = type == PJRT_Buffer_MemoryLayout_Type_Tiled &&
                    IsSmall(tiled.minor_to_major, tiled.minor_to_major_size) &&
                    IsSmall(tiled.tile_dim_sizes, tiled.num_tiles);
    for (size_t i = 0; readable && i < tiled.num_tiles; ++i) {
      readable = IsSmall(tiled.tile_dim_sizes, tiled.tile_dim_sizes[i]);
      tile_dims += tiled.tile_dim_sizes[i];
    }
    if (!readable || !IsSmall(tiled.tile_dims, tile_dims)) return Begin(field, Tag::kOpaque);
    Begin(field, Tag::kLayout);
    out_.Varint(static_cast<uint64_t>(type));
    out_.Numbers(tiled.minor_to_major, tiled.minor_to_major_size, sizeof(int64_t));
    out_.Numbers(tiled.tile_dim_sizes, tiled.num_tiles, sizeof(size_t));
    out_.Numbers(tiled.tile_dims, tile_dims, sizeof(int64_t));
  }

  const FinishedCall& finished_;
  HandleTable& handles_;
  const std::string_view* array_;
  CaptureFile& file_;
  capture::Writer& out_;
};

}  // namespace

void EncodeFields(const FinishedCall& finished, Objects& objects, const std::string_view* array,
                  CaptureFile& file, capture::Writer& record) {
  const reflection::Function& function = finished.call.function();
  const reflection::Struct& structure = reflection::Structs()[static_cast<size_t>(function.args)];
  Encoder encoder(finished, objects.handles(), array, file, record);
  VisitStruct(structure, finished.call.args(), false, encoder.Options(), encoder);
  if (finished.call.id() == fn::kPJRT_LoadedExecutable_Execute && finished.error == nullptr) {
    // The registry knows no length for the lists of results: it is the executable's.
    auto* args = finished.ArgsTo(&PJRT_LoadedExecutable_Execute_Args::output_lists);
    const Field* field = reflection::FindField(structure, "output_lists");
    if (args != nullptr && args->output_lists != nullptr && field != nullptr) {
      encoder.HandleLists(*field, reinterpret_cast<const void* const* const*>(args->output_lists),
                          args->num_devices, objects.Find(args->executable)->num_outputs);
    }
  }
  record.Varint(0);
}

}  // namespace plinth::layers
