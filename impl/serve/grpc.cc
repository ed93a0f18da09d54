// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/grpc.h"

#include <algorithm>
#include <charconv>

namespace plinth::serve::grpc {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHex = "0123456789ABCDEF";
// Headers have their limits; a message that long says nothing more at its end.
constexpr size_t kMaxStatusText = 4096;

// grpc-message: what is not printable ASCII, and '%', as %XX.
std::string PercentEncode(std::string_view text) {
  std::string encoded;
  for (const char c : text.substr(0, kMaxStatusText)) {
    if (c >= ' ' && c <= '~' && c != '%') {
      encoded.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
            text.data() + i + 3) {
      decoded.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

}  // namespace

std::string Frame(std::string_view message) {
  const auto size = static_cast<uint32_t>(message.size());
  std::string framed;
  framed.reserve(kFrameHeader + message.size());
  framed.push_back(0);
  for (const int shift : {24, 16, 8, 0}) framed.push_back(static_cast<char>(size >> shift));
  framed.append(message);
  return framed;
}

Expected<std::optional<std::string_view>> Unframer::Next() {
  if (taken_ != 0 && (taken_ == bytes_.size() || taken_ >= (size_t{1} << 16))) {
    bytes_.erase(0, taken_);
    taken_ = 0;
    if (bytes_.empty() && bytes_.capacity() > (size_t{1} << 20)) bytes_.shrink_to_fit();
  }
  if (num_waiting() < kFrameHeader) return std::optional<std::string_view>();
  const char* header = bytes_.data() + taken_;
  if (header[0] != 0) {
    return Unimplemented("a compressed message; grpc-encoding must be identity");
  }
  size_t size = 0;
  for (int i = 1; i < 5; ++i) size = size << 8 | static_cast<unsigned char>(header[i]);
  if (size > max_message_) {
    return ResourceExhausted("a message of ", size, " bytes; the limit here is ", max_message_);
  }
  if (num_waiting() - kFrameHeader < size) return std::optional<std::string_view>();
  taken_ += kFrameHeader + size;
  return std::optional<std::string_view>({header + kFrameHeader, size});
}

Expected<std::string> DecodeBinaryHeader(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t value = kBase64.find(c);
    if (value == std::string_view::npos) return InvalidArgument("a binary header is not base64");
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count));
    }
  }
  return bytes;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      text.push_back(kBase64[bits >> count & 63]);
    }
  }
  if (count > 0) text.push_back(kBase64[bits << (6 - count) & 63]);
  return text;
}

Headers StatusTrailers(const Status& status) {
  Headers trailers = {{"grpc-status", std::to_string(static_cast<int>(status.code()))}};
  if (!status.ok()) trailers.emplace_back("grpc-message", PercentEncode(status.message()));
  return trailers;
}

Status StatusOf(const Headers& trailers) {
  const std::string* code = FindHeader(trailers, "grpc-status");
  if (code == nullptr) return Status(StatusCode::kUnknown, "an answer without grpc-status");
  int number = 0;
  std::from_chars(code->data(), code->data() + code->size(), number);
  if (number == 0) return {};
  const std::string* message = FindHeader(trailers, "grpc-message");
  return Status(static_cast<StatusCode>(number), message == nullptr ? "" : PercentDecode(*message));
}

Headers AnswerHeaders() { return {{":status", "200"}, {"content-type", "application/grpc"}}; }

Headers StatusOnlyHeaders(const Status& status) {
  Headers headers = AnswerHeaders();
  for (auto& trailer : StatusTrailers(status)) headers.push_back(std::move(trailer));
  return headers;
}

Headers RequestHeaders(std::string_view method) {
  return {{":method", "POST"},         {":scheme", "http"}, {":path", std::string(method)},
          {":authority", "localhost"}, {"te", "trailers"},  {"content-type", "application/grpc"}};
}

size_t MessageQueue::Read(char* to, size_t size, bool* is_end) {
  size_t taken = 0;
  while (taken < size && !messages_.empty()) {
    const std::string& first = messages_.front();
    const size_t part = std::min(size - taken, first.size() - offset_);
    std::copy_n(first.data() + offset_, part, to + taken);
    taken += part;
    offset_ += part;
    if (offset_ == first.size()) {
      messages_.pop_front();
      offset_ = 0;
    }
  }
  num_waiting_ -= taken;
  *is_end = is_ended_ && messages_.empty();
  if (taken != 0 && drained_) drained_();
  return taken;
}

}  // namespace plinth::serve::grpc
