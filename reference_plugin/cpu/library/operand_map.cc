// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/operand_map.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace plinth::cpu::library {

Odometer::Odometer(const std::vector<MapDim>& dims, int64_t index)
    : dims_(&dims), digits_(dims.size()) {
  for (size_t d = dims.size(); d-- > 0;) {
    digits_[d] = index % dims[d].size;
    index /= dims[d].size;
  }
  for (size_t d = 0; d < dims.size(); ++d) Add(dims[d], digits_[d]);
}

void Odometer::Next() {
  for (size_t d = dims_->size(); d-- > 0;) {
    const MapDim& dim = (*dims_)[d];
    Add(dim, 1);
    if (++digits_[d] < dim.size) return;
    Add(dim, -digits_[d]);
    digits_[d] = 0;
  }
}

void FillPositions(const std::vector<MapDim>& dims, int64_t first, int64_t count,
                   int64_t* positions) {
  if (dims.empty()) {
    std::fill_n(positions, count, 0);
  } else if (dims.size() == 1) {
    for (int64_t i = 0; i < count; ++i) positions[i] = (first + i) * dims[0].stride;
  } else {
    Odometer odometer(dims, first);
    for (int64_t i = 0; i < count; ++i, odometer.Next()) positions[i] = odometer.position();
  }
}

namespace {

// The outer positions of one panel. `positions` include the windows' parts as if every coordinate
// were inside, which holds as long as no window is dilated.
struct Panel {
  int count = 0;
  int64_t positions[kMaxTileColumns];
  int64_t coordinates[kMaxMapWindows][kMaxTileColumns];
  int64_t low[kMaxMapWindows], high[kMaxMapWindows];

  void Fill(const OperandMap& map, Odometer& outer) {
    for (size_t w = 0; w < map.windows.size(); ++w) {
      low[w] = std::numeric_limits<int64_t>::max();
      high[w] = std::numeric_limits<int64_t>::min();
    }
    for (int i = 0; i < count; ++i, outer.Next()) {
      positions[i] = map.offset + outer.position();
      for (size_t w = 0; w < map.windows.size(); ++w) {
        const int64_t at = map.windows[w].low + outer.coordinate(w);
        coordinates[w][i] = at;
        low[w] = std::min(low[w], at);
        high[w] = std::max(high[w], at);
        if (map.windows[w].dilation == 1) positions[i] += at * map.windows[w].stride;
      }
    }
  }

  // Whether the whole panel is inside window `w` at this step.
  bool Inside(const OperandMap& map, size_t w, int64_t step) const {
    return low[w] + step >= 0 && high[w] + step < map.windows[w].extent;
  }
};

// Addresses of the panel's elements at one run; null outside of the array.
void FindRows(const OperandMap& map, const Panel& panel, const Odometer& run, int64_t shift,
              const std::byte* data, const void** rows) {
  const int64_t size = ByteSize(map.dtype);
  bool inside = true;
  for (size_t w = 0; w < map.windows.size(); ++w) {
    const MapWindow& window = map.windows[w];
    if (window.dilation == 1) shift += run.coordinate(w) * window.stride;
    inside &= window.dilation == 1 && panel.Inside(map, w, run.coordinate(w));
  }
  const std::byte* first = data + shift * size;
  if (inside) {
    for (int i = 0; i < panel.count; ++i) rows[i] = first + panel.positions[i] * size;
    return;
  }
  for (int i = 0; i < panel.count; ++i) {
    int64_t position = panel.positions[i];
    bool exists = true;
    for (size_t w = 0; w < map.windows.size(); ++w) {
      const MapWindow& window = map.windows[w];
      const int64_t coordinate = panel.coordinates[w][i] + run.coordinate(w);
      exists &= static_cast<uint64_t>(coordinate) < static_cast<uint64_t>(window.extent);
      if (window.dilation != 1) {
        exists &= coordinate % window.dilation == 0;
        position += coordinate / window.dilation * window.stride;
      }
    }
    rows[i] = exists ? first + position * size : nullptr;
  }
}

// A matrix whose outer elements are neighbours: some steps of all panels before the next steps.
// Panel by panel, a line of the cache would be fetched for each panel that has a part of it, and a
// row, which may be a page away from the next, as often.
void PackNeighbourPanels(const OperandMap& map, GemmKernels::Pack pack, const std::byte* data,
                         int64_t outer_first, int64_t outer_count, int64_t inner_first,
                         int64_t inner_count, int width, int64_t element_bytes, int64_t panel_bytes,
                         std::byte* panels) {
  constexpr int64_t kSteps = 16;  // an even number, see GemmKernels::step_unit
  const int64_t size = ByteSize(map.dtype);
  const void* rows[kMaxTileColumns];
  for (int64_t k = 0; k < inner_count; k += kSteps) {
    const std::byte* from =
        data + (map.offset + outer_first + (inner_first + k) * map.run_stride) * size;
    std::byte* to = panels + k * width * element_bytes;
    for (int64_t done = 0; done < outer_count; done += width, to += panel_bytes) {
      const int count = static_cast<int>(std::min<int64_t>(width, outer_count - done));
      for (int i = 0; i < count; ++i, from += size) rows[i] = from;
      pack(rows, count, width, std::min(kSteps, inner_count - k), map.run_stride, to);
    }
  }
}

}  // namespace

