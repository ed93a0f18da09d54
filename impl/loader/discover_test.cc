// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/discover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl/loader/files.h"
#include "impl/loader/test_folder.h"

namespace plinth::loader {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kWorks[] = PLINTH_TEST_PLUGINS "/WORKS.so";

std::string Manifest(std::string_view name, std::string_view library = kWorks) {
  return StrCat(R"({"manifest_version": "1.0", "name": ")", name, R"(", "library": ")", library,
                "\"}");
}

// Nothing of the machine that the test runs on is seen.
class DiscoverTest : public testing::Test {
 protected:
  DiscoverTest() {
    environment_.root = folder_.MakeFolder("root");
    environment_.variables["HOME"] = folder_.MakeFolder("home");
  }

  void Set(const char* variable, std::string value) {
    environment_.variables[variable] = std::move(value);
  }
  // Name and, for what is ignored, the reason.
  std::vector<std::string> Found() {
    discovery_ = Discover(options_, environment_);
    std::vector<std::string> found;
    for (const Candidate& c : discovery_.candidates) {
      found.push_back(c.ignored_because.empty() ? c.name : StrCat(c.name, "!", c.ignored_because));
    }
    return found;
  }
  const Candidate& Only() {
    EXPECT_EQ(Found().size(), 1u);
    static const Candidate kNone;
    return discovery_.candidates.empty() ? kNone : discovery_.candidates.front();
  }

  TestFolder folder_;
  Environment environment_;
  FindOptions options_;
  Discovery discovery_;
};

TEST_F(DiscoverTest, NothingIsFoundAndEveryPlaceIsNoted) {
  EXPECT_THAT(Found(), IsEmpty());
  std::string trail = StrJoin(discovery_.trail, "\n");
  for (const char* place :
       {"PJRT_NAMES_AND_LIBRARY_PATHS: not set", "PLINTH_MANIFEST_PATH: not set",
        "home/.config/plinth/plugins.d", "home/.local/share/plinth/plugins.d",
        "root/etc/plinth/plugins.d", "root/usr/share/plinth/plugins.d", "Python packages"}) {
    EXPECT_THAT(trail, HasSubstr(place));
  }
}

TEST_F(DiscoverTest, OrderOfManifestFolders) {
  folder_.Write("root/usr/share/plinth/plugins.d/a.json", Manifest("f"));
  folder_.Write("root/usr/local/share/plinth/plugins.d/a.json", Manifest("e"));
  folder_.Write("root/etc/xdg/plinth/plugins.d/a.json", Manifest("d2"));
  folder_.Write("root/etc/plinth/plugins.d/a.json", Manifest("d1"));
  folder_.Write("home/.local/share/plinth/plugins.d/a.json", Manifest("c"));
  folder_.Write("home/.config/plinth/plugins.d/a.json", Manifest("b"));
  folder_.Write("venv/share/plinth/plugins.d/a.json", Manifest("a"));
  folder_.Write("added/a.json", Manifest("added"));
  folder_.Write("given/a.json", Manifest("given"));
  Set("VIRTUAL_ENV", folder_.Path("venv"));
  Set("PLINTH_ADD_MANIFEST_PATH", folder_.Path("added"));
  Set("PJRT_NAMES_AND_LIBRARY_PATHS", StrCat("jax:", kWorks));
  options_.manifest_path = folder_.Path("given");
  EXPECT_THAT(Found(), ElementsAre("jax", "given", "added", "a", "b", "c", "d1", "d2", "e", "f"));
  options_.search = kSearchSystem;
  EXPECT_THAT(Found(), ElementsAre("given", "d1", "d2", "e", "f"));
  options_.search = kSearchEnvironment;
  EXPECT_THAT(Found(), ElementsAre("jax", "given", "added"));
}

TEST_F(DiscoverTest, ReplacingPathHidesUserSystemAndAddedPath) {
  folder_.Write("home/.config/plinth/plugins.d/a.json", Manifest("user"));
  folder_.Write("added/a.json", Manifest("added"));
  folder_.Write("instead/b.json", Manifest("two"));
  folder_.Write("instead/a.json", Manifest("one"));
  std::string file = folder_.Write("single.manifest", Manifest("three"));
  Set("PLINTH_ADD_MANIFEST_PATH", folder_.Path("added"));
  Set("PLINTH_MANIFEST_PATH", StrCat(folder_.Path("instead"), "::", file));
  EXPECT_THAT(Found(), ElementsAre("one", "two", "three"));
  EXPECT_THAT(discovery_.trail,
              Contains("PLINTH_ADD_MANIFEST_PATH: ignored, because PLINTH_MANIFEST_PATH is set"));
}

