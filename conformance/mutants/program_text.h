// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_PROGRAM_TEXT_H_
#define PLINTH_CONFORMANCE_MUTANTS_PROGRAM_TEXT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/mutants/mutant.h"
#include "pjrt_c_api.h"

// Programs that compute something else: ops in the text of a program are written anew before the
// plugin behind compiles it. The names and forms of the program do not matter.
namespace plinth::mutants {

// Whether what is to be compiled is text.
bool HasText(const PJRT_Client_Compile_Args& args);

// An op of a program: what stands in a statement.
struct Op {
  std::string result;  // "%r"; empty where it has none or several
  std::string name;    // without "stablehlo."
  std::vector<std::string> operands;
  std::vector<std::string> operand_types;
  std::string type;  // of the result, "tensor<3x5xf32>"; empty where there are several
  std::string text;  // all of it, with its regions
};

std::string Replaced(std::string text, std::string_view from, std::string_view to);

// Compiles this text in place of the program's.
PJRT_Error* CompileText(PJRT_Client_Compile_Args* args, std::string text);
// Compiles the program with every `from` replaced; as it is, where it does not have `needed`.
PJRT_Error* CompileReplaced(PJRT_Client_Compile_Args* args, std::string_view from,
                            std::string_view to, std::string_view needed = {});
bool Has(std::string_view text, std::string_view part);
// What stands between `from` and `to`, the first time; empty where it does not.
std::string Between(std::string_view text, std::string_view from, std::string_view to);

// "f32" of "tensor<3x5xf32>", and the other way round.
std::string ElementOf(std::string_view type);
std::string WithElement(std::string_view type, std::string_view element);
std::vector<int64_t> DimsOf(std::string_view type);
bool IsFloat(std::string_view type);
bool IsComplex(std::string_view type);
bool IsSigned(std::string_view type);    // an integer of more than one bit
bool IsUnsigned(std::string_view type);  // the same
int BitsOf(std::string_view type);       // of an element; of a part where it is complex

// Writes the statements that take the place of an op. Each function writes one and gives the name
// of its result.
class Statements {
 public:
  explicit Statements(int* next) : next_(next) {}

  std::string Unary(std::string_view op, const std::string& a, const std::string& type);
  std::string Binary(std::string_view op, const std::string& a, const std::string& b,
                     const std::string& type);
  std::string Convert(const std::string& a, const std::string& from, const std::string& to);
  std::string Bitcast(const std::string& a, const std::string& from, const std::string& to);
  // Numbers of the type's kind: floating-point, signed or unsigned.
  std::string Compare(std::string_view direction, const std::string& a, const std::string& b,
                      const std::string& type);
  std::string Select(const std::string& predicate, const std::string& a, const std::string& b,
                     const std::string& type);
  // An array of one number.
  std::string Splat(double number, const std::string& type);
  std::string SplatOfBits(std::string_view hexadecimal, const std::string& type);
  // real or imag, and back.
  std::string Part(std::string_view op, const std::string& a, const std::string& type);
  std::string Complex(const std::string& real, const std::string& imag, const std::string& type);
  // The op itself with other operands, results and text: `text` is that of an op with a result.
  std::string Keep(const Op& op, const std::string& text);
  // The op in another type: operands of `from` become `to`, the result comes back.
  std::string InType(const Op& op, const std::string& element);

  const std::string& text() const { return text_; }

 private:
  std::string Fresh();
  std::string Write(const std::string& statement);

  std::string text_;
  int* next_;
};

// The text of the op with another operand.
std::string WithOperand(const Op& op, size_t index, const std::string& name);

// Gives the name of what takes the place of the op's result, or nothing where the op stays.
using Rewrite = std::function<std::string(const Op& op, Statements& statements)>;

// Compiles the program with its ops written anew; as it is where it would not compile otherwise,
// or where nothing changes.
PJRT_Error* CompileRewritten(PJRT_Client_Compile_Args* args, const Rewrite& rewrite);

// A mutant that compiles so.
template <typename Change>
void RewriteOps(PJRT_Api& table, Change) {
  Replace<&PJRT_Api::PJRT_Client_Compile>(
      table, [](auto* args) { return CompileRewritten(args, Change{}); });
}

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_PROGRAM_TEXT_H_