void PackBlock(const OperandMap& map, GemmKernels::Pack pack, const std::byte* data,
               int64_t outer_first, int64_t outer_count, int64_t inner_first, int64_t inner_count,
               int width, int64_t element_bytes, int64_t step_unit, std::byte* panels) {
  const int64_t panel_bytes =
      (inner_count + step_unit - 1) / step_unit * step_unit * width * element_bytes;
  if (map.IsPlain() && map.inner.empty() && map.outer.size() == 1 && map.outer[0].stride == 1) {
    return PackNeighbourPanels(map, pack, data, outer_first, outer_count, inner_first, inner_count,
                               width, element_bytes, panel_bytes, panels);
  }
  Panel panel;
  const void* rows[kMaxTileColumns];
  Odometer outer(map.outer, outer_first);
  const Odometer first_run(map.inner, inner_first / map.run_length);
  // Where steps of the last window continue the run (neighbouring pixels with all their features),
  // panels inside the array take several at once.
  int joined = -1;
  if (!map.inner.empty() && map.inner.back().window >= 0) {
    const MapDim& last = map.inner.back();
    const MapWindow& window = map.windows[last.window];
    if (window.dilation == 1 &&
        (map.run_length == 1 || last.step * window.stride == map.run_length * map.run_stride)) {
      joined = last.window;
    }
  }
  for (int64_t done = 0; done < outer_count; done += width) {
    panel.count = static_cast<int>(std::min<int64_t>(width, outer_count - done));
    panel.Fill(map, outer);
    Odometer run = first_run;
    int64_t skip = inner_first % map.run_length;
    for (int64_t k = 0; k < inner_count;) {
      int64_t runs = 1;
      if (joined >= 0) {
        const int64_t step = map.inner.back().step;
        const int64_t left = map.inner.back().size - run.last_digit();
        const int64_t at = run.coordinate(joined);
        if (panel.Inside(map, joined, at) && panel.Inside(map, joined, at + (left - 1) * step)) {
          runs = left;
        }
      }
      const int64_t length = std::min(runs * map.run_length - skip, inner_count - k);
      FindRows(map, panel, run, run.position() + skip * map.run_stride, data, rows);
      // A run of one step has no stride of its own.
      const int64_t stride = map.run_length == 1 && runs > 1
                                 ? map.inner.back().step * map.windows[joined].stride
                                 : map.run_stride;
      pack(rows, panel.count, width, length, stride, panels + k * width * element_bytes);
      k += length;
      skip = 0;
      for (int64_t i = 0; i < runs; ++i) run.Next();
    }
    panels += panel_bytes;
  }
}

void RowTerms::Cursor::Add(const MapDim& dim, int64_t count) {
  if (dim.window >= 0) {
    coordinates[dim.window] += count * dim.step;
    position += count * dim.step * map->windows[dim.window].stride;
  } else {
    position += count * dim.stride;
  }
}

void RowTerms::Cursor::Next() {
  position += map->run_stride;
  if (++in_run < map->run_length) return;
  position -= in_run * map->run_stride;
  in_run = 0;
  for (size_t d = digits.size(); d-- > 0;) {
    const MapDim& dim = map->inner[d];
    Add(dim, 1);
    if (++digits[d] < dim.size) return;
    Add(dim, -digits[d]);
    digits[d] = 0;
  }
}

RowTerms::RowTerms(const OperandMap& a, const OperandMap& b, int64_t row)
    : outer_(a.outer, row), a_{&a, {}}, b_{&b, {}} {
  for (size_t w = 0; w < a.windows.size(); ++w) low_[w] = high_[w] = 0;
  for (const MapDim& dim : a.inner) {
    if (dim.window < 0) continue;
    const int64_t reach = (dim.size - 1) * dim.step;
    (reach < 0 ? low_ : high_)[dim.window] += reach;
  }
}

bool RowTerms::RowIsInside() const {
  bool inside = true;
  for (size_t w = 0; w < a_.map->windows.size(); ++w) {
    const MapWindow& window = a_.map->windows[w];
    const int64_t at = window.low + outer_.coordinate(w);
    inside &= at + low_[w] >= 0 && at + high_[w] < window.extent;
  }
  return inside;
}

int64_t RowTerms::row_position() const {
  int64_t position = a_.map->offset + outer_.position();
  for (size_t w = 0; w < a_.map->windows.size(); ++w) {
    const MapWindow& window = a_.map->windows[w];
    position += (window.low + outer_.coordinate(w)) * window.stride;
  }
  return position;
}

void RowTerms::StartRow() {
  a_ = {a_.map, SmallVector<int64_t, 8>(a_.map->inner.size())};
  b_ = {b_.map, SmallVector<int64_t, 8>(b_.map->inner.size())};
  a_.position = row_position();
  for (size_t w = 0; w < a_.map->windows.size(); ++w) {
    a_.coordinates[w] = a_.map->windows[w].low + outer_.coordinate(w);
  }
  b_.position = b_.map->offset;
}

void RowTerms::ListInner(int64_t count, int64_t* a_positions, int64_t* b_positions) {
  StartRow();
  a_.position = 0;
  for (int64_t i = 0; i < count; ++i) {
    a_positions[i] = a_.position;
    b_positions[i] = b_.position;
    a_.Next();
    b_.Next();
  }
}

int64_t RowTerms::List(int64_t count, int64_t* a_positions, int64_t* b_positions) {
  int64_t listed = 0;
  const size_t num_windows = a_.map->windows.size();
  for (int64_t i = 0; i < count; ++i) {
    bool inside = true;
    for (size_t w = 0; w < num_windows; ++w) {
      inside &= static_cast<uint64_t>(a_.coordinates[w]) <
                static_cast<uint64_t>(a_.map->windows[w].extent);
    }
    a_positions[listed] = a_.position;
    b_positions[listed] = b_.position;
    listed += inside;
    a_.Next();
    b_.Next();
  }
  return listed;
}

}  // namespace plinth::cpu::library
