// SPDX-License-Identifier: Apache-2.0
// What implementations of IFRT are asked of executables: each program as it was compiled, and again
// as it was serialized and loaded.
#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

enum class Origin { kCompiled, kLoaded };

class ProgramChecklist : public IfrtTest, public ::testing::WithParamInterface<Origin> {
 protected:
  Expected<Executable> Make(const std::string& text, CompileOptions options) const {
    const Expected<Executable> compiled = client_->Compile(text, options);
    if (!compiled.ok() || GetParam() == Origin::kCompiled) return compiled;
    const Expected<std::string> bytes = compiled->Serialize();
    if (!bytes.ok()) return bytes.status();
    options.format = "serialized";
    return client_->Compile(*bytes, options);
  }
  Expected<Array> Floats(std::vector<float> elements) const {
    const Expected<Sharding> single = client_->Single(devices_[0]);
    return client_->FromHost<float>({static_cast<int64_t>(elements.size())}, *single, elements);
  }
};

constexpr const char* kRows = R"(
module @rows attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4x6xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"},
                         %y: tensor<f32> {mhlo.sharding = "{replicated}"})
      -> (tensor<4x6xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}, tensor<f32>) {
    return %x, %y : tensor<4x6xf32>, tensor<f32>
  }
})";

TEST_P(ProgramChecklist, TellsWhatItIs) {
  const std::vector<Device> pair = DevicesOf({3, 1});
  ASSERT_VALUE(const Executable rows, Make(kRows, {.devices = pair}));
  ASSERT_OK(rows.Ready().Await());
  ASSERT_VALUE(const std::string name, rows.Name());
  EXPECT_EQ(name, "rows");
  ASSERT_VALUE(const std::vector<Device> devices, rows.Devices());
  EXPECT_EQ(devices, pair);
  ASSERT_VALUE(const size_t num_parameters, rows.NumParameters());
  EXPECT_EQ(num_parameters, 2u);
  ASSERT_VALUE(const Sharding cut, client_->Named({{{"a", 2}}, pair}, {{"a"}, {}}));
  ASSERT_VALUE(const Sharding whole, client_->Replicated(pair));
  ASSERT_VALUE(const Sharding first, rows.ParameterSharding(0));
  EXPECT_EQ(first, cut);
  EXPECT_EQ(first.memory_kind(), devices_[0].memory_kinds()[0]);
  ASSERT_VALUE(const Sharding second, rows.ParameterSharding(1));
  EXPECT_EQ(second, whole);
  EXPECT_EQ(rows.ParameterSharding(2).status().code(), kInvalid);
  ASSERT_VALUE(const ArraySpec output, rows.Output(0));
  EXPECT_EQ(output.sharding, cut);
  EXPECT_EQ(output.dims, (std::vector<int64_t>{4, 6})) << "of the whole array";
  EXPECT_EQ(output.sharding.memory_kind(), devices_[0].memory_kinds()[0]);
  ASSERT_VALUE(const std::string layout, rows.ParameterLayout(0));
  EXPECT_EQ(layout, "{1,0}");
  ASSERT_VALUE(const std::string output_layout, rows.OutputLayout(0));
  EXPECT_EQ(output_layout, "{1,0}");
  EXPECT_TRUE(rows.Cost().ok());
  EXPECT_TRUE(rows.Memory().ok());
  ASSERT_VALUE(const Executable::Program optimized, rows.Optimized());
  EXPECT_EQ(optimized.format, "mlir");
  EXPECT_FALSE(optimized.code.empty());
}

