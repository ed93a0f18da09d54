// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/bytecode_sections.h"

#include <charconv>
#include <iterator>

#include "reference_plugin/program/vhlo_ops.h"

namespace plinth::program {
namespace {

constexpr uint64_t kNewestContainer = 6;
constexpr std::string_view kProducer = "StableHLO_v";

constexpr std::string_view kSectionNames[BytecodeSections::kNumIds] = {
    "string",   "dialect",         "attribute",       "attribute offset", "IR",
    "resource", "resource offset", "dialect version", "properties"};

constexpr uint8_t kResourceBlob = 0;

}  // namespace

bool BytecodeSections::ReadAnySection(BytecodeCursor& at, uint8_t* id, BytecodeCursor* section) {
  uint8_t head;
  if (!at.Byte(&head)) return Expect(at, "a section");
  *id = head & 0x7F;
  if (*id >= kNumIds) return Fail(BytecodeError(at.offset() - 1, "section ", *id, " is not known"));
  uint64_t size, alignment;
  if (!at.Varint(&size)) return Expect(at, "the size of a section");
  if (head & 0x80) {
    if (!at.Varint(&alignment)) return Expect(at, "the alignment of a section");
    if (!at.AlignTo(alignment)) return Expect(at, "padding up to the alignment of a section");
  }
  const size_t offset = at.offset();
  std::span<const std::byte> data;
  if (!at.Bytes(size, &data)) {
    return Fail(BytecodeError(offset, "a section (", kSectionNames[*id], ") of ", size,
                              " bytes, but only ", at.remaining(), " follow"));
  }
  *section = BytecodeCursor(data, offset);
  return true;
}

bool BytecodeSections::ReadSection(BytecodeCursor& at, Id wanted, BytecodeCursor* section) {
  const size_t offset = at.offset();
  uint8_t id;
  if (!ReadAnySection(at, &id, section)) return false;
  if (id == wanted) return true;
  return Fail(BytecodeError(offset, "expected section ", kSectionNames[wanted], ", found section ",
                            kSectionNames[id]));
}

bool BytecodeSections::CheckProducer(std::string_view producer) {
  // Other producers do not say a version of VHLO; their ops are looked at one by one.
  if (!producer.starts_with(kProducer)) return true;
  const char* at = producer.data() + kProducer.size();
  const char* end = producer.data() + producer.size();
  VhloVersion version;
  const auto major = std::from_chars(at, end, version.major);
  if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.') {
    const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
    if (minor.ec == std::errc() && version >= kOldestVhlo && version <= kNewestVhlo) return true;
  }
  return Fail(Unimplemented("the program is in VHLO ", producer.substr(kProducer.size()),
                            "; versions ", kOldestVhlo.major, ".", kOldestVhlo.minor, " to ",
                            kNewestVhlo.major, ".", kNewestVhlo.minor,
                            " are read: serialize it for one of these"));
}

bool BytecodeSections::ReadHead(BytecodeCursor& at) {
  std::span<const std::byte> magic;
  if (!at.Bytes(4, &magic) || magic[0] != std::byte{0x4D} || magic[1] != std::byte{0x4C} ||
      magic[2] != std::byte{0xEF} || magic[3] != std::byte{0x52}) {
    return Fail(BytecodeError(0, "expected the magic bytes 4D 4C EF 52"));
  }
  if (!at.Varint(&version_)) return Expect(at, "the version of the container");
  if (version_ > kNewestContainer) {
    return Fail(Unimplemented("MLIR bytecode version ", version_, "; versions 0 to ",
                              kNewestContainer, " are read"));
  }
  std::string_view producer;
  if (!at.NullTerminated(&producer)) return Expect(at, "the name of the producer");
  return CheckProducer(producer);
}

Status BytecodeSections::Read() {
  BytecodeCursor at(file_, 0);
  if (!ReadHead(at)) return status_;
  while (!at.empty()) {
    const size_t offset = at.offset();
    uint8_t id;
    BytecodeCursor section;
    if (!ReadAnySection(at, &id, &section)) return status_;
    if (present_[id]) {
      return BytecodeError(offset, "a second section ", kSectionNames[id]);
    }
    present_[id] = true;
    sections_[id] = section;
  }
  for (Id id : {kStrings, kDialect, kAttrType, kAttrTypeOffset, kIr}) {
    if (!present_[id]) {
      return BytecodeError(file_.size(), "the file ends without a section ", kSectionNames[id]);
    }
  }
  if (ReadStrings() && ReadDialects() && ReadResources() && ReadAttributeOffsets()) {
    (void)ReadPropertiesTable();
  }
  return status_;
}

