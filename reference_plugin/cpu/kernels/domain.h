// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_DOMAIN_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_DOMAIN_H_

#include <cstdint>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"

// The domain of a kernel, made as simple as what is computed on it allows.
namespace plinth::cpu::kernels {

using compiler::Dims;

// offset + sum(coefficients[d] * p[d]): the address of an element, the value of an iota or the
// left side of a bound, at the domain point p.
struct LinearForm {
  int64_t offset = 0;
  Dims coefficients;  // of the parallel dimensions, then of the reduced ones
};

// Dimensions of extent 1 are dropped, parallel ones ordered so that memory is walked forwards,
// neighbours merged where every form is linear over both.
struct Domain {
  Dims extents;  // outermost first
  int32_t num_parallel = 0;
  // Inputs (bytes from their buffer's start), then outputs, then bounds and iotas.
  std::vector<LinearForm> forms;
  std::vector<int32_t> first_bound;              // per input: the form of its first bound
  std::vector<std::vector<int32_t>> iota_forms;  // [phase][node], -1 for nodes of other kinds

  int64_t parallel_points = 1;
  int64_t reduced_points = 1;
};

// The form's value, whatever its sign, is at most that.
int64_t LargestMagnitude(const Domain& domain, const LinearForm& form);

// `reorder_reduced`: no reduction of the kernel minds in which order elements are combined.
Domain SimplifyDomain(const compiler::Kernel& kernel, bool reorder_reduced);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_DOMAIN_H_
