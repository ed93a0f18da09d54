// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_DEVICE_H_
#define PLINTH_REFERENCE_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/status.h"

namespace plinth::compiler::plan {
struct PlanStep;
}

// What a plugin says of a device that runs some steps of programs; the host runs the others.
// Unstable: releases may change it.
namespace plinth::reference {

// Dense and row major. One byte for each element of a type of less.
struct Array {
  DType dtype = DType::kInvalid;
  std::vector<int64_t> dims;
  int64_t size = 0;  // bytes
};

// One op on each element of arrays of one shape: result[i] = op(operands[arguments[0]][i], ...).
struct Elementwise {
  std::vector<size_t> arguments;
};

// c[n][i][j] = sum over k of a[n][i][k] * b[n][k][j], for operands a and b and result c. Strides
// count elements.
struct Matmul {
  struct Strides {
    int64_t batch = 0, row = 0, column = 0;
  };
  int64_t batch = 1, rows = 1, columns = 1, inner = 1;
  Strides a, b, c;
};

// A step of a compiled program: it reads whole arrays and writes whole arrays.
struct Step {
  // The op by StableHLO's name ("add", "dot_general"), or "fusion" for several in one kernel.
  std::string_view op;
  std::vector<std::string_view> ops;  // all of them
  std::string_view place;             // in the user's program; may be empty
  std::vector<Array> operands, results;
  std::optional<Elementwise> elementwise;  // if it is that and nothing else
  std::optional<Matmul> matmul;            // the same
  // Everything that is known of it: reference_plugin/compiler/plan/plan.h.
  const compiler::plan::PlanStep* plan = nullptr;
};

// Memory that the host cannot read. Any thread, also at once.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // At least one byte, aligned for every element type. Freed with the last reference.
  virtual Expected<std::shared_ptr<void>> Allocate(int64_t size) = 0;
  // When they return, the bytes are there.
  virtual Status CopyIn(void* to_device, const void* from_host, int64_t size) = 0;
  virtual Status CopyOut(void* to_host, const void* from_device, int64_t size) = 0;
};

// A device that takes some steps of programs. Any thread calls it, also at once.
class Device {
 public:
  // Runs a step. Pointers are those of the arrays' first elements: in the host's memory, aligned to
  // 16 bytes, or in memory() if that is not null. A result may lie where an operand of its size
  // lies. When it returns, the results are there. Any number of threads may run it at once.
  using Run =
      std::function<Status(std::span<void* const> operands, std::span<void* const> results)>;

  virtual ~Device() = default;

  // Whether the device runs such a step. Goes by what the step does, not by its place.
  virtual bool Takes(const Step& step) const = 0;
  // Called when a program is compiled, for each step that it takes.
  virtual Expected<Run> Prepare(const Step& step) const = 0;
  // Null for a device that works in the host's memory. Else arrays that a step reads are copied
  // there before it runs, and those that it writes are copied back.
  virtual DeviceMemory* memory() const { return nullptr; }
};

}  // namespace plinth::reference

#endif  // PLINTH_REFERENCE_DEVICE_H_
