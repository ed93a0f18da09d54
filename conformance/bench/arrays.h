// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_BENCH_ARRAYS_H_
#define PLINTH_CONFORMANCE_BENCH_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/status.h"

// The arguments of stored programs. A program's file says of each argument what it is like, since
// the arrays themselves would be gigabytes.
namespace plinth::bench {

// One argument: "TYPE:DIMS:KIND:NUMBER..." (store_programs.py writes them), as
// f32:1024x8:normal:0:1.
struct ArraySpec {
  DType dtype = DType::kInvalid;
  std::vector<int64_t> dims;
  std::string kind;
  std::vector<double> numbers;

  int64_t num_elements() const;
  int64_t num_bytes() const;
};

// INVALID_ARGUMENT that says what is wrong with `text`.
Expected<ArraySpec> ParseArraySpec(std::string_view text);

struct FreeBytes {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using Bytes = std::unique_ptr<std::byte[], FreeBytes>;

// The elements, dense and row-major, aligned to 64 bytes: the same for the same spec and seed on
// any machine. Kinds and their numbers:
//   values V...            the elements themselves, at most 16
//   constant V             all the same
//   uniform LOW HIGH       integers: HIGH is one of them
//   normal MEAN DEVIATION  roughly; complex numbers: both parts
//   sorted MEAN DEVIATION  the same, ascending
//   distinct COUNT         the first of a permutation of 0 to COUNT - 1
//   spd DIAGONAL DEVIATION symmetric matrices: one number on the diagonal, roughly normal beside it
//   lower DIAGONAL DEVIATION the same, zero above the diagonal
Expected<Bytes> MakeArray(const ArraySpec& spec, uint64_t seed);

// A stored program and its arguments.
struct StoredProgram {
  std::string name;  // of the bench's case: "ew/chain1_64KB"
  std::string file;  // beside the list
  std::vector<ArraySpec> arguments;
};

// The list "NAME FILE ARGUMENT..." line by line; '#' begins a comment. Errors name the line.
Expected<std::vector<StoredProgram>> ParseProgramList(std::string_view text);

}  // namespace plinth::bench

#endif  // PLINTH_CONFORMANCE_BENCH_ARRAYS_H_