TEST_F(DiscoverTest, XdgVariables) {
  folder_.Write("config/plinth/plugins.d/a.json", Manifest("config"));
  folder_.Write("root/data/plinth/plugins.d/a.json", Manifest("data"));
  Set("XDG_CONFIG_HOME", folder_.Path("config"));
  Set("XDG_DATA_DIRS", "/data:relative");
  EXPECT_THAT(Found(), ElementsAre("config", "data"));
}

TEST_F(DiscoverTest, OwnInstallationIsLast) {
  folder_.Write("root/usr/share/plinth/plugins.d/a.json", Manifest("system"));
  folder_.Write("opt/share/plinth/plugins.d/a.json", Manifest("own"));
  environment_.own_data = folder_.Path("opt/share");
  EXPECT_THAT(Found(), ElementsAre("system", "own"));
  EXPECT_THAT(discovery_.candidates.back().found, HasSubstr("(the installation of libplinth)"));
  // Not twice, if it is a folder of the system.
  environment_.own_data = folder_.Link(folder_.Path("root/usr/share"), "link");
  EXPECT_THAT(Found(), ElementsAre("system"));
  environment_.own_data = folder_.Path("opt/share");
  options_.search = kSearchUser;
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(DiscoverTest, SecondOfOneNameIsHidden) {
  folder_.Write("home/.config/plinth/plugins.d/a.json", Manifest("npu"));
  folder_.Write("home/.config/plinth/plugins.d/b.json", Manifest("npu"));
  EXPECT_THAT(Found(), ElementsAre("npu", HasSubstr("npu!hidden behind ")));
}

TEST_F(DiscoverTest, BrokenOnesDoNotHideGoodOnes) {
  folder_.Write("home/.config/plinth/plugins.d/a.json", Manifest("npu", "/no/such.so"));
  folder_.Write("home/.config/plinth/plugins.d/b.json", Manifest("npu"));
  EXPECT_THAT(Found(), ElementsAre(HasSubstr("npu!/no/such.so: No such file"), "npu"));
}

TEST_F(DiscoverTest, AllowAndDeny) {
  for (const char* name : {"cpu", "cuda12", "cuda13", "tpu"}) {
    folder_.Write(StrCat("home/.config/plinth/plugins.d/", name, ".json"), Manifest(name));
  }
  Set("PLINTH_ALLOW", "CUDA*, cpu");
  Set("PLINTH_DENY", "*12");
  EXPECT_THAT(Found(), ElementsAre("cpu", "cuda12!denied by '*12' of PLINTH_DENY", "cuda13",
                                   "tpu!not allowed by 'CUDA*, cpu' of PLINTH_ALLOW"));
  options_.allow = "tpu";
  options_.deny = "";
  EXPECT_THAT(Found(), ElementsAre(HasSubstr("cpu!not allowed by 'tpu' of the options"),
                                   HasSubstr("cuda12!not"), HasSubstr("cuda13!not"), "tpu"));
}

TEST_F(DiscoverTest, ManifestsThatCannotBeUsed) {
  std::string at = "home/.config/plinth/plugins.d/";
  folder_.Write(at + "a_text.json", "hello");
  folder_.MakeFolder(at + "b_folder.json");
  folder_.Link(folder_.Path(at + "c_loop.json"), at + "c_loop.json");
  folder_.Link("/no/such/manifest", at + "d_lost.json");
  folder_.Write(at + "e_huge.json", std::string((64 << 10) + 1, ' '));
  mkfifo(folder_.Path(at + "f_pipe.json").c_str(), 0600);
  folder_.Write(at + "g_future.json", R"({"manifest_version": "2.0"})");
  folder_.Write(at + "not_a_manifest.txt", "hello");
  folder_.Write(at + "z_good.json", Manifest("good"));
  EXPECT_THAT(
      Found(),
      ElementsAre(HasSubstr("line 1, column 1: this is not JSON"),
                  HasSubstr("b_folder.json is a folder"), HasSubstr("symbolic links"),
                  HasSubstr("No such file"), HasSubstr("is larger than 65536 bytes"),
                  HasSubstr("is no regular file"), HasSubstr("this loader reads 1.x"), "good"));
  for (const Candidate& candidate : discovery_.candidates) {
    if (candidate.name != "good") {
      EXPECT_THAT(candidate.ignored_because, HasSubstr(".json"));
    }
  }
}

TEST_F(DiscoverTest, UnreadableManifest) {
  std::string file = folder_.Write("home/.config/plinth/plugins.d/a.json", Manifest("a"));
  chmod(folder_.Path().c_str(), 0755);
  chmod(file.c_str(), 0);
  // Root reads everything, so it is somebody else for a moment.
  bool is_root = geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  std::vector<std::string> found = Found();
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  EXPECT_THAT(found, ElementsAre("a!" + file + ": Permission denied"));
}

TEST_F(DiscoverTest, LibrariesThatCannotBePlugins) {
  std::string at = "home/.config/plinth/plugins.d/";
  folder_.Write("text.so", "hello");
  folder_.Write("empty.so", "");
  std::string other = folder_.Copy(kWorks, "other.so");
  {
    std::fstream file(other, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(18);
    file.put('\xb7').put('\0');  // AArch64.
  }
  folder_.Write(at + "a.json", Manifest("a", folder_.Path("text.so")));
  folder_.Write(at + "b.json", Manifest("b", folder_.Path("empty.so")));
  folder_.Write(at + "c.json", Manifest("c", folder_.Path("other.so")));
  folder_.Write(at + "d.json", Manifest("d", PLINTH_TEST_PLUGINS "/NO_SYMBOL.so"));
  folder_.Write(at + "e.json", Manifest("e", folder_.Path("home")));
  EXPECT_THAT(Found(),
              ElementsAre(HasSubstr("is no shared library"), HasSubstr("is no shared lib"),
                          HasSubstr("is for AArch64, this process needs x86_64-linux"),
                          HasSubstr("does not export GetPjrtApi"), HasSubstr("is a folder")));
}

TEST_F(DiscoverTest, ManifestKeepsTextAndOptions) {
  std::string text = StrCat(R"({"manifest_version": "1.0", "name": "n", "library": ")", kWorks,
                            R"(", "create_options": {"a": 1}, "default_layouts": true})");
  std::string path = folder_.Write("home/.config/plinth/plugins.d/a.json", text);
  const Candidate& candidate = Only();
  EXPECT_EQ(candidate.source, "manifest");
  EXPECT_EQ(candidate.manifest_path, path);
  EXPECT_EQ(candidate.manifest_json, text);
  EXPECT_EQ(candidate.create_options_json, R"({"a":1})");
  EXPECT_TRUE(candidate.default_layouts);
}

