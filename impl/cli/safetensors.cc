// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/safetensors.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#include "impl/cli/literal.h"
#include "plinth/support/json.h"

namespace plinth::cli {
namespace {

using client::HostArray;

constexpr std::string_view kEnding = ".safetensors";
constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;  // as the format says

constexpr struct {
  std::string_view name;
  DType type;
} kSafetensorsTypes[] = {
    {"BOOL", DType::kPred},      {"U8", DType::kU8},
    {"I8", DType::kS8},          {"U16", DType::kU16},
    {"I16", DType::kS16},        {"U32", DType::kU32},
    {"I32", DType::kS32},        {"U64", DType::kU64},
    {"I64", DType::kS64},        {"F16", DType::kF16},
    {"BF16", DType::kBF16},      {"F32", DType::kF32},
    {"F64", DType::kF64},        {"F8_E4M3", DType::kF8E4M3FN},
    {"F8_E5M2", DType::kF8E5M2}, {"F8_E8M0", DType::kF8E8M0FNU},
    {"C64", DType::kC64},
};

std::optional<DType> TypeOf(std::string_view name) {
  for (const auto& row : kSafetensorsTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

// One array of a header: where its bytes are.
struct Entry {
  std::string name;
  DType type = DType::kInvalid;
  std::vector<int64_t> dims;
  uint64_t begin = 0, end = 0;
};

Expected<Entry> ReadEntry(const std::string& name, const Json& json) {
  Entry entry;
  entry.name = name;
  const std::optional<DType> type = TypeOf(json.At("dtype").Text());
  if (!type) return InvalidArgument("`", name, "` has the type ", json.At("dtype").ToString());
  entry.type = *type;
  const Json::Array* shape = json.At("shape").AsArray();
  const Json::Array* offsets = json.At("data_offsets").AsArray();
  if (shape == nullptr || offsets == nullptr || offsets->size() != 2) {
    return InvalidArgument("`", name, "` lacks `shape` or `data_offsets`");
  }
  for (const Json& extent : *shape) {
    if (!extent.AsInteger() || *extent.AsInteger() < 0) {
      return InvalidArgument("`", name, "` has the shape ", json.At("shape").ToString());
    }
    entry.dims.push_back(*extent.AsInteger());
  }
  const auto begin = (*offsets)[0].AsUnsigned(), end = (*offsets)[1].AsUnsigned();
  if (!begin || !end || *begin > *end) {
    return InvalidArgument("`", name, "` has the offsets ", json.At("data_offsets").ToString());
  }
  entry.begin = *begin;
  entry.end = *end;
  PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, client::HostByteSize(entry.type, entry.dims));
  if (static_cast<uint64_t>(bytes) != entry.end - entry.begin) {
    return InvalidArgument("`", name, "` is ", client::ShapeToString(entry.type, entry.dims), ", ",
                           bytes, " bytes, and has ", entry.end - entry.begin);
  }
  return entry;
}

// All entries, which lie one after the other over the whole data.
Expected<std::vector<Entry>> ReadHeader(const std::string& text, uint64_t data_size) {
  PLINTH_ASSIGN_OR_RETURN(const Json::Object header, Json::ParseObject(text));
  std::vector<Entry> entries;
  for (const auto& [name, json] : header) {
    if (name == "__metadata__") continue;
    PLINTH_ASSIGN_OR_RETURN(Entry entry, ReadEntry(name, json));
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != at) {
      return InvalidArgument("`", entry.name, "` begins at ", entry.begin, ", and ", at,
                             " is where the one before ends");
    }
    at = entry.end;
  }
  if (at != data_size) {
    return InvalidArgument("its header speaks of ", at, " bytes, and ", data_size, " follow");
  }
  return entries;
}

Expected<std::vector<NamedArray>> Read(std::ifstream& file, uint64_t file_size,
                                       std::string_view wanted) {
  if (file_size < 8) return InvalidArgument("it ends within its first 8 bytes");
  unsigned char length[8];
  file.read(reinterpret_cast<char*>(length), sizeof(length));
  uint64_t header_size = 0;
  for (int i = 7; i >= 0; --i) header_size = header_size << 8 | length[i];
  if (header_size > kMaxSafetensorsHeader || header_size > file_size - 8) {
    return InvalidArgument("its header is said to have ", header_size, " bytes, of a file of ",
                           file_size);
  }
  std::string text(header_size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) return InvalidArgument("it cannot be read");
  PLINTH_ASSIGN_OR_RETURN(const std::vector<Entry> entries,
                          ReadHeader(text, file_size - 8 - header_size));
  std::vector<NamedArray> arrays;
  for (const Entry& entry : entries) {
    if (!wanted.empty() && entry.name != wanted) continue;
    PLINTH_ASSIGN_OR_RETURN(HostArray array, CreateBounded(entry.type, entry.dims));
    file.seekg(static_cast<std::streamoff>(8 + header_size + entry.begin));
    file.read(reinterpret_cast<char*>(array.data()),
              static_cast<std::streamsize>(array.byte_size()));
    if (!file) return InvalidArgument("it ends early");
    arrays.push_back({entry.name, std::move(array)});
  }
  if (!wanted.empty() && arrays.empty()) return NotFound("it has no array `", wanted, "`");
  return arrays;
}

}  // namespace

bool IsSafetensors(const std::string& path) {
  return path.ends_with(kEnding) || path.find(StrCat(kEnding, ":")) != std::string::npos;
}

Expected<std::vector<NamedArray>> ReadSafetensors(const std::string& path) {
  std::string name = path, wanted;
  if (const size_t colon = path.find(StrCat(kEnding, ":")); colon != std::string::npos) {
    name = path.substr(0, colon + kEnding.size());
    wanted = path.substr(name.size() + 1);
  }
  std::ifstream file(name, std::ios::binary | std::ios::ate);
  if (!file) return NotFound(name, ": no such file");
  const std::streamoff size = file.tellg();
  if (size < 0) return InvalidArgument(name, ": it is no regular file");
  file.seekg(0);
  Expected<std::vector<NamedArray>> arrays = Read(file, static_cast<uint64_t>(size), wanted);
  if (!arrays.ok()) return arrays.status().WithContext(name);
  return arrays;
}

Status WriteSafetensors(const std::string& path,
                        const std::vector<std::pair<std::string, const HostArray*>>& arrays) {
  Json::Object header;
  uint64_t at = 0;
  for (const auto& [name, array] : arrays) {
    std::string_view type;
    for (const auto& row : kSafetensorsTypes) {
      if (row.type == array->type()) type = row.name;
    }
    if (type.empty()) {
      return InvalidArgument(path, ": the format has no type ", Name(array->type()));
    }
    const uint64_t end = at + array->byte_size();
    header[name] = Json::Object{{"dtype", type},
                                {"shape", Json::Array(array->dims().begin(), array->dims().end())},
                                {"data_offsets", Json::Array{at, end}}};
    at = end;
  }
  std::string text = Json(std::move(header)).ToString();
  text.append((8 - text.size() % 8) % 8, ' ');  // data begins at a multiple of 8
  std::string length;
  for (int i = 0; i < 8; ++i) length.push_back(static_cast<char>(text.size() >> (8 * i)));
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << length << text;
  for (const auto& [name, array] : arrays) {
    file.write(reinterpret_cast<const char*>(array->data()),
               static_cast<std::streamsize>(array->byte_size()));
  }
  file.close();
  if (!file) return InvalidArgument(path, ": cannot be written");
  return {};
}

}  // namespace plinth::cli
