// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_WIRE_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_WIRE_H_

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <vector>

// Single fields of a protocol buffer, each by a scan of the message that holds it: the messages of
// an instruction are short. As in protocol buffers, a field of another wire type is not there, and
// of several the last one counts. What is malformed is an exception of protozero, which
// ReadHloModule catches.
namespace plinth::program {

inline std::string_view ToView(protozero::data_view view) { return {view.data(), view.size()}; }

// A number, whatever its type (bool, enum and integers of 32 bits included).
inline int64_t IntField(std::string_view message, uint32_t field, int64_t absent = 0) {
  protozero::pbf_reader reader(message.data(), message.size());
  int64_t value = absent;
  while (reader.next(field)) {
    if (reader.wire_type() == protozero::pbf_wire_type::varint) {
      value = reader.get_int64();
    } else {
      reader.skip();
    }
  }
  return value;
}

inline bool BoolField(std::string_view message, uint32_t field) {
  return IntField(message, field) != 0;
}

// A number; 0, and the field is passed over, if it lies there in another form.
inline int64_t IntOf(protozero::pbf_reader& reader) {
  if (reader.wire_type() == protozero::pbf_wire_type::varint) return reader.get_int64();
  reader.skip();
  return 0;
}

inline bool IsBytesField(const protozero::pbf_reader& reader) {
  return reader.wire_type() == protozero::pbf_wire_type::length_delimited;
}

// A text or a message. False: there is none.
inline bool FindBytes(std::string_view message, uint32_t field, std::string_view* value) {
  protozero::pbf_reader reader(message.data(), message.size());
  bool found = false;
  while (reader.next(field)) {
    if (IsBytesField(reader)) {
      *value = ToView(reader.get_view());
      found = true;
    } else {
      reader.skip();
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
  protozero::pbf_reader reader(message.data(), message.size());
  while (reader.next(field)) {
    if (!IsBytesField(reader)) {
      reader.skip();
    } else if (Status status = one(ToView(reader.get_view())); !status.ok()) {
      return status;
    }
  }
  return Status();
}

// The field that the reader stands at, if it is a list of integers, packed or one at a time.
inline void AppendInts(protozero::pbf_reader& reader, std::vector<int64_t>* values) {
  if (reader.wire_type() == protozero::pbf_wire_type::varint) {
    values->push_back(reader.get_int64());
  } else if (IsBytesField(reader)) {
    for (const int64_t value : reader.get_packed_int64()) values->push_back(value);
  } else {
    reader.skip();
  }
}

inline void ReadIntsField(std::string_view message, uint32_t field, std::vector<int64_t>* values) {
  protozero::pbf_reader reader(message.data(), message.size());
  values->clear();
  while (reader.next(field)) AppendInts(reader, values);
}
inline std::vector<int64_t> IntsField(std::string_view message, uint32_t field) {
  std::vector<int64_t> values;
  ReadIntsField(message, field, &values);
  return values;
}

// One number of each message in a list.
inline std::vector<int64_t> ColumnOf(std::string_view message, uint32_t list, uint32_t field) {
  protozero::pbf_reader reader(message.data(), message.size());
  std::vector<int64_t> values;
  while (reader.next(list)) {
    if (IsBytesField(reader)) {
      values.push_back(IntField(ToView(reader.get_view()), field));
    } else {
      reader.skip();
    }
  }
  return values;
}

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_WIRE_H_
