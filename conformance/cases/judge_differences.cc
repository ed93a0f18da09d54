// SPDX-License-Identifier: Apache-2.0
// L1: what executables of different programs have to say differently, what is shared with donated
// arguments, and the program that comes back.

#include <algorithm>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_case.h"
#include "conformance/cases/judge_executable.h"

namespace plinth::conformance {
namespace judge_differences {
namespace {

// What has to differ with what is put in.
void Differences(Context& context) {
  Compiled one, again, two, namesake;
  std::string other(SingleDeviceCompileOptions());
  other += std::string("\x28\xb9\x60", 3);  // profile_version: 12345
  Compiled profiled;
  if (!Compile(context, "add_one", one) || !Compile(context, "add_one", again) ||
      !Compile(context, "add_two", two) || !Compile(context, "namesake", namesake))
    return;
  Example example = Examples()[0], second = Examples()[0];
  second.name = "add_two";
  Facts a = JudgeExecutable(context, example, one.executable.get()),
        b = JudgeExecutable(context, example, again.executable.get());
  Facts c = JudgeExecutable(context, second, two.executable.get());
  context.Check(kOutputTrue, a == b,
                "two compilations of one program say other things about themselves");
  context.Check("PJRT-Executable_Fingerprint-stable",
                a.fingerprint.empty() || a.fingerprint != c.fingerprint,
                "two programs have one fingerprint");
  if (auto print =
          Get<&PJRT_Executable_Fingerprint_Args::executable>(context, namesake.executable.get())) {
    context.Check(kOutputTrue,
                  a.fingerprint !=
                      StringOf(print->executable_fingerprint, print->executable_fingerprint_size),
                  "two programs of one name, which compute something else, have one fingerprint");
  }
  context.Check(kOutputTrue, a.name != c.name, "two programs have one name, ", a.name);
  context.Check(
      "PJRT-Args-output-new",
      one.loaded.get() != again.loaded.get() && one.executable.get() != again.executable.get(),
      "two compilations gave one executable");
  if (!a.options.empty()) {
    Wire wire(a.options), build(wire.Message(3));
    context.Check(kOutputTrue, build.Number(4, 1) == 1 && build.Number(5, 1) == 1,
                  "the options that come back are for ", build.Number(4, 1), " replicas and ",
                  build.Number(5, 1), " partitions");
    Compiled from_them;
    if (Compile(context, "add_one", from_them, a.options))
      RunAndJudge(context, example, from_them.loaded.get(), a, true);
    if (Compile(context, "add_one", profiled, other)) {
      context.Check("PJRT-Executable_GetCompileOptions-same",
                    JudgeExecutable(context, example, one.executable.get()).options == a.options,
                    "the options of an executable changed when another was compiled");
      Facts d = JudgeExecutable(context, example, profiled.executable.get());
      context.Check("PJRT-Executable_GetCompileOptions-same", Wire(d.options).Number(5) == 12345,
                    "the profile_version that was put in, 12345, comes back as ",
                    Wire(d.options).Number(5));
    }
  }
  // A matrix product of 64 times the work costs more.
  auto flops = [&](std::string_view name) {
    Compiled compiled;
    double found = -1;
    if (!Compile(context, name, compiled)) return found;
    auto cost =
        Get<&PJRT_Executable_GetCostAnalysis_Args::executable>(context, compiled.executable.get());
    if (!cost) return found;
    for (size_t i = 0; i < cost->num_properties; ++i) {
      const PJRT_NamedValue& value = cost->properties[i];
      if (StringOf(value.name, value.name_size) == "flops") {
        found = RawEnum(value.type) == PJRT_NamedValue_kFloat
                    ? value.float_value
                    : static_cast<double>(value.int64_value);
      }
    }
    return found;
  };
  double small = flops("add_one"), large = flops("large");
  context.Check(kOutputTrue, small < 0 || large > 100 * small, "4 additions cost ", small,
                " flops and 70001 cost ", large);
  // Code of 4 and of 70001 elements: arguments differ as they do.
  Compiled bigger;
  if (!Compile(context, "large", bigger)) return;
  auto stats = Get<&PJRT_Executable_GetCompiledMemoryStats_Args::executable>(
      context, bigger.executable.get());
  if (stats) {
    context.Check(kOutputTrue, stats->argument_size_in_bytes >= 280004,
                  "an argument of 280004 bytes takes ", stats->argument_size_in_bytes);
  }
}

// The address of a buffer's contents, or 0.
uintptr_t AddressOf(Context& context, PJRT_Buffer* buffer) {
  auto unsafe = Get<&PJRT_Buffer_UnsafePointer_Args::buffer>(context, buffer);
  return unsafe ? unsafe->buffer_pointer : 0;
}

// Bytes that outputs share with arguments: none without a donation, and at least those of the
// outputs that lie where a donated argument was.
void AliasSizes(Context& context) {
  constexpr char kAlias[] = "PJRT-Executable_GetCompiledMemoryStats-alias";
  struct Donation {
    const char* program;
    std::vector<HostArray> arguments;
    std::vector<size_t> donated;
    size_t num_results;
  };
  HostArray four = Counted({4}, 1), six = Counted({2, 3}, 1);
  for (const Donation& each :
       {Donation{"add_one", {four}, {}, 1}, Donation{"mixed", {four, six}, {}, 3},
        Donation{"argument_returned", {Counted({2}, 1)}, {}, 2},
        Donation{"donating", {four}, {0}, 1},
        Donation{"donating_second", {four, Counted({3}, 1)}, {1}, 2},
        Donation{"donating_both", {four, six, Counted({8}, 1)}, {0, 1}, 2},
        Donation{"donating_large",
                 {four, Counted({96, 33}, 1), Counted({70001}, 1), six},
                 {1, 2, 3},
                 4}}) {
    Compiled compiled;
    if (!Compile(context, each.program, compiled)) return;
    auto stats = Get<&PJRT_Executable_GetCompiledMemoryStats_Args::executable>(
        context, compiled.executable.get());
    if (!stats) return context.Unsupported("no PJRT_Executable_GetCompiledMemoryStats");
    int64_t alias = stats->alias_size_in_bytes + stats->host_alias_size_in_bytes, donated = 0;
    // What some of the donated arguments may count for: at least their elements, at most all that
    // they take on the device.
    std::vector<std::pair<int64_t, int64_t>> sums = {{0, 0}};
    if (each.donated.empty()) {
      context.Check(kAlias, alias == 0, each.program, " donates nothing, and ", alias,
                    " bytes are aliased");
      continue;
    }
    std::vector<OwnedBuffer> arguments;
    std::vector<PJRT_Buffer*> handles;
    std::vector<uintptr_t> places;
    for (size_t i = 0; i < each.arguments.size(); ++i) {
      Expected<OwnedBuffer> buffer = context.Upload(each.arguments[i]);
      if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
      arguments.push_back(*std::move(buffer));
      handles.push_back(arguments.back().get());
      (void)AwaitBuffer(context, handles.back());
      places.push_back(AddressOf(context, handles.back()));
      auto size = Get<&PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer>(context, handles.back());
      if (!size || std::count(each.donated.begin(), each.donated.end(), i) == 0) continue;
      const auto most = static_cast<int64_t>(size->on_device_size_in_bytes),
                 least = static_cast<int64_t>(each.arguments[i].bytes.size());
      donated += most;
      for (size_t k = sums.size(); k-- > 0;)
        sums.emplace_back(sums[k].first + least, sums[k].second + most);
    }
    context.Check(kAlias, alias <= donated, each.program, " donates ", donated, " bytes, and ",
                  alias, " are aliased");
    context.Check(kAlias,
                  std::any_of(sums.begin(), sums.end(),
                              [&](auto sum) { return sum.first <= alias && alias <= sum.second; }),
                  "the ", alias, " aliased bytes of ", each.program,
                  " are not those of whole donated arguments");
    auto results = context.Execute(compiled.loaded.get(), handles);
    if (!context.Ok(kResultsOfProgram, "PJRT_LoadedExecutable_Execute", results.status())) return;
    int64_t shared = 0;
    for (const OwnedBuffer& result : *results) {
      (void)AwaitBuffer(context, result.get());
      uintptr_t place = AddressOf(context, result.get());
      auto size = Get<&PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer>(context, result.get());
      if (place != 0 && size && std::count(places.begin(), places.end(), place) != 0)
        shared += static_cast<int64_t>(size->on_device_size_in_bytes);
    }
    // Memory that is freed and allocated again may lie there too; then nothing is said.
    bool all_shared = results->size() == each.num_results && shared >= donated;
    context.Check(kAlias, !all_shared || alias > 0, "outputs of ", each.program,
                  " lie where the donated arguments were, and no bytes are aliased");
  }
}

// With enough room the program is written also where nobody asked how much it takes: by another
// handle of what was asked, and again by that one.
void OptimizedProgramUnasked(Context& context) {
  constexpr char kTwoCalls[] = "PJRT-Executable_OptimizedProgram-two-calls";
  Compiled compiled;
  if (!Compile(context, "mixed", compiled)) return;
  auto program = MakeArgs<PJRT_Program>();
  auto args = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
  args.executable = compiled.executable.get();
  args.program = &program;
  if (!Succeeds(context, args)) return;
  const size_t size = program.code_size;
  if (!FindExecutable(context, compiled)) return;
  args.executable = compiled.executable.get();
  for (int turn = 0; turn < 2; ++turn) {
    // Messages of HLO may be written in some more bytes.
    std::string code(size + size / 2 + 1024, '\x5a');
    program = MakeArgs<PJRT_Program>();
    program.code = code.data();
    program.code_size = code.size();
    if (!Succeeds(context, args, kTwoCalls, "a program whose size was not asked for")) return;
    context.Check(kTwoCalls, code.find("mixed") != std::string::npos,
                  "a program whose size was not asked for was not written");
  }
}

// The format's name is the executable's: it stays while another is asked.
void FormatStays(Context& context, PJRT_Executable* first, PJRT_Executable* second) {
  std::string_view told[2];
  std::string format;
  for (int i = 0; i < 2; ++i) {
    auto program = MakeArgs<PJRT_Program>();
    auto args = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
    args.executable = i == 0 ? first : second;
    args.program = &program;
    if (!Succeeds(context, args)) return;
    told[i] = StringOf(program.format, program.format_size);
    if (i == 0) format = told[0];
  }
  context.Check("PJRT-Executable_OptimizedProgram-format-owner", told[0] == format,
                "the format of one program was \"", format, "\" and is \"", told[0],
                "\" when another was asked for");
}

// The answer fits exactly, and stays the same.
void OptimizedProgramTwice(Context& context) {
  Compiled compiled;
  Compiled another;
  if (!Compile(context, "mixed", compiled)) return;
  std::string codes[2], format;
  for (std::string& code : codes) {
    if (!Compile(context, "add_one", another)) return;  // which changes nothing
    FormatStays(context, compiled.executable.get(), another.executable.get());
    auto program = MakeArgs<PJRT_Program>();
    auto args = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
    args.executable = compiled.executable.get();
    args.program = &program;
    if (!Succeeds(context, args)) return;
    format = StringOf(program.format, program.format_size);
    context.Check(kOutputTrue, format == "mlir" || format == "hlo" || format == "hlo_with_config",
                  "the format is \"", format, "\"");
    size_t size = program.code_size;
    bool is_larger = code.data() == codes[1].data();
    code.assign(size + 32, '\x5a');
    program.code = code.data();
    program.code_size = is_larger ? size + 16 : size;
    if (!Succeeds(context, args)) return;
    context.Check("PJRT-Executable_OptimizedProgram-two-calls",
                  program.code_size == size || is_larger, "the size was ", size, ", then ",
                  program.code_size);
    context.Check("PJRT-Executable_OptimizedProgram-two-calls",
                  code.substr(size) == std::string(32, '\x5a'),
                  "bytes after the program were written");
    code.resize(size);
    context.Check("PJRT-Executable_OptimizedProgram-two-calls",
                  size > 16 && code != std::string(size, '\x5a'), "the program was not written");
    context.Check(kOutputTrue, code.find("mixed") != std::string::npos,
                  "the program does not name its module");
    if (format == "mlir") {
      Expected<OwnedLoadedExecutable> anew = context.Compile(code);
      context.Check(kOutputTrue, anew.ok(),
                    "the program that came back does not compile: ", anew.status().ToString());
    }
  }
  // Messages of HLO list what has no order in any.
  context.Check("PJRT-Args-output-same", codes[0] == codes[1] || format != "mlir",
                "the program was another the second time");
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  AddJudgeCase(cases, "L1/judge/differences",
               {"PJRT-Executable_Fingerprint-stable", "PJRT-Args-output-new"}, Differences);
  AddJudgeCase(cases, "L1/judge/alias_size", {"PJRT-Executable_GetCompiledMemoryStats-alias"},
               AliasSizes);
  AddJudgeCase(cases, "L1/judge/optimized_program",
               {"PJRT-Executable_OptimizedProgram-two-calls",
                "PJRT-Executable_OptimizedProgram-format-owner", "PJRT-Args-output-same"},
               OptimizedProgramTwice);
  AddJudgeCase(cases, "L1/judge/optimized_program_unasked",
               {"PJRT-Executable_OptimizedProgram-two-calls"}, OptimizedProgramUnasked);
}

}  // namespace judge_differences

void AddDifferenceJudgeCases(std::vector<Case>& cases) { judge_differences::AddCases(cases); }

}  // namespace plinth::conformance
