// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/supervisor.h"

#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace plinth::conformance {
namespace {

// Children here are shell scripts that speak the protocol.
SupervisorOutcome RunWith(const std::string& script, const std::vector<std::string>& names,
                          int jobs = 1, ClientNeed need = ClientNeed::kShared) {
  std::vector<Case> cases;
  for (const std::string& name : names) cases.push_back({name, Level::kL0, need, {}, nullptr});
  std::vector<const Case*> pointers;
  for (const Case& item : cases) pointers.push_back(&item);
  SupervisorOptions options;
  options.child_command = {"/bin/sh", "-c", script};
  options.profile.start_seconds = 2;
  options.profile.case_seconds = 0.5;
  options.jobs = jobs;
  return RunCases(options, pointers);
}

constexpr char kRunAll[] = R"(
while read name; do
  echo "{\"start\": \"$name\"}" >&3
  case $name in
    crash*) echo "last words" >&2; kill -SEGV $$;;
    exit*) exit 5;;
    hang*) sleep 30;;
  esac
  echo "{\"result\": {\"name\": \"$name\", \"verdict\": \"PASS\"}}" >&3
done)";

std::string Verdicts(const SupervisorOutcome& outcome) {
  std::string text;
  for (const Result& result : outcome.results) {
    text += StrCat(result.name, "=", VerdictName(result.verdict), " ");
  }
  return text;
}

// A child of the next test: tells how many bytes malloc says are taken that another thread, which
// lives, has given back.
TEST(SupervisorTestChild, DISABLED_TellsWhatAThreadKeeps) {
  const std::unique_ptr<FILE, int (*)(FILE*)> report(fdopen(3, "w"), fclose);
  ASSERT_NE(report, nullptr) << "only RunCases starts this";
  std::array<std::vector<char>, 5> blocks;
  std::promise<void> is_ready, are_made, are_freed, is_told;
  std::thread other([&] {
    { const std::vector<char> first(100); }  // what the thread needs itself
    is_ready.set_value();
    are_made.get_future().wait();
    for (std::vector<char>& block : blocks) std::vector<char>().swap(block);
    are_freed.set_value();
    is_told.get_future().wait();
  });
  is_ready.get_future().wait();
  const std::future<void> freed = are_freed.get_future();
  const size_t before = mallinfo2().uordblks;
  for (std::vector<char>& block : blocks) block.resize(100);
  are_made.set_value();
  freed.wait();
  const size_t after = mallinfo2().uordblks;
  is_told.set_value();
  other.join();
  for (std::string name; std::getline(std::cin, name);) {
    fprintf(report.get(),
            R"({"start": "%s"})"
            "\n",
            name.c_str());
    fprintf(report.get(),
            R"({"result": {"name": "%s", "verdict": "PASS", "notes": ["%d", "%zu"]}})"
            "\n",
            name.c_str(), getpid(), after - before);
  }
}

TEST(SupervisorTest, CasesThatCountBytesHaveProcessesWhoseMallocTellsThem) {
  std::vector<Case> cases;
  for (const char* name : {"a", "leak", "b", "leak_too"}) {
    cases.push_back({name, Level::kL0, ClientNeed::kShared, {}, nullptr});
    cases.back().counts_bytes = cases.back().name.starts_with("leak");
  }
  SupervisorOptions options;
  options.child_command = {"/proc/self/exe", "--gtest_also_run_disabled_tests",
                           "--gtest_filter=SupervisorTestChild.*"};
  for (const char* users : {"", "glibc.malloc.perturb=7"}) {
    setenv("GLIBC_TUNABLES", users, 1);
    const SupervisorOutcome outcome =
        RunCases(options, {&cases[0], &cases[1], &cases[2], &cases[3]});
    unsetenv("GLIBC_TUNABLES");
    ASSERT_EQ(Verdicts(outcome), "a=PASS leak=PASS b=PASS leak_too=PASS ");
    const auto process = [&](size_t i) { return outcome.results[i].notes.at(0); };
    const auto kept = [&](size_t i) { return outcome.results[i].notes.at(1); };
#ifndef PLINTH_IS_SANITIZED  // Sanitizers have a malloc of their own.
    EXPECT_NE(kept(0), "0");
#endif
    EXPECT_EQ(kept(1), "0");
    EXPECT_EQ(process(0), process(2));
    EXPECT_EQ(process(1), process(3));
    EXPECT_NE(process(0), process(1));
  }
}

