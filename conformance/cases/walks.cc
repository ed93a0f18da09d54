// SPDX-License-Identifier: Apache-2.0
// L2: long walks. Each step makes an array or a program in some way, uses one, has a call refused,
// or ends one, here or on another thread; then some of what is alive says what it has to say, and
// some of what has ended. What only shows after some history, or beside others, shows here.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/answers.h"
#include "conformance/cases/array_calls.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/examples.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/leak_works.h"
#include "conformance/cases/random_walk.h"
#include "conformance/cases/transfer_manager.h"

namespace plinth::conformance {
namespace walks {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kStays[] = "PJRT-Args-output-same";
constexpr char kIsDeleted[] = "PJRT-Buffer_IsDeleted-truth";

constexpr size_t kMostArrays = 24, kMostPrograms = 5, kMostEnded = 8;

struct Array {
  ArrayKind kind;
  OwnedBuffer buffer;
};

struct Program {
  Compiled compiled;
  const Example* example;
  Facts facts;
};

// Arrays that are still to be sent.
struct Unfinished {
  OwnedManager manager;
  std::vector<Array> arrays;
};

class Walk : public RandomWalk {
 public:
  Walk(Context& context, uint64_t number)
      : RandomWalk(context, number),
        kinds_(ArrayKinds(context)),
        calls_(ArrayCalls()),
        works_(leaks::AllWork()),
        said_(AnswersOfClient(context, true)) {
    for (Example& example : Examples()) {
      if (HasTypes(aside_, example)) examples_.push_back(std::move(example));
    }
  }

  void Run(size_t num_steps) {
    if (!leaks::Make(context_, made_)) return;
    RandomWalk::Walk(
        num_steps, Steps(), [this] { LookAround(); }, [] { return false; });
    while (!context_.HasFindings() && !arrays_.empty()) {
      Judge(arrays_.back());
      arrays_.pop_back();
    }
    TellSteps();
  }

 private:
  ArrayKind NewKind() {
    ArrayKind kind = OneOf(kinds_);
    kind.array = RandomBits(kind.array.type, kind.array.dims, random_());
    return kind;
  }
  void Keep(ArrayKind kind, OwnedBuffer buffer) {
    if (arrays_.size() == kMostArrays) (void)TakeOneOf(arrays_);
    arrays_.push_back({std::move(kind), std::move(buffer)});
  }
  void End(Array array) {
    if (ended_.size() == kMostEnded) (void)TakeOneOf(ended_);
    ended_.push_back(std::move(array));
  }
  void Keep(Program program) {
    if (programs_.size() == kMostPrograms) (void)TakeOneOf(programs_);
    programs_.push_back(std::move(program));
  }

  void Upload() {
    ArrayKind kind = NewKind();
    Expected<OwnedBuffer> buffer = UploadKind(context_, kind);
    if (!buffer.ok() && kind.is_turned) return;
    if (context_.Ok(kAccepted, StrCat("an upload of ", kind.name), buffer.status()))
      Keep(std::move(kind), *std::move(buffer));
  }

  void BeginTransfer() {
    Unfinished made;
    ArrayKind kind = NewKind();
    std::vector<HostArray> shapes;
    // How these are sent is asked elsewhere.
    if (kind.is_turned || InfoOf(kind.array.type).bits < 8 || kind.array.bytes.empty()) return;
    for (int i = 0; i < 2; ++i) {
      kind.array = RandomBits(kind.array.type, kind.array.dims, random_());
      shapes.push_back(kind.array);
      made.arrays.push_back({kind, {}});
    }
    Expected<OwnedManager> manager = NewManager(context_, kind.where.wanted_memory, shapes);
    if (manager.status().code() == StatusCode::kUnimplemented) return;
    if (!context_.Ok(kAccepted, StrCat("a transfer manager of ", kind.name), manager.status()))
      return;
    made.manager = *std::move(manager);
    unfinished_.push_back(std::move(made));
  }

  void FinishTransfer() {
    if (unfinished_.empty()) return;
    Unfinished all = TakeOneOf(unfinished_);
    for (int i = 0; i < static_cast<int>(all.arrays.size()); ++i) {
      Array& array = all.arrays[static_cast<size_t>(i)];
      const auto& bytes = array.kind.array.bytes;
      const auto size = static_cast<int64_t>(bytes.size()), half = size / 2;
      Expected<OwnedBuffer> buffer = RetrieveBuffer(context_, all.manager.get(), i);
      if (!context_.Ok(kAccepted, "RetrieveBuffer", buffer.status()) ||
          (half > 0 && !context_.Ok(kAccepted, "TransferData",
                                    TransferBytes(context_, all.manager.get(), i, bytes.data(), 0,
                                                  half, false))) ||
          !context_.Ok(kAccepted, "TransferData",
                       TransferBytes(context_, all.manager.get(), i, bytes.data() + half, half,
                                     size - half, true)))
        return;
      Keep(std::move(array.kind), *std::move(buffer));
    }
  }

