// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/subject.h"

namespace plinth::conformance {

using reflection::Function;

std::string RequirementOf(const Function& function, std::string_view suffix) {
  std::string id = StrCat("PJRT-", function.name.view().substr(5), "-", suffix);
  return reflection::FindRequirement(id) == nullptr ? std::string() : id;
}

ClientNeed NeedOf(const Function& function, ClientNeed need) {
  bool makes_client = &function == &reflection::Get(reflection::function::kPJRT_Client_Create);
  return makes_client ? ClientNeed::kNone : need;
}

Subject::Subject(Context& context, int number)
    : function(reflection::Functions()[number]),
      args(reflection::Structs()[function.args]),
      samples(context),
      arguments(samples, function) {}

bool Subject::IsReady(Context& context) const {
  if (context.plugin().Slot(function) == nullptr) {
    context.Unsupported(StrCat("the table has no ", function.name));
    return false;
  }
  if (!arguments.AreComplete()) {
    context.Unsupported(StrCat("no ", arguments.missing(), " to call it with"));
    return false;
  }
  return true;
}

}  // namespace plinth::conformance
