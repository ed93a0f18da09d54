// SPDX-License-Identifier: Apache-2.0
// Puts a host array onto eight devices by a mesh, runs a StableHLO program on all of them, moves
// the result to another sharding and to two devices, and prints it.
//   ifrt_reshard PLUGIN PROGRAM.mlir
// With an installed Plinth (components headers, libplinth, ifrt):
//   c++ -std=c++20 reshard.cc -o reshard $(pkg-config --cflags --libs plinth-ifrt)
// The program takes and gives an f32[8,8], as product.mlir does.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include "plinth/ifrt.hpp"

namespace ifrt = plinth::ifrt;

namespace {

ifrt::Status Print(const char* what, const ifrt::Array& array) {
  const ifrt::Expected<std::vector<float>> elements = array.ToHost<float>();
  if (!elements.ok()) return elements.status();
  printf("%s (%s):", what, array.sharding().ToString().c_str());
  for (const float element : *elements) printf(" %g", static_cast<double>(element));
  printf("\n");
  return {};
}

ifrt::Status Run(const std::string& plugin, const std::string& program) {
  const auto client = ifrt::Client::Create({.plugin = plugin, .options = {"num_devices=8"}});
  if (!client.ok()) return client.status();
  const ifrt::Mesh mesh = {{{"x", 4}, {"y", 2}}, client->devices()};

  // Rows along x, columns along y: every device has an f32[2,4].
  const auto tiles = client->Named(mesh, {{"x"}, {"y"}});
  if (!tiles.ok()) return tiles.status();
  std::vector<float> host(8 * 8);
  std::iota(host.begin(), host.end(), 0.0f);
  const auto array = client->FromHost<float>({8, 8}, *tiles, host);
  if (!array.ok()) return array.status();

  // One program over all devices, each with its part.
  const auto compiled = client->Compile(program, {.devices = mesh.devices});
  if (!compiled.ok()) return compiled.status();
  const auto outputs = (*compiled)({*array});
  if (!outputs.ok()) return outputs.status();
  if (ifrt::Status status = Print("program", (*outputs)[0]); !status.ok()) return status;

  // The result, cut the other way round, then on two devices.
  const auto columns = client->Named(mesh, {{}, {"x", "y"}});
  if (!columns.ok()) return columns.status();
  const auto cut = (*outputs)[0].Reshard(*columns, ifrt::Copy::kDonate);
  if (!cut.ok()) return cut.status();
  if (ifrt::Status status = Print("columns", *cut); !status.ok()) return status;
  const auto pair = client->Named({{{"x", 2}}, {mesh.devices[6], mesh.devices[1]}}, {{"x"}, {}});
  if (!pair.ok()) return pair.status();
  const auto moved = cut->Reshard(*pair, ifrt::Copy::kDonate);
  if (!moved.ok()) return moved.status();
  return Print("pair", *moved);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s PLUGIN PROGRAM.mlir\n", argv[0]);
    return 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const ifrt::Status status = Run(argv[1], program);
  if (!status.ok()) fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