// What is loaded says of itself what the compiled one said.
TEST_P(ProgramChecklist, SaysTheSameAsTheCompiledOne) {
  const CompileOptions options = {.devices = DevicesOf({0, 1})};
  ASSERT_VALUE(const Executable compiled, client_->Compile(kRows, options));
  ASSERT_VALUE(const Executable made, Make(kRows, options));
  const auto all = [](const Executable& program) {
    std::string text;
    const auto add = [&](const Expected<std::string>& part) {
      text += part.ok() ? *part : part.status().message();
      text += "\n";
    };
    add(program.Name());
    add(program.Fingerprint());
    add(program.Cost());
    add(program.Memory());
    for (size_t i = 0; i < 2; ++i) {
      add(program.ParameterLayout(i));
      add(program.OutputLayout(i));
      const Expected<Sharding> parameter = program.ParameterSharding(i);
      add(parameter.ok() ? parameter->ToString() : parameter.status().message());
      const Expected<ArraySpec> output = program.Output(i);
      add(output.ok() ? output->sharding.ToString() : output.status().message());
      if (output.ok()) text += std::to_string(output->type) + std::to_string(output->dims.size());
    }
    return text;
  };
  EXPECT_EQ(all(made), all(compiled));
}

TEST_P(ProgramChecklist, RunsOnSeveralDevices) {
  const std::vector<Device> pair = DevicesOf({3, 1});
  ASSERT_VALUE(const Sharding cut, client_->Named({{{"a", 2}}, pair}, {{"a"}, {}}));
  ASSERT_VALUE(const Sharding whole, client_->Replicated(pair));
  // What the caller says of outputs counts where the plugin does not tell.
  ASSERT_VALUE(const Executable rows,
               Make(kRows, {.devices = pair, .output_shardings = {cut, whole}}));
  ASSERT_VALUE(const Array x, client_->FromHost<float>({4, 6}, cut, Iota<float>(24)));
  const std::vector<float> seven = {7};
  ASSERT_VALUE(const Array y, client_->FromHost<float>({}, whole, seven));
  ASSERT_VALUE(const std::vector<Array> outputs, rows({x, y}));
  EXPECT_EQ(outputs[0].sharding(), cut);
  ASSERT_VALUE(const std::vector<float> same, outputs[0].ToHost<float>());
  EXPECT_EQ(same, Iota<float>(24));
  // Arguments on other devices, and on fewer.
  ASSERT_VALUE(const Sharding elsewhere, cut.WithDevices(DevicesOf({3, 2})));
  ASSERT_VALUE(const Sharding single, client_->Single(devices_[3]));
  for (const Sharding& wrong : {elsewhere, single}) {
    ASSERT_VALUE(const Array other, client_->FromHost<float>({4, 6}, wrong, Iota<float>(24)));
    const Status status = rows({other, y}).status();
    EXPECT_EQ(status.code(), kInvalid) << wrong.ToString();
    EXPECT_NE(status.message().find("argument 0"), std::string::npos) << status.message();
    EXPECT_FALSE(other.is_deleted());
  }
}

TEST_P(ProgramChecklist, RefusesArgumentsThatAreCutInAnotherWay) {
  const std::vector<Device> pair = DevicesOf({3, 1});
  ASSERT_VALUE(const Executable rows, Make(kRows, {.devices = pair}));
  ASSERT_VALUE(const Sharding whole, client_->Replicated(pair));
  const std::vector<float> seven = {7};
  ASSERT_VALUE(const Array y, client_->FromHost<float>({}, whole, seven));
  ASSERT_VALUE(const Sharding turned, client_->Named({{{"a", 2}}, DevicesOf({1, 3})}, {{"a"}, {}}));
  ASSERT_VALUE(const Sharding columns, client_->Named({{{"a", 2}}, pair}, {{}, {"a"}}));
  for (const Sharding& wrong : {turned, columns, whole}) {
    ASSERT_VALUE(const Array x, client_->FromHost<float>({4, 6}, wrong, Iota<float>(24)));
    const Status status = rows({x, y}).status();
    EXPECT_EQ(status.code(), kInvalid) << wrong.ToString();
    EXPECT_NE(status.message().find("argument 0"), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("cut in another way"), std::string::npos) << status.message();
  }
}

