// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/blas_places.h"

#include <utility>

#include "plinth/support/str_cat.h"

namespace plinth::cpu::library {
namespace {

constexpr std::string_view kSystemFile = "libopenblas.so.0";
constexpr std::string_view kWheelName = "libscipy_openblas.so";
constexpr std::string_view kWheelFolder = "/scipy_openblas32/lib/";
// For SciPy, beside SciPy. A part of the names is made from the contents; before SciPy 1.13 they
// began otherwise.
constexpr std::string_view kScipyFolder = "/scipy.libs";
constexpr std::string_view kScipyNames[] = {"libscipy_openblas-*.so", "libopenblas*-*.so"};

}  // namespace

std::vector<std::string> BlasFiles(const backend::LibraryPlaces& places) {
  const std::vector<std::string> sites = places.SitePackages();
  std::vector<std::string> files;
  if (const std::string folder = places.PluginFolder(); !folder.empty()) {
    for (std::string_view name : {kSystemFile, kWheelName}) files.push_back(StrCat(folder, name));
  }
  for (const std::string& site : sites) files.push_back(StrCat(site, kWheelFolder, kWheelName));
  files.emplace_back(kSystemFile);
  for (const std::string& site : sites) {
    for (std::string_view name : kScipyNames) {
      for (std::string& file : backend::FindMatches(StrCat(site, kScipyFolder), name)) {
        files.push_back(std::move(file));
      }
    }
  }
  return files;
}

bool IsScipysOwn(std::string_view file) {
  return file.substr(0, file.rfind('/')).ends_with(kScipyFolder) &&
         file.find('/') != std::string_view::npos;
}

}  // namespace plinth::cpu::library