  // To where another array may be.
  void Copy() {
    if (arrays_.empty()) return;
    const Array& from = OneOf(arrays_);
    ArrayKind kind = from.kind;
    const Place where = OneOf(kinds_).where;
    OwnedBuffer made;
    Status status;
    if (Below(2) == 0) {
      auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
      args.buffer = from.buffer.get();
      args.dst_memory = where.wanted_memory;
      status = context_.plugin().Call(args);
      if (status.ok()) made = OwnedBuffer(context_.plugin(), args.dst_buffer);
      kind.where = where;
    } else {
      auto args = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
      args.buffer = from.buffer.get();
      args.dst_device = where.wanted_device;
      status = context_.plugin().Call(args);
      if (status.ok()) made = OwnedBuffer(context_.plugin(), args.dst_buffer);
      // In which of its memories is left open.
      if (!made) return;
      const auto found = Get<&PJRT_Buffer_Memory_Args::buffer>(context_, made.get());
      if (!found) return;
      kind.where = {where.wanted_device, nullptr, where.wanted_device, found->memory};
    }
    // A plugin may refuse to copy to where an array is, and what it lacks.
    if (made) Keep(std::move(kind), std::move(made));
  }

  // Does what the plugin may lack without ending the walk; its findings are the walk's.
  Status Try(const std::function<Status(Context&)>& run) {
    Status status = run(aside_);
    TakeFindings();
    return status;
  }

  // Whatever function takes an array; most look at what comes.
  void Call() {
    if (arrays_.empty()) return;
    Array& array = OneOf(arrays_);
    const ArrayCall& call = OneOf(calls_);
    HeldArray held{&array.kind, std::move(array.buffer), {}};
    const Status status = Try([&](Context& context) { return call.run(context, held); });
    array.buffer = std::move(held.buffer);
    Tell(call.name);
    context_.Check(kAccepted,
                   status.ok() || status.code() == StatusCode::kUnimplemented ||
                       status.code() == StatusCode::kInvalidArgument ||
                       status.code() == StatusCode::kFailedPrecondition,
                   call.name, " of ", array.kind.name, ": ", status.ToString());
  }

  // Pieces of work that the arrays of the walk have no part in.
  void Work() {
    const leaks::Work& work = OneOf(works_);
    Tell(work.name);
    (void)Try([&](Context& context) { return work.run(context, made_); });
  }

  void Delete() {
    if (arrays_.empty()) return;
    Array array = TakeOneOf(arrays_);
    if (!DeleteBuffer(context_, array.buffer.get())) return;
    End(std::move(array));
  }

  void Destroy() {
    if (arrays_.empty()) return;
    context_.Ok(kAccepted, "PJRT_Buffer_Destroy", TakeOneOf(arrays_).buffer.Destroy());
  }

  // A program that takes its argument's memory; the result is kept.
  void Donate() {
    const auto first = static_cast<float>(Below(1000));
    Expected<OwnedBuffer> given = context_.Upload(Counted({4}, first));
    if (!context_.Ok(kAccepted, "PJRT_Client_BufferFromHostBuffer", given.status())) return;
    PJRT_Buffer* handles[] = {given->get()};
    auto results = context_.Execute(made_.donating.get(), handles);
    if (!context_.Ok(kResultsOfProgram, "PJRT_LoadedExecutable_Execute", results.status())) return;
    const Place where = {made_.device, nullptr, made_.device, made_.memory};
    End({{"a donated array", Counted({4}, first), where}, *std::move(given)});
    Keep({"what was computed in its memory", Counted({4}, first + 1), where},
         std::move((*results)[0]));
  }

  void CompileOne() {
    Program program{{}, &OneOf(examples_), {}};
    Tell(program.example->name);
    if (!Compile(context_, program.example->name, program.compiled)) return;
    program.facts = JudgeExecutable(context_, *program.example, program.compiled.executable.get());
    Keep(std::move(program));
  }

  void LoadOne() {
    if (programs_.empty()) return;
    const Program& from = OneOf(programs_);
    const auto bytes = SerializedBytes(context_, from.compiled.executable.get());
    if (!bytes) return;
    Program program{{}, from.example, {}};
    program.compiled.loaded =
        LoadBytes(context_, *bytes, "PJRT-Executable_DeserializeAndLoad-same");
    if (!program.compiled.loaded || !FindExecutable(context_, program.compiled)) return;
    program.facts = JudgeExecutable(context_, *program.example, program.compiled.executable.get());
    context_.Check("PJRT-Executable_DeserializeAndLoad-same",
                   program.facts.name == from.facts.name &&
                       program.facts.output_kinds == from.facts.output_kinds,
                   "what was loaded from bytes says something else");
    Keep(std::move(program));
  }

  void RunOne() {
    if (programs_.empty()) return;
    const Program& program = OneOf(programs_);
    Tell(program.example->name);
    RunAndJudge(context_, *program.example, program.compiled.loaded.get(), program.facts,
                Below(2) == 0);
  }

