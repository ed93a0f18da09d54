// SPDX-License-Identifier: Apache-2.0
// The example of docs/extending/program-reader.md.
#include <plinth/program/compile_options.h>
#include <plinth/program/donation.h>
#include <plinth/program/program.h>

#include <cstdio>

namespace program = plinth::program;

int main() {
  const auto module = program::ReadText(R"(
func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", module.status().ToString().c_str());
    return 1;
  }
  const program::Function& main = *module->main();
  for (const program::Operation& op : main.body->operations) {
    std::printf("%s at %s\n", std::string(program::Name(op.op)).c_str(),
                program::ToString(op.location).c_str());
  }
  const auto donations = program::ReadDonations(main);
  const auto options = program::ReadCompileOptions({});
  return donations.ok() && donations->size() == 1 && options.ok() ? 0 : 1;
}
