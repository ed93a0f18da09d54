// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_PIECE_FINDER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_PIECE_FINDER_H_

#include <cstddef>
#include <vector>

#include "reference_plugin/cpu/emit/piece.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

// Which instructions of a phase become pieces of machine code. A piece reads and writes elements
// where they lie in memory, if it knows their form and nobody else needs them in that of tiles; so
// it does what all lanes have.
namespace plinth::cpu::kernels {

// Instructions [begin, end) of the phase; one, if they are no piece.
struct PhaseUnit {
  size_t begin = 0, end = 0;
  bool is_piece = false;
  emit::Piece piece;
};

struct PhasePieces {
  std::vector<PhaseUnit> units;
  // What no piece does.
  std::vector<LoadStep> loads;
  std::vector<IotaStep> iotas;
  std::vector<StoreStep> stores;
  // Slots that pieces read or write, which are to be set to the addresses of their forms.
  std::vector<DirectTarget> memories;
};

// `past_cache`: outputs that nobody reads here are written so.
PhasePieces FindPieces(const TileProgram& program, const PhaseProgram& phase,
                       bool past_cache = false);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_PIECE_FINDER_H_
