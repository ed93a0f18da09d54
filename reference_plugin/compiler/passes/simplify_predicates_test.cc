// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

// What remains of a program that returns four predicates: the text of its ops.
std::string Remains(std::string_view arguments, std::string_view body) {
  auto module =
      ImportText(StrCat("func.func @main(", arguments, ") -> tensor<4xi1> {\n", body, "\n}"));
  if (module == nullptr) return "";
  OptimizeOptions options;
  options.verify = true;
  const Status status = Optimize(*module, testing::kPlainTarget, options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  const std::string all = Body(*module);
  const size_t begin = all.find('\n') + 1;
  std::string ops = all.substr(begin, all.rfind('}') - begin);
  std::erase(ops, ' ');
  return ops;
}

constexpr const char* kDirections[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
bool Compares(size_t direction, int a, int b) {
  const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
  return results[direction];
}

std::string Expected(bool if_true, bool if_false) {
  if (if_true != if_false) return if_true ? "return(%0)\n" : "%1=not(%0):pred[4]\nreturn(%1)\n";
  return StrCat("%1=constant(){value=", if_true ? "true" : "false", "}:pred[4]\nreturn(%1)\n");
}

std::string CompareText(size_t direction, bool is_left, const char* type) {
  return StrCat("%r = stablehlo.compare ", kDirections[direction], ", ",
                is_left ? "%x, %c" : "%c, %x", " : (", type, ", ", type,
                ") -> tensor<4xi1> return %r : tensor<4xi1>");
}

TEST(Predicates, ComparedWithKnown) {
  for (size_t direction = 0; direction < 6; ++direction) {
    for (const bool is_left : {true, false}) {
      for (const int known : {0, 1}) {
        const auto with = [&](int x) {
          return is_left ? Compares(direction, x, known) : Compares(direction, known, x);
        };
        const std::string text =
            StrCat("%c = stablehlo.constant dense<", known == 1 ? "true" : "false",
                   "> : tensor<4xi1> ", CompareText(direction, is_left, "tensor<4xi1>"));
        EXPECT_EQ(Remains("%x: tensor<4xi1>", text), Expected(with(1), with(0))) << text;
      }
    }
  }
}

// Of numbers that predicates choose: 5 or, by another predicate, -3 or -2.
TEST(Predicates, NumbersComparedWithKnown) {
  for (size_t direction = 0; direction < 6; ++direction) {
    for (const bool is_left : {true, false}) {
      for (int known = -5; known <= 6; ++known) {
        const auto with = [&](int x) {
          return is_left ? Compares(direction, x, known) : Compares(direction, known, x);
        };
        const std::string text = StrCat(
            "%a = stablehlo.constant dense<-3> : tensor<4xi32> "
            "%b = stablehlo.constant dense<5> : tensor<4xi32> "
            "%c = stablehlo.constant dense<",
            known,
            "> : tensor<4xi32> "
            "%x = stablehlo.select %p, %a, %b : tensor<4xi1>, tensor<4xi32> ",
            CompareText(direction, is_left, "tensor<4xi32>"));
        EXPECT_EQ(Remains("%p: tensor<4xi1>", text), Expected(with(-3), with(5))) << text;
        const std::string of_three = StrCat(
            "%a = stablehlo.constant dense<-3> : tensor<4xi32> "
            "%b = stablehlo.constant dense<5> : tensor<4xi32> "
            "%d = stablehlo.constant dense<-2> : tensor<4xi32> "
            "%c = stablehlo.constant dense<",
            known,
            "> : tensor<4xi32> "
            "%y = stablehlo.select %q, %a, %d : tensor<4xi1>, tensor<4xi32> "
            "%x = stablehlo.select %p, %y, %b : tensor<4xi1>, tensor<4xi32> ",
            CompareText(direction, is_left, "tensor<4xi32>"));
        const bool is_same = with(-3) == with(-2);
        const std::string remains = Remains("%p: tensor<4xi1>, %q: tensor<4xi1>", of_three);
        // Of three numbers two must agree, those that the second predicate chooses from.
        EXPECT_EQ(remains.find("select") == std::string::npos, is_same) << of_three << remains;
      }
    }
  }
}

struct Row {
  std::string_view body, expected;
};

TEST(Predicates, Logic) {
  constexpr std::string_view kAll = " return %r : tensor<4xi1>";
  const Row rows[] = {
      {"%r = stablehlo.select %p, %t, %q : tensor<4xi1>, tensor<4xi1>", "%2=or(%0,%1)"},
      {"%r = stablehlo.select %p, %p, %q : tensor<4xi1>, tensor<4xi1>", "%2=or(%0,%1)"},
      {"%r = stablehlo.select %p, %q, %f : tensor<4xi1>, tensor<4xi1>", "%2=and(%0,%1)"},
      {"%r = stablehlo.select %p, %q, %p : tensor<4xi1>, tensor<4xi1>", "%2=and(%0,%1)"},
      {"%r = stablehlo.select %p, %f, %q : tensor<4xi1>, tensor<4xi1>",
       "%2=not(%0):pred[4]\n%3=and(%2,%1)"},
      {"%r = stablehlo.select %p, %q, %t : tensor<4xi1>, tensor<4xi1>",
       "%2=not(%0):pred[4]\n%3=or(%2,%1)"},
      {"%g = stablehlo.compare GT, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.select %g, %p, %q : tensor<4xi1>, tensor<4xi1>",
       "%2=or(%0,%1)"},
      {"%g = stablehlo.compare GE, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.select %g, %q, %p : tensor<4xi1>, tensor<4xi1>",
       "%2=and(%1,%0)"},
      {"%g = stablehlo.compare LT, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.select %g, %p, %q : tensor<4xi1>, tensor<4xi1>",
       "%2=and(%0,%1)"},
      {"%g = stablehlo.compare LE, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.select %g, %q, %p : tensor<4xi1>, tensor<4xi1>",
       "%2=or(%1,%0)"},
      {"%g = stablehlo.compare GT, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%e = stablehlo.compare EQ, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.or %g, %e : tensor<4xi1>",
       "%2=compare(%0,%1){direction=GE,type=UNSIGNED}"},
      {"%g = stablehlo.compare LT, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%e = stablehlo.compare EQ, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.or %e, %g : tensor<4xi1>",
       "%2=compare(%0,%1){direction=LE,type=UNSIGNED}"},
      {"%g = stablehlo.compare LT, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%e = stablehlo.compare NE, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.and %g, %e : tensor<4xi1>",
       "%2=compare(%0,%1){direction=LT,type=UNSIGNED}"},
      {"%g = stablehlo.compare GE, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%e = stablehlo.compare NE, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.and %e, %g : tensor<4xi1>",
       "%2=compare(%0,%1){direction=GT,type=UNSIGNED}"},
      // An order or equality: stays.
      {"%g = stablehlo.compare GE, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%e = stablehlo.compare EQ, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.and %e, %g : tensor<4xi1>",
       "%2=compare(%0,%1){direction=GE,type=UNSIGNED}:pred[4]\n"
       "%3=compare(%0,%1){direction=EQ,type=UNSIGNED}:pred[4]\n%4=and(%3,%2)"},
      // Of others: stays.
      {"%g = stablehlo.compare LT, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%e = stablehlo.compare EQ, %q, %p : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
       "%r = stablehlo.or %e, %g : tensor<4xi1>",
       "%2=compare(%0,%1){direction=LT,type=UNSIGNED}:pred[4]\n"
       "%3=compare(%1,%0){direction=EQ,type=UNSIGNED}:pred[4]\n%4=or(%3,%2)"},
  };
  for (const Row& row : rows) {
    const std::string remains =
        Remains("%p: tensor<4xi1>, %q: tensor<4xi1>",
                StrCat("%t = stablehlo.constant dense<true> : tensor<4xi1> "
                       "%f = stablehlo.constant dense<false> : tensor<4xi1> ",
                       row.body, kAll));
    EXPECT_EQ(remains.substr(0, remains.rfind(":pred[4]")), row.expected) << row.body;
  }
}

// jnp.select: the index of the first true predicate is compared with a few numbers.
TEST(Predicates, FirstTrueIsLogic) {
  std::string text =
      "%t = stablehlo.constant dense<0> : tensor<4xi32> %u = stablehlo.constant dense<1> : "
      "tensor<4xi32> %v = stablehlo.constant dense<-2> : tensor<4xi32> "
      "%g = stablehlo.compare GT, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
      "%e = stablehlo.compare EQ, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1> "
      "%l = stablehlo.compare LT, %t, %u : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1> "
      "%b = stablehlo.and %e, %l : tensor<4xi1> %o = stablehlo.or %g, %b : tensor<4xi1> "
      "%i = stablehlo.select %o, %t, %u : tensor<4xi1>, tensor<4xi32> "
      "%r = stablehlo.compare LT, %i, %u : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1> "
      "return %r : tensor<4xi1>";
  EXPECT_EQ(Remains("%p: tensor<4xi1>, %q: tensor<4xi1>", text),
            "%2=compare(%0,%1){direction=GE,type=UNSIGNED}:pred[4]\nreturn(%2)\n");
}

}  // namespace
}  // namespace plinth::compiler::passes
