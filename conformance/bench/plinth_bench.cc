// SPDX-License-Identifier: Apache-2.0
// plinth-bench: times stored programs on plugins. See conformance/bench/README.md.

#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/bench/arrays.h"
#include "conformance/bench/bench_plugin.h"
#include "conformance/bench/in_turn.h"

namespace plinth::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kExitRed = 1, kExitUsage = 2;
// A program that looks too slow is measured so many times more: load goes away, a loss stays.
constexpr int kSecondLooks = 2;

struct Options {
  std::string a, b, steps, blas, only = ".", skip = "^$",
                                 programs = "conformance/programs/bench/cases";
  int64_t threads_a = 1, threads_b = 1;
  Effort effort;
  Limits limits;
  bool wall = false, list = false, all = false;
};

Expected<std::string> ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return NotFound("cannot read ", path.string());
  return std::move(text).str();
}

Expected<std::vector<StoredProgram>> ReadPrograms(const Options& options) {
  const fs::path list = fs::path(options.programs) / "cases.txt";
  Expected<std::string> text = ReadFile(list);
  if (!text.ok()) {
    return text.status().WithContext("--programs, from the root of a checkout by default");
  }
  Expected<std::vector<StoredProgram>> programs = ParseProgramList(*text);
  if (!programs.ok()) return programs.status().WithContext(list.string());
  return programs;
}

Expected<std::vector<Bytes>> MakeArguments(const StoredProgram& program) {
  std::vector<Bytes> arguments;
  for (const ArraySpec& spec : program.arguments) {
    PLINTH_ASSIGN_OR_RETURN(Bytes array, MakeArray(spec, arguments.size() + 1));
    arguments.push_back(std::move(array));
  }
  return arguments;
}

// What both plugins made of one program.
struct Row {
  Times times = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  bool is_red = false;
};

void Print(const std::string& name, const Row& row, std::string_view note) {
  std::printf("%-36s %12.2f %12.2f %7.3f  %s%.*s\n", name.c_str(), row.times.a * 1e6,
              row.times.b * 1e6, row.times.ratio(), row.is_red ? "RED " : "",
              static_cast<int>(note.size()), note.data());
  std::fflush(stdout);
}

Expected<Row> Compare(const StoredProgram& stored, const Options& options, const Plugin& plugin_a,
                      const Plugin& plugin_b) {
  PLINTH_ASSIGN_OR_RETURN(std::string code, ReadFile(fs::path(options.programs) / stored.file));
  PLINTH_ASSIGN_OR_RETURN(std::vector<Bytes> arguments, MakeArguments(stored));
  auto a = Program::Make(plugin_a, code, stored.arguments, arguments);
  if (!a.ok()) return a.status().WithContext("A");
  auto b = Program::Make(plugin_b, code, stored.arguments, arguments);
  if (!b.ok()) return b.status().WithContext("B");
  std::string_view note;
  {
    PLINTH_ASSIGN_OR_RETURN(const std::string out_a, (*a)->RunForOutputs());
    PLINTH_ASSIGN_OR_RETURN(const std::string out_b, (*b)->RunForOutputs());
    if (out_a != out_b) note = "other bits";
  }
  Row row;
  const auto run_a = [&] { return (*a)->Run(); };
  const auto run_b = [&] { return (*b)->Run(); };
  for (int look = 0; look <= kSecondLooks; ++look) {
    PLINTH_RETURN_IF_ERROR(MeasureInTurn(run_a, run_b, options.effort, &row.times));
    row.is_red = !(row.times.ratio() <= options.limits.program);
    if (!row.is_red) break;
  }
  if (options.all || row.is_red || !note.empty() || row.times.ratio() < 0.95) {
    Print(stored.name, row, note);
  }
  return row;
}

bool IsSelected(const StoredProgram& program, const std::regex& only, const std::regex& skip) {
  return std::regex_search(program.name, only) && !std::regex_search(program.name, skip);
}

// Bytes in a file without a name; it stays open.
Expected<std::string> PutIntoFile(std::span<const std::byte> bytes, int* file) {
  if (*file < 0) *file = memfd_create("plinth-bench", 0);
  if (*file < 0) return ResourceExhausted("the system gave no file");
  while (!bytes.empty()) {
    const ssize_t written = write(*file, bytes.data(), bytes.size());
    if (written <= 0) return ResourceExhausted("a file in memory cannot be written");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return StrCat("/proc/self/fd/", *file);
}

// A plugin does not use a BLAS library that another part of the process has loaded, and to each of
// ours the other is one: each gets a copy.
Expected<std::string> CopyOfBlas(const Options& options) {
  if (options.blas.empty() || options.blas == "none") return options.blas;
  PLINTH_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(options.blas));
  int file = -1;
  return PutIntoFile(std::as_bytes(std::span(bytes)), &file);
}

