// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/program_pack.h"

#include <zlib.h>

#include <cstring>

namespace plinth::conformance {
namespace {

constexpr std::string_view kMagic = "PLOP";
constexpr char kVersion = 1;
constexpr uint64_t kLargestDim = uint64_t{1} << 31;

// Reads the form that program.py describes. After what does not fit, all reads give nothing.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  bool ok() const { return ok_; }
  std::string_view rest() const { return left_; }

  std::string_view Take(uint64_t size) {
    if (!ok_ || size > left_.size()) {
      ok_ = false;
      return {};
    }
    std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  uint8_t Byte() {
    std::string_view byte = Take(1);
    return byte.empty() ? 0 : static_cast<uint8_t>(byte[0]);
  }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      uint8_t byte = Byte();
      value |= uint64_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
    ok_ = false;
    return 0;
  }
  // A count of things that take at least a byte each.
  size_t Count() {
    uint64_t count = Varint();
    if (count > left_.size()) ok_ = false;
    return ok_ ? count : 0;
  }
  std::string_view Text() { return Take(Varint()); }

  HostArray Array() {
    HostArray array;
    array.type = DTypeFromC(Byte()).value_or(DType::kInvalid);
    uint64_t size = InfoOf(array.type).bytes;
    if (size == 0) ok_ = false;
    for (size_t rank = Count(); rank > 0; --rank) {
      uint64_t dim = Varint();
      if (dim > kLargestDim || __builtin_mul_overflow(size, dim, &size)) ok_ = false;
      if (!ok_) return array;
      array.dims.push_back(static_cast<int64_t>(dim));
    }
    std::string_view bytes = Take(size);
    array.bytes.resize(bytes.size());
    if (!bytes.empty()) std::memcpy(array.bytes.data(), bytes.data(), bytes.size());
    return array;
  }

  std::vector<bool> Mask() {
    std::vector<bool> mask;
    for (char byte : Text()) {
      for (int bit = 0; bit < 8; ++bit) mask.push_back((byte >> bit & 1) != 0);
    }
    return mask;
  }

  ExpectedResult Result() {
    ExpectedResult result;
    result.value = Array();
    uint8_t kind = Byte();
    if (kind >= kNumToleranceClasses) ok_ = false;
    result.tolerance.kind = static_cast<ToleranceClass>(ok_ ? kind : 0);
    result.tolerance.ulps = static_cast<int64_t>(Varint());
    uint8_t flags = Byte();
    result.tolerance.of_max = (flags & 1) != 0;
    result.tolerance.any_zero_sign = (flags & 2) != 0;
    result.not_asked = Mask();
    result.flushed = Mask();
    return result;
  }

  PackedProgram Program() {
    PackedProgram program;
    program.text = Text();
    program.options = Text();
    program.devices = Byte();
    for (size_t count = Count(); count > 0; --count) {
      std::string version(Text());
      program.artifacts.emplace_back(std::move(version), Text());
    }
    for (size_t count = Count(); count > 0; --count) program.arguments.push_back(Array());
    for (size_t count = Count(); count > 0; --count) program.results.push_back(Result());
    if (program.devices < 1) {
      ok_ = false;
      return program;
    }
    auto devices = static_cast<size_t>(program.devices);
    if (program.arguments.size() % devices != 0 || program.results.size() % devices != 0) {
      ok_ = false;
    }
    return program;
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

Expected<std::string> Inflate(std::string_view packed, size_t size) {
  std::string bytes(size, '\0');
  auto made = static_cast<uLongf>(size);
  int status = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &made,
                          reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  if (status != Z_OK || made != size) return Internal("a pack of programs does not unpack");
  return bytes;
}

}  // namespace

Expected<ProgramPack> ProgramPack::Read(std::string_view bytes) {
  Cursor file(bytes);
  if (file.Take(kMagic.size()) != kMagic || file.Byte() != kVersion) {
    return Internal("not a pack of programs of this version");
  }
  Cursor names(file.Text());
  ProgramPack pack;
  for (size_t count = names.Count(); count > 0; --count) {
    Entry& entry = pack.entries_.emplace_back();
    entry.name = names.Text();
    for (char type : names.Text()) {
      entry.types.push_back(DTypeFromC(static_cast<uint8_t>(type)).value_or(DType::kInvalid));
    }
  }
  pack.packed_ = file.rest();
  if (!names.ok() || !file.ok()) return Internal("a pack of programs is cut short");
  return pack;
}

Expected<const PackedProgram*> ProgramPack::Program(size_t index) {
  if (!programs_.has_value()) {
    Cursor file(packed_);
    uint64_t size = file.Varint();
    // Far more than any file of the suite.
    if (!file.ok() || size > (uint64_t{1} << 28)) {
      return Internal("a pack of programs is too large");
    }
    PLINTH_ASSIGN_OR_RETURN(std::string bytes, Inflate(file.rest(), size));
    Cursor cursor(bytes);
    std::vector<PackedProgram> programs;
    for (size_t i = 0; i < entries_.size() && cursor.ok(); ++i) {
      programs.push_back(cursor.Program());
    }
    if (!cursor.ok() || !cursor.rest().empty()) return Internal("a pack of programs is damaged");
    programs_ = std::move(programs);
  }
  if (index >= programs_->size()) return Internal("a pack of programs has no number ", index);
  return &(*programs_)[index];
}

std::map<std::string_view, ProgramPack>& PacksOf(std::string_view folder) {
  static auto* const folders = [] {
    auto* made = new std::map<std::string_view, std::map<std::string_view, ProgramPack>>;
    for (const EmbeddedFile& file : EmbeddedFiles()) {
      Expected<ProgramPack> read = ProgramPack::Read(file.bytes);
      // program_pack_test.cc reads them all.
      if (read.ok()) (*made)[file.folder].emplace(file.name, *std::move(read));
    }
    return made;
  }();
  return (*folders)[folder];
}

const PackedProgram* ProgramOf(Context& context, std::string_view folder, std::string_view pack,
                               std::string_view name) {
  auto& packs = PacksOf(folder);
  auto found = packs.find(pack);
  for (size_t i = 0; found != packs.end() && i < found->second.entries().size(); ++i) {
    if (found->second.entries()[i].name != name) continue;
    Expected<const PackedProgram*> program = found->second.Program(i);
    if (program.ok()) return *program;
  }
  context.Fail("", StrCat("the suite itself is damaged: no program ", pack, "/", name));
  return nullptr;
}

}  // namespace plinth::conformance