TEST_F(DiscoverTest, JaxVariable) {
  std::string json = folder_.Write(
      "p.json", StrCat(R"({"library_path": ")", kWorks, R"(", "create_options": {"n": 2}})"));
  Set("PJRT_NAMES_AND_LIBRARY_PATHS",
      StrCat("a:", kWorks, ", b:", json, ",c:/x:/y,d,:/x,e:,f/g:/x,h:/no.json,", "i:libname.so"));
  EXPECT_THAT(Found(), ElementsAre("a", "b", HasSubstr("h!/no.json: No such file"), "i"));
  EXPECT_EQ(discovery_.candidates[1].path, kWorks);
  EXPECT_EQ(discovery_.candidates[1].create_options_json, R"({"n":2})");
  EXPECT_EQ(discovery_.candidates[0].source, "PJRT_NAMES_AND_LIBRARY_PATHS");
  std::string trail = StrJoin(discovery_.trail, "\n");
  for (const char* text : {"'c:/x:/y' is not of the form", "'d' is not of the form",
                           "':/x' has no usable name", "'e:' has no path", "'f/g:/x' has no us"}) {
    EXPECT_THAT(trail, HasSubstr(text));
  }
}

TEST_F(DiscoverTest, PythonEntryPoint) {
  std::string site = "venv/lib/python3.11/site-packages/";
  folder_.Write(site + "npu-1.0.dist-info/entry_points.txt",
                "[console_scripts]\nx = y:z\n\n[jax_plugins]\n# comment\nnpu = jax_plugins.npu\n");
  folder_.Copy(kWorks, site + "jax_plugins/npu/libnpu.so");
  folder_.Copy(kWorks, site + "jax_plugins/npu/ext.cpython-311-x86_64-linux-gnu.so");
  folder_.Write(site + "jax_plugins/npu/other.so", "no library");
  Set("VIRTUAL_ENV", folder_.Path("venv"));
  const Candidate& candidate = Only();
  EXPECT_EQ(candidate.name, "npu");
  EXPECT_EQ(candidate.path, folder_.Path(site + "jax_plugins/npu/libnpu.so"));
  EXPECT_EQ(candidate.source, "python");
}