// Partial sums have no meaning as an array, and are one all the same.
TEST_P(ProgramChecklist, GivesAndTakesWhatIsUnreduced) {
  constexpr const char* kPartial = R"(
module @partial attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2]>
  func.func public @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
      -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
})";
  const std::vector<Device> pair = DevicesOf({0, 1});
  ASSERT_VALUE(const Executable partial, Make(kPartial, {.devices = pair, .use_shardy = true}));
  ASSERT_VALUE(const ArraySpec output, partial.Output(0));
  EXPECT_EQ(output.dims, std::vector<int64_t>{6});
  ASSERT_VALUE(const std::string bytes, output.sharding.ToOpSharding(1));
  EXPECT_NE(bytes, "");
  EXPECT_EQ(output.sharding.IndexDomains(output.dims).status().code(),
            PJRT_Error_Code_FAILED_PRECONDITION);
  ASSERT_VALUE(const Sharding rows, client_->Named({{{"a", 2}}, pair}, {{"a"}, {}}));
  ASSERT_VALUE(const Array x, client_->FromHost<float>({4, 6}, rows, Iota<float>(24)));
  ASSERT_VALUE(const std::vector<Array> outputs, partial({x}));
  ASSERT_VALUE(const std::vector<Array> parts, outputs[0].Disassemble());
  ASSERT_EQ(parts.size(), 2u);
  ASSERT_VALUE(const std::vector<float> first, parts[0].ToHost<float>());
  ASSERT_VALUE(const std::vector<float> second, parts[1].ToHost<float>());
  for (size_t column = 0; column < 6; ++column) {
    EXPECT_EQ(first[column] + second[column], static_cast<float>(36 + 4 * column));
  }
}

TEST_P(ProgramChecklist, DonatesWhatTheProgramNames) {
  constexpr const char* kDonor = R"(
module @donor {
  func.func public @main(%a: tensor<4xf32> {jax.buffer_donor = true}, %b: tensor<4xf32>,
                         %c: tensor<4xf32> {jax.buffer_donor = true}) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    %1 = stablehlo.add %0, %c : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
})";
  ASSERT_VALUE(const Executable donor, Make(kDonor, {.devices = DevicesOf({0})}));
  ASSERT_VALUE(const Array a, Floats({1, 2, 3, 4}));
  ASSERT_VALUE(const Array b, Floats({1, 1, 1, 1}));
  ASSERT_VALUE(const Array c, Floats({2, 2, 2, 2}));
  const Array arguments[] = {a, b, c};
  ASSERT_VALUE(const std::vector<Array> kept, donor.Execute(arguments, {.non_donatable = {0, 2}}));
  EXPECT_FALSE(a.is_deleted() || b.is_deleted() || c.is_deleted());
  ASSERT_VALUE(const std::vector<Array> half, donor.Execute(arguments, {.non_donatable = {2}}));
  EXPECT_TRUE(a.is_deleted());
  EXPECT_FALSE(b.is_deleted() || c.is_deleted());
  EXPECT_EQ(donor.Execute(arguments).status().code(), kInvalid);
  EXPECT_EQ(donor({b, b, c}).status().code(), kInvalid) << "given away, and an argument beside";
  EXPECT_FALSE(b.is_deleted() || c.is_deleted());
  ASSERT_VALUE(const Array again, Floats({1, 2, 3, 4}));
  ASSERT_VALUE(const std::vector<Array> last, donor({again, b, c}));
  EXPECT_TRUE(again.is_deleted() && c.is_deleted());
  EXPECT_FALSE(b.is_deleted());
  ASSERT_VALUE(const std::vector<float> sum, half[0].ToHost<float>());
  EXPECT_EQ(sum, (std::vector<float>{4, 5, 6, 7}));
}

