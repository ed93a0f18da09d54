// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/statement.h"

#include <istream>
#include <ostream>

#include "plinth/support/json.h"
#include "plinth/support/text.h"

namespace plinth::conformance {
namespace {

constexpr size_t kMaxAnswer = 500;

Status CheckAnswer(std::string_view key, std::string_view text) {
  if (Trim(text).empty() || text.size() > kMaxAnswer) {
    return InvalidArgument("statement: `", key, "` needs 1 to ", kMaxAnswer, " characters");
  }
  if (key == "date" && (text.size() != 10 || text[4] != '-' || text[7] != '-' ||
                        text.find_first_not_of("0123456789-") != std::string_view::npos)) {
    return InvalidArgument("statement: `date` is written 2026-11-22, not ", text);
  }
  return Status();
}

}  // namespace

const std::vector<Question>& Questions() {
  static const auto* const questions = new std::vector<Question>{
      {"company", "Company"},
      {"product", "Product, with its version"},
      {"device", "Device that the plugin ran on"},
      {"driver", "Driver, with its version, or none"},
      {"operating_system", "Operating system, with its version"},
      {"date", "Date of the run (2026-11-22)"},
  };
  return *questions;
}

std::string_view Statement::Get(std::string_view key) const {
  for (const auto& [name, text] : answers) {
    if (name == key) return text;
  }
  return {};
}

Expected<Statement> ParseStatement(std::string_view json) {
  PLINTH_ASSIGN_OR_RETURN(Json::Object object, Json::ParseObject(json));
  Statement statement;
  for (const Question& question : Questions()) {
    const Json* answer = object.Find(question.key);
    if (answer == nullptr || answer->AsString() == nullptr) {
      return InvalidArgument("statement: it lacks the text `", question.key, "`");
    }
    PLINTH_RETURN_IF_ERROR(CheckAnswer(question.key, answer->Text()));
    statement.answers.emplace_back(question.key, answer->Text());
    object.Erase(question.key);
  }
  for (const auto& [name, value] : object) {
    return InvalidArgument("statement: unknown key `", name, "`");
  }
  return statement;
}

std::string ToJson(const Statement& statement) {
  Json::Object object;
  for (const auto& [name, text] : statement.answers) object[name] = text;
  return Json(std::move(object)).ToIndentedString() + "\n";
}

Expected<Statement> AskStatement(const Statement& known, std::istream& in, std::ostream& out) {
  Statement statement;
  for (const Question& question : Questions()) {
    std::string text(known.Get(question.key));
    if (text.empty()) {
      out << question.text << ": " << std::flush;
      if (!std::getline(in, text)) {
        return FailedPrecondition("statement: there is no answer for `", question.key,
                                  "`; give it as an option, or answer on the terminal");
      }
      text = Trim(text);
    }
    PLINTH_RETURN_IF_ERROR(CheckAnswer(question.key, text));
    statement.answers.emplace_back(question.key, text);
  }
  return statement;
}

}  // namespace plinth::conformance