TEST(SupervisorTest, ACrashCostsOneCase) {
  SupervisorOutcome outcome = RunWith(kRunAll, {"a", "crash", "b", "exit", "c"});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(Verdicts(outcome), "a=PASS crash=CRASH b=PASS exit=CRASH c=PASS ");
  EXPECT_NE(outcome.results[1].findings[0].text.find("signal 11"), std::string::npos);
  EXPECT_NE(outcome.results[1].notes[0].find("last words"), std::string::npos);
  EXPECT_NE(outcome.results[3].findings[0].text.find("status 5"), std::string::npos);
}

TEST(SupervisorTest, AHangEndsAtTheDeadline) {
  SupervisorOutcome outcome = RunWith(kRunAll, {"a", "b", "hang", "c"});
  EXPECT_EQ(Verdicts(outcome), "a=PASS b=PASS hang=HANG c=PASS ");
}

TEST(SupervisorTest, AClientMayTakeItsTimeInAnyCase) {
  SupervisorOutcome outcome = RunWith(R"(
while read name; do
  echo "{\"start\": \"$name\"}" >&3
  case $name in
    client*) echo '{"client": true}' >&3; sleep 1;;
    slow*) sleep 30;;
  esac
  echo "{\"result\": {\"name\": \"$name\", \"verdict\": \"PASS\"}}" >&3
done)",
                                      {"a", "client1", "slow", "client2"});
  EXPECT_EQ(Verdicts(outcome), "a=PASS client1=PASS slow=HANG client2=PASS ");
}

TEST(SupervisorTest, AnExitThatHangsIsAHangOfTheLastCase) {
  SupervisorOutcome outcome = RunWith(StrCat(kRunAll, "; sleep 30"), {"a", "b"});
  EXPECT_EQ(Verdicts(outcome), "a=PASS b=HANG ");
  // Also if the report is closed already.
  outcome = RunWith(StrCat(kRunAll, "; exec 3>&-; sleep 30"), {"a", "b"});
  EXPECT_EQ(Verdicts(outcome), "a=PASS b=HANG ");
}

TEST(SupervisorTest, AProcessThatThePluginLeftBehindIsNotWaitedFor) {
  auto begin = std::chrono::steady_clock::now();
  SupervisorOutcome outcome = RunWith(StrCat("setsid sleep 60 3>&- &", kRunAll), {"a", "b"});
  EXPECT_EQ(Verdicts(outcome), "a=PASS b=PASS ");
  // Not even if it has the report open; that the process itself has ended is seen then.
  outcome = RunWith(StrCat("setsid sleep 60 &", kRunAll), {"a", "b"});
  EXPECT_EQ(Verdicts(outcome), "a=PASS b=PASS ");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

TEST(SupervisorTest, JobsKeepTheOrder) {
  SupervisorOutcome outcome = RunWith(kRunAll, {"a", "b", "c", "crash", "d", "e", "f"}, 3);
  EXPECT_EQ(Verdicts(outcome), "a=PASS b=PASS c=PASS crash=CRASH d=PASS e=PASS f=PASS ");
  outcome = RunWith(kRunAll, {"a", "crash", "b"}, 3, ClientNeed::kFresh);
  EXPECT_EQ(Verdicts(outcome), "a=PASS crash=CRASH b=PASS ");
}

TEST(SupervisorTest, WhatComesAfterACrashIsSplitOverIdleJobs) {
  // `crash` happens after the child of the first half has ended. Results say which child gave them.
  std::string folder = testing::TempDir() + "/split_over_idle_jobs." + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  SupervisorOutcome outcome = RunWith(StrCat("cd ", folder, R"(
echo $$ > pid.$$
while read name; do
  echo "{\"start\": \"$name\"}" >&3
  case $name in
    a) mv pid.$$ first;;
    crash)
      echo '{"client": true}' >&3
      while ! test -f first || kill -0 $(cat first) 2>/dev/null; do sleep 0.01; done
      exit 1;;
  esac
  echo "{\"result\": {\"name\": \"$name\", \"verdict\": \"PASS\", \"notes\": [\"$$\"]}}" >&3
done)"),
                                      {"a", "b", "c", "crash", "d", "e"}, 2);
  std::filesystem::remove_all(folder);
  ASSERT_EQ(Verdicts(outcome), "a=PASS b=PASS c=PASS crash=CRASH d=PASS e=PASS ");
  EXPECT_EQ(outcome.results[0].notes, outcome.results[2].notes);
  EXPECT_NE(outcome.results[4].notes, outcome.results[5].notes);
}

TEST(SupervisorTest, APluginThatCannotBeUsedIsAnError) {
  SupervisorOutcome outcome =
      RunWith(R"(echo '{"error": "no such plugin"}' >&3; exit 1)", {"a", "b"});
  EXPECT_EQ(outcome.error, "no such plugin");
  EXPECT_TRUE(outcome.results.empty());
  outcome = RunWith("kill -ABRT $$", {"a"});
  EXPECT_NE(outcome.error.find("signal 6"), std::string::npos) << outcome.error;
}

