// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace plinth::backend {
namespace {

std::string Hexadecimal(const unsigned char* bytes, size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text.push_back(kDigits[bytes[i] >> 4]);
    text.push_back(kDigits[bytes[i] & 15]);
  }
  return text;
}

// The GNU build id among the notes of a loaded object.
std::string FindBuildId(const char* notes, size_t size) {
  size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof(note));
    size_t name = at + sizeof(note);
    size_t description = name + (note.n_namesz + 3) / 4 * 4;
    size_t end = description + (note.n_descsz + 3) / 4 * 4;
    if (end > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0) {
      return Hexadecimal(reinterpret_cast<const unsigned char*>(notes + description),
                         note.n_descsz);
    }
    at = end;
  }
  return "";
}

int VisitObject(dl_phdr_info* object, size_t, void* result) {
  auto here = reinterpret_cast<ElfW(Addr)>(&BuildId);
  bool contains_this = false;
  std::string build_id;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    ElfW(Addr) begin = object->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && here >= begin && here < begin + header.p_memsz) {
      contains_this = true;
    } else if (header.p_type == PT_NOTE && build_id.empty()) {
      build_id = FindBuildId(reinterpret_cast<const char*>(begin), header.p_memsz);
    }
  }
  if (!contains_this) return 0;
  *static_cast<std::string*>(result) = build_id;
  return 1;
}

}  // namespace

const std::string& BuildId() {
  // Never destroyed: other threads may ask for it while the process exits.
  static const std::string& build_id = *[] {
    auto* found = new std::string();
    dl_iterate_phdr(VisitObject, found);
    if (found->empty()) *found = "unknown";
    return found;
  }();
  return build_id;
}

std::string Fingerprint(std::initializer_list<std::string_view> parts) {
  // FNV-1a with two offsets; lengths keep the parts apart.
  uint64_t hashes[2] = {0xcbf29ce484222325, 0x84222325cbf29ce4};
  auto add = [&](unsigned char byte) {
    for (uint64_t& hash : hashes) hash = (hash ^ byte) * 0x100000001b3;
    hashes[1] ^= hashes[1] >> 29;
  };
  for (std::string_view part : parts) {
    for (char c : part) add(static_cast<unsigned char>(c));
    for (uint64_t size = part.size(), i = 0; i < 8; ++i) {
      add(static_cast<unsigned char>(size >> (8 * i)));
    }
  }
  unsigned char bytes[16];
  std::memcpy(bytes, hashes, sizeof(bytes));
  return Hexadecimal(bytes, sizeof(bytes));
}

}  // namespace plinth::backend
