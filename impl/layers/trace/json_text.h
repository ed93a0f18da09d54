// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_JSON_TEXT_H_
#define PLINTH_IMPL_LAYERS_TRACE_JSON_TEXT_H_

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace plinth::layers {

// A JSON text of bounded size on the stack. What does not fit any more is left out, see Mark.
class JsonText {
 public:
  std::string_view text() const { return {buffer_.data(), size_}; }
  // False as soon as something did not fit.
  bool fits() const { return fits_; }

  // To take back everything from here on that did not fit as a whole.
  size_t Mark() const { return size_; }
  void TakeBack(size_t mark) {
    size_ = mark;
    fits_ = true;
  }

  void Raw(std::string_view text) {
    if (!fits_ || text.size() > kLimit - kReserve - size_) {
      fits_ = false;
      return;
    }
    Append(text);
  }

  // Closing brackets, at most kReserve bytes in all; they always fit.
  void Close(std::string_view brackets) { Append(brackets); }

  template <typename T>
  void Number(T value) {
    char digits[32];
    auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
    Raw({digits, static_cast<size_t>(end - digits)});
  }

  // Nanoseconds as the microseconds of the trace format.
  void Microseconds(int64_t nanoseconds);

  // In quotes; at most `limit` bytes of it, then an ellipsis. Bytes that are no UTF-8 become `?`.
  void String(std::string_view text, size_t limit = 120);

 private:
  static constexpr size_t kLimit = 4000;
  static constexpr size_t kReserve = 16;

  void Append(std::string_view text) {
    if (text.size() > kLimit - size_) return;
    std::memcpy(buffer_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }

  std::array<char, kLimit> buffer_;
  size_t size_ = 0;
  bool fits_ = true;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_JSON_TEXT_H_
