// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/serialized_executable.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "reference_plugin/backend/executable/build_id.h"

namespace plinth::backend {
namespace {

constexpr std::string_view kMagic = "plinth-cpu-exec\n";
constexpr size_t kChecksumSize = 32;
constexpr size_t kHeaderSize = kMagic.size() + sizeof(uint32_t) + kChecksumSize;
// Deflate makes nothing more than this much smaller: a size that claims more is a lie.
constexpr uint64_t kMostDeflated = 1032;
constexpr uint64_t kMostContent = uint64_t{1} << 31;  // as protobuf, in which programs travel

template <typename Number>
void AppendNumber(std::string& out, Number number) {
  for (size_t i = 0; i < sizeof(number); ++i) out.push_back(static_cast<char>(number >> (8 * i)));
}

template <typename Size>
void AppendText(std::string& out, std::string_view text) {
  AppendNumber(out, static_cast<Size>(text.size()));
  out.append(text);
}

// Takes from the front of `bytes`; nothing if they are too few.
template <typename Number>
std::optional<Number> TakeNumber(std::string_view& bytes) {
  if (bytes.size() < sizeof(Number)) return std::nullopt;
  Number number = 0;
  for (size_t i = 0; i < sizeof(number); ++i) {
    number |= static_cast<Number>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  bytes.remove_prefix(sizeof(number));
  return number;
}

template <typename Size>
std::optional<std::string_view> TakeText(std::string_view& bytes) {
  std::optional<Size> size = TakeNumber<Size>(bytes);
  if (!size || *size > bytes.size()) return std::nullopt;
  std::string_view text = bytes.substr(0, *size);
  bytes.remove_prefix(*size);
  return text;
}

Expected<std::string> Deflate(std::string_view content) {
  uLongf size = compressBound(content.size());
  std::string deflated(size, '\0');
  int code = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                       reinterpret_cast<const Bytef*>(content.data()), content.size(),
                       Z_DEFAULT_COMPRESSION);
  if (code != Z_OK) return Internal("zlib cannot compress an executable: code ", code);
  deflated.resize(size);
  return deflated;
}

std::optional<std::string> Inflate(std::string_view deflated, uint64_t size) {
  if (size / kMostDeflated > deflated.size() ||
      std::max<uint64_t>(size, deflated.size()) > kMostContent) {
    return std::nullopt;
  }
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
  stream.avail_in = static_cast<uInt>(deflated.size());
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  // Memory grows with what was inflated, not with what the file claims.
  std::string content;
  int code = Z_OK;
  while (code == Z_OK && content.size() < size) {
    size_t done = content.size();
    content.resize(std::min<size_t>(size, std::max<size_t>(2 * done, size_t{1} << 16)));
    stream.next_out = reinterpret_cast<Bytef*>(content.data() + done);
    stream.avail_out = static_cast<uInt>(content.size() - done);
    code = inflate(&stream, Z_NO_FLUSH);
    if (stream.avail_out != 0 && code == Z_OK) code = Z_DATA_ERROR;  // cut off
  }
  // The last bytes may fill the memory before the end was seen.
  if (code == Z_OK) {
    stream.avail_out = 0;
    code = inflate(&stream, Z_FINISH);
  }
  const bool is_whole = code == Z_STREAM_END && stream.total_out == size && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!is_whole) return std::nullopt;
  return content;
}

Status Damaged(std::string_view bytes, std::string_view what) {
  return InvalidArgument("the serialized executable of ", bytes.size(), " bytes is damaged: ", what,
                         "; compile the program again");
}

Status OfAnother(const char* what, std::string_view found, std::string_view expected) {
  return FailedPrecondition("the executable was serialized by another ", what, ": found ", found,
                            ", expected ", expected, "; compile the program again");
}

}  // namespace

Expected<std::string> WriteSerializedExecutable(const SerializedExecutable& parts,
                                                const SerializedBy& writer) {
  std::string content;
  AppendText<uint64_t>(content, parts.options);
  AppendText<uint64_t>(content, parts.format);
  AppendText<uint64_t>(content, parts.code);
  AppendText<uint64_t>(content, parts.kept);
  PLINTH_ASSIGN_OR_RETURN(std::string deflated, Deflate(content));
  std::string body;
  AppendText<uint32_t>(body, writer.build_id);
  AppendText<uint32_t>(body, writer.cpu);
  AppendNumber(body, static_cast<uint64_t>(content.size()));
  body += deflated;

  std::string out(kMagic);
  AppendNumber(out, kSerializedVersion);
  out += Fingerprint({out, body});
  return out + body;
}

Expected<SerializedExecutable> ReadSerializedExecutable(std::string_view bytes,
                                                        const SerializedBy& reader) {
  if (!bytes.starts_with(kMagic)) {
    return InvalidArgument("these ", bytes.size(), " bytes are no executable of the ",
                           reader.backend, " plugin: they do not start with \"plinth-cpu-exec\"");
  }
  std::string_view rest = bytes.substr(kMagic.size());
  std::optional<uint32_t> version = TakeNumber<uint32_t>(rest);
  // The rest of the layout is the version's own.
  if (version && *version != kSerializedVersion) {
    return OfAnother("version of the format", StrCat(*version), StrCat(kSerializedVersion));
  }
  if (bytes.size() < kHeaderSize) return Damaged(bytes, "it is cut off in its header");
  std::string_view checksum = rest.substr(0, kChecksumSize);
  std::string_view body = rest.substr(kChecksumSize);
  std::string_view before = bytes.substr(0, kMagic.size() + sizeof(uint32_t));
  if (Fingerprint({before, body}) != checksum) {
    return Damaged(bytes, "its checksum does not match its bytes");
  }
  auto build_id = TakeText<uint32_t>(body), cpu = TakeText<uint32_t>(body);
  auto size = TakeNumber<uint64_t>(body);
  if (!build_id || !cpu || !size) return Damaged(bytes, "its parts do not fit its size");
  if (*build_id != reader.build_id) {
    return OfAnother("build of the plugin", *build_id, reader.build_id);
  }
  if (*cpu != reader.cpu) return OfAnother("kind of CPU", *cpu, reader.cpu);
  std::optional<std::string> content = Inflate(body, *size);
  if (!content) return Damaged(bytes, "its content cannot be inflated");
  std::string_view left = *content;
  auto options = TakeText<uint64_t>(left), format = TakeText<uint64_t>(left);
  auto code = TakeText<uint64_t>(left), kept = TakeText<uint64_t>(left);
  if (!options || !format || !code || !kept || !left.empty()) {
    return Damaged(bytes, "the parts of its content do not fit its size");
  }
  return SerializedExecutable{std::string(*options), std::string(*format), std::string(*code),
                              std::string(*kept)};
}

}  // namespace plinth::backend