bool BytecodeSections::ReadStrings() {
  BytecodeCursor& at = sections_[kStrings];
  uint64_t count;
  // Every string has a length and, as it is stored, a zero byte.
  if (!at.Count(&count, 2)) return Expect(at, "the number of strings");
  std::vector<uint64_t> sizes(count);
  uint64_t total = 0;
  for (uint64_t& size : sizes) {
    if (!at.Varint(&size)) return Expect(at, "the length of a string");
    if (size == 0 || size > at.remaining()) {
      return Fail(BytecodeError(at.offset(), "a string of ", size, " bytes, but only ",
                                at.remaining(), " follow"));
    }
    total += size;
    if (total > at.remaining()) return Expect(at, "as many bytes of strings as announced");
  }
  if (total != at.remaining()) {
    return Fail(BytecodeError(at.offset(), "strings of ", total, " bytes, but ", at.remaining(),
                              " follow"));
  }
  const size_t offset = at.offset();
  std::span<const std::byte> bytes;
  (void)at.Bytes(total, &bytes);
  const std::string_view text = builder_.arena().Copy(
      std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  // The lengths are those of the last string first.
  strings_.resize(count);
  size_t end = text.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t start = end - sizes[i];
    strings_[count - 1 - i] = text.substr(start, sizes[i] - 1);
    if (text[end - 1] != '\0') {
      return Fail(BytecodeError(offset + end - 1, "expected the zero byte after a string"));
    }
    end = start;
  }
  attributes_.set_strings(strings_);
  return true;
}

bool BytecodeSections::StringAt(BytecodeCursor& at, uint64_t index, std::string_view* text) {
  if (index >= strings_.size()) {
    return Fail(BytecodeError(at.offset(), "string ", index, " is asked for, but there are ",
                              strings_.size()));
  }
  *text = strings_[index];
  return true;
}

bool BytecodeSections::ReadString(BytecodeCursor& at, std::string_view* text) {
  uint64_t index;
  if (!at.Varint(&index)) return Expect(at, "the index of a string");
  return StringAt(at, index, text);
}

bool BytecodeSections::ReadDialectIndex(BytecodeCursor& at, uint64_t* index) {
  if (!at.Varint(index)) return Expect(at, "the index of a dialect");
  if (*index < dialects_.size()) return true;
  return Fail(BytecodeError(at.offset(), "dialect ", *index, " is asked for, but there are ",
                            dialects_.size()));
}

bool BytecodeSections::ReadDialects() {
  BytecodeCursor& at = sections_[kDialect];
  uint64_t count;
  if (!at.Count(&count)) return Expect(at, "the number of dialects");
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t name;
    bool versioned = false;
    if (version_ == 0 ? !at.Varint(&name) : !at.FlaggedVarint(&name, &versioned)) {
      return Expect(at, "the name of a dialect");
    }
    DialectEntry entry;
    if (!StringAt(at, name, &entry.name)) return false;
    BytecodeCursor version;
    if (versioned && !ReadSection(at, kDialectVersions, &version)) return false;
    entry.dialect = entry.name == "builtin"     ? Dialect::kBuiltin
                    : entry.name == "vhlo"      ? Dialect::kVhlo
                    : entry.name == "sdy"       ? Dialect::kSdy
                    : entry.name == "stablehlo" ? Dialect::kStablehlo
                                                : Dialect::kOther;
    dialects_.push_back(entry);
  }
  uint64_t announced;
  if (version_ >= 4 && !at.Varint(&announced)) return Expect(at, "the number of op names");
  while (!at.empty()) {
    uint64_t dialect, ops;
    if (!ReadDialectIndex(at, &dialect)) return false;
    if (!at.Count(&ops)) return Expect(at, "the number of op names of a dialect");
    for (uint64_t i = 0; i < ops; ++i) {
      OpName op;
      uint64_t name;
      if (version_ < 5 ? !at.Varint(&name) : !at.FlaggedVarint(&name, &op.registered)) {
        return Expect(at, "the name of an op");
      }
      op.dialect_name = dialects_[dialect].name;
      if (!StringAt(at, name, &op.name)) return false;
      op_names_.push_back(op);
    }
  }
  return true;
}

