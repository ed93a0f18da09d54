// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_MANIFEST_H_
#define PLINTH_IMPL_LOADER_MANIFEST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::loader {

// Larger manifests, and larger JSON files of JAX, are refused.
inline constexpr size_t kMaxManifestSize = 64 << 10;

// "x86_64-linux": what a manifest's table of libraries is asked for.
extern const char kPlatform[];

// A plugin as its manifest describes it; docs/using/loader.md lists the keys, manifest.schema.json
// checks them.
struct Manifest {
  std::string name;
  std::string library;              // A relative path is one below the manifest's folder.
  std::string create_options_json;  // Empty: none.
  bool default_layouts = false;     // Every buffer has the default layout.
  std::vector<std::string> warnings;
};

// Every key that a manifest may have.
std::vector<std::string_view> ManifestKeys();

// Reads the text of a manifest in `folder`.
Expected<Manifest> ParseManifest(std::string_view text, std::string_view folder);

// Reads a JSON file of JAX: `library_path`, taken as it is, and `create_options`. The name is given
// beside it.
Expected<Manifest> ParseJaxConfig(std::string_view text);

// What a file `<name of libplinth>.plinth.json` says: the plugin behind a libplinth that is loaded
// as one.
struct Redirect {
  std::string plugin;  // A path (below the file's folder), or a name.
  bool has_layers = false;
  std::string layers;
  int api_minor = 0;
  bool allow_old = false;
  std::vector<std::string> warnings;
};
Expected<Redirect> ParseRedirect(std::string_view text, std::string_view folder);

// Whether a text can name a plugin: 1 to 100 letters, digits, '_', '-', '.', not beginning with
// '.'.
bool IsPluginName(std::string_view name);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_MANIFEST_H_
