// SPDX-License-Identifier: Apache-2.0
// Through libplinth.so, as its users do it.

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>

#include "impl/loader/test_folder.h"
#include "plinth.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/json.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  std::string text;
  Json json;
  std::string Text(const char* key, const char* inner = nullptr) const {
    const Json* value = inner == nullptr ? json.Find(key) : json.At(key).Find(inner);
    if (value == nullptr) return "(none)";
    return value->AsString() != nullptr ? *value->AsString() : value->ToString();
  }
};

Outcome Probe(const std::string& plugin, plinth_probe_options probe = {}) {
  plinth_load_options options = {};
  options.struct_size = plinth_load_options_STRUCT_SIZE;
  options.plugin = plugin.c_str();
  options.layers = "";
  probe.struct_size = plinth_probe_options_STRUCT_SIZE;
  char* text = nullptr;
  plinth_status* status = plinth_probe(&options, &probe, &text);
  EXPECT_EQ(status, nullptr) << plinth_status_message(status);
  Outcome outcome;
  if (text != nullptr) {
    outcome.text = text;
    if (Expected<Json> json = Json::Parse(text); json.ok()) outcome.json = *std::move(json);
  }
  EXPECT_NE(outcome.json.AsObject(), nullptr) << outcome.text;
  plinth_string_free(text);
  plinth_status_destroy(status);
  return outcome;
}

std::string TestPlugin(const char* behaviour) {
  return std::string(PLINTH_TEST_PLUGINS "/") + behaviour + ".so";
}

int OpenDescriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

TEST(ProbeTest, PluginThatWorks) {
  Outcome outcome = Probe(TestPlugin("WORKS"));
  EXPECT_EQ(outcome.Text("verdict"), "works") << outcome.text;
  EXPECT_EQ(outcome.Text("name"), "WORKS");
  EXPECT_EQ(outcome.Text("table", "major"), "0");
  EXPECT_EQ(outcome.Text("table", "minor"), std::to_string(kPjrtReportedMinor));
  EXPECT_EQ(outcome.Text("table", "slots"), std::to_string(kPjrtFunctionCount));
  EXPECT_EQ(outcome.Text("table", "slots_filled"), std::to_string(kPjrtFunctionCount - 1));
  EXPECT_THAT(outcome.Text("table", "slots_null"), HasSubstr("\"PJRT_Client_Load\""));
  EXPECT_EQ(outcome.Text("extensions"), "[]");
  EXPECT_EQ(outcome.Text("initialize", "code"), "OK");
  EXPECT_EQ(outcome.Text("attributes", "test_version"), "[1,2,3]");
  EXPECT_EQ(outcome.Text("client"), "(none)");
}

TEST(ProbeTest, ClientThatCannotBeMade) {
  plinth_probe_options probe = {};
  probe.create_client = true;
  Outcome outcome = Probe(TestPlugin("WORKS"), probe);
  EXPECT_EQ(outcome.Text("verdict"), "fails");
  EXPECT_EQ(outcome.Text("message"), "PJRT_Client_Create: the device is switched off");
  EXPECT_EQ(outcome.json.At("client").At("status").At("code").Text(), "UNAVAILABLE");
}

TEST(ProbeTest, PluginsThatCannotBeLoaded) {
  struct Case {
    const char* behaviour;
    std::string message;
  };
  const Case kCases[] = {
      {"NO_SYMBOL", "it does not export GetPjrtApi"},
      {"NULL_TABLE", "GetPjrtApi returned null"},
      {"WRONG_MAJOR", StrCat("1.", kPjrtReportedMinor)},
      {"NEEDS_A_LIBRARY", "libplinth_test_missing.so"},
      {"FAILS_IN_INITIALIZE", "PJRT_Plugin_Initialize: the device is switched off"},
  };
  for (const Case& c : kCases) {
    Outcome outcome = Probe(TestPlugin(c.behaviour));
    EXPECT_EQ(outcome.Text("verdict"), "fails") << outcome.text;
    EXPECT_THAT(outcome.Text("message"), HasSubstr(c.message)) << c.behaviour;
  }
}

TEST(ProbeTest, ErrorsOfThePlugin) {
  // Its function is named once.
  Outcome outcome = Probe(TestPlugin("FAILS_IN_INITIALIZE"));
  EXPECT_EQ(outcome.Text("message"), "PJRT_Plugin_Initialize: the device is switched off");
  EXPECT_EQ(outcome.Text("initialize", "code"), "UNAVAILABLE");
  // An error whose code says that there is none.
  outcome = Probe(TestPlugin("FAILS_WITH_CODE_OK"));
  EXPECT_EQ(outcome.Text("verdict"), "fails") << outcome.text;
  EXPECT_EQ(outcome.Text("message"), "PJRT_Plugin_Initialize: the device is switched off");
  EXPECT_EQ(outcome.Text("initialize", "code"), "UNKNOWN");
}

TEST(ProbeTest, MissingLibraries) {
  Outcome outcome = Probe(TestPlugin("NEEDS_A_LIBRARY"));
  const Json::Array& missing = outcome.json.At("missing_libraries").Elements();
  ASSERT_EQ(missing.size(), 1u) << outcome.text;
  EXPECT_EQ(missing[0].At("name").Text(), "libplinth_test_missing.so");
  EXPECT_THAT(missing[0].At("reason").Text(), HasSubstr("cannot open shared"));
}