bool BytecodeSections::ReadAttributeOffsets() {
  BytecodeCursor& at = sections_[kAttrTypeOffset];
  BytecodeCursor& data = sections_[kAttrType];
  uint64_t num_attributes, num_types;
  if (!at.Varint(&num_attributes) || !at.Varint(&num_types)) {
    return Expect(at, "the numbers of attributes and types");
  }
  const uint64_t available = at.remaining();
  if (num_attributes > available || num_types > available) {
    return Expect(at, "as many attributes and types as announced");
  }
  for (const bool is_type : {false, true}) {
    const uint64_t total = is_type ? num_types : num_attributes;
    uint64_t done = 0;
    while (done < total) {
      uint64_t dialect, count;
      if (!ReadDialectIndex(at, &dialect)) return false;
      if (!at.Count(&count) || count > total - done) {
        return Expect(at, "the number of attributes or types of a dialect");
      }
      for (uint64_t i = 0; i < count; ++i) {
        uint64_t size;
        bool custom;
        if (!at.FlaggedVarint(&size, &custom)) return Expect(at, "the size of an attribute");
        const size_t offset = data.offset();
        std::span<const std::byte> bytes;
        if (!data.Bytes(size, &bytes)) {
          return Fail(BytecodeError(at.offset(), "an attribute of ", size, " bytes, but only ",
                                    data.remaining(), " follow"));
        }
        const Dialect of = dialects_[dialect].dialect;
        if (is_type) {
          attributes_.AddType(of, custom, BytecodeCursor(bytes, offset));
        } else {
          attributes_.AddAttribute(of, custom, BytecodeCursor(bytes, offset));
        }
      }
      done += count;
      // Groups without elements would make this loop endless work for little input.
      if (count == 0) return Expect(at, "a group of attributes that is not empty");
    }
  }
  if (!at.empty()) {
    return Fail(BytecodeError(at.offset(), at.remaining(), " bytes left over in section ",
                              kSectionNames[kAttrTypeOffset]));
  }
  return true;
}

bool BytecodeSections::ReadResourceGroup(BytecodeCursor& offsets, BytecodeCursor& data,
                                         bool of_dialect) {
  uint64_t count;
  if (!offsets.Count(&count, 3)) return Expect(offsets, "the number of resources");
  for (uint64_t i = 0; i < count; ++i) {
    BytecodeAttributes::Resource resource;
    uint64_t size;
    uint8_t kind;
    if (!ReadString(offsets, &resource.key)) return false;
    if (!offsets.Varint(&size) || !offsets.Byte(&kind)) return Expect(offsets, "a resource");
    const size_t offset = data.offset();
    std::span<const std::byte> bytes;
    if (!data.Bytes(size, &bytes)) return Expect(data, "a resource as large as announced");
    if (!of_dialect) continue;
    if (kind == kResourceBlob && !bytes.empty()) {
      BytecodeCursor entry(bytes, offset);
      uint64_t alignment, blob_size;
      if (!entry.Varint(&alignment) || !entry.Varint(&blob_size) || !entry.AlignTo(alignment) ||
          !entry.Bytes(blob_size, &resource.blob)) {
        return Expect(entry, "the bytes of a resource");
      }
    }
    resources_.push_back(resource);
  }
  return true;
}

bool BytecodeSections::ReadResources() {
  if (!present_[kResourceOffset]) return true;
  BytecodeCursor& offsets = sections_[kResourceOffset];
  BytecodeCursor& data = sections_[kResource];
  uint64_t num_external;
  if (!offsets.Count(&num_external)) return Expect(offsets, "the number of resource groups");
  for (uint64_t i = 0; i < num_external; ++i) {
    std::string_view key;
    if (!ReadString(offsets, &key) || !ReadResourceGroup(offsets, data, false)) return false;
  }
  while (!offsets.empty()) {
    uint64_t dialect;
    if (!ReadDialectIndex(offsets, &dialect)) return false;
    if (!ReadResourceGroup(offsets, data, true)) return false;
  }
  attributes_.set_resources(resources_);
  return true;
}

bool BytecodeSections::ReadPropertiesTable() {
  if (!present_[kProperties]) return true;
  BytecodeCursor& at = sections_[kProperties];
  uint64_t count;
  if (!at.Count(&count)) return Expect(at, "the number of properties");
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t size;
    if (!at.Varint(&size)) return Expect(at, "the size of properties");
    const size_t offset = at.offset();
    std::span<const std::byte> bytes;
    if (!at.Bytes(size, &bytes)) return Expect(at, "properties as large as announced");
    properties_.push_back(BytecodeCursor(bytes, offset));
  }
  if (!at.empty()) {
    return Fail(BytecodeError(at.offset(), at.remaining(), " bytes left over in section ",
                              kSectionNames[kProperties]));
  }
  return true;
}

}  // namespace plinth::program
