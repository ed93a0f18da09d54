// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <utility>

#include "impl/loader/descriptor.h"
#include "impl/loader/files.h"

namespace plinth::loader {
namespace {

// More than any library has; what is larger is not read.
constexpr size_t kMaxSections = 4096;
constexpr size_t kMaxDynamicBytes = 1 << 20;
constexpr size_t kMaxStringBytes = 64 << 20;
constexpr size_t kMaxSymbolBytes = 64 << 20;
constexpr size_t kMaxText = 16 << 10;  // A list of folders is the longest.
constexpr size_t kMaxTexts = 512;
constexpr size_t kMaxFolders = 256;

#if defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#else
constexpr int kMachine = EM_X86_64;
#endif

// Whether [offset, offset + size) could be read whole.
bool ReadAt(const Descriptor& file, uint64_t offset, size_t size, void* out) {
  if (offset > INT64_MAX - size) return false;
  char* to = static_cast<char*>(out);
  while (size > 0) {
    ssize_t got = pread(file.get(), to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<size_t>(got);
  }
  return true;
}

// The size of a section is bounded by the file's, so nothing larger than that is asked for.
template <typename T>
bool ReadVector(const Descriptor& file, uint64_t offset, uint64_t bytes, size_t max_bytes,
                std::vector<T>& out) {
  struct stat facts;
  if (bytes > max_bytes || fstat(file.get(), &facts) != 0) return false;
  uint64_t file_size = static_cast<uint64_t>(facts.st_size);
  if (bytes > file_size || offset > file_size - bytes) return false;
  out.resize(bytes / sizeof(T));
  return ReadAt(file, offset, out.size() * sizeof(T), out.data());
}

// A text of a string table. Thousands of entries may name one that is as long as the file, so no
// more than kMaxText of it is looked at; what is longer is as good as empty.
std::string_view TextAt(const std::vector<char>& strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const char* begin = strings.data() + offset;
  const size_t room = std::min(strings.size() - offset, kMaxText);
  const size_t size = strnlen(begin, room);
  return size == room ? std::string_view() : std::string_view(begin, size);
}

bool IsTextAt(const std::vector<char>& strings, uint64_t offset, std::string_view text) {
  return offset < strings.size() && strings.size() - offset > text.size() &&
         std::memcmp(strings.data() + offset, text.data(), text.size()) == 0 &&
         strings[offset + text.size()] == '\0';
}

const Elf64_Shdr* FindSection(const std::vector<Elf64_Shdr>& sections, uint32_t type) {
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == type) return &section;
  }
  return nullptr;
}

// Empty if that is no path.
std::string ReplaceOrigin(std::string folder, const std::string& origin) {
  for (std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
    for (size_t at; (at = folder.find(token)) != std::string::npos;) {
      if (origin.find('$') != std::string::npos) return folder;
      folder.replace(at, token.size(), origin);
      if (folder.size() >= PATH_MAX) return {};
    }
  }
  return folder;
}

// A file and its sections; none if it has none that fit.
struct Sections {
  Descriptor file;
  Elf64_Ehdr header;
  std::vector<Elf64_Shdr> list;
};

bool IsForThisMachine(const Elf64_Ehdr& header) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_machine == kMachine;
}

Status ReadSections(const std::string& path, Sections& sections) {
  PLINTH_RETURN_IF_ERROR(CheckRegularFile(path));
  sections.file.Set(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (sections.file.get() < 0) {
    int number = errno;
    return Status(number == EACCES ? StatusCode::kPermissionDenied : StatusCode::kNotFound,
                  StrCat(path, ": ", SystemError(number)));
  }
  Elf64_Ehdr& header = sections.header;
  if (!ReadAt(sections.file, 0, sizeof(header), &header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return FailedPrecondition(path, " is no shared library");
  }
  if (!IsForThisMachine(header)) return {};
  if (header.e_type != ET_DYN) return FailedPrecondition(path, " is no shared library");
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shnum > kMaxSections ||
      !ReadVector(sections.file, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr),
                  kMaxSections * sizeof(Elf64_Shdr), sections.list)) {
    sections.list.clear();
  }
  return {};
}

// The entries of a section, and the texts that they name.
template <typename Entry>
bool ReadTable(const Sections& sections, uint32_t type, size_t max_bytes,
               std::vector<Entry>& entries, std::vector<char>& strings) {
  const Elf64_Shdr* section = FindSection(sections.list, type);
  if (section == nullptr || section->sh_link >= sections.list.size()) return false;
  const Elf64_Shdr& table = sections.list[section->sh_link];
  return ReadVector(sections.file, section->sh_offset, section->sh_size, max_bytes, entries) &&
         ReadVector(sections.file, table.sh_offset, table.sh_size, kMaxStringBytes, strings);
}

}  // namespace

Expected<ElfFile> ReadElfFile(const std::string& path) {
  Sections sections;
  PLINTH_RETURN_IF_ERROR(ReadSections(path, sections));
  ElfFile facts;
  facts.machine = sections.header.e_machine;
  facts.for_this_machine = IsForThisMachine(sections.header);
  std::vector<Elf64_Sym> symbols;
  std::vector<char> strings;
  facts.has_symbols = ReadTable(sections, SHT_DYNSYM, kMaxSymbolBytes, symbols, strings);
  if (!facts.has_symbols) return facts;
  for (const Elf64_Sym& symbol : symbols) {
    if (symbol.st_shndx == SHN_UNDEF) continue;
    facts.exports_get_pjrt_api |= IsTextAt(strings, symbol.st_name, "GetPjrtApi");
    facts.is_libplinth |= IsTextAt(strings, symbol.st_name, "plinth_load");
  }
  return facts;
}

Expected<ElfNeeds> ReadElfNeeds(const std::string& path) {
  Sections sections;
  PLINTH_RETURN_IF_ERROR(ReadSections(path, sections));
  ElfNeeds needs;
  std::vector<Elf64_Dyn> entries;
  std::vector<char> strings;
  if (!ReadTable(sections, SHT_DYNAMIC, kMaxDynamicBytes, entries, strings)) return needs;
  const std::string origin = FolderOf(path);
  size_t num_texts = 0;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    const bool is_needed = entry.d_tag == DT_NEEDED;
    if (!is_needed && entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
    if (++num_texts > kMaxTexts) break;
    const std::string_view text = TextAt(strings, entry.d_un.d_val);
    if (is_needed) {
      if (!text.empty() && text.size() < PATH_MAX) needs.libraries.emplace_back(text);
      continue;
    }
    for (std::string& folder : Split(text, ':')) {
      if (needs.folders.size() == kMaxFolders) break;
      if (folder.size() >= PATH_MAX) continue;
      folder = ReplaceOrigin(std::move(folder), origin);
      if (!folder.empty()) needs.folders.push_back(std::move(folder));
    }
  }
  return needs;
}

}  // namespace plinth::loader
