// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/pjrt/num_devices.h"

#include <stdlib.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "plinth/support/str_cat.h"

namespace plinth::cpu {
namespace {

std::string_view Variable(const char* name) {
  const char* const value = secure_getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

Expected<int64_t> Read(std::string_view where, std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && number >= 1 && number <= kMostDevices) return number;
  return InvalidArgument(where, " is '", text, "'; expected a number from 1 to ", kMostDevices);
}

// The value of the last such flag, as XLA takes it; empty if there is none.
std::string_view FindFlag(std::string_view flags, std::string_view name) {
  constexpr std::string_view kBlanks = " \t\n\r";
  std::string_view value;
  while (true) {
    const size_t begin = flags.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return value;
    flags.remove_prefix(begin);
    const std::string_view flag = flags.substr(0, flags.find_first_of(kBlanks));
    flags.remove_prefix(flag.size());
    if (flag.substr(0, name.size()) == name) value = flag.substr(name.size());
  }
}

}  // namespace

Expected<int64_t> NumDevicesFromEnvironment() {
  // JAX's own default is -1: as XLA_FLAGS say.
  const std::string_view jax = Variable("JAX_NUM_CPU_DEVICES");
  if (!jax.empty() && jax.front() != '-') {
    return Read("the environment variable JAX_NUM_CPU_DEVICES", jax);
  }
  constexpr std::string_view kFlag = "--xla_force_host_platform_device_count=";
  const std::string_view flag = FindFlag(Variable("XLA_FLAGS"), kFlag);
  if (flag.empty()) return int64_t{1};
  return Read(StrCat(kFlag.substr(0, kFlag.size() - 1), " in the environment variable XLA_FLAGS"),
              flag);
}

}  // namespace plinth::cpu
