// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/private_copy.h"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "reference_plugin/cpu/library/blas.h"
#include "reference_plugin/cpu/library/blas_places.h"

namespace plinth::cpu::library {
namespace {

// The library that SciPy brings, which JAX and so the tests' environment has.
std::string ScipysLibrary() {
  backend::LibraryPlaces places;
  places.virtual_env = backend::LibraryPlaces::OfThisProcess().virtual_env;
  // Tests run in the folder of their sources, by ctest alone too.
  if (places.virtual_env.empty()) places.virtual_env = "../../../build/venv";
  for (const std::string& file : BlasFiles(places)) {
    if (IsScipysOwn(file)) return file;
  }
  return "";
}

int NumThreads(void* library, const char* name) {
  void* const function = dlsym(library, name);
  return function == nullptr ? -1 : reinterpret_cast<int (*)()>(function)();
}

// With the same file open already under its own name, for all to see: the worst case.
TEST(PrivateCopy, ScipysThreadsStayAsTheyAre) {
  const std::string path = ScipysLibrary();
  ASSERT_FALSE(path.empty()) << "no SciPy in $VIRTUAL_ENV";
  void* const scipys = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(scipys, nullptr) << dlerror();
  constexpr const char* kGet = "scipy_openblas_get_num_threads";
  reinterpret_cast<void (*)(int)>(dlsym(scipys, "scipy_openblas_set_num_threads"))(3);
  ASSERT_EQ(NumThreads(scipys, kGet), 3);

  const auto ours = OpenBlas({path});
  ASSERT_TRUE(ours.ok()) << ours.status().message();
  EXPECT_NE((*ours)->handle, scipys);
  EXPECT_EQ(NumThreads((*ours)->handle, kGet), 1);
  EXPECT_EQ(NumThreads(scipys, kGet), 3);
  // What is asked for again is not copied again.
  EXPECT_EQ(*OpenBlas({path}), *ours);
  // It computes, with what LAPACK needs of its neighbours.
  const auto potrf =
      reinterpret_cast<void (*)(const char*, const int*, double*, const int*, int*, size_t)>(
          (*ours)->FindSymbol("dpotrf_"));
  ASSERT_NE(potrf, nullptr);
  double a[] = {4, 2, 0, 5};
  const int n = 2;
  int info = -1;
  potrf("L", &n, a, &n, &info, 1);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(a[3], 2);
  EXPECT_NE((*ours)->FindSymbol("zgesdd_"), nullptr);
}

// Whoever loads the library later, by the name that other libraries know it by, gets its own.
TEST(PrivateCopy, HasNoNameForOthers) {
  const std::string path = ScipysLibrary();
  ASSERT_FALSE(path.empty()) << "no SciPy in $VIRTUAL_ENV";
  const auto first = OpenPrivateCopy(path);
  ASSERT_TRUE(first.ok()) << first.status().message();
  const auto second = OpenPrivateCopy(path);
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_NE(*first, *second);
  const std::string name = std::filesystem::path(path).filename();
  void* const by_name = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  EXPECT_NE(by_name, *first);
  EXPECT_NE(by_name, *second);
}

TEST(PrivateCopy, SaysWhatIsWrong) {
  const std::string folder = ::testing::TempDir();
  const std::string text = folder + "/private_copy_test." + std::to_string(getpid());
  const std::string empty = text + ".empty";
  std::ofstream(text) << "no library";
  std::ofstream(empty).flush();
  struct Case {
    std::string path;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {"/no/such/file", "No such file"},
           {folder, "not a file"},
           {text, "not a shared library"},
           {empty, "mapped"},
           {"/proc/self/exe", "DT_SONAME"},
       }) {
    const auto opened = OpenPrivateCopy(c.path);
    ASSERT_FALSE(opened.ok()) << c.path;
    EXPECT_NE(opened.status().message().find(c.message), std::string::npos)
        << opened.status().message();
  }
}

// What OpenPrivateCopy itself reads of a library, and no more: the dynamic loader refuses the type,
// so that it never sees the rest. The names end with the file, which is one page: a byte further is
// no memory.
struct Library {
  static constexpr char kNames[] = "libtiny.so\0libneeded.so";
  static constexpr size_t kNameAt = 0, kNeededAt = 11;

  Elf64_Ehdr header{};
  Elf64_Phdr load{};
  Elf64_Phdr dynamic{};
  Elf64_Dyn name{}, needed{}, strings{}, strings_size{}, end{};
  char padding[4096 - sizeof(Elf64_Ehdr) - 2 * sizeof(Elf64_Phdr) - 5 * sizeof(Elf64_Dyn) -
               sizeof(kNames)]{};
  char names[sizeof(kNames)];

