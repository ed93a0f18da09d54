// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_WIRE_H_
#define PLINTH_IMPL_SERVE_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "plinth/support/text.h"

// What the generated readers and writers of proxy_messages.cc are made of: one helper for each type
// of protocol buffers. Readers throw protozero's exceptions, which Guard turns into a status.
namespace plinth::serve::wire {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

// An empty submessage takes two bytes on the wire and a hundred in memory: more than these in one
// list are refused.
inline constexpr size_t kMaxElements = 1 << 16;
// And of all lists of a message together, where a number counts one and anything else eight.
inline constexpr size_t kMaxCount = 1 << 22;

struct WrongType : protozero::exception {
  const char* what() const noexcept override { return "a field of another type"; }
};
struct TooMany : protozero::exception {
  const char* what() const noexcept override { return "a list of more than 65536 messages"; }
};
struct TooManyInAll : protozero::exception {
  const char* what() const noexcept override { return "lists of more than 4194304 numbers in all"; }
};

// A reader that knows how much the lists of the whole message may still have.
class Reader : public pbf_reader {
 public:
  Reader(const pbf_reader& in, size_t* left) : pbf_reader(in), left_(left) {}
  Reader Inner() { return {get_message(), left_}; }
  void Count(size_t count) const {
    if (*left_ < count) throw TooManyInAll();
    *left_ -= count;
  }

 private:
  size_t* left_;
};

inline void Expect(const pbf_reader& in, pbf_wire_type type) {
  if (in.wire_type() != type) throw WrongType();
}

inline Reader Enter(Reader& in) {
  Expect(in, pbf_wire_type::length_delimited);
  return in.Inner();
}

template <typename T>
T& Append(const Reader& in, std::vector<T>& list) {
  if (list.size() >= kMaxElements) throw TooMany();
  in.Count(8);
  return list.emplace_back();
}

#define PLINTH_WIRE_NUMBER(Name, Type, wire, name)                                            \
  inline void Get##Name(pbf_reader& in, Type& value) {                                        \
    Expect(in, pbf_wire_type::wire);                                                          \
    value = in.get_##name();                                                                  \
  }                                                                                           \
  inline void Add##Name(Reader& in, std::vector<Type>& list) {                                \
    if (in.wire_type() == pbf_wire_type::wire) {                                              \
      in.Count(1);                                                                            \
      list.push_back(in.get_##name());                                                        \
      return;                                                                                 \
    }                                                                                         \
    Expect(in, pbf_wire_type::length_delimited);                                              \
    for (const Type value : in.get_packed_##name()) {                                         \
      in.Count(1);                                                                            \
      list.push_back(value);                                                                  \
    }                                                                                         \
  }                                                                                           \
  inline void Put##Name(pbf_writer& out, uint32_t number, Type value, bool always = false) {  \
    if (always || value != Type{}) out.add_##name(number, value);                             \
  }                                                                                           \
  inline void PutAll##Name(pbf_writer& out, uint32_t number, const std::vector<Type>& list) { \
    out.add_packed_##name(number, list.begin(), list.end());                                  \
  }
PLINTH_WIRE_NUMBER(Bool, bool, varint, bool)
PLINTH_WIRE_NUMBER(Int32, int32_t, varint, int32)
PLINTH_WIRE_NUMBER(Int64, int64_t, varint, int64)
PLINTH_WIRE_NUMBER(Uint64, uint64_t, varint, uint64)
PLINTH_WIRE_NUMBER(Fixed32, uint32_t, fixed32, fixed32)
PLINTH_WIRE_NUMBER(Fixed64, uint64_t, fixed64, fixed64)
PLINTH_WIRE_NUMBER(Sfixed64, int64_t, fixed64, sfixed64)
PLINTH_WIRE_NUMBER(Float, float, fixed32, float)
#undef PLINTH_WIRE_NUMBER

inline bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = Utf8Length(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}
// With U+FFFD for each byte that is none.
inline std::string ToUtf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t size = Utf8Length(text);
    result += size == 0 ? "\xef\xbf\xbd" : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

inline void GetBytes(pbf_reader& in, std::string& value) {
  Expect(in, pbf_wire_type::length_delimited);
  value = in.get_string();
}
inline void GetString(pbf_reader& in, std::string& value) { GetBytes(in, value); }
inline void AddBytes(Reader& in, std::vector<std::string>& list) { GetBytes(in, Append(in, list)); }
inline void AddString(Reader& in, std::vector<std::string>& list) { AddBytes(in, list); }
inline void PutBytes(pbf_writer& out, uint32_t number, const std::string& value,
                     bool always = false) {
  if (always || !value.empty()) out.add_bytes(number, value);
}
// Clients end a session over a string that is no UTF-8: whatever a plugin wrote, they get one.
inline void PutString(pbf_writer& out, uint32_t number, const std::string& value,
                      bool always = false) {
  if (IsUtf8(value)) {
    PutBytes(out, number, value, always);
  } else {
    PutBytes(out, number, ToUtf8(value), always);
  }
}

// Runs a reader over the bytes of a message.
template <typename ReadFields>
Status Guard(std::string_view message, std::string_view bytes, ReadFields read) {
  try {
    size_t left = kMaxCount;
    read(Reader(pbf_reader(bytes.data(), bytes.size()), &left));
    return {};
  } catch (const std::exception& error) {
    return InvalidArgument(message, ": malformed protocol buffer of ", bytes.size(), " bytes (",
                           error.what(), ")");
  }
}

}  // namespace plinth::serve::wire

#endif  // PLINTH_IMPL_SERVE_WIRE_H_
