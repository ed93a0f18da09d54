// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/private_copy.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "plinth/support/str_cat.h"

namespace plinth::cpu::library {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

Status SystemFailure(std::string_view what) {
  return NotFound(what, ": ", std::generic_category().message(errno));
}

// The bytes of a file, to change in place. Unmapped at the end.
class Mapping {
 public:
  Mapping(int file, size_t size)
      : size_(size), bytes_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) {}
  ~Mapping() {
    if (ok()) munmap(bytes_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  bool ok() const { return bytes_ != MAP_FAILED; }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(bytes_), size_}; }

 private:
  size_t size_;
  void* bytes_;
};

// `count` objects at `offset` of the file, or nothing if they are not all in it.
template <typename T>
std::span<T> At(std::span<std::byte> file, uint64_t offset, uint64_t count) {
  if (offset % alignof(T) != 0 || offset > file.size() ||
      count > (file.size() - offset) / sizeof(T)) {
    return {};
  }
  return {reinterpret_cast<T*>(file.data() + offset), static_cast<size_t>(count)};
}

// The dynamic section of a library.
class DynamicSection {
 public:
  explicit DynamicSection(std::span<std::byte> file) : file_(file) {
    const auto header = At<Elf64_Ehdr>(file, 0, 1);
    if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
        header[0].e_ident[EI_CLASS] != ELFCLASS64) {
      return;
    }
    segments_ = At<Elf64_Phdr>(file, header[0].e_phoff, header[0].e_phnum);
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_DYNAMIC) {
        entries_ = At<Elf64_Dyn>(file, segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
      }
    }
    size_t end = 0;
    while (end < entries_.size() && entries_[end].d_tag != DT_NULL) ++end;
    entries_ = entries_.first(end);
  }

  bool empty() const { return entries_.empty(); }

  // Takes the library's name, under which others would find it, and lets it bind to itself before
  // anything else: both with one entry, since there is no room for another. False if it has no
  // name.
  bool MakePrivate() {
    for (Elf64_Dyn& entry : entries_) {
      if (entry.d_tag != DT_SONAME) continue;
      entry.d_tag = DT_SYMBOLIC;
      return true;
    }
    return false;
  }

  // The names of the libraries that it needs.
  std::vector<std::string> Needed() const {
    uint64_t strings_address = 0, strings_size = 0;
    for (const Elf64_Dyn& entry : entries_) {
      if (entry.d_tag == DT_STRTAB) strings_address = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) strings_size = entry.d_un.d_val;
    }
    const auto strings = At<const char>(file_, OffsetOf(strings_address), strings_size);
    std::vector<std::string> names;
    for (const Elf64_Dyn& entry : entries_) {
      if (entry.d_tag != DT_NEEDED || entry.d_un.d_val >= strings.size()) continue;
      const char* const name = strings.data() + entry.d_un.d_val;
      names.emplace_back(name, strnlen(name, strings.size() - entry.d_un.d_val));
    }
    return names;
  }

 private:
  // Where in the file lies what is mapped at `address`.
  uint64_t OffsetOf(uint64_t address) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address - segment.p_vaddr < segment.p_filesz) {
        return address - segment.p_vaddr + segment.p_offset;
      }
    }
    return UINT64_MAX;
  }

  std::span<std::byte> file_;
  std::span<Elf64_Phdr> segments_;
  std::span<Elf64_Dyn> entries_;
};

Status Copy(int from, int to, off_t size) {
  for (off_t done = 0; done < size;) {
    const ssize_t sent = sendfile(to, from, &done, static_cast<size_t>(size - done));
    if (sent == 0) return NotFound("it became shorter while it was copied");
    if (sent < 0 && errno != EINTR) return SystemFailure("it cannot be copied to memory");
  }
  return Status();
}

// A path of an open file by which the loader knows no library yet. It compares what is asked for
// with the paths of all that it opened before, whose numbers may have been used again since.
std::string UnusedName(int file) {
  std::string folder = "/proc/self/fd/";
  for (;;) {
    folder += "./";
    std::string name = StrCat(folder, file);
    void* const loaded = dlopen(name.c_str(), RTLD_NOLOAD | RTLD_NOW);
    if (loaded == nullptr) return name;
    dlclose(loaded);
  }
}

}  // namespace

std::string LastDlError() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown error of dlopen";
}

Expected<void*> OpenPrivateCopy(const std::string& path) {
  const Descriptor original(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status;
  if (original.get() < 0 || fstat(original.get(), &status) != 0) {
    return SystemFailure("it cannot be opened");
  }
  if (!S_ISREG(status.st_mode)) return NotFound("it is not a file");
  const Descriptor copy(memfd_create("plinth-private-copy", MFD_CLOEXEC));
  if (copy.get() < 0) return SystemFailure("no memory file for a copy");
  PLINTH_RETURN_IF_ERROR(Copy(original.get(), copy.get(), status.st_size));
  std::vector<std::string> needed;
  {
    const Mapping mapping(copy.get(), static_cast<size_t>(status.st_size));
    if (!mapping.ok()) return SystemFailure("its copy cannot be mapped");
    DynamicSection section(mapping.bytes());
    if (section.empty()) return NotFound("it is not a shared library");
    if (!section.MakePrivate()) return NotFound("it has no name (DT_SONAME)");
    needed = section.Needed();
  }
  // The copy has no folder in which the loader would look.
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const std::string& name : needed) {
    const std::string beside = folder + name;
    if (access(beside.c_str(), R_OK) != 0) continue;
    if (dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) return NotFound(LastDlError());
  }
  void* const handle = dlopen(UnusedName(copy.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return NotFound(LastDlError());
  return handle;
}

}  // namespace plinth::cpu::library
