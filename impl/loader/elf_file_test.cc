// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/elf_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "impl/loader/test_folder.h"

namespace plinth::loader {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A library of nothing but a dynamic section, symbols and one table of strings.
class Library {
 public:
  // Offset of a text in the table.
  uint32_t Text(const std::string& text) {
    const auto offset = static_cast<uint32_t>(strings_.size());
    strings_ += text + '\0';
    return offset;
  }
  void Dynamic(int64_t tag, uint64_t value, int times = 1) {
    Elf64_Dyn entry = {};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    dynamic_.insert(dynamic_.end(), times, entry);
  }
  void Symbol(uint32_t name, bool is_defined = true, int times = 1) {
    Elf64_Sym symbol = {};
    symbol.st_name = name;
    symbol.st_shndx = is_defined ? 1 : SHN_UNDEF;
    symbols_.insert(symbols_.end(), times, symbol);
  }

  std::string Bytes() const {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
#if defined(__aarch64__)
    header.e_machine = EM_AARCH64;
#else
    header.e_machine = EM_X86_64;
#endif
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 4;
    std::string bytes(sizeof(header), '\0');
    Elf64_Shdr sections[4] = {};
    const auto add = [&](int index, uint32_t type, const void* data, size_t size) {
      sections[index].sh_type = type;
      sections[index].sh_link = 3;
      sections[index].sh_offset = bytes.size();
      sections[index].sh_size = size;
      bytes.append(static_cast<const char*>(data), size);
    };
    add(1, SHT_DYNAMIC, dynamic_.data(), dynamic_.size() * sizeof(Elf64_Dyn));
    add(2, SHT_DYNSYM, symbols_.data(), symbols_.size() * sizeof(Elf64_Sym));
    add(3, SHT_STRTAB, strings_.data(), strings_.size());
    header.e_shoff = bytes.size();
    bytes.append(reinterpret_cast<const char*>(sections), sizeof(sections));
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes;
  }

 private:
  std::string strings_ = std::string(1, '\0');
  std::vector<Elf64_Dyn> dynamic_;
  std::vector<Elf64_Sym> symbols_;
};

class ElfFileTest : public ::testing::Test {
 protected:
  ElfFile Facts(const Library& library) {
    Expected<ElfFile> facts = ReadElfFile(folder_.Write("a.so", library.Bytes()));
    EXPECT_TRUE(facts.ok()) << facts.status().ToString();
    return facts.ok() ? *facts : ElfFile();
  }
  ElfNeeds Needs(const Library& library) {
    Expected<ElfNeeds> needs = ReadElfNeeds(folder_.Write("a.so", library.Bytes()));
    EXPECT_TRUE(needs.ok()) << needs.status().ToString();
    return needs.ok() ? *needs : ElfNeeds();
  }
  TestFolder folder_;
};

TEST_F(ElfFileTest, WhatItExports) {
  Library library;
  library.Symbol(library.Text("GetPjrtApi"), /*is_defined=*/false);
  library.Symbol(library.Text("GetPjrtApi2"));
  library.Symbol(library.Text("NotGetPjrtApi"));
  library.Symbol(1 << 30);
  EXPECT_TRUE(Facts(library).has_symbols);
  EXPECT_TRUE(Facts(library).for_this_machine);
  EXPECT_FALSE(Facts(library).exports_get_pjrt_api);
  library.Symbol(library.Text("GetPjrtApi"));
  EXPECT_TRUE(Facts(library).exports_get_pjrt_api);
  EXPECT_FALSE(Facts(library).is_libplinth);
  library.Symbol(library.Text("plinth_load"));
  EXPECT_TRUE(Facts(library).is_libplinth);
  EXPECT_THAT(Needs(library).libraries, IsEmpty());
}

TEST_F(ElfFileTest, WhatItNeeds) {
  Library library;
  library.Dynamic(DT_NEEDED, library.Text("libm.so.6"));
  library.Dynamic(DT_RUNPATH, library.Text("$ORIGIN/lib:/opt"));
  library.Dynamic(DT_NEEDED, library.Text("libc.so.6"));
  library.Dynamic(DT_NULL, 0);
  library.Dynamic(DT_NEEDED, library.Text("behind the end"));
  EXPECT_THAT(Needs(library).libraries, ElementsAre("libm.so.6", "libc.so.6"));
  EXPECT_THAT(Needs(library).folders, ElementsAre(folder_.Path("lib"), "/opt"));
}

// Each of many entries names the same long text.
TEST_F(ElfFileTest, LongTextsAreNotCopiedForEachEntry) {
  constexpr int kEntries = 60000;
  Library library;
  library.Dynamic(DT_NEEDED, library.Text(std::string(1 << 20, 'a')), kEntries);
  EXPECT_THAT(Needs(library).libraries, IsEmpty());
  library = Library();
  library.Dynamic(DT_NEEDED, library.Text("libc.so.6"), kEntries);
  EXPECT_THAT(Needs(library).libraries, SizeIs(512));
  std::string folders;
  for (int i = 0; i < 5000; ++i) folders += "a:";
  library = Library();
  library.Dynamic(DT_RUNPATH, library.Text(std::string(1 << 20, ':')), kEntries);
  EXPECT_THAT(Needs(library).folders, IsEmpty());
  library = Library();
  library.Dynamic(DT_RUNPATH, library.Text(folders), kEntries);
  EXPECT_THAT(Needs(library).folders, SizeIs(256));
  std::string origins;
  for (int i = 0; i < 500; ++i) origins += "$ORIGIN";
  library = Library();
  library.Dynamic(DT_RUNPATH, library.Text(origins), kEntries);
  EXPECT_THAT(Needs(library).folders, IsEmpty());  // Too long with the folder in it.
}

TEST_F(ElfFileTest, LongTextsAreNotReadForEachSymbol) {
  Library library;
  library.Symbol(library.Text(std::string(4 << 20, 'a')), true, 200000);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(Facts(library).exports_get_pjrt_api);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST_F(ElfFileTest, FilesThatAreCutOff) {
  Library library;
  library.Symbol(library.Text("GetPjrtApi"));
  library.Dynamic(DT_NEEDED, library.Text("libc.so.6"));
  const std::string bytes = library.Bytes();
  for (size_t size = 0; size < bytes.size(); size += 7) {
    const std::string path = folder_.Write("cut.so", bytes.substr(0, size));
    const Expected<ElfFile> facts = ReadElfFile(path);
    EXPECT_EQ(facts.ok(), size >= sizeof(Elf64_Ehdr)) << size;
    EXPECT_FALSE(facts.ok() && facts->has_symbols) << size;
    EXPECT_EQ(ReadElfNeeds(path).ok(), size >= sizeof(Elf64_Ehdr)) << size;
  }
}

}  // namespace
}  // namespace plinth::loader
