// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <string_view>

#include "impl/cli/commands.h"
#include "impl/cli/completion.h"
#include "impl/cli/manual.h"
#include "plinth/support/str_cat.h"

namespace plinth::cli {
namespace {

constexpr const char* kServe =
    "plinth serve --help tells how JAX on other machines computes here.\n\n";

constexpr const char* kInputHelp =
    R"(An argument of the program, in order:
  a.npy               a NumPy file; - for standard input
  a.safetensors       all arrays of a file, in its order; a.safetensors:NAME for one
  bf16@a.npy          one whose bytes are of that type
  f32=1.5             a scalar
  f32[2,3]=1          every element 1
  f32[2,2]=1,2,3,4    elements, row by row
  s32[8]=range        0, 1, 2, ...; range(START,STEP)
  f32[8]=random(SEED) evenly in [0, 1), integers in 0 to 100; random(SEED,LOW,HIGH))";

// One command of the line: its options, and what runs it.
class CommandLine {
 public:
  CommandLine() : app_("Finds, examines and runs PJRT plugins.", "plinth") {
    app_.footer(StrCat(kServe, tools::kExitCodesText));
    app_.require_subcommand(1);
    app_.set_version_flag("--version", std::string("plinth ") + plinth_version());
    app_.get_formatter()->column_width(34);
    AddList();
    AddInfo();
    AddDoctor();
    AddRun();
    AddCompile();
    AddManifest();
    AddReplay();
    AddNew();
    AddBench();
    AddTrace();
    AddCompletion();
    AddManual();
  }

  int Run(int argc, char** argv) {
    const bool wants_json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForVersion& request) {
      if (!wants_json) return app_.exit(request);
      Output output(true);
      output.Field("version", "version", plinth_version());
      return output.Finish(kDone);
    } catch (const CLI::Success& request) {  // --help
      return app_.exit(request);
    } catch (const CLI::ParseError& error) {
      Output output(wants_json);
      output.Fail(InvalidArgument(Explain(error, argc, argv), ". See plinth --help"), kUsage);
      return output.Finish(kUsage);
    }
    Output output(is_json_);
    return output.Finish(RunCommand(output));
  }

 private:
  using Command = std::function<int(Output&)>;

  // Everything that a command is given is bounded, but not by what memory is left.
  int RunCommand(Output& output) const {
    try {
      return command_(output);
    } catch (const std::bad_alloc&) {
      return output.Fail(ResourceExhausted("out of host memory"), kFailed);
    } catch (const std::exception& error) {
      return output.Fail(Internal("an exception that nobody expected: ", error.what()), kFailed);
    }
  }

  // The parser says of a command that there is not only that one is missing.
  std::string Explain(const CLI::ParseError& error, int argc, char** argv) const {
    auto found = std::find_if(argv + 1, argv + argc, [](const char* word) { return *word != '-'; });
    if (found == argv + argc) return error.what();
    std::string names;
    for (const CLI::App* sub : app_.get_subcommands({})) {
      if (sub->get_name() == *found) return error.what();
      names += StrCat(names.empty() ? "" : ", ", sub->get_name());
    }
    return StrCat("there is no command '", *found, "'; there are ", names);
  }

  CLI::App* Add(CLI::App& parent, const char* name, const char* help, Command command) {
    CLI::App* sub = parent.add_subcommand(name, help);
    sub->add_flag("--json", is_json_, "Print one JSON object");
    sub->callback([this, command = std::move(command)] { command_ = command; });
    return sub;
  }

  // Where plugins are looked for.
  static void AddSearch(CLI::App* sub, PluginChoice& choice) {
    sub->add_option("--manifest-path", choice.manifest_path,
                    "Folders or files of manifests, separated by colons, looked at first");
    sub->add_option("--allow", choice.allow, "Globs of names: only these plugins");
    sub->add_option("--deny", choice.deny, "Globs of names: none of these plugins");
    sub->add_flag("-v,--verbose", choice.verbose, "The loader's log on standard error, and more");
  }

  // Which plugin is loaded, and how.
  static void AddLoading(CLI::App* sub, PluginChoice& choice) {
    sub->add_option("--layers", choice.layers, "Layers in front of the plugin: trace,validation");
    sub->add_flag("--allow-old", choice.allow_old, "Accept plugins of PJRT 0.28 to 0.55");
    AddRepeated(sub, "--option", choice.create_options,
                "NAME=VALUE: an option of the plugin's client; may be repeated");
    AddSearch(sub, choice);
  }

  static void AddPluginOption(CLI::App* sub, PluginChoice& choice) {
    sub->add_option("--plugin", choice.plugin,
                    "Path of a plugin, or a name; default: $PLINTH_PLUGIN, or the only one found");
    AddLoading(sub, choice);
  }

