// SPDX-License-Identifier: Apache-2.0
#include "plinth/program/program.h"

#include <gtest/gtest.h>

#include "reference_plugin/program/test_files.h"

namespace plinth::program {
namespace {

Module MustRead(std::string_view contents, const std::string& what) {
  Expected<Module> module = Read(Bytes(contents));
  EXPECT_TRUE(module.ok()) << what << ": " << module.status().ToString();
  return module.ok() ? *std::move(module) : *ReadText("module {}");
}

void ExpectSame(const Module& a, const Module& b, const std::string& what) {
  std::string difference;
  EXPECT_TRUE(Equal(a, b, &difference)) << what << ": " << difference;
}

TEST(JaxPrograms, BytecodeTextAndPrintedTextAreOneProgram) {
  const std::vector<std::string> names = JaxProgramNames();
  ASSERT_EQ(names.size(), 44u);
  for (const std::string& name : names) {
    const std::string base = kJaxPrograms + name;
    const Module text = MustRead(LoadFile(base + ".mlir.txt"), name + ".mlir.txt");
    for (const char* ending : {".mlirbc", ".vhlo-1.17.mlirbc"}) {
      const Module bytecode = MustRead(LoadFile(base + ending), name + ending);
      ExpectSame(bytecode, text, name + ending + " and text");
      const std::string printed = Print(bytecode);
      const Module again = MustRead(printed, name + " as printed");
      ExpectSame(bytecode, again, name + " as printed");
      EXPECT_EQ(Print(again), printed) << name;
      ASSERT_NE(bytecode.main(), nullptr) << name;
      EXPECT_EQ(bytecode.main()->name, "main") << name;
    }
  }
}

TEST(SuitePrograms, EveryVersionIsTheSameProgram) {
  size_t count = 0;
  for (const auto& path : FilesEndingWith(kSuitePrograms, ".mlir")) {
    const Module text = MustRead(LoadFile(path), path.string());
    for (const char* version : {"0.9", "1.0", "1.13"}) {
      const std::string file =
          StrCat(kSuitePrograms, path.stem().string(), ".vhlo-", version, ".mlirbc");
      const std::string artifact = LoadFile(file);
      // Older versions have no artifact of programs with attributes that came later.
      if (artifact.empty() && version != std::string_view("1.13")) continue;
      ExpectSame(MustRead(artifact, file), text, file);
      ++count;
    }
  }
  EXPECT_GE(count, 36u);
}

TEST(Forms, PrettyAndGenericFormAreOneProgram) {
  const Module pretty = MustRead(LoadFile("testdata/forms.mlir"), "forms.mlir");
  const Module generic = MustRead(LoadFile("testdata/forms.generic.mlir"), "forms.generic.mlir");
  ExpectSame(pretty, generic, "pretty and generic");
  ExpectSame(pretty, MustRead(Print(pretty), "printed"), "printed");
}

TEST(Forms, BytecodeOfEveryOpIsTheSameProgram) {
  const Module text = MustRead(LoadFile("testdata/forms_kept.mlir"), "forms_kept.mlir");
  for (const char* version : {"1.13", "1.17"}) {
    const std::string file = StrCat("testdata/forms_kept.vhlo-", version, ".mlirbc");
    ExpectSame(text, MustRead(LoadFile(file), file), file);
  }
}

// The version that a portable artifact says in its head: "0.9.0".
std::string VersionOf(std::string_view artifact) {
  constexpr std::string_view kProducer = "StableHLO_v";
  const size_t at = artifact.find(kProducer);
  if (at == std::string_view::npos) return "none";
  return artifact.data() + at + kProducer.size();
}

TEST(Revisions, EveryVersionIsTheSameProgram) {
  size_t count = 0;
  for (const char* name : {"revisions", "revisions_1_4"}) {
    const Module text = MustRead(LoadFile(StrCat("testdata/", name, ".mlir")), name);
    const std::string start = StrCat(name, ".vhlo-");
    for (const auto& path : FilesEndingWith("testdata", ".mlirbc")) {
      const std::string file = path.filename().string();
      if (!file.starts_with(start)) continue;
      const std::string artifact = LoadFile(path);
      const std::string version = file.substr(start.size(), file.rfind('.') - start.size());
      EXPECT_EQ(VersionOf(artifact), version + ".0") << file;
      const Module module = MustRead(artifact, file);
      ExpectSame(module, text, file);
      ExpectSame(module, MustRead(Print(module), file), file + " as printed");
      ++count;
    }
  }
  EXPECT_EQ(count, 13u);
}

TEST(Equality, SaysWhereProgramsDiffer) {
  const auto with = [](std::string_view body) {
    return MustRead(StrCat("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n", body,
                           "\n  return %0 : tensor<4xf32>\n}"),
                    "a program");
  };
  const Module add = with("%0 = stablehlo.add %a, %a : tensor<4xf32>");
  std::string difference;
  EXPECT_FALSE(Equal(add, with("%0 = stablehlo.multiply %a, %a : tensor<4xf32>"), &difference));
  EXPECT_NE(difference.find("stablehlo.add (text:2:6)"), std::string::npos) << difference;
  EXPECT_FALSE(
      Equal(add, with("%0 = stablehlo.add %a, %a {x = 1 : i32} : tensor<4xf32>"), &difference));
  EXPECT_NE(difference.find("x = 1 : i32"), std::string::npos) << difference;
  EXPECT_FALSE(Equal(add, with("%1 = stablehlo.negate %a : tensor<4xf32>\n"
                               "%0 = stablehlo.add %1, %a : tensor<4xf32>")));
  // Names of values and ways to write an op do not matter.
  EXPECT_TRUE(Equal(add, with("%0 = \"stablehlo.add\"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) "
                              "-> tensor<4xf32>")));
}

TEST(Program, GivesFunctionsMeshesAndAttributes) {
  const Module module = MustRead(
      R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
        sdy.mesh @mesh = <["x"=2]>
        func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
          return %a : tensor<2xf32>
        }
        func.func public @g(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<i32>)
            -> (tensor<2xf32> {jax.result_info = "r"}) {
          %0:2 = stablehlo.while(%i = %b, %x = %a) : tensor<i32>, tensor<2xf32>
          cond {
            %t = stablehlo.constant dense<true> : tensor<i1>
            stablehlo.return %t : tensor<i1>
          } do {
            stablehlo.return %i, %x : tensor<i32>, tensor<2xf32>
          }
          return %0#1 : tensor<2xf32>
        }
      })",
      "a program");
  EXPECT_EQ(module.name(), "m");
  EXPECT_EQ(module.op().Int("mhlo.num_partitions"), 2);
  ASSERT_EQ(module.meshes().size(), 1u);
  EXPECT_EQ(module.meshes()[0]->Text("sym_name"), "mesh");
  ASSERT_EQ(module.functions().size(), 2u);
  EXPECT_EQ(module.FindFunction("h"), nullptr);
  const Function& g = *module.main();
  EXPECT_EQ(&g, module.FindFunction("g"));
  EXPECT_TRUE(g.is_public);
  EXPECT_FALSE(module.FindFunction("f")->is_public);
  EXPECT_EQ(Find(g.argument_attributes[0], "tf.aliasing_output")->integer(), 0);
  EXPECT_TRUE(g.argument_attributes[1].empty());
  EXPECT_EQ(Find(g.result_attributes[0], "jax.result_info")->text(), "r");
  // Values: %a 0, %b 1, the results 2 and 3, the condition's %i 4, %x 5, %t 6, the body's 7, 8.
  EXPECT_EQ(g.num_values, 9u);
  const Operation& loop = g.body->operations[0];
  EXPECT_EQ(loop.first_result, 2u);
  EXPECT_EQ(loop.regions[0].first_argument, 4u);
  EXPECT_EQ(loop.regions[1].first_argument, 7u);
  EXPECT_EQ(g.body->operations[1].operands[0], 3u);
  EXPECT_EQ(ToString(loop.location), "text:8:18");
  // Types are unique.
  EXPECT_EQ(g.argument_types[0], g.result_types[0]);
}