TEST(SupervisorTest, AnAreaThatHangsIsGivenUp) {
  // Each hang costs half a second; what is not run says so.
  constexpr char kScript[] = R"(
while read name; do
  echo "{\"start\": \"$name\"}" >&3
  case $name in
    L2/bad/*) sleep 30;;
  esac
  echo "{\"result\": {\"name\": \"$name\", \"verdict\": \"PASS\"}}" >&3
done)";
  SupervisorOutcome outcome =
      RunWith(kScript, {"L2/bad/a", "L2/bad/b", "L2/good/a", "L2/bad/c", "L2/bad/d", "L2/good/b"});
  EXPECT_EQ(Verdicts(outcome),
            "L2/bad/a=HANG L2/bad/b=HANG L2/good/a=PASS L2/bad/c=HANG L2/bad/d=HANG "
            "L2/good/b=PASS ");
  EXPECT_NE(outcome.results[3].findings[0].text.find("no answer"), std::string::npos);
  EXPECT_NE(outcome.results[4].findings[0].text.find("not run: L2/bad was given up after 3"),
            std::string::npos);
}

TEST(SupervisorTest, CasesThatBeginAreTold) {
  std::vector<Case> cases = {{"a", Level::kL0, ClientNeed::kShared, {}, nullptr},
                             {"b", Level::kL0, ClientNeed::kShared, {}, nullptr}};
  SupervisorOptions options;
  options.child_command = {"/bin/sh", "-c", StrCat("echo '{\"opened\": \"0.99\"}' >&3;", kRunAll)};
  std::string begun;
  options.on_start = [&](const std::string& name) { begun += name; };
  EXPECT_EQ(RunCases(options, {&cases[0], &cases[1]}).version, "0.99");
  EXPECT_EQ(begun, "ab");
}

TEST(SupervisorTest, ChildrenEndWithTheRunnerHoweverItEnds) {
  for (int signal : {SIGKILL, SIGTERM}) {
    std::string file = StrCat(testing::TempDir(), "/supervised.", getpid());
    std::filesystem::remove(file);
    pid_t runner = fork();
    ASSERT_GE(runner, 0);
    if (runner == 0) {
      RunWith(StrCat("trap '' TERM; echo $$ > ", file, ".part; mv ", file, ".part ", file,
                     "; exec sleep 60"),
              {"a"});
      _exit(0);
    }
    pid_t child = 0;
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (child == 0 && std::chrono::steady_clock::now() < deadline) {
      std::ifstream(file) >> child;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_NE(child, 0);
    kill(runner, signal);
    waitpid(runner, nullptr, 0);
    // Long before the child's own minute, and before its deadline, which nobody watches any more.
    bool is_gone = false;
    for (int i = 0; i < 200 && !is_gone; ++i) {
      // Whoever adopted it may take its time to reap it.
      std::string state;
      std::ifstream stat(StrCat("/proc/", child, "/stat"));
      std::string number, name;
      stat >> number >> name >> state;
      is_gone = state.empty() || state == "Z";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(is_gone);
    if (!is_gone) kill(child, SIGKILL);
    std::filesystem::remove(file);
  }
}

// More names than a pipe takes.
TEST(SupervisorTest, AChildThatReadsNothingDoesNotStopIt) {
  std::vector<std::string> names;
  for (int i = 0; i < 2000; ++i) names.push_back(StrCat(i, std::string(100, 'a')));
  SupervisorOutcome outcome = RunWith("exit 7", names);
  EXPECT_NE(outcome.error.find("ended with status 7"), std::string::npos) << outcome.error;
}

TEST(SupervisorTest, MuchOutputDoesNotStopIt) {
  // 4 MB, 64 times what a pipe holds, also at the end, when the report is closed.
  SupervisorOutcome outcome = RunWith(
      StrCat("head -c 4000000 /dev/zero;", kRunAll, "; exec 3>&-; head -c 4000000 /dev/zero"),
      {"a", "b"});
  EXPECT_EQ(Verdicts(outcome), "a=PASS b=PASS ");
}

TEST(SupervisorTest, NoiseOnTheReportIsIgnored) {
  SupervisorOutcome outcome =
      RunWith(StrCat("echo 'not json' >&3; echo '{}' >&3;", kRunAll), {"a"});
  EXPECT_EQ(Verdicts(outcome), "a=PASS ");
}

}  // namespace
}  // namespace plinth::conformance
