// SPDX-License-Identifier: Apache-2.0
// L1, for every function that describes a handle: it says the same whenever it is asked.

#include <set>

#include "conformance/cases/cases.h"
#include "conformance/cases/subject.h"

namespace plinth::conformance {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Function;
using reflection::Owner;

// Whether its only inputs are handles, and it gives something that the plugin owns.
bool Describes(const Function& function) {
  if (!function.IsRegular() || function.table >= 0 ||
      function.returns != reflection::Returns::kError ||
      function.threads == reflection::Threads::kExclusive ||
      function.answer == reflection::Answer::kChanging) {
    return false;
  }
  bool has_handle = false, has_output = false;
  for (const Field& field : FieldsOf(reflection::Structs()[function.args])) {
    if (field.base == Base::kStructSize || field.base == Base::kExtensionChain) continue;
    if (field.direction == Direction::kInout || field.owner == Owner::kCaller) return false;
    if (field.direction == Direction::kIn) {
      if (field.base != Base::kHandle || field.depth != 0) return false;
      has_handle = true;
    } else {
      has_output = true;
    }
  }
  return has_handle && has_output;
}

// The bytes of every output, with what lists and texts point to.
std::string Answer(const reflection::Struct& args, const std::vector<std::byte>& bytes) {
  std::string answer;
  for (const Field& field : FieldsOf(args)) {
    if (field.direction != Direction::kOut) continue;
    const auto* at = reinterpret_cast<const char*>(bytes.data()) + field.offset;
    bool is_array = field.depth == 1 && field.base != Base::kHandle && field.length_field >= 0;
    bool is_list = field.depth == 1 && field.base == Base::kHandle && field.length_field >= 0;
    if (!is_array && !is_list) {
      // Where an array without a known length lies is nobody's business.
      if (field.depth == 0) answer.append(at, field.size);
      continue;
    }
    const Field& length = FieldsOf(args)[field.length_field];
    const void* pointer;
    size_t count;
    std::memcpy(&pointer, at, sizeof(pointer));
    std::memcpy(&count, bytes.data() + length.offset, sizeof(count));
    if (pointer == nullptr || count > (1 << 20) || field.base == Base::kStruct) continue;
    size_t element = is_list ? sizeof(void*) : field.element_size;
    answer.append(static_cast<const char*>(pointer), count * element);
  }
  return answer;
}

void AskAgain(Context& context, int number) {
  Subject subject(context, number);
  if (!subject.IsReady(context)) return;
  std::string answers[2];
  for (std::string& answer : answers) {
    std::vector<std::byte> bytes = subject.arguments.bytes();
    Status status = context.plugin().Call(subject.function, bytes.data());
    if (!context.Ok("PJRT-Args-output-same", subject.function.name.view(), status)) return;
    answer = Answer(subject.args, bytes);
    for (const Field& field : FieldsOf(subject.args)) {
      if (field.direction != Direction::kOut || field.base != Base::kEnum || field.depth != 0) {
        continue;
      }
      int value;
      std::memcpy(&value, bytes.data() + field.offset, sizeof(value));
      context.Check("PJRT-Args-output-enum",
                    NameOf(reflection::Enums()[field.target], value) != nullptr,
                    subject.function.name, " gave ", value, " for `", field.name, "`");
    }
  }
  context.Check("PJRT-Args-output-same", answers[0] == answers[1], subject.function.name,
                " answered otherwise the second time");
}

}  // namespace

void AddSameAgainCases(std::vector<Case>& cases) {
  for (int number = 0; number < static_cast<int>(reflection::Functions().size()); ++number) {
    const Function& function = reflection::Functions()[number];
    if (!Describes(function)) continue;
    cases.push_back({StrCat("L1/same_again/", function.name),
                     Level::kL1,
                     ClientNeed::kShared,
                     {"PJRT-Args-output-same", "PJRT-Args-output-enum"},
                     [=](Context& context) { AskAgain(context, number); }});
  }
}

}  // namespace plinth::conformance
