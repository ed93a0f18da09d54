// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "impl/loader/manifest.h"
#include "impl/loader/named_value_json.h"

// Any bytes as a manifest, as JAX's file, and as the file beside libplinth.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plinth::loader;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto manifest = ParseManifest(text, "/folder"); manifest.ok()) {
    if (manifest->name.empty() || manifest->library.empty()) __builtin_trap();
    // What is kept of the options can be read again.
    if (!OptionsFromJson(manifest->create_options_json).ok()) __builtin_trap();
  }
  if (auto config = ParseJaxConfig(text); config.ok() && config->library.empty()) __builtin_trap();
  (void)ParseRedirect(text, "/folder");
  return 0;
}