  static void AddProgram(CLI::App* sub, ProgramOptions& program) {
    sub->add_option("PROGRAM", program.path,
                    "StableHLO as MLIR text or bytecode, or an HLO proto; - for standard input")
        ->required();
    sub->add_option("--format", program.format, "mlir or hlo; default: by the file's name");
    sub->add_flag("--serialized", program.is_serialized, "PROGRAM is what compile --output wrote");
    AddRepeated(sub, "--compile-option", program.compile_options,
                "NAME=VALUE: an option of the plugin's compiler; may be repeated");
    sub->add_option("--compile-options-file", program.options_file,
                    "A serialized xla.CompileOptionsProto, in place of all others");
    sub->add_option("--replicas", program.num_replicas, "Run on that many devices at once")
        ->check(CLI::Range(1, 1 << 20));
  }

  static void AddRepeated(CLI::App* sub, const char* name, std::vector<std::string>& values,
                          const char* help) {
    sub->add_option(name, values, help)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void AddList() {
    CLI::App* sub = Add(app_, "list", "The plugins that are found; opens none",
                        [this](Output& output) { return List(list_, output); });
    AddSearch(sub, list_.choice);
    sub->add_flag("--searched", list_.show_searched, "Every place that was looked at, too");
  }

  void AddProbing(CLI::App* sub, ProbeOptions& options, const char* help) {
    sub->add_option("PLUGIN", options.choice.plugin, help);
    AddLoading(sub, options.choice);
    sub->add_option("--timeout-ms", options.timeout_ms, "How long a plugin may take")
        ->check(CLI::Range(1, 3600000))
        ->capture_default_str();
    sub->add_flag("!--no-client", options.create_client, "Do not open the hardware");
  }

  void AddInfo() {
    CLI::App* sub = Add(app_, "info", "What a plugin is; asked in a process of its own",
                        [this](Output& output) { return Info(info_, output); });
    AddProbing(sub, info_, "Path or name; default: $PLINTH_PLUGIN, or the only one found");
  }

  void AddDoctor() {
    CLI::App* sub = Add(app_, "doctor", "What was found where, what works, what does not and why",
                        [this](Output& output) { return Doctor(doctor_, output); });
    AddProbing(sub, doctor_.probe, "Path or name; default: all that are found");
    AddRepeated(sub, "--run", doctor_.programs,
                "A program that the plugin compiles and runs too; tells what the host ran of it");
    sub->add_flag("--ifrt", doctor_.with_ifrt,
                  "What arrays over many devices rest on with it; -v: and why");
  }

  void AddRun() {
    CLI::App* sub = Add(app_, "run", "Runs a program once on given inputs",
                        [this](Output& output) { return cli::Run(run_, output); });
    AddProgram(sub, run_.program);
    AddRepeated(sub, "-i,--input", run_.inputs, kInputHelp);
    sub->add_flag("--random", run_.has_random_inputs,
                  "Random arguments of the types that the program's text takes")
        ->excludes("--input");
    AddRepeated(
        sub, "-o,--output", run_.outputs,
        "A NumPy file to write a result to, in order of the results; or one .safetensors for all");
    AddRepeated(sub, "--expect", run_.expected,
                "A file that a result has to agree with, in order of the results");
    sub->add_option("--rtol", run_.relative_tolerance,
                    "Relative tolerance of --expect; default: 16 units in the last place");
    sub->add_option("--atol", run_.absolute_tolerance, "Absolute tolerance; default: 0");
    sub->add_option("--device", run_.device, "Index of the device to run on, from 0");
    sub->add_option("--repeat", run_.repeat, "Run that many times and tell the times")
        ->check(CLI::Range(1, 1000000000));
    sub->add_flag("--full", run_.in_full, "Print large results in full");
    sub->add_flag("-q,--quiet", run_.is_quiet, "Do not print results");
    AddPluginOption(sub, run_.choice);
  }

  void AddCompile() {
    CLI::App* sub = Add(app_, "compile", "Compiles a program; tells its memory and cost",
                        [this](Output& output) { return Compile(compile_, output); });
    AddProgram(sub, compile_.program);
    sub->add_option("--topology", compile_.topology,
                    "Compile for the devices that the plugin knows by this name, which need not be "
                    "here; --option is an option of the topology")
        ->excludes("--serialized");
    sub->add_option("-o,--output", compile_.serialized_path,
                    "Write the executable there, for run --serialized");
    sub->add_option("--optimized", compile_.optimized_path, "Write the optimized program there");
    AddPluginOption(sub, compile_.choice);
  }

  void AddManifest() {
    CLI::App* manifest = app_.add_subcommand("manifest", "Manifests of plugins");
    manifest->require_subcommand(1);
    CLI::App* check = Add(*manifest, "check", "Whether a manifest is right",
                          [this](Output& output) { return ManifestCheck(check_, output); });
    check->add_option("FILE", check_.path)->required();
    CLI::App* make = Add(*manifest, "make", "Makes a manifest",
                         [this](Output& output) { return ManifestMake(make_, output); });
    make->add_option("--name", make_.name, "By which the plugin is loaded")->required();
    make->add_option("--library", make_.library, "Relative to the manifest's folder, or absolute")
        ->required();
    make->add_option("--description", make_.description, "For people");
    AddRepeated(make, "--option", make_.create_options,
                "NAME=VALUE: an option that clients are to be made with; may be repeated");
    make->add_option("-o,--output", make_.output_path, "File to write; default: standard output");
  }

  void AddReplay() {
    CLI::App* sub = Add(app_, "replay", "Repeats a captured run on a plugin and compares",
                        [this](Output& output) { return Replay(replay_, output); });
    sub->add_option("CAPTURE", replay_.capture, "What the trace layer captured")->required();
    sub->add_option("--rtol", replay_.relative_tolerance,
                    "Relative tolerance; default: by element type");
    sub->add_option("--atol", replay_.absolute_tolerance,
                    "Absolute tolerance; default: by element type");
    sub->add_flag("--keep-going", replay_.keep_going, "Count all differences");
    AddPluginOption(sub, replay_.choice);
  }

  void AddNew() {
    CLI::App* sub = Add(app_, "new", "Makes a project for a plugin of your own",
                        [this](Output& output) { return New(new_, output); });
    sub->add_option("NAME", new_.name, "Of the plugin, and of the platform in JAX: npu")
        ->required();
    sub->add_option("--stage", new_.stage,
                    "1: one fixed function; 2: reads programs, runs a few ops; 3: every op runs, "
                    "one of them on the device")
        ->check(CLI::Range(1, 3))
        ->capture_default_str();
    sub->add_option("--language", new_.language, "cxx")->check(CLI::IsMember({"cxx"}));
    sub->add_option("--folder", new_.folder, "The project's folder; default: NAME");
    sub->add_option("--template", new_.template_folder,
                    "Default: share/plinth/template beside the command");
  }

  void AddBench() {
    CLI::App* sub = Add(app_, "bench", "Two plugins side by side: compile, latency, throughput",
                        [this](Output& output) { return Bench(bench_, output); });
    sub->add_option("A", bench_.plugin_a, "Path or name of a plugin")->required();
    sub->add_option("B", bench_.plugin_b, "Of another, or the same")->required();
    sub->add_option("PROGRAM", bench_.programs, "StableHLO as MLIR text or bytecode")->required();
    AddRepeated(sub, "-i,--input", bench_.inputs,
                "A literal as of run, for all programs; default: random ones for text, while "
                "bytecode is compiled only");
    sub->add_option("--rounds", bench_.rounds, "In each, both run once and 16 times at once")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    sub->add_option("--compile-rounds", bench_.compile_rounds, "Of them, those that compile anew")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    AddRepeated(sub, "--compile-option", bench_.program.compile_options,
                "NAME=VALUE: an option of both compilers; may be repeated");
    sub->add_option("--compile-options-file", bench_.program.options_file,
                    "A serialized xla.CompileOptionsProto, in place of all others");
    AddLoading(sub, bench_.choice);
  }

  void AddTrace() {
    CLI::App* sub =
        Add(app_, "trace", "Runs a command, usually JAX's, and traces its calls of PJRT",
            [this](Output& output) { return Trace(trace_, output); });
    sub->add_option("COMMAND", trace_.command, "After --: what to run")->required();
    sub->add_option("--plugin", trace_.plugin,
                    "Path of a plugin, or a name; default: $PLINTH_PLUGIN, or the only one found");
    sub->add_option("-o,--output", trace_.file, "The timeline")->capture_default_str();
    sub->add_option("--capture", trace_.capture, "A capture too, for plinth replay");
    sub->add_option("--layers", trace_.layers, "Layers in front of the trace: validation");
  }

  void AddCompletion() {
    CLI::App* sub =
        Add(app_, "completion", "A script that completes command lines", [this](Output& output) {
          std::string script = shell_ == "zsh"    ? ZshCompletion(app_)
                               : shell_ == "fish" ? FishCompletion(app_)
                                                  : BashCompletion(app_);
          output.Line(script);
          output.json()["script"] = script;
          return int{kDone};
        });
    sub->add_option("SHELL", shell_, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  }

  void AddManual() {
    Add(app_, "man", "The manual page: plinth man | man -l -", [this](Output& output) {
      std::string page = ManualPage(app_);
      output.Line(page);
      output.json()["page"] = page;
      return int{kDone};
    });
  }

  CLI::App app_;
  Command command_;
  bool is_json_ = false;
  ListOptions list_;
  ProbeOptions info_;
  DoctorOptions doctor_;
  RunOptions run_;
  CompileCommandOptions compile_;
  ManifestCheckOptions check_;
  ManifestMakeOptions make_;
  ReplayCommandOptions replay_;
  NewOptions new_;
  BenchOptions bench_;
  TraceOptions trace_;
  std::string shell_;
};

}  // namespace

int RunCommandLine(int argc, char** argv) { return CommandLine().Run(argc, argv); }

}  // namespace plinth::cli
