// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/captured_call.h"

#include <cstring>
#include <map>
#include <utility>

namespace plinth::layers {
namespace {

using capture::Reader;
using capture::Tag;

constexpr int kMaxDepth = 4;

bool DecodeFields(Reader& reader, BlobStore& blobs, int depth, std::vector<CapturedField>& fields);

void DecodeNumbers(Reader& reader, CapturedValue& value) {
  uint64_t count = reader.Varint();
  value.element_size = reader.Byte();
  if (value.element_size == 0 || value.element_size > 8 ||
      count > reader.remaining() / value.element_size) {
    return reader.Fail();
  }
  value.bytes = reader.Raw(count * value.element_size);
}

void DecodeIds(Reader& reader, uint64_t count, CapturedValue& value) {
  if (count > reader.remaining()) return reader.Fail();
  value.ids.resize(count);
  for (uint64_t& id : value.ids) id = reader.Varint();
}

template <typename T>
T DecodePlain(Reader& reader) {
  T value = {};
  std::string_view bytes = reader.Raw(sizeof(T));
  if (bytes.size() == sizeof(T)) std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

void DecodeNamedValues(Reader& reader, CapturedValue& value) {
  uint64_t count = reader.Count();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    NamedValue named;
    named.name = reader.Text();
    switch (reader.Byte()) {
      case PJRT_NamedValue_kString:
        named.value = std::string(reader.Text());
        break;
      case PJRT_NamedValue_kInt64:
        named.value = DecodePlain<int64_t>(reader);
        break;
      case PJRT_NamedValue_kInt64List:
        named.value = DecodeInt64s(reader);
        break;
      case PJRT_NamedValue_kFloat:
        named.value = DecodePlain<float>(reader);
        break;
      case PJRT_NamedValue_kBool:
        named.value = reader.Byte() != 0;
        break;
      default:
        reader.Fail();
    }
    value.named_values.push_back(std::move(named));
  }
}

void DecodeLayout(Reader& reader, CapturedValue& value) {
  value.layout_type = reader.Varint();
  size_t lists = value.layout_type == PJRT_Buffer_MemoryLayout_Type_Tiled     ? 3
                 : value.layout_type == PJRT_Buffer_MemoryLayout_Type_Strides ? 1
                                                                              : 0;
  if (lists == 0) return reader.Fail();
  while (value.layout.size() < lists) value.layout.push_back(DecodeInt64s(reader));
  if (lists == 1) return;
  int64_t tile_dims = 0;
  for (int64_t size : value.layout[1]) {
    if (size < 0 || __builtin_add_overflow(tile_dims, size, &tile_dims)) return reader.Fail();
  }
  if (tile_dims != static_cast<int64_t>(value.layout[2].size())) reader.Fail();
}

void DecodeValue(Reader& reader, BlobStore& blobs, int depth, CapturedValue& value) {
  value.tag = static_cast<Tag>(reader.Byte());
  switch (value.tag) {
    case Tag::kNull:
    case Tag::kOpaque:
      return;
    case Tag::kNumber:
      value.element_size = reader.Byte();
      value.bytes = reader.Raw(value.element_size);
      return;
    case Tag::kNumbers:
      return DecodeNumbers(reader, value);
    case Tag::kBytes:
    case Tag::kHostData:
      value.bytes = blobs.Take(reader);
      return;
    case Tag::kHandle:
      return DecodeIds(reader, 1, value);
    case Tag::kHandles:
      return DecodeIds(reader, reader.Varint(), value);
    case Tag::kHandleLists: {
      uint64_t count = reader.Varint();
      value.inner_count = reader.Varint();
      uint64_t all = 0;
      // The number of lists has to be known even if they are empty.
      if (count > (uint64_t{1} << 16) || __builtin_mul_overflow(count, value.inner_count, &all)) {
        return reader.Fail();
      }
      DecodeIds(reader, all, value);
      value.outer_count = count;
      return;
    }
    case Tag::kStruct:
    case Tag::kStructs: {
      uint64_t count = value.tag == Tag::kStruct ? 1 : reader.Count();
      if (!reader.ok()) return;
      value.structs.resize(count);
      for (auto& fields : value.structs) {
        if (!DecodeFields(reader, blobs, depth + 1, fields)) return;
      }
      return;
    }
    case Tag::kNamedValues:
      return DecodeNamedValues(reader, value);
    case Tag::kLayout:
      return DecodeLayout(reader, value);
  }
  reader.Fail();
}

bool DecodeFields(Reader& reader, BlobStore& blobs, int depth, std::vector<CapturedField>& fields) {
  if (depth > kMaxDepth) reader.Fail();
  while (reader.ok()) {
    const uint64_t position = reader.Varint();
    if (position == 0) break;
    fields.emplace_back();
    fields.back().offset = position - 1;
    DecodeValue(reader, blobs, depth, fields.back().value);
  }
  return reader.ok();
}

// (extension type + 1, slot) -> index in reflection::Functions().
int FindFunction(uint64_t extension, uint64_t slot) {
  static const auto* functions = [] {
    auto* result = new std::map<std::pair<uint64_t, uint64_t>, int>;
    std::span<const reflection::Function> all = reflection::Functions();
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i].IsRegular()) continue;
      int type =
          all[i].table < 0 ? -1 : reflection::Tables()[static_cast<size_t>(all[i].table)].type;
      (*result)[{static_cast<uint64_t>(type + 1), static_cast<uint64_t>(all[i].slot)}] =
          static_cast<int>(i);
    }
    return result;
  }();
  auto found = functions->find({extension, slot});
  return found == functions->end() ? -1 : found->second;
}

}  // namespace

std::vector<int64_t> DecodeInt64s(Reader& reader) {
  CapturedValue value;
  DecodeNumbers(reader, value);
  if (reader.ok() && value.element_size != sizeof(int64_t)) reader.Fail();
  std::vector<int64_t> numbers(reader.ok() ? value.bytes.size() / sizeof(int64_t) : 0);
  if (!numbers.empty()) std::memcpy(numbers.data(), value.bytes.data(), value.bytes.size());
  return numbers;
}

const CapturedValue* CapturedCall::Find(const char* field) const {
  if (function < 0) return nullptr;
  int args = reflection::Functions()[static_cast<size_t>(function)].args;
  const reflection::Field* known =
      reflection::FindField(reflection::Structs()[static_cast<size_t>(args)], field);
  const CapturedValue* found = nullptr;
  for (const CapturedField& candidate : fields) {
    if (known != nullptr && candidate.offset == known->offset) found = &candidate.value;
  }
  return found;
}

bool DecodeCall(Reader& reader, BlobStore& blobs, CapturedCall& call) {
  reader.Varint();  // thread
  uint64_t extension = reader.Varint();
  uint64_t slot = reader.Varint();
  call.function = FindFunction(extension, slot);
  call.code = reader.Varint();
  call.message = reader.Text();
  return DecodeFields(reader, blobs, 0, call.fields);
}

}  // namespace plinth::layers
