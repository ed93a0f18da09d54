// SPDX-License-Identifier: Apache-2.0
// L1, for every function that hands out what the caller frees: it is there, new, and freed by what
// the registry says.

#include <memory>
#include <set>

#include "conformance/cases/cases.h"
#include "conformance/cases/subject.h"

namespace plinth::conformance {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Function;
using reflection::Struct;

constexpr std::string_view kOwner = "-owner";

// Their outputs come with a callback that the caller has to call; they have cases of their own.
bool HasDuties(const Function& function) {
  return &function == &reflection::Get(reflection::function::kPJRT_Buffer_CopyRawToHostFuture) ||
         &function ==
             &reflection::Get(reflection::function::kPJRT_Buffer_DonateWithControlDependency);
}

template <typename T>
T Read(const std::vector<std::byte>& bytes, const Field& field) {
  T value;
  std::memcpy(&value, bytes.data() + field.offset, sizeof(value));
  return value;
}

// Calls of one function are compared: what is alive has an address of its own.
void AskOwner(Context& context, int number, const Field& field) {
  const Function& function = reflection::Functions()[number];
  const std::string requirement = RequirementOf(function, StrCat(field.name, kOwner));
  std::set<void*> alive;
  std::vector<std::unique_ptr<Subject>> subjects;
  bool is_alone = context.profile().is_exclusive && context.client() == nullptr;
  for (int i = 0; i < (is_alone ? 1 : 2); ++i) {
    Subject& subject = *subjects.emplace_back(std::make_unique<Subject>(context, number));
    if (!subject.IsReady(context)) return;
    std::vector<std::byte>& bytes = subject.arguments.bytes();
    Status status = context.plugin().Call(function, bytes.data());
    if (!status.ok()) {
      // Whether it can succeed is asked elsewhere: here are no more than plausible arguments.
      context.Unsupported(StrCat(function.name, ": ", status.ToString()));
      break;
    }
    auto* object = Read<void*>(bytes, field);
    if (!field.nullable) {
      context.Check("PJRT-Args-output-handle", object != nullptr, function.name,
                    " succeeded and left `", field.name, "` null");
    }
    for (const Field& each : FieldsOf(subject.args)) {
      if (each.direction != Direction::kOut) continue;
      const Field* length =
          each.length_field < 0 ? nullptr : &FieldsOf(subject.args)[each.length_field];
      if (each.depth == 1 && length != nullptr && length->direction == Direction::kOut) {
        context.Check("PJRT-Args-output-array",
                      Read<void*>(bytes, each) != nullptr || Read<size_t>(bytes, *length) == 0,
                      function.name, " succeeded with a null `", each.name, "` of ",
                      Read<size_t>(bytes, *length));
      }
    }
    if (object != nullptr) {
      context.Check("PJRT-Args-output-new", alive.insert(object).second, function.name,
                    " handed out one object twice");
    }
  }
  if (alive.empty()) return;
  for (const auto& subject : subjects) {
    std::vector<std::byte>& bytes = subject->arguments.bytes();
    if (Read<void*>(bytes, field) == nullptr) continue;
    Arguments::FinishOutputs(context, function, bytes.data(), bytes.size());
    if (const auto* destroy = reflection::FindFunction(field.lifetime.view())) {
      const Struct& args = reflection::Structs()[destroy->args];
      std::vector<std::byte> freed(args.size);
      uint64_t size = args.end;
      std::memcpy(freed.data(), &size, sizeof(size));
      for (const Field& each : FieldsOf(args)) {
        if (each.base != Base::kHandle) continue;
        std::memcpy(freed.data() + each.offset, bytes.data() + field.offset, sizeof(void*));
      }
      context.Ok(requirement, destroy->name.view(), context.plugin().Call(*destroy, freed.data()));
      std::fill_n(bytes.begin() + field.offset, sizeof(void*), std::byte{0});
    } else if (const Field* deleter = FindField(subject->args, field.lifetime.view())) {
      context.Check(requirement, Read<void*>(bytes, *deleter) != nullptr, function.name,
                    " gave no `", deleter->name, "`");
    }
    Arguments::FreeOutputs(context, function, bytes.data(), bytes.size());
  }
}

}  // namespace

void AddOwnerCases(std::vector<Case>& cases) {
  for (int number = 0; number < static_cast<int>(reflection::Functions().size()); ++number) {
    const Function& function = reflection::Functions()[number];
    if (!function.IsRegular() || function.returns != reflection::Returns::kError ||
        HasDuties(function)) {
      continue;
    }
    for (const Field& field : FieldsOf(reflection::Structs()[function.args])) {
      std::string requirement = RequirementOf(function, StrCat(field.name, kOwner));
      if (requirement.empty() || field.direction != Direction::kOut) continue;
      cases.push_back({StrCat("L1/owner/", function.name, "/", field.name),
                       Level::kL1,
                       NeedOf(function, ClientNeed::kShared),
                       {requirement, "PJRT-Args-output-handle", "PJRT-Args-output-array",
                        "PJRT-Args-output-new"},
                       [=, &field](Context& context) { AskOwner(context, number, field); }});
    }
  }
}

}  // namespace plinth::conformance