TEST_F(DiscoverTest, PythonLibraryElsewhereInThePackage) {
  std::string site = folder_.MakeFolder("site");
  folder_.Write("site/npu-1.0.dist-info/entry_points.txt", "[jax_plugins]\nnpu = npu_jax:start\n");
  folder_.Write("site/npu-1.0.dist-info/RECORD",
                "npu_jax.py,sha256=x,1\nnpu/lib/a.so,sha256=x,1\nnpu/lib/b.so,,\n../x.so,,\n");
  folder_.Copy(kWorks, "site/npu/lib/a.so");
  folder_.Copy(kWorks, "site/npu/lib/b.so");
  Set("PLINTH_PYTHON_PATH", site);
  EXPECT_THAT(Found(), ElementsAre("npu", "b"));
}

TEST_F(DiscoverTest, PythonNamespacePackageAndLibtpu) {
  folder_.Copy(kWorks, "site/jax_plugins/npu/npu.so");
  folder_.MakeFolder("site/jax_plugins/__pycache__");
  folder_.MakeFolder("site/jax_plugins/empty");
  folder_.Copy(kWorks, "site/libtpu/libtpu.so");
  Set("PYTHONPATH", folder_.Path("site"));
  EXPECT_THAT(Found(),
              ElementsAre(HasSubstr("empty!no library that exports GetPjrtApi"), "npu", "tpu"));
}

TEST_F(DiscoverTest, PythonPrefixOfTheProgram) {
  folder_.Write("venv/pyvenv.cfg", "home = /usr/bin");
  folder_.MakeFolder("venv/bin");
  folder_.Copy(kWorks, "venv/lib/python3.12/site-packages/jax_plugins/npu/npu.so");
  environment_.program_folders = {folder_.Path("venv/bin")};
  EXPECT_THAT(Found(), ElementsAre("npu"));
}

