// SPDX-License-Identifier: Apache-2.0
// L0, for every function of the table, driven by the registry: every struct_size of history, sizes
// that nobody ever had, junk on the extension chain.

#include <algorithm>
#include <memory>

#include "conformance/cases/cases.h"
#include "conformance/cases/framework_calls.h"
#include "conformance/cases/subject.h"
#include "plinth/support/abi_version.h"

namespace plinth::conformance {
namespace {

using reflection::Function;
using reflection::Struct;

// Calls that end what others need, or that wait for hardware, are asked by cases of their own.
bool IsAsked(const Function& function) {
  return function.table < 0 && function.returns == reflection::Returns::kError &&
         &function != &reflection::Get(reflection::function::kPJRT_LoadedExecutable_Delete) &&
         &function != &reflection::Get(reflection::function::kPJRT_Buffer_Delete) &&
         &function != &reflection::Get(reflection::function::kPJRT_Device_PoisonExecution);
}

// Sizes that callers of 0.28 to today announce, in order.
std::vector<SizeSaid> HistoricalSizes(const Struct& args) {
  std::vector<SizeSaid> sizes;
  for (int minor = kPjrtOldestReadableMinor; minor <= kPjrtDeclaredMinor; ++minor) {
    size_t end = EndAt(args, minor);
    if (end >= args.minimum_size || sizes.empty()) sizes.push_back({end, end});
  }
#define PLINTH_PJRT_ANNOUNCED_SIZE(struct_name, announced, actual, first_minor, last_minor) \
  if (args.name.view() == #struct_name) sizes.push_back({announced, actual});
#include "plinth/support/abi_tables.inc"
  auto less = [](SizeSaid a, SizeSaid b) { return a.announced < b.announced; };
  auto same = [](SizeSaid a, SizeSaid b) { return a.announced == b.announced; };
  std::stable_sort(sizes.begin(), sizes.end(), less);
  sizes.erase(std::unique(sizes.begin(), sizes.end(), same), sizes.end());
  return sizes;
}

// What describes a handle is the same for callers of every size; what lies after the fields that
// the plugin knows is garbage.
void CompareOutputs(Context& context, int number, SizeSaid said, size_t own) {
  Subject subject(context, number);
  if (!subject.IsReady(context)) return;
  auto call = [&](GuardedArgs& args, size_t announced, size_t there) {
    std::memset(args.data(), 0xC7, there);
    std::memcpy(args.data(), subject.arguments.bytes().data(),
                std::min(there, subject.arguments.bytes().size()));
    std::memcpy(args.data(), &announced, sizeof(announced));
    return context.plugin().Call(subject.function, args.data());
  };
  GuardedArgs usual(own), other(said.actual);
  if (!call(usual, own, own).ok() || !call(other, said.announced, said.actual).ok()) return;
  for (const reflection::Field& field : FieldsOf(subject.args)) {
    bool is_there = field.offset + field.size <= std::min(own, said.announced);
    if (field.direction != reflection::Direction::kOut || !is_there || field.depth > 0) continue;
    context.Check(
        "PJRT-Args-struct_size",
        std::memcmp(usual.data() + field.offset, other.data() + field.offset, field.size) == 0,
        subject.function.name, " with struct_size ", said.announced, " gives another `", field.name,
        "`");
  }
}

void AskSize(Context& context, int number, SizeSaid said) {
  size_t size = said.announced;
  Subject subject(context, number);
  if (!subject.IsReady(context)) return;
  bool is_intact = true;
  size_t own =
      std::max<size_t>(EndAt(subject.args, context.plugin().minor()), subject.args.minimum_size);
  Status today =
      CallSized(context, subject.function, subject.arguments.bytes(), {own, own}, is_intact);
  // A call may use up what it was given.
  Subject again(context, number);
  Status status = CallSized(context, again.function, again.arguments.bytes(), said, is_intact);
  context.Check("PJRT-Args-struct_size", is_intact, subject.function.name,
                " wrote behind a struct of ", size, " bytes");
  bool is_refusal = status.code() == StatusCode::kInvalidArgument;
  bool is_smaller = size < own;
  if (status.code() == today.code() || (is_smaller && is_refusal)) {
    bool is_compared = status.ok() && subject.function.answer == reflection::Answer::kStable;
    if (is_compared && context.plugin().minor() <= kPjrtDeclaredMinor) {
      CompareOutputs(context, number, said, own);
    }
    bool must_accept = context.profile().accepts_all_sizes && size >= subject.args.minimum_size;
    if (must_accept && status.code() != today.code()) {
      context.Fail(
          "PJRT-Args-struct_size",
          StrCat("struct_size ", size, ": the profile promises success, got ", status.ToString()));
    }
    return;
  }
  context.Fail(is_smaller ? "PJRT-Args-struct_size-smaller" : "PJRT-Args-struct_size-larger",
               StrCat(subject.function.name, " with struct_size ", size, " answered ",
                      status.ToString(), "; with ", own, " it answers ", today.ToString()));
}

void AskJunkExtensions(Context& context, int number) {
  Subject subject(context, number);
  if (!subject.IsReady(context)) return;
  PJRT_Extension_Base last{sizeof(PJRT_Extension_Base), static_cast<PJRT_Extension_Type>(12345),
                           nullptr};
  PJRT_Extension_Base first{sizeof(PJRT_Extension_Base), static_cast<PJRT_Extension_Type>(-7),
                            &last};
  bool is_intact = true;
  SizeSaid size{subject.args.end, subject.args.end};
  Status plain = CallSized(context, subject.function, subject.arguments.bytes(), size, is_intact);
  Subject again(context, number);
  Status status =
      CallSized(context, again.function, again.arguments.bytes(), size, is_intact, &first);
  context.Check("PJRT-Args-extension_start", status.code() == plain.code(), subject.function.name,
                " with two unknown extensions answered ", status.ToString(),
                "; without them it answers ", plain.ToString());
  // The one that frameworks send, whether anybody traces or not.
  TraceNode trace;
  Subject traced(context, number);
  status =
      CallSized(context, traced.function, traced.arguments.bytes(), size, is_intact, trace.base());
  context.Check("PJRT-Args-extension_start", status.code() == plain.code(), subject.function.name,
                " with the id of a trace answered ", status.ToString(), "; without it it answers ",
                plain.ToString());
}

}  // namespace

void AddFunctionCases(std::vector<Case>& cases) {
  for (int number = 0; number < kPjrtFunctionCount; ++number) {
    const Function& function = reflection::Functions()[number];
    if (!IsAsked(function)) continue;
    const Struct& args = reflection::Structs()[function.args];
    std::string name(function.name.view());
    std::vector<SizeSaid> sizes = HistoricalSizes(args);
    // Small sizes that nobody ever had, and what a caller from the future would say.
    sizes.insert(sizes.begin(), {{0, 0}, {1, 1}});
    for (size_t more : {8, 64}) sizes.push_back({args.end + more, args.end + more});
    for (SizeSaid said : sizes) {
      size_t size = said.announced;
      std::vector<std::string> requirements = {
          "PJRT-Args-struct_size",
          size > args.end ? "PJRT-Args-struct_size-larger" : "PJRT-Args-struct_size-smaller"};
      std::string own = RequirementOf(function, StrCat("size-", size));
      if (!own.empty()) requirements.push_back(own);
      cases.push_back({StrCat("L0/struct_size/", name, "/", size), Level::kL0,
                       NeedOf(function, ClientNeed::kWanted), std::move(requirements),
                       [=](Context& context) { AskSize(context, number, said); },
                       size < args.minimum_size});
    }
    cases.push_back({StrCat("L0/extension/", name),
                     Level::kL0,
                     NeedOf(function, ClientNeed::kWanted),
                     {"PJRT-Args-extension_start"},
                     [=](Context& context) { AskJunkExtensions(context, number); }});
  }
}

}  // namespace plinth::conformance
