// SPDX-License-Identifier: Apache-2.0
#include "conformance/mutants/program_text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '#' || c == '.' || c == '$' || c == '-';
}

// The %names in a text, in order.
std::vector<std::string> NamesIn(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = 0; (at = text.find('%', at)) != text.npos;) {
    size_t end = at + 1;
    while (end < text.size() && IsNameCharacter(text[end])) ++end;
    names.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return names;
}

// Types between commas that are in no brackets.
std::vector<std::string> TypesIn(std::string_view text) {
  std::vector<std::string> types;
  int depth = 0;
  std::string current;
  for (char c : text) {
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      types.push_back(current);
      current.clear();
    } else if (c != ' ' && c != '\n') {
      current += c;
    }
  }
  if (!current.empty()) types.push_back(current);
  return types;
}

// Where the statement that begins at `from` ends: behind the line that closes its regions.
size_t EndOfStatement(std::string_view text, size_t from) {
  int depth = 0;
  bool in_text = false;
  for (size_t at = from; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"') in_text = !in_text;
    if (in_text) continue;
    if (c == '{' || c == '(' || c == '[') ++depth;
    if (c == '}' || c == ')' || c == ']') --depth;
    if (c == '\n' && depth <= 0) return at + 1;
  }
  return text.size();
}

Op ReadOp(std::string_view statement) {
  Op op;
  op.text = statement;
  size_t dialect = statement.find("stablehlo.");
  size_t line_end = std::min(statement.find('\n'), statement.size());
  if (dialect == statement.npos || dialect > line_end) return op;
  size_t name_end = dialect + 10;
  while (name_end < statement.size() && IsNameCharacter(statement[name_end]) &&
         statement[name_end] != '.')
    ++name_end;
  std::string_view before = statement.substr(0, dialect);
  if (before.find('(') != before.npos || before.find(':') != before.npos) return op;
  std::vector<std::string> results = NamesIn(before);
  if (results.size() == 1) op.result = results[0];
  op.name = statement.substr(dialect + 10, name_end - dialect - 10);
  size_t head_end = std::min(statement.find("({", name_end), line_end);
  // Types stand behind the last colon that no bracket holds.
  size_t colon = statement.npos;
  int depth = 0;
  for (size_t at = name_end; at + 1 < statement.size(); ++at) {
    char c = statement[at];
    if (c == '{' || c == '(' || c == '[') ++depth;
    if (c == '}' || c == ')' || c == ']') --depth;
    if (c == ':' && statement[at + 1] == ' ' && depth == 0) colon = at;
  }
  if (colon == statement.npos) return op;
  op.operands = NamesIn(statement.substr(name_end, std::min(head_end, colon) - name_end));
  std::string_view types = statement.substr(colon + 2);
  size_t arrow = types.find("->");
  if (arrow == types.npos) {
    op.operand_types = TypesIn(types);
    if (!op.operand_types.empty()) op.type = op.operand_types.back();
    while (op.operand_types.size() < op.operands.size()) op.operand_types.push_back(op.type);
    return op;
  }
  std::string_view left = types.substr(0, arrow);
  size_t open = left.find('('), close = left.rfind(')');
  if (open != left.npos && close != left.npos)
    op.operand_types = TypesIn(left.substr(open + 1, close - open - 1));
  std::vector<std::string> result_types = TypesIn(types.substr(arrow + 2));
  if (result_types.size() == 1 && result_types[0][0] != '(') op.type = result_types[0];
  return op;
}

// Into the file of $PLINTH_MUTANT_LOG: why a changed program did not compile.
void ShowRefused(PJRT_Error* error, const std::string& program) {
  const char* path = std::getenv("PLINTH_MUTANT_LOG");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "ae");
  if (file == nullptr) return;
  auto message = MakeArgs<PJRT_Error_Message_Args>();
  message.error = error;
  Real().PJRT_Error_Message(&message);
  std::fprintf(file, "%.*s\n%s\n", static_cast<int>(message.message_size), message.message,
               program.c_str());
  std::fclose(file);
}

}  // namespace