TEST_F(DiscoverTest, HostilePythonMetadata) {
  std::string dist = "site/x-1.dist-info/";
  folder_.Write(dist + "entry_points.txt",
                "[jax_plugins]\n=\na=\n=b\n../a = ../../etc\nn = a/../b\n[unclosed\nq = r\n");
  folder_.MakeFolder("site/y-1.dist-info/entry_points.txt");
  folder_.Write("site/z-1.dist-info/entry_points.txt", std::string(300 << 10, 'x'));
  Set("PLINTH_PYTHON_PATH", folder_.Path("site") + ":/no/such/site");
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(DiscoverTest, PrivilegedProcessSaysWhatItIgnored) {
  environment_.variables.clear();
  environment_.privileged = true;
  environment_.ignored = {"HOME", "PLINTH_MANIFEST_PATH"};
  std::vector<std::string> log;
  options_.log = [&](LogLevel level, std::string_view line) {
    if (level == LogLevel::kWarning) log.emplace_back(line);
  };
  Found();
  EXPECT_THAT(
      log,
      ElementsAre("this process is privileged: ignored variables: HOME, PLINTH_MANIFEST_PATH"));
}

TEST_F(DiscoverTest, FoldersWithTooManyFiles) {
  for (int i = 0; i < 4100; ++i) {
    folder_.Write(StrCat("home/.config/plinth/plugins.d/", i), "");
  }
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_THAT(StrJoin(discovery_.trail, "\n"), HasSubstr("holds more than 4096 files"));
}

class SelectTest : public DiscoverTest {
 protected:
  std::string Chosen(std::optional<std::string> plugin) {
    Expected<Selection> selection = Select(plugin, options_, environment_);
    if (!selection.ok()) return selection.status().ToString();
    return StrCat(selection->plugin.name, "=", selection->plugin.path);
  }
};

TEST_F(SelectTest, Path) {
  EXPECT_EQ(Chosen(kWorks), StrCat("WORKS=", kWorks));
  std::string lib = folder_.Copy(kWorks, "libnpu.so.1");
  EXPECT_EQ(Chosen(lib), StrCat("npu=", lib));
  // Deny lists are about what is found.
  options_.deny = "*";
  EXPECT_EQ(Chosen(lib), StrCat("npu=", lib));
  EXPECT_THAT(Chosen("/no/such.so"), HasSubstr("NOT_FOUND: the plugin given by the caller: /no"));
  EXPECT_THAT(Chosen(folder_.Path()), HasSubstr("is a folder"));
}

TEST_F(SelectTest, PathOfAManifest) {
  std::string path = folder_.Write("x.json", Manifest("npu"));
  EXPECT_EQ(Chosen(path), StrCat("npu=", kWorks));
  EXPECT_THAT(Chosen(folder_.Write("y.json", "{}")), HasSubstr("'manifest_version' is missing"));
  EXPECT_THAT(Chosen(folder_.Write("z.json", Manifest("npu", "/no.so"))),
              HasSubstr("the plugin of " + folder_.Path("z.json") + ": /no.so: No such file"));
}

TEST_F(SelectTest, Name) {
  folder_.Write("home/.config/plinth/plugins.d/a.json", Manifest("a"));
  folder_.Write("home/.config/plinth/plugins.d/b.json", Manifest("b"));
  EXPECT_EQ(Chosen("b"), StrCat("b=", kWorks));
  Set("PLINTH_PLUGIN", "a");
  EXPECT_EQ(Chosen(std::nullopt), StrCat("a=", kWorks));
  options_.search = kSearchUser;
  EXPECT_THAT(Chosen(std::nullopt), HasSubstr("several plugins were found"));
}

TEST_F(SelectTest, UnknownNameListsEveryPlace) {
  folder_.Write("home/.config/plinth/plugins.d/a.json", Manifest("a"));
  std::string error = Chosen("npu.so");
  EXPECT_THAT(error, HasSubstr("NOT_FOUND: no plugin 'npu.so', which the caller names"));
  EXPECT_THAT(error, HasSubstr("Plugins that can be: a."));
  EXPECT_THAT(error, HasSubstr("A path needs a slash: ./npu.so."));
  EXPECT_THAT(error, HasSubstr("root/usr/share/plinth/plugins.d (the system's data"));
}

TEST_F(SelectTest, IgnoredNameSaysWhy) {
  folder_.Write("home/.config/plinth/plugins.d/a.json", Manifest("a"));
  Set("PLINTH_DENY", "a");
  EXPECT_THAT(Chosen("a"),
              HasSubstr("FAILED_PRECONDITION: no plugin 'a', which the caller names, can be loaded."
                        " It was found, but denied by 'a' of PLINTH_DENY."));
}

TEST_F(SelectTest, WithoutAName) {
  EXPECT_THAT(Chosen(std::nullopt),
              HasSubstr("NOT_FOUND: no plugin was found, and none was named"));
  folder_.Write("home/.config/plinth/plugins.d/a.json", Manifest("a"));
  EXPECT_EQ(Chosen(std::nullopt), StrCat("a=", kWorks));
  folder_.Write("home/.config/plinth/plugins.d/b.json", Manifest("b"));
  EXPECT_THAT(
      Chosen(std::nullopt),
      HasSubstr("FAILED_PRECONDITION: several plugins were found, and none was named: a, b"));
}

TEST(EnvironmentTest, ReadsTheProcess) {
  setenv("PLINTH_DENY", "x", 1);
  Environment environment = Environment::OfProcess();
  unsetenv("PLINTH_DENY");
  EXPECT_FALSE(environment.privileged);
  EXPECT_EQ(environment.Get("PLINTH_DENY"), "x");
  EXPECT_EQ(environment.Get("PLINTH_ALLOW"), "");
  EXPECT_THAT(environment.program_folders, Not(IsEmpty()));
}

}  // namespace
}  // namespace plinth::loader
