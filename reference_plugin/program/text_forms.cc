// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/text_forms.h"

#include <array>

namespace plinth::program {
namespace {

constexpr std::array<std::string_view, kNumOps> kForms = {
#include "reference_plugin/ops/text_forms.inc"
};

}  // namespace

std::string_view TextForm(Op op) { return kForms[static_cast<size_t>(op)]; }

}  // namespace plinth::program
