// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_WIRE_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_WIRE_H_

#include <cstdint>
#include <cstring>
#include <protozero/exception.hpp>
#include <string_view>
#include <vector>

// The fields of a protocol buffer. protozero reads them too; a program has some twenty in each
// instruction, so here the short forms that nearly all of them have are read in place. As in
// protocol buffers, a field of another wire type is not there, and of several the last one counts.
// What is malformed is an exception of protozero, which ReadHlo catches.
namespace plinth::program {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// What WireReader::key() is at a field of that number and type.
constexpr uint32_t WireKey(uint32_t field, WireType type) {
  return field << 3 | static_cast<uint32_t>(type);
}

class WireReader {
 public:
  explicit WireReader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  // Goes to the next field, whose value must be taken or skipped before the one after it.
  bool Next() {
    if (at_ == end_) return false;
    const uint64_t key = ReadVarint();
    if (key < 8 || key > UINT32_MAX) throw protozero::invalid_tag_exception();
    key_ = static_cast<uint32_t>(key);
    return true;
  }
  // Takes the bytes of the next field if it has that number, below 16; false, and nothing is done,
  // if not. Whoever knows the order in which fields are written looks for each first.
  bool Accept(uint32_t field, std::string_view* bytes) {
    if (at_ == end_ || static_cast<uint8_t>(*at_) != WireKey(field, WireType::kBytes)) return false;
    ++at_;
    *bytes = Bytes();
    return true;
  }
  // Goes to the next field of that number.
  bool Next(uint32_t field) {
    while (Next()) {
      if (this->field() == field) return true;
      Skip();
    }
    return false;
  }

  uint32_t key() const { return key_; }
  uint32_t field() const { return key_ >> 3; }
  bool Is(WireType type) const { return (key_ & 7) == static_cast<uint32_t>(type); }
  // Where the next byte is.
  const char* at() const { return at_; }

  // The value, if it has that type; if not, none, and the field is passed over.
  uint64_t Varint() {
    if (Is(WireType::kVarint)) return ReadVarint();
    Skip();
    return 0;
  }
  int64_t Int() { return static_cast<int64_t>(Varint()); }
  // Of a field that has bytes.
  std::string_view Bytes() { return Take(ReadVarint()); }
  uint32_t Fixed32() { return Fixed<uint32_t>(); }
  uint64_t Fixed64() { return Fixed<uint64_t>(); }

  void Skip() { at_ = EndOfValue(key_, at_, end_); }

  // Calls `one` with each number of a list, be it packed or one at a time.
  template <typename One>
  void ForEachInt(One one) {
    if (Is(WireType::kVarint)) {
      one(static_cast<int64_t>(ReadVarint()));
    } else if (Is(WireType::kBytes)) {
      WireReader list(Bytes());
      while (list.at_ != list.end_) one(static_cast<int64_t>(list.ReadVarint()));
    } else {
      Skip();
    }
  }

 private:
  // What is rare is for functions that do not know the reader, so that it stays in registers.
  struct Number {
    uint64_t value;
    const char* end;
  };
  [[gnu::always_inline]] uint64_t ReadVarint() {
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) return static_cast<uint8_t>(*at_++);
    if (end_ - at_ > 1 && static_cast<uint8_t>(at_[1]) < 0x80) {
      const uint64_t value = (at_[0] & 0x7F) | static_cast<uint64_t>(at_[1]) << 7;
      at_ += 2;
      return value;
    }
    const Number number = LongVarint(at_, end_);
    at_ = number.end;
    return number.value;
  }
  static Number LongVarint(const char* at, const char* end);
  static const char* EndOfValue(uint32_t key, const char* at, const char* end);

  std::string_view Take(uint64_t size) {
    if (size > static_cast<uint64_t>(end_ - at_)) throw protozero::end_of_buffer_exception();
    const std::string_view taken(at_, size);
    at_ += size;
    return taken;
  }
  template <typename Value>
  Value Fixed() {
    Value value;
    std::memcpy(&value, Take(sizeof(value)).data(), sizeof(value));
    return value;
  }

  const char* at_;
  const char* const end_;
  uint32_t key_ = 0;
};

// Single fields, each by a scan of the message that holds it: the messages of an instruction are
// short. A number, whatever its type (bool, enum and integers of 32 bits included).
inline int64_t IntField(std::string_view message, uint32_t field, int64_t absent = 0) {
  int64_t value = absent;
  for (WireReader reader(message); reader.Next();) {
    if (reader.key() == WireKey(field, WireType::kVarint)) {
      value = reader.Int();
    } else {
      reader.Skip();
    }
  }
  return value;
}

inline bool BoolField(std::string_view message, uint32_t field) {
  return IntField(message, field) != 0;
}

// A text or a message. False: there is none.
inline bool FindBytes(std::string_view message, uint32_t field, std::string_view* value) {
  bool found = false;
  for (WireReader reader(message); reader.Next();) {
    if (reader.key() == WireKey(field, WireType::kBytes)) {
      *value = reader.Bytes();
      found = true;
    } else {
      reader.Skip();
    }
  }
  return found;
}

inline std::string_view BytesField(std::string_view message, uint32_t field) {
  std::string_view value;
  FindBytes(message, field, &value);
  return value;
}

// Calls `one` for each of several texts or messages, until it gives an error.
template <typename Status, typename One>
Status ForEachBytes(std::string_view message, uint32_t field, One one) {
  for (WireReader reader(message); reader.Next();) {
    if (reader.key() != WireKey(field, WireType::kBytes)) {
      reader.Skip();
    } else if (Status status = one(reader.Bytes()); !status.ok()) {
      return status;
    }
  }
  return Status();
}

// A list of numbers is added to one that is there.
inline void AppendInts(WireReader& reader, std::vector<int64_t>* values) {
  reader.ForEachInt([&](int64_t value) { values->push_back(value); });
}

inline void ReadIntsField(std::string_view message, uint32_t field, std::vector<int64_t>* values) {
  values->clear();
  for (WireReader reader(message); reader.Next(field);) AppendInts(reader, values);
}
inline std::vector<int64_t> IntsField(std::string_view message, uint32_t field) {
  std::vector<int64_t> values;
  ReadIntsField(message, field, &values);
  return values;
}

// One number of each message in a list.
inline void ReadColumn(std::string_view message, uint32_t list, uint32_t field,
                       std::vector<int64_t>* values) {
  values->clear();
  for (WireReader reader(message); reader.Next();) {
    if (reader.key() == WireKey(list, WireType::kBytes)) {
      values->push_back(IntField(reader.Bytes(), field));
    } else {
      reader.Skip();
    }
  }
}
inline std::vector<int64_t> ColumnOf(std::string_view message, uint32_t list, uint32_t field) {
  std::vector<int64_t> values;
  ReadColumn(message, list, field, &values);
  return values;
}

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_WIRE_H_
