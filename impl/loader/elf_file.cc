#include "impl/loader/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "impl/loader/files.h"

namespace plinth::loader {
namespace {

// More than any library has; what is larger is not read.
constexpr size_t kMaxSections = 4096;
constexpr size_t kMaxDynamicBytes = 1 << 20;
constexpr size_t kMaxStringBytes = 64 << 20;
constexpr size_t kMaxSymbolBytes = 64 << 20;

#if defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#else
constexpr int kMachine = EM_X86_64;
#endif

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Whether [offset, offset + size) could be read whole.
  bool Read(uint64_t offset, size_t size, void* out) const {
    if (offset > INT64_MAX - size) return false;
    char* to = static_cast<char*>(out);
    while (size > 0) {
      ssize_t got = pread(fd_, to, size, static_cast<off_t>(offset));
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
  bool ReadVector(uint64_t offset, uint64_t bytes, size_t max_bytes, std::vector<T>& out) const {
    struct stat facts;
    if (bytes > max_bytes || fstat(fd_, &facts) != 0) return false;
    uint64_t file_size = static_cast<uint64_t>(facts.st_size);
    if (bytes > file_size || offset > file_size - bytes) return false;
    out.resize(bytes / sizeof(T));
    return Read(offset, out.size() * sizeof(T), out.data());
  }

 private:
  int fd_;
};

std::string_view StringAt(const std::vector<char>& strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const char* begin = strings.data() + offset;
  return {begin, strnlen(begin, strings.size() - offset)};
}

const Elf64_Shdr* FindSection(const std::vector<Elf64_Shdr>& sections, uint32_t type) {
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == type) return &section;
  }
  return nullptr;
}

std::string ReplaceOrigin(std::string folder, const std::string& origin) {
  for (std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
    for (size_t at; (at = folder.find(token)) != std::string::npos;) {
      if (origin.find('$') != std::string::npos) return folder;
      folder.replace(at, token.size(), origin);
    }
  }
  return folder;
}

void ReadDynamic(const File& file, const std::vector<Elf64_Shdr>& sections,
                 const std::string& origin, ElfFile& facts) {
  const Elf64_Shdr* dynamic = FindSection(sections, SHT_DYNAMIC);
  if (dynamic == nullptr || dynamic->sh_link >= sections.size()) return;
  const Elf64_Shdr& table = sections[dynamic->sh_link];
  std::vector<Elf64_Dyn> entries;
  std::vector<char> strings;
  if (!file.ReadVector(dynamic->sh_offset, dynamic->sh_size, kMaxDynamicBytes, entries) ||
      !file.ReadVector(table.sh_offset, table.sh_size, kMaxStringBytes, strings)) {
    return;
  }
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    std::string_view text = StringAt(strings, entry.d_un.d_val);
    if (entry.d_tag == DT_NEEDED && !text.empty()) facts.needed.emplace_back(text);
    if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH) {
      for (std::string& folder : Split(text, ':')) {
        facts.search.push_back(ReplaceOrigin(std::move(folder), origin));
      }
    }
  }
}

void ReadSymbols(const File& file, const std::vector<Elf64_Shdr>& sections, ElfFile& facts) {
  const Elf64_Shdr* section = FindSection(sections, SHT_DYNSYM);
  if (section == nullptr || section->sh_link >= sections.size()) return;
  const Elf64_Shdr& table = sections[section->sh_link];
  std::vector<Elf64_Sym> symbols;
  std::vector<char> strings;
  if (!file.ReadVector(section->sh_offset, section->sh_size, kMaxSymbolBytes, symbols) ||
      !file.ReadVector(table.sh_offset, table.sh_size, kMaxStringBytes, strings)) {
    return;
  }
  facts.has_symbols = true;
  for (const Elf64_Sym& symbol : symbols) {
    if (symbol.st_shndx == SHN_UNDEF) continue;
    std::string_view name = StringAt(strings, symbol.st_name);
    facts.exports_get_pjrt_api = facts.exports_get_pjrt_api || name == "GetPjrtApi";
    facts.is_libplinth = facts.is_libplinth || name == "plinth_load";
  }
}

}  // namespace

Expected<ElfFile> ReadElfFile(const std::string& path) {
  PLINTH_RETURN_IF_ERROR(CheckRegularFile(path));
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    int number = errno;
    return Status(number == EACCES ? StatusCode::kPermissionDenied : StatusCode::kNotFound,
                  StrCat(path, ": ", SystemError(number)));
  }
  File file(fd);
  Elf64_Ehdr header;
  if (!file.Read(0, sizeof(header), &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return FailedPrecondition(path, " is no shared library");
  }
  ElfFile facts;
  facts.machine = header.e_machine;
  facts.for_this_machine = header.e_ident[EI_CLASS] == ELFCLASS64 &&
                           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == kMachine;
  if (!facts.for_this_machine) return facts;
  if (header.e_type != ET_DYN) return FailedPrecondition(path, " is no shared library");
  std::vector<Elf64_Shdr> sections;
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shnum > kMaxSections ||
      !file.ReadVector(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr),
                       kMaxSections * sizeof(Elf64_Shdr), sections)) {
    return facts;
  }
  ReadDynamic(file, sections, FolderOf(path), facts);
  ReadSymbols(file, sections, facts);
  return facts;
}

}  // namespace plinth::loader