TEST(ProbeTest, FileThatIsNoLibrary) {
  TestFolder folder;
  Outcome outcome = Probe(folder.Write("text.so", "hello"));
  EXPECT_EQ(outcome.Text("verdict"), "fails");
  EXPECT_THAT(outcome.Text("message"), HasSubstr("cannot be opened"));
  EXPECT_EQ(outcome.Text("stage"), "open");
}

TEST(ProbeTest, Abort) {
  Outcome outcome = Probe(TestPlugin("ABORTS_IN_INITIALIZE"));
  EXPECT_EQ(outcome.Text("verdict"), "crashed");
  EXPECT_EQ(outcome.Text("signal"), "SIGABRT");
  EXPECT_EQ(outcome.Text("stage"), "PJRT_Plugin_Initialize");
  EXPECT_EQ(outcome.Text("message"), "'PJRT_Plugin_Initialize' ended the process with SIGABRT");
  EXPECT_THAT(outcome.Text("standard_error"), HasSubstr("check failed: the sky is blue"));
  // What was learned before is there.
  EXPECT_EQ(outcome.Text("table", "minor"), std::to_string(kPjrtReportedMinor));
  EXPECT_EQ(Probe(TestPlugin("ABORTS_IN_ENTRY_POINT")).Text("stage"), "GetPjrtApi");
}

TEST(ProbeTest, Exit) {
  Outcome outcome = Probe(TestPlugin("EXITS_IN_INITIALIZE"));
  EXPECT_EQ(outcome.Text("verdict"), "exited");
  EXPECT_EQ(outcome.Text("exit_code"), "7");
}

TEST(ProbeTest, Hang) {
  auto start = std::chrono::steady_clock::now();
  plinth_probe_options probe = {};
  probe.timeout_ms = 300;
  Outcome outcome = Probe(TestPlugin("HANGS_IN_INITIALIZE"), probe);
  EXPECT_EQ(outcome.Text("verdict"), "hung");
  EXPECT_EQ(outcome.Text("message"), "no answer from 'PJRT_Plugin_Initialize' within 300 ms");
  EXPECT_EQ(outcome.Text("table", "minor"), std::to_string(kPjrtReportedMinor));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(ProbeTest, ChildrenOfThePluginEndToo) {
  auto start = std::chrono::steady_clock::now();
  Outcome outcome = Probe(TestPlugin("LEAVES_A_CHILD"));
  EXPECT_EQ(outcome.Text("verdict"), "works") << outcome.text;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  int child = 0;
  ASSERT_EQ(sscanf(outcome.Text("standard_error").c_str(), "child %d", &child), 1);
  bool ended = false;
  for (int i = 0; i < 500 && !ended; ++i) {
    // Whoever inherited it may not have reaped it yet.
    std::ifstream file("/proc/" + std::to_string(child) + "/stat");
    std::string number, name, state;
    ended = !(file >> number >> name >> state) || state == "Z" || state == "X";
    if (!ended) usleep(10000);
  }
  EXPECT_TRUE(ended) << child;
}

TEST(ProbeTest, LeavesNothingOpen) {
  Probe(TestPlugin("WORKS"));
  int before = OpenDescriptors();
  Probe(TestPlugin("WORKS"));
  Probe(TestPlugin("EXITS_IN_INITIALIZE"));
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST(ProbeTest, WhereTheHostIgnoresItsChildren) {
  // The system then reaps the child, and its answer is lost; what it wrote is not.
  auto before = signal(SIGCHLD, SIG_IGN);
  Outcome outcome = Probe(TestPlugin("WORKS"));
  signal(SIGCHLD, before);
  EXPECT_EQ(outcome.Text("verdict"), "works") << outcome.text;
}

TEST(ProbeTest, CallerMistakes) {
  char* text = nullptr;
  plinth_load_options options = {};
  options.struct_size = plinth_load_options_STRUCT_SIZE;
  options.plugin = "/no/such/plugin.so";
  plinth_status* status = plinth_probe(&options, nullptr, &text);
  EXPECT_EQ(plinth_status_code(status), PJRT_Error_Code_NOT_FOUND);
  EXPECT_EQ(text, nullptr);
  plinth_status_destroy(status);

  status = plinth_probe(&options, nullptr, nullptr);
  EXPECT_EQ(plinth_status_code(status), PJRT_Error_Code_INVALID_ARGUMENT);
  plinth_status_destroy(status);

  std::string works = TestPlugin("WORKS");
  options.plugin = works.c_str();
  plinth_probe_options probe = {};
  for (int i = 0; i < 3; ++i) {
    probe.struct_size = i == 0 ? 0 : plinth_probe_options_STRUCT_SIZE;
    probe.timeout_ms = i == 1 ? -1 : 0;
    probe.create_options_json = i == 2 ? "{" : nullptr;
    status = plinth_probe(&options, &probe, &text);
    EXPECT_EQ(plinth_status_code(status), PJRT_Error_Code_INVALID_ARGUMENT) << i;
    EXPECT_NE(std::string(plinth_status_message(status)), "");
    plinth_status_destroy(status);
  }
}

}  // namespace
}  // namespace plinth::loader