bool HasText(const PJRT_Client_Compile_Args& args) {
  return args.client != nullptr && args.program != nullptr && args.program->code != nullptr &&
         Has({args.program->code, args.program->code_size}, "func.func");
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

PJRT_Error* CompileText(PJRT_Client_Compile_Args* args, std::string text) {
  auto program = *args->program;
  program.code = text.data();
  program.code_size = text.size();
  return CallChanged<&PJRT_Api::PJRT_Client_Compile>(args,
                                                     [&](auto& own) { own.program = &program; });
}

PJRT_Error* CompileReplaced(PJRT_Client_Compile_Args* args, std::string_view from,
                            std::string_view to, std::string_view needed) {
  if (args->program == nullptr || args->program->code == nullptr) {
    return Real().PJRT_Client_Compile(args);
  }
  std::string code(args->program->code, args->program->code_size);
  if (!Has(code, needed)) return Real().PJRT_Client_Compile(args);
  return CompileText(args, Replaced(std::move(code), from, to));
}

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::string Between(std::string_view text, std::string_view from, std::string_view to) {
  size_t begin = text.find(from);
  if (begin == text.npos) return "";
  begin += from.size();
  size_t end = text.find(to, begin);
  return end == text.npos ? "" : std::string(text.substr(begin, end - begin));
}

std::string ElementOf(std::string_view type) {
  if (type.substr(0, 7) != "tensor<") return "";
  std::string_view inner = type.substr(7, type.rfind('>') - 7);
  while (!inner.empty() && inner[0] >= '0' && inner[0] <= '9') {
    size_t x = inner.find('x');
    if (x == inner.npos) return "";
    inner.remove_prefix(x + 1);
  }
  return std::string(inner);
}

std::string WithElement(std::string_view type, std::string_view element) {
  std::string old = ElementOf(type);
  return std::string(type.substr(0, type.rfind('>') - old.size())) + std::string(element) + ">";
}

std::vector<int64_t> DimsOf(std::string_view type) {
  std::vector<int64_t> dims;
  if (type.substr(0, 7) != "tensor<") return dims;
  std::string_view inner = type.substr(7);
  while (!inner.empty() && inner[0] >= '0' && inner[0] <= '9') {
    dims.push_back(std::atoll(std::string(inner).c_str()));
    inner.remove_prefix(inner.find('x') + 1);
  }
  return dims;
}

bool IsFloat(std::string_view type) {
  std::string element = ElementOf(type);
  return element[0] == 'f' || element == "bf16";
}
bool IsComplex(std::string_view type) { return Has(type, "complex<"); }
bool IsSigned(std::string_view type) {
  std::string element = ElementOf(type);
  return element[0] == 'i' && element != "i1";
}
bool IsUnsigned(std::string_view type) { return Has(ElementOf(type), "ui"); }

int BitsOf(std::string_view type) {
  std::string element = ElementOf(type);
  size_t digit = element.find_first_of("0123456789");
  return digit == element.npos ? 0 : std::atoi(element.c_str() + digit);
}

std::string Statements::Fresh() {
  char name[24];
  std::snprintf(name, sizeof(name), "%%changed%04d", (*next_)++);
  return name;
}

std::string Statements::Write(const std::string& statement) {
  std::string name = Fresh();
  text_ += name + " = " + statement + "\n";
  return name;
}

std::string Statements::Unary(std::string_view op, const std::string& a, const std::string& type) {
  return Write("stablehlo." + std::string(op) + " " + a + " : " + type);
}

std::string Statements::Binary(std::string_view op, const std::string& a, const std::string& b,
                               const std::string& type) {
  return Write("stablehlo." + std::string(op) + " " + a + ", " + b + " : " + type);
}

std::string Statements::Convert(const std::string& a, const std::string& from,
                                const std::string& to) {
  return Write("stablehlo.convert " + a + " : (" + from + ") -> " + to);
}

std::string Statements::Bitcast(const std::string& a, const std::string& from,
                                const std::string& to) {
  return Write("stablehlo.bitcast_convert " + a + " : (" + from + ") -> " + to);
}

std::string Statements::Compare(std::string_view direction, const std::string& a,
                                const std::string& b, const std::string& type) {
  const char* kind = IsFloat(type) || IsComplex(type) ? "FLOAT"
                     : IsSigned(type)                 ? "SIGNED"
                                                      : "UNSIGNED";
  return Write("stablehlo.compare " + std::string(direction) + ", " + a + ", " + b + ", " + kind +
               " : (" + type + ", " + type + ") -> " + WithElement(type, "i1"));
}

std::string Statements::Select(const std::string& predicate, const std::string& a,
                               const std::string& b, const std::string& type) {
  return Write("stablehlo.select " + predicate + ", " + a + ", " + b + " : " +
               WithElement(type, "i1") + ", " + type);
}

std::string Statements::Splat(double number, const std::string& type) {
  char text[64];
  if (IsComplex(type)) {
    std::snprintf(text, sizeof(text), "(%.17e, 0.0)", number);
  } else if (IsFloat(type)) {
    std::snprintf(text, sizeof(text), "%.17e", number);
  } else if (ElementOf(type) == "i1") {
    std::snprintf(text, sizeof(text), number == 0 ? "false" : "true");
  } else {
    std::snprintf(text, sizeof(text), "%.0f", number);
  }
  return SplatOfBits(text, type);
}

std::string Statements::SplatOfBits(std::string_view hexadecimal, const std::string& type) {
  return Write("stablehlo.constant dense<" + std::string(hexadecimal) + "> : " + type);
}

std::string Statements::Part(std::string_view op, const std::string& a, const std::string& type) {
  return Write("stablehlo." + std::string(op) + " " + a + " : (" + type + ") -> " +
               WithElement(type, BitsOf(type) == 32 ? "f32" : "f64"));
}

std::string Statements::Complex(const std::string& real, const std::string& imag,
                                const std::string& type) {
  return Write("stablehlo.complex " + real + ", " + imag + " : " +
               WithElement(type, "complex<" + ElementOf(type) + ">"));
}

std::string Statements::Keep(const Op& op, const std::string& text) {
  std::string name = Fresh();
  size_t equals = text.find('=');
  (void)op;
  text_ += name + " " + text.substr(equals);
  if (text_.back() != '\n') text_ += '\n';
  return name;
}

std::string Statements::InType(const Op& op, const std::string& element) {
  std::string from = ElementOf(op.type);
  Op other = op;
  for (size_t i = 0; i < op.operands.size() && i < op.operand_types.size(); ++i) {
    if (ElementOf(op.operand_types[i]) != from) continue;
    std::string type = WithElement(op.operand_types[i], element);
    other.text = WithOperand(other, i, Convert(op.operands[i], op.operand_types[i], type));
    other.operands[i] = "";
  }
  // "x<element>>" and "<element>>" are types; attributes have other brackets behind them.
  std::string text = Replaced(other.text, "x" + from + ">", "x" + element + ">");
  text = Replaced(text, "tensor<" + from + ">", "tensor<" + element + ">");
  return Convert(Keep(op, text), WithElement(op.type, element), op.type);
}

std::string WithOperand(const Op& op, size_t index, const std::string& name) {
  const std::string& old = op.operands[index];
  size_t at = op.text.find("stablehlo.");
  size_t seen = 0;
  // The same name may stand in several places: the index-th name is meant.
  while ((at = op.text.find('%', at)) != std::string::npos) {
    size_t end = at + 1;
    while (end < op.text.size() && IsNameCharacter(op.text[end])) ++end;
    if (seen++ == index) {
      std::string text = op.text;
      if (!old.empty()) text.replace(at, end - at, name);
      return text;
    }
    at = end;
  }
  return op.text;
}

PJRT_Error* CompileRewritten(PJRT_Client_Compile_Args* args, const Rewrite& rewrite) {
  if (!HasText(*args)) return Real().PJRT_Client_Compile(args);
  std::string_view code(args->program->code, args->program->code_size);
  int next = 0;
  std::function<std::string(std::string_view)> rewritten = [&](std::string_view text) {
    std::string made;
    while (!text.empty()) {
      size_t line_end = std::min(text.find('\n'), text.size() - 1) + 1;
      std::string_view line = text.substr(0, line_end);
      bool is_op = Has(line.substr(0, line.find('(')), "stablehlo.") ||
                   Has(line.substr(0, std::min(line.size(), line.find("({"))), " = \"stablehlo.");
      if (!is_op) {
        made += line;
        text.remove_prefix(line_end);
        continue;
      }
      std::string_view statement = text.substr(0, EndOfStatement(text, 0));
      text.remove_prefix(statement.size());
      // What its regions hold comes first.
      std::string inner(statement);
      size_t first_end = statement.find('\n');
      if (first_end != statement.npos && first_end + 1 < statement.size()) {
        inner = std::string(statement.substr(0, first_end + 1)) +
                rewritten(statement.substr(first_end + 1));
      }
      Op op = ReadOp(inner);
      if (op.name.empty() || op.result.empty() || op.type.empty()) {
        made += inner;
        continue;
      }
      Statements statements(&next);
      std::string name = rewrite(op, statements);
      if (name.empty()) {
        made += inner;
      } else {
        made += Replaced(statements.text(), name + " ", op.result + " ");
      }
    }
    return made;
  };
  std::string changed = rewritten(code);
  if (next == 0) return Real().PJRT_Client_Compile(args);
  PJRT_Error* error = CompileText(args, changed);
  if (error == nullptr) return nullptr;
  ShowRefused(error, changed);
  FreeError(error);
  return Real().PJRT_Client_Compile(args);
}

}  // namespace plinth::mutants