Expected<int> CompareAll(const Options& options, const std::vector<StoredProgram>& programs) {
  PLINTH_ASSIGN_OR_RETURN(const std::string blas_a, CopyOfBlas(options));
  PLINTH_ASSIGN_OR_RETURN(const std::string blas_b, CopyOfBlas(options));
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<Plugin> a,
                          Plugin::Open(options.a, options.threads_a, blas_a));
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<Plugin> b,
                          Plugin::Open(options.b, options.threads_b, blas_b));
  std::printf("%-36s %12s %12s %7s  (us of %s, least)\n", "program", "A", "B", "B/A",
              options.wall ? "wall time" : "CPU time");
  std::vector<Times> all;
  int bad = 0;
  for (const StoredProgram& program : programs) {
    Expected<Row> row = Compare(program, options, *a, *b);
    if (!row.ok()) {
      std::printf("%-36s %s\n", program.name.c_str(), row.status().ToString().c_str());
      ++bad;
      continue;
    }
    all.push_back(row->times);
    bad += row->is_red ? 1 : 0;
  }
  const double mean = MeanRatio(all);
  const bool is_red = bad > 0 || mean > options.limits.mean;
  std::printf("%zu programs, geometric mean of B/A %.4f, red or failed %d: %s\n", programs.size(),
              mean, bad, is_red ? "RED" : "green");
  return is_red ? kExitRed : 0;
}

// The program that knows the CPU plugin's steps stands beside this one. It gets the arguments in a
// file without a name, one after the other.
Status ShowSteps(const Options& options, const StoredProgram& stored) {
  PLINTH_ASSIGN_OR_RETURN(std::vector<Bytes> arguments, MakeArguments(stored));
  int file = -1;
  std::string data;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto size = static_cast<size_t>(stored.arguments[i].num_bytes());
    PLINTH_ASSIGN_OR_RETURN(data, PutIntoFile(std::span(arguments[i].get(), size), &file));
  }
  if (file < 0) data = "/dev/null";
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string tool = (self.parent_path() / "plinth-cpu-steps").string();
  const std::string program = (fs::path(options.programs) / stored.file).string();
  const std::string threads = StrCat(std::max<int64_t>(options.threads_a, 1));
  std::fflush(stdout);
  execl(tool.c_str(), tool.c_str(), program.c_str(), data.c_str(), threads.c_str(), nullptr);
  return NotFound("cannot run ", tool, ": build it with `scripts/build release plinth-cpu-steps`");
}

Expected<int> Run(const Options& options) {
  PLINTH_ASSIGN_OR_RETURN(std::vector<StoredProgram> programs, ReadPrograms(options));
  if (!options.steps.empty()) {
    const auto found = std::find_if(programs.begin(), programs.end(),
                                    [&](const auto& p) { return p.name == options.steps; });
    if (found == programs.end()) {
      return NotFound("no stored program is '", options.steps, "'; --list names them");
    }
    return ShowSteps(options, *found);
  }
  try {
    const std::regex only(options.only), skip(options.skip);
    std::erase_if(programs, [&](const auto& p) { return !IsSelected(p, only, skip); });
  } catch (const std::regex_error& error) {
    return InvalidArgument("--only or --skip is no regular expression: ", error.what());
  }
  if (programs.empty()) return NotFound("no stored program is selected; --list names them");
  if (options.list) {
    for (const StoredProgram& program : programs) std::printf("%s\n", program.name.c_str());
    return 0;
  }
  if (options.a.empty() || options.b.empty()) {
    return InvalidArgument("give --a OLD.so --b NEW.so, --steps PROGRAM, or --list");
  }
  return CompareAll(options, programs);
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Times stored programs on two builds of a plugin, in turn in one process.",
               "plinth-bench");
  app.add_option("--a", options.a, "the older plugin");
  app.add_option("--b", options.b, "the newer plugin");
  app.add_option("--steps", options.steps, "instead: time per plan step of this program (CPU)");
  app.add_option("--only", options.only, "programs whose name matches this regular expression");
  app.add_option("--skip", options.skip, "and does not match this one");
  app.add_option("--programs", options.programs, "folder with cases.txt")->capture_default_str();
  app.add_option("--threads-a", options.threads_a, "client option num_threads; -1: not given")
      ->capture_default_str();
  app.add_option("--threads-b", options.threads_b, "the same of B")->capture_default_str();
  app.add_option("--blas", options.blas,
                 "client option blas of both: a file, of which each gets a copy, or none");
  app.add_option("--seconds", options.effort.seconds, "of each program on each side, at least")
      ->capture_default_str();
  app.add_option("--calls", options.effort.calls, "the same in calls")->capture_default_str();
  app.add_option("--red", options.limits.program, "B / A of one program that is too much")
      ->capture_default_str();
  app.add_option("--red-mean", options.limits.mean, "the same of the geometric mean")
      ->capture_default_str();
  app.add_flag("--wall", options.wall, "wall time: for more threads, on a quiet machine");
  app.add_flag("--all", options.all, "print every program, not only what changed by 5 %");
  app.add_flag("--list", options.list, "print the names of the programs");
  CLI11_PARSE(app, argc, argv);
  if (options.wall) options.effort.clock = Clock::kWall;
  Expected<int> status = Run(options);
  if (status.ok()) return *status;
  std::fprintf(stderr, "plinth-bench: %s\n", status.status().ToString().c_str());
  return kExitUsage;
}

}  // namespace
}  // namespace plinth::bench

int main(int argc, char** argv) { return plinth::bench::Main(argc, argv); }
