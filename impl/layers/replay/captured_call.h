// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_REPLAY_CAPTURED_CALL_H_
#define PLINTH_IMPL_LAYERS_REPLAY_CAPTURED_CALL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "impl/layers/replay/capture_reader.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/named_value.h"

namespace plinth::layers {

struct CapturedField;

// What the capture holds of one field; which members have a meaning is said by the tag.
struct CapturedValue {
  capture::Tag tag = capture::Tag::kNull;
  uint8_t element_size = 0;
  std::string bytes;          // of numbers, texts and arrays
  std::vector<uint64_t> ids;  // of handles; of lists of lists one after the other
  uint64_t inner_count = 0;   // of lists of lists
  std::vector<std::vector<CapturedField>> structs;
  std::vector<NamedValue> named_values;
  uint64_t outer_count = 0;  // of lists of lists
  uint64_t layout_type = 0;
  std::vector<std::vector<int64_t>> layout;  // its lists
};

struct CapturedField {
  uint64_t offset = 0;
  CapturedValue value;
};

struct CapturedCall {
  int function = -1;  // index in reflection::Functions(); -1: none that this libplinth knows
  uint64_t code = 0;
  std::string message;
  std::vector<CapturedField> fields;

  // Null if the capture has no such field.
  const CapturedValue* Find(const char* field) const;
};

// Reads what follows the type of a call record. False if it is broken.
bool DecodeCall(capture::Reader& reader, BlobStore& blobs, CapturedCall& call);

// A list as Writer::Numbers writes it, of 64-bit numbers. Fails the reader if it is none.
std::vector<int64_t> DecodeInt64s(capture::Reader& reader);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_CAPTURED_CALL_H_