  // What is said of it stays. Whether its executable works without it is of class robust.
  void Unload() {
    if (programs_.empty()) return;
    Program program = TakeOneOf(programs_);
    if (Below(2) == 0) {
      auto unload = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
      unload.executable = program.compiled.loaded.get();
      if (!Succeeds(context_, unload)) return;
      Judge(program);
    }
    context_.Ok(kAccepted, "PJRT_LoadedExecutable_Destroy", program.compiled.loaded.Destroy());
  }

  void Refuse() {
    auto lookup = MakeArgs<PJRT_Client_LookupDevice_Args>();
    lookup.client = context_.client();
    lookup.id = 1234567;
    (void)Refused(context_, "PJRT-Client_LookupDevice-unknown", "a device that is not there",
                  context_.plugin().Call(lookup));
    if (!programs_.empty()) {
      const Program& program = OneOf(programs_);
      std::vector<PJRT_Buffer*> one_less;
      std::vector<OwnedBuffer> buffers;
      if (!program.example->arguments.empty()) {
        one_less = UploadAll(context_, program.example->arguments, buffers);
        one_less.pop_back();
        (void)Refused(context_, "PJRT-LoadedExecutable_Execute-count", "an argument too few",
                      context_.Execute(program.compiled.loaded.get(), one_less).status());
      }
    }
    if (!ended_.empty()) {
      (void)Refused(context_, "PJRT-Buffer_ToHostBuffer-deleted", "reading an array that has ended",
                    context_.Download(OneOf(ended_).buffer.get()).status());
    }
  }

  void AskTheClient() {
    context_.Check(kStays, AnswersOfClient(context_, true) == said_,
                   "a client, a device or a memory says something else than before");
  }

  void Judge(const Array& array) {
    JudgeBuffer(context_, array.buffer.get(),
                {array.kind.array, array.kind.where.wanted_device, array.kind.where.wanted_memory});
  }
  void Judge(const Program& program) {
    context_.Check(kStays,
                   JudgeExecutable(context_, *program.example, program.compiled.executable.get()) ==
                       program.facts,
                   "an executable says something else than before");
  }

  void LookAround() {
    if (!arrays_.empty()) Judge(OneOf(arrays_));
    if (!arrays_.empty()) {
      context_.Check(kIsDeleted, !IsBufferDeleted(context_, OneOf(arrays_).buffer.get()),
                     "an array counts as deleted that nobody deleted");
    }
    if (!ended_.empty()) {
      const Array& ended = OneOf(ended_);
      context_.Check(kIsDeleted, IsBufferDeleted(context_, ended.buffer.get()),
                     "an array that was deleted or donated no longer counts as deleted");
      const auto type = Get<&PJRT_Buffer_ElementType_Args::buffer>(context_, ended.buffer.get());
      context_.Check(kStays, !type || RawEnum(type->type) == ToC(ended.kind.array.type),
                     "an array that has ended has another type");
    }
    if (!programs_.empty() && Below(4) == 0) Judge(OneOf(programs_));
  }

  std::vector<Step> Steps() {
    return {{"upload", [this] { Upload(); }},
            {"upload", [this] { Upload(); }},
            {"upload", [this] { Upload(); }},
            {"begin a transfer", [this] { BeginTransfer(); }},
            {"finish a transfer", [this] { FinishTransfer(); }},
            {"copy", [this] { Copy(); }},
            {"copy", [this] { Copy(); }},
            {"call", [this] { Call(); }},
            {"call", [this] { Call(); }},
            {"call", [this] { Call(); }},
            {"work", [this] { Work(); }},
            {"work", [this] { Work(); }},
            {"delete", [this] { Delete(); }},
            {"destroy", [this] { Destroy(); }},
            {"donate", [this] { Donate(); }},
            {"compile", [this] { CompileOne(); }},
            {"load", [this] { LoadOne(); }},
            {"run", [this] { RunOne(); }},
            {"run", [this] { RunOne(); }},
            {"unload", [this] { Unload(); }},
            {"refuse", [this] { Refuse(); }},
            {"ask the client", [this] { AskTheClient(); }}};
  }

  std::vector<ArrayKind> kinds_;
  std::vector<ArrayCall> calls_;
  std::vector<leaks::Work> works_;
  std::vector<Example> examples_;
  const std::vector<Answers> said_;
  leaks::Made made_;
  std::vector<Array> arrays_, ended_;
  std::vector<Program> programs_;
  std::vector<Unfinished> unfinished_;
};

}  // namespace

void AddCases(std::vector<Case>& cases) {
  constexpr int kWalks = 12;
  for (int number = 0; number < kWalks; ++number) {
    cases.push_back({StrCat("L2/walk/", number),
                     Level::kL2,
                     ClientNeed::kShared,
                     {kAccepted, kStays, kIsDeleted, kProgram, kResultsOfProgram},
                     [number](Context& context) {
                       Walk(context, static_cast<uint64_t>(number)).Run(NumSteps(context, 300));
                     },
                     false});
  }
}

}  // namespace walks

void AddWalkCases(std::vector<Case>& cases) { walks::AddCases(cases); }

}  // namespace plinth::conformance