  Library() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_phoff = offsetof(Library, load);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    load.p_type = PT_LOAD;
    load.p_vaddr = 0x10000;
    load.p_filesz = sizeof(Library);
    dynamic.p_type = PT_DYNAMIC;
    dynamic.p_offset = offsetof(Library, name);
    dynamic.p_filesz = 5 * sizeof(Elf64_Dyn);
    name = {DT_SONAME, {kNameAt}};
    needed = {DT_NEEDED, {kNeededAt}};
    strings = {DT_STRTAB, {load.p_vaddr + offsetof(Library, names)}};
    strings_size = {DT_STRSZ, {sizeof(names)}};
    std::memcpy(names, kNames, sizeof(names));
  }
};
static_assert(sizeof(Library) == 4096);

// A library that was cut off, or has bytes that lead elsewhere, is an error or the loader's matter;
// its own tables are never read outside of the file.
TEST(PrivateCopy, HeadersThatLeadNowhere) {
  const std::string folder =
      ::testing::TempDir() + "/private_copy_test." + std::to_string(getpid()) + ".d/";
  std::filesystem::create_directories(folder);
  const std::string path = folder + "libtiny.so";
  const auto error_of = [&](const Library& library, size_t size = sizeof(Library)) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(&library), static_cast<std::streamsize>(size));
    const auto opened = OpenPrivateCopy(path);
    return opened.ok() ? "it was opened" : std::string(opened.status().message());
  };
  // That of the loader, which comes last. ("only ET_DYN and ET_EXEC can be loaded")
  constexpr const char* kRefused = "ET_DYN";
  constexpr const char* kNoLibrary = "not a shared library";
  EXPECT_NE(error_of(Library()).find(kRefused), std::string::npos) << error_of(Library());

  for (size_t size : {1, 40, 63, 64, 100, 175, 200, 255}) {
    EXPECT_NE(error_of(Library(), size).find(kNoLibrary), std::string::npos) << size;
  }

  struct Case {
    const char* what;
    void (*change)(Library&);
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {"program headers behind the end", [](Library& l) { l.header.e_phoff = 4096; },
            kNoLibrary},
           {"program headers far away", [](Library& l) { l.header.e_phoff = ~0ull - 7; },
            kNoLibrary},
           {"program headers out of line", [](Library& l) { l.header.e_phoff += 1; }, kNoLibrary},
           {"too many program headers", [](Library& l) { l.header.e_phnum = 0xffff; }, kNoLibrary},
           {"no program header", [](Library& l) { l.header.e_phnum = 0; }, kNoLibrary},
           {"of 32 bits", [](Library& l) { l.header.e_ident[EI_CLASS] = ELFCLASS32; }, kNoLibrary},
           {"no dynamic section", [](Library& l) { l.dynamic.p_type = PT_NOTE; }, kNoLibrary},
           {"dynamic section behind the end", [](Library& l) { l.dynamic.p_offset = 4096 - 16; },
            kNoLibrary},
           {"dynamic section far away", [](Library& l) { l.dynamic.p_offset = ~0ull - 15; },
            kNoLibrary},
           {"dynamic section out of line", [](Library& l) { l.dynamic.p_offset += 4; }, kNoLibrary},
           {"dynamic section too long", [](Library& l) { l.dynamic.p_filesz = ~0ull; }, kNoLibrary},
           {"dynamic section of no size", [](Library& l) { l.dynamic.p_filesz = 0; }, kNoLibrary},
           {"dynamic section ends at once", [](Library& l) { l.name.d_tag = DT_NULL; }, kNoLibrary},
           {"dynamic section without end",
            [](Library& l) {
              l.dynamic.p_filesz = 4 * sizeof(Elf64_Dyn);
              l.end.d_tag = DT_NEEDED;
            },
            kRefused},
           {"no name", [](Library& l) { l.name.d_tag = DT_DEBUG; }, "DT_SONAME"},
           {"names in no segment", [](Library& l) { l.strings.d_un.d_ptr = 0x8000; }, kRefused},
           {"names behind the end", [](Library& l) { l.strings.d_un.d_ptr = 0x10fff; }, kRefused},
           {"names of a segment far away", [](Library& l) { l.load.p_offset = ~0ull - 4000; },
            kRefused},
           {"names without a segment", [](Library& l) { l.load.p_type = PT_NOTE; }, kRefused},
           {"too many names", [](Library& l) { l.strings_size.d_un.d_val = ~0ull; }, kRefused},
           {"no names", [](Library& l) { l.strings_size.d_un.d_val = 0; }, kRefused},
           {"needs a name behind the end", [](Library& l) { l.needed.d_un.d_val = 4096; },
            kRefused},
           {"needs a name far away", [](Library& l) { l.needed.d_un.d_val = ~0ull; }, kRefused},
           {"needs a name without end", [](Library& l) { l.names[sizeof(l.names) - 1] = 'x'; },
            kRefused},
       }) {
    Library library;
    c.change(library);
    const std::string error = error_of(library);
    EXPECT_NE(error.find(c.message), std::string::npos) << c.what << ": " << error;
  }

  // The names are read where they are: what is needed, and lies beside, is opened first.
  std::ofstream(folder + "libneeded.so") << "no library";
  EXPECT_NE(error_of(Library()).find("libneeded.so"), std::string::npos) << error_of(Library());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace plinth::cpu::library
