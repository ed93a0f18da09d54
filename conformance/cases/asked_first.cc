// SPDX-License-Identifier: Apache-2.0
// L1: whichever function is the first that is asked about an object, what it says is what it says
// of one that was asked everything: of topologies, programs and arrays.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cases/answers.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_executable.h"

namespace plinth::conformance {
namespace asked_first {
namespace {

namespace kinds = reflection::handle;
constexpr char kSame[] = "PJRT-Args-output-same";
constexpr char kFingerprint[] = "PJRT-TopologyDescription_Fingerprint-equal";

// An object that nobody asked anything, with what it needs; null where there is none.
using Object = std::shared_ptr<void>;
template <typename Owned>
Object Held(Owned owned) {
  auto kept = std::make_shared<Owned>(std::move(owned));
  return Object(kept, kept->get());
}

Object NewTopology(Context& context) {
  OwnedTopology read = ReadTopology(context);
  return read ? Held(std::move(read)) : nullptr;
}

Object NewLoaded(Context& context) {
  Compiled made;
  return Compile(context, "mixed", made) ? Held(std::move(made.loaded)) : nullptr;
}

// With its loaded program: whether it works without that is of class robust.
Object NewExecutable(Context& context) {
  auto made = std::make_shared<Compiled>();
  return Compile(context, "mixed", *made) ? Object(made, made->executable.get()) : nullptr;
}

Object NewArray(Context& context) {
  Expected<OwnedBuffer> made = context.Upload(HostArray::F32({2, 3}, {1, 2, 3, 4, 5, 6}));
  return context.Ok("", "PJRT_Client_BufferFromHostBuffer", made.status()) ? Held(*std::move(made))
                                                                           : nullptr;
}

// Asks everything, also what gives handles.
void AskAll(Context& context, int kind, void* object) {
  (void)AnswersOf(context, kind, object);
  if (kind == kinds::kPJRT_TopologyDescription) {
    (void)Get<&PJRT_TopologyDescription_GetDeviceDescriptions_Args::topology>(
        context, static_cast<PJRT_TopologyDescription*>(object));
  }
}

// Whether a function says the same of two objects that were made in the same way.
bool IsComparable(const reflection::Function& function) {
  // Each array lies elsewhere, who holds it is counted, and a layout is a struct with addresses.
  for (std::string_view part : {"Pointer", "ReferenceCount", "GetMemoryLayout"}) {
    if (function.name.view().find(part) != std::string_view::npos) return false;
  }
  return function.answer != reflection::Answer::kChanging;
}

void Run(Context& context, int kind, Object (*make)(Context&)) {
  const Object known = make(context);
  if (known == nullptr) return context.Unsupported("there is no such object");
  AskAll(context, kind, known.get());
  for (const reflection::Function* function : FunctionsOf(context, kind)) {
    if (!IsComparable(*function)) continue;
    context.TellRow(std::string(function->name.view()));
    const Object fresh = make(context);
    if (fresh == nullptr) return;
    const bool is_fingerprint =
        function == &reflection::Get(reflection::function::kPJRT_TopologyDescription_Fingerprint);
    context.Check(
        is_fingerprint ? kFingerprint : kSame,
        AnswerOf(context, *function, fresh.get()) == AnswerOf(context, *function, known.get()),
        function->name, " answers otherwise where it is the first that is asked");
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](std::string_view name, int kind, Object (*make)(Context&),
                 std::vector<std::string> requirements) {
    cases.push_back({StrCat("L1/asked_first/", name), Level::kL1, ClientNeed::kShared,
                     std::move(requirements), [=](Context& context) { Run(context, kind, make); },
                     false});
  };
  add("topology", kinds::kPJRT_TopologyDescription, NewTopology, {kSame, kFingerprint});
  add("loaded_program", kinds::kPJRT_LoadedExecutable, NewLoaded, {kSame});
  add("program", kinds::kPJRT_Executable, NewExecutable, {kSame});
  add("array", kinds::kPJRT_Buffer, NewArray, {kSame});
}

}  // namespace asked_first

void AddAskedFirstCases(std::vector<Case>& cases) { asked_first::AddCases(cases); }

}  // namespace plinth::conformance