TEST(Program, ConstantsAreUnpackedAndSplatsFound) {
  const Module module = MustRead(LoadFile("testdata/forms.mlir"), "forms.mlir");
  const auto& ops = module.FindFunction("constants")->body->operations;
  const auto value = [&](size_t i) { return ops[i].Find("value"); };
  EXPECT_EQ(value(0)->bytes().size(), 24u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(value(0)->bytes().data()) % 64, 0u);
  EXPECT_TRUE(value(1)->splat());
  ASSERT_EQ(value(2)->bytes().size(), 9u);
  EXPECT_EQ(value(2)->bytes()[1], std::byte{0});
  EXPECT_EQ(value(2)->bytes()[8], std::byte{1});
  EXPECT_EQ(value(7)->bytes().size(), 0u);
  ASSERT_EQ(value(8)->bytes().size(), 4u);
  EXPECT_EQ(value(8)->bytes()[0], std::byte{0x08});  // -8 of i4.
  EXPECT_EQ(value(9)->bytes()[0], std::byte{15});
  EXPECT_TRUE(value(17)->splat());
  EXPECT_EQ(value(17)->bytes().size(), 1u);
}

TEST(Program, LocationsComeFromDebugInformation) {
  const Module module = MustRead(R"(
    #loc1 = loc("a.py":3:4)
    func.func @main(%a: tensor<f32> loc(#loc2)) -> tensor<f32> {
      %0 = stablehlo.negate %a : tensor<f32> loc(#loc3)
      %1 = stablehlo.abs %0 : tensor<f32> loc(callsite("f"(#loc1) at "b.py":1:2))
      %2 = stablehlo.sine %1 : tensor<f32> loc(fused<"x">["m", unknown])
      return %2 : tensor<f32> loc(unknown)
    } loc(#loc1)
    #loc2 = loc("a")
    #loc3 = loc("jit(f)/neg"(#loc1)))",
                                 "a program");
  const Region& body = *module.main()->body;
  EXPECT_EQ(ToString(body.argument_locations[0]), "\"a\"");
  EXPECT_EQ(ToString(body.operations[0].location), "\"jit(f)/neg\"(a.py:3:4)");
  EXPECT_EQ(ToString(body.operations[1].location), "\"f\"(a.py:3:4) called from b.py:1:2");
  EXPECT_EQ(ToString(body.operations[2].location), "\"m\", unknown");
  const Module bytecode = MustRead(LoadFile(std::string(kJaxPrograms) + "scan.mlirbc"), "scan");
  EXPECT_NE(ToString(bytecode.main()->body->operations.back().location), "");
}

TEST(Program, ResourcesAreConstants) {
  const Module module = MustRead(R"(
    func.func @main() -> tensor<2xf32> {
      %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    {-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-})",
                                 "a program");
  EXPECT_EQ(ToString(module.main()->body->operations[0].Find("value")),
            "dense<[1.0, 2.0]> : tensor<2xf32>");
}

}  // namespace
}  // namespace plinth::program
