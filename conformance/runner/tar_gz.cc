// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/tar_gz.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

namespace plinth::conformance {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kMaxBytes = size_t{256} << 20;
constexpr int kGzip = 15 + 16;  // windowBits of zlib for a gzip header and trailer

// A header of ustar: fields at fixed places, numbers in octal.
class Header {
 public:
  Header() { std::memset(bytes_, 0, sizeof(bytes_)); }
  explicit Header(std::string_view bytes) { std::memcpy(bytes_, bytes.data(), sizeof(bytes_)); }

  static Header Of(const std::string& name, size_t size) {
    Header header;
    std::memcpy(header.bytes_, name.data(), std::min<size_t>(name.size(), 99));
    header.SetNumber(100, 8, 0644);
    header.SetNumber(108, 8, 0);  // user
    header.SetNumber(116, 8, 0);  // group
    header.SetNumber(124, 12, size);
    header.SetNumber(136, 12, 0);  // time
    header.bytes_[156] = '0';      // a regular file
    std::memcpy(header.bytes_ + 257, "ustar\00000", 8);
    header.SetNumber(148, 7, header.Sum());
    header.bytes_[155] = ' ';
    return header;
  }

  std::string_view bytes() const { return {bytes_, sizeof(bytes_)}; }
  std::string Name() const { return {bytes_, strnlen(bytes_, 100)}; }
  bool IsRegularFile() const { return bytes_[156] == '0' || bytes_[156] == '\0'; }
  bool IsEmpty() const {
    return std::all_of(bytes_, bytes_ + kBlock, [](char c) { return c == '\0'; });
  }
  std::optional<size_t> Size() const { return Number(124, 12); }
  bool IsIntact() const { return Number(148, 8) == Sum(); }

 private:
  void SetNumber(size_t at, size_t width, size_t value) {
    char text[24];
    snprintf(text, sizeof(text), "%0*zo", static_cast<int>(width - 1), value);
    std::memcpy(bytes_ + at, text, width - 1);
  }
  std::optional<size_t> Number(size_t at, size_t width) const {
    size_t value = 0;
    bool has_digit = false;
    for (size_t i = at; i < at + width; ++i) {
      char c = bytes_[i];
      if (c == '\0' || c == ' ') {
        if (has_digit) break;
        continue;
      }
      if (c < '0' || c > '7' || value > kMaxBytes) return std::nullopt;
      value = value * 8 + static_cast<size_t>(c - '0');
      has_digit = true;
    }
    return value;
  }
  // Of all bytes, the sum itself as spaces.
  size_t Sum() const {
    size_t sum = 0;
    for (size_t i = 0; i < kBlock; ++i) {
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(bytes_[i]);
    }
    return sum;
  }

  char bytes_[kBlock];
};

size_t Padded(size_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

std::string Compress(const std::string& bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return "";
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  int code = deflate(&stream, Z_FINISH);
  out.resize(code == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

Expected<std::string> Decompress(std::string_view bytes) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzip) != Z_OK) return ResourceExhausted("zlib has no memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<size_t>(bytes.size(), kMaxBytes));
  std::string out;
  char piece[1 << 16];
  int code = Z_OK;
  while (code == Z_OK && out.size() <= kMaxBytes) {
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof(piece);
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, sizeof(piece) - stream.avail_out);
  }
  inflateEnd(&stream);
  if (out.size() > kMaxBytes) return ResourceExhausted("it holds more than 256 MB");
  // Z_STREAM_END means that gzip's own sum and length are right.
  if (code != Z_STREAM_END) {
    return InvalidArgument(code == Z_BUF_ERROR ? "it is cut off"
                                               : "it is no gzip file, or was changed");
  }
  return out;
}

}  // namespace

std::string PackTarGz(const Files& files) {
  std::string tar;
  for (const auto& [name, contents] : files) {
    tar += Header::Of(name, contents.size()).bytes();
    tar += contents;
    tar.resize(Padded(tar.size()), '\0');
  }
  tar.append(2 * kBlock, '\0');
  return Compress(tar);
}

Expected<Files> UnpackTarGz(std::string_view bytes) {
  PLINTH_ASSIGN_OR_RETURN(std::string tar, Decompress(bytes));
  Files files;
  for (size_t at = 0; at + kBlock <= tar.size();) {
    Header header(std::string_view(tar).substr(at, kBlock));
    if (header.IsEmpty()) return files;
    std::optional<size_t> size = header.Size();
    if (!header.IsIntact() || !size.has_value()) return InvalidArgument("it is no tar file");
    at += kBlock;
    std::string name = header.Name();
    if (!header.IsRegularFile() || name.empty() || name.find('/') != std::string::npos ||
        name.starts_with('.')) {
      return InvalidArgument("it holds `", name, "`, which is no file of a bundle");
    }
    if (*size > tar.size() - at) return InvalidArgument("it is cut off in `", name, "`");
    if (!files.emplace(name, tar.substr(at, *size)).second) {
      return InvalidArgument("it holds `", name, "` twice");
    }
    at += Padded(*size);
  }
  return InvalidArgument("it is cut off: it has no end");
}

}  // namespace plinth::conformance
