// SPDX-License-Identifier: Apache-2.0
// L0, for every function of the table and of the extensions, class robust: null arguments, null
// handles, null arrays with a length, numbers that no enum has.

#include <algorithm>

#include "conformance/cases/cases.h"
#include "conformance/cases/subject.h"

namespace plinth::conformance {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Function;

const Field* LengthOf(const reflection::Struct& args, const Field& field) {
  return field.length_field < 0 ? nullptr : &FieldsOf(args)[field.length_field];
}

// False, with a note, if the function cannot be called with a field spoiled. Other handles that the
// suite cannot make are null as well, which is answered in the same way.
bool CanSpoil(Context& context, const Subject& subject) {
  return context.client() != nullptr && context.plugin().Slot(subject.function) != nullptr
             ? true
             : subject.IsReady(context);
}

void AskNullField(Context& context, int number, const Field& field) {
  Subject subject(context, number);
  if (!CanSpoil(context, subject)) return;
  std::vector<std::byte> bytes = subject.arguments.bytes();
  std::fill_n(bytes.begin() + field.offset, field.size, std::byte{0});
  const Field* length = LengthOf(subject.args, field);
  if (length != nullptr && length->direction == Direction::kIn) {
    bytes[length->offset] |= std::byte{1};
  }
  bool is_intact = true;
  Status status =
      CallSized(context, subject.function, bytes, {subject.args.end, subject.args.end}, is_intact);
  context.CheckRefused(RequirementOf(subject.function, field.name.view()),
                       StrCat(subject.function.name, " with a null `", field.name, "`"), status,
                       {StatusCode::kInvalidArgument});
}

void AskBadEnum(Context& context, int number, const Field& field) {
  Subject subject(context, number);
  if (!subject.IsReady(context)) return;
  for (int value : {-1, 12345}) {
    std::vector<std::byte> bytes = subject.arguments.bytes();
    std::memcpy(bytes.data() + field.offset, &value, sizeof(value));
    bool is_intact = true;
    Status status = CallSized(context, subject.function, bytes,
                              {subject.args.end, subject.args.end}, is_intact);
    context.CheckRefused(RequirementOf(subject.function, field.name.view()),
                         StrCat(subject.function.name, " with `", field.name, "` = ", value),
                         status, {StatusCode::kInvalidArgument});
  }
}

void AskNullArgs(Context& context, int number) {
  const Function& function = reflection::Functions()[number];
  if (context.plugin().Slot(function) == nullptr) {
    return context.Unsupported(StrCat("the table has no ", function.name));
  }
  context.CheckRefused("PJRT-Args-null", StrCat(function.name, "(NULL)"),
                       context.plugin().Call(function, nullptr), {StatusCode::kInvalidArgument});
}

// Whether the field is a pointer that must not be null, at least with its length.
bool IsPointer(const Field& field) {
  if (field.base == Base::kHandle && field.depth == 0) return !field.nullable;
  return field.depth > 0 || field.base == Base::kCallback || field.base == Base::kHandle;
}

}  // namespace

void AddFieldCases(std::vector<Case>& cases) {
  for (int number = 0; number < static_cast<int>(reflection::Functions().size()); ++number) {
    const Function& function = reflection::Functions()[number];
    if (!function.IsRegular() || function.returns != reflection::Returns::kError) continue;
    const std::string name(function.name.view());
    auto add = [&](std::string_view kind, std::string_view what,
                   std::vector<std::string> requirements, std::function<void(Context&)> run) {
      cases.push_back({StrCat("L0/", kind, "/", name, "/", what), Level::kL0,
                       NeedOf(function, ClientNeed::kWanted), std::move(requirements),
                       std::move(run), true});
    };
    add("null", "args", {"PJRT-Args-null"},
        [=](Context& context) { AskNullArgs(context, number); });
    for (const Field& field : FieldsOf(reflection::Structs()[function.args])) {
      std::string requirement = RequirementOf(function, field.name.view());
      if (requirement.empty() || field.direction == Direction::kOut) continue;
      if (field.base == Base::kEnum && field.depth == 0) {
        add("enum", field.name.view(), {requirement, "PJRT-Args-enum"},
            [=, &field](Context& context) { AskBadEnum(context, number, field); });
      } else if (IsPointer(field)) {
        add("null", field.name.view(), {requirement},
            [=, &field](Context& context) { AskNullField(context, number, field); });
      }
    }
  }
}

}  // namespace plinth::conformance
