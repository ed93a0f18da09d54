// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ROW_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ROW_CODE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference_plugin/cpu/emit/row.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

// The phases over reduced points of a kernel whose rows lie along the lanes (softmax, layer norm),
// as one function for the rows of a tile: nobody walks through their tiles phase by phase.
namespace plinth::cpu::kernels {

class RowCode {
 public:
  // What the function reads and writes: an address that a form gives, the value of a form that is
  // none, or a place in the frame or the row buffers, which may be that of the first lane of a
  // tile's.
  struct Pointer {
    enum class Base : uint8_t { kForm, kNumber, kFrame, kLanes, kRows };
    Base base = Base::kForm;
    int64_t number = 0;  // of the form; else the offset
    friend bool operator==(const Pointer&, const Pointer&) = default;
  };
  static constexpr size_t kMostPointers = 16;
  struct Pointers {
    std::array<std::byte*, kMostPointers> slots;
    std::array<int32_t, kMostPointers> numbers;  // to which some of them point
  };

  // The function's description, and its slots; nothing where a row is more than that can say.
  // `past_cache`: what the last phase writes is written so.
  static std::optional<RowCode> Describe(const TileProgram& program, bool past_cache = false);

  // Of the row buffers that the program's code needs, if its rows are not cut.
  static int64_t RowBufferBytes(const TileProgram& program);

  const emit::Row& row() const { return row_; }
  void set_function(emit::RowFunction function) { function_ = function; }

  // The pointers that are the same for all rows.
  void SetFixed(std::byte* frame, std::byte* rows, Pointers* pointers) const;
  // So many rows, a tile of the parallel space, whose forms have these values at its first lane.
  void Run(const TileSpace& parallel, const int64_t* values, int64_t lanes, std::byte* frame,
           Pointers* pointers) const;

 private:
  friend class RowDescriber;

  emit::Row row_;
  bool is_one_call_ = true;        // runs all rows of a tile: the forms are linear, or in groups
  std::vector<Pointer> pointers_;  // by slot of the row
  emit::RowFunction function_ = nullptr;
};

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ROW_CODE_H_