TEST_P(ProgramChecklist, WithoutInputsAndOutputs) {
  ASSERT_VALUE(
      const Executable nothing,
      Make("module @nothing { func.func public @main() { return } }", {.devices = DevicesOf({2})}));
  std::optional<Future<>> done;
  ASSERT_VALUE(const std::vector<Array> outputs, nothing.Execute({}, {}, &done));
  EXPECT_TRUE(outputs.empty());
  ASSERT_OK(done->Await());
}

TEST_P(ProgramChecklist, ChoosesItsDeviceIfItIsPortable) {
  ASSERT_VALUE(const Executable twice,
               Make("module @twice { func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> { "
                    "%0 = stablehlo.add %x, %x : tensor<2xf32> return %0 : tensor<2xf32> } }",
                    {.portable = true}));
  ASSERT_VALUE(const std::vector<Device> devices, twice.Devices());
  EXPECT_TRUE(devices.empty());
  for (const Device& device : devices_) {
    ASSERT_VALUE(const Sharding single, client_->Single(device));
    ASSERT_VALUE(const Array x, client_->FromHost<float>({2}, single, Iota<float>(2)));
    ASSERT_VALUE(const std::vector<Array> outputs, twice.Execute({&x, 1}, {.device = device}));
    EXPECT_EQ(outputs[0].sharding(), single);
    ASSERT_VALUE(const std::vector<float> elements, outputs[0].ToHost<float>());
    EXPECT_EQ(elements, (std::vector<float>{0, 2}));
  }
}

// To other devices than it was made for, where a plugin can; never to others than were asked for.
TEST_P(ProgramChecklist, IsLoadedForTheDevicesThatAreAskedFor) {
  ASSERT_VALUE(const Executable rows, client_->Compile(kRows, {.devices = DevicesOf({3, 1})}));
  ASSERT_VALUE(const std::string bytes, rows.Serialize());
  const std::vector<Device> others = DevicesOf({4, 6});
  ASSERT_VALUE(const Executable moved,
               client_->Compile(bytes, {.format = "serialized", .devices = others}));
  const Status status = moved.Ready().Await();
  if (status.code() == PJRT_Error_Code_UNIMPLEMENTED) return;
  ASSERT_OK(status);
  ASSERT_VALUE(const std::vector<Device> devices, moved.Devices());
  EXPECT_EQ(devices, others);
}

TEST_P(ProgramChecklist, ProgramsForOtherNumbersOfDevices) {
  const auto status = [&](std::vector<Device> devices, int replicas) {
    const Expected<Executable> made =
        client_->Compile(kRows, {.devices = std::move(devices), .num_replicas = replicas});
    return made.ok() ? made->Ready().Await() : made.status();
  };
  ExpectInvalid(status(DevicesOf({0, 1, 2}), 1), "3");
  ExpectInvalid(status(DevicesOf({0, 1}), 3), "3 replicas on 2 devices");
  ExpectInvalid(status(DevicesOf({0, 0}), 1), "twice");
  ASSERT_VALUE(const Client other, Client::Create({.plugin = PluginPath()}));
  ExpectInvalid(status(other.devices(), 1), "of another client");
}

TEST_P(ProgramChecklist, CancellingWhatDoesNotRun) {
  ASSERT_VALUE(
      const Executable nothing,
      Make("module @nothing { func.func public @main() { return } }", {.devices = DevicesOf({2})}));
  for (int again = 0; again < 2; ++again) {
    const Status status = nothing.Cancel(77, PJRT_Error_Code_CANCELLED, "not wanted any more");
    EXPECT_TRUE(status.ok() || status.code() == PJRT_Error_Code_UNIMPLEMENTED) << status.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Origins, ProgramChecklist,
                         ::testing::Values(Origin::kCompiled, Origin::kLoaded),
                         [](const auto& origin) {
                           return origin.param == Origin::kCompiled ? "Compiled" : "Loaded";
                         });

}  // namespace
}  // namespace plinth::ifrt::testing
