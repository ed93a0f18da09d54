#include "reference_plugin/cpu/library/operand_map.h"

#include <algorithm>

namespace plinth::cpu {
namespace {

// An index into a list of dimensions as one number per dimension.
class Odometer {
 public:
  Odometer(const std::vector<MapDim>& dims, int64_t index) : dims_(dims), digits_(dims.size()) {
    for (size_t d = dims.size(); d-- > 0;) {
      digits_[d] = index % dims[d].size;
      index /= dims[d].size;
    }
    for (size_t d = 0; d < dims.size(); ++d) Add(dims[d], digits_[d]);
  }
  void Next() {
    for (size_t d = dims_.size(); d-- > 0;) {
      Add(dims_[d], 1);
      if (++digits_[d] < dims_[d].size) return;
      Add(dims_[d], -digits_[d]);
      digits_[d] = 0;
    }
  }
  int64_t position() const { return position_; }
  int64_t coordinate(size_t window) const { return coordinates_[window]; }

 private:
  void Add(const MapDim& dim, int64_t count) {
    if (dim.window >= 0) {
      coordinates_[dim.window] += count * dim.step;
    } else {
      position_ += count * dim.stride;
    }
  }
  const std::vector<MapDim>& dims_;
  SmallVector<int64_t, 8> digits_;
  int64_t position_ = 0;
  int64_t coordinates_[kMaxMapWindows] = {};
};

// The smallest and the largest coordinate of a window.
std::pair<int64_t, int64_t> Range(const OperandMap& map, int window) {
  int64_t low = map.windows[window].low, high = low;
  for (const std::vector<MapDim>* dims : {&map.outer, &map.inner}) {
    for (const MapDim& dim : *dims) {
      if (dim.window != window) continue;
      const int64_t reach = (dim.size - 1) * dim.step;
      (reach < 0 ? low : high) += reach;
    }
  }
  return {low, high};
}

void ReplaceWindow(OperandMap& map, int window) {
  const MapWindow& replaced = map.windows[window];
  map.offset += replaced.low * replaced.stride;
  for (std::vector<MapDim>* dims : {&map.outer, &map.inner}) {
    for (MapDim& dim : *dims) {
      if (dim.window == window) {
        dim = {dim.size, dim.step * replaced.stride, -1, 0};
      } else if (dim.window > window) {
        --dim.window;
      }
    }
  }
  map.windows.erase(map.windows.begin() + window);
}

}  // namespace

void MergeDims(std::vector<MapDim>& dims) {
  std::vector<MapDim> merged;
  for (const MapDim& dim : dims) {
    if (dim.size == 1) continue;
    if (!merged.empty() && merged.back().window < 0 && dim.window < 0 &&
        merged.back().stride == dim.size * dim.stride) {
      merged.back() = {merged.back().size * dim.size, dim.stride, -1, 0};
    } else {
      merged.push_back(dim);
    }
  }
  dims = std::move(merged);
}

int64_t NumElements(const std::vector<MapDim>& dims) {
  int64_t count = 1;
  for (const MapDim& dim : dims) count *= dim.size;
  return count;
}

void OperandMap::Simplify() {
  for (int window = static_cast<int>(windows.size()); window-- > 0;) {
    const auto [low, high] = Range(*this, window);
    if (windows[window].dilation == 1 && low >= 0 && high < windows[window].extent) {
      ReplaceWindow(*this, window);
    }
  }
  MergeDims(outer);
  MergeDims(inner);
  if (!inner.empty() && inner.back().window < 0) {
    run_length = inner.back().size;
    run_stride = inner.back().stride;
    inner.pop_back();
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

void PackBlock(const OperandMap& map, GemmKernels::Pack pack, const std::byte* data,
               int64_t outer_first, int64_t outer_count, int64_t inner_first, int64_t inner_count,
               int width, int64_t element_bytes, std::byte* panels) {
  const int64_t size = ByteSize(map.dtype);
  const size_t num_windows = map.windows.size();
  int64_t positions[kMaxTileColumns];
  int64_t coordinates[kMaxMapWindows][kMaxTileColumns];
  const void* rows[kMaxTileColumns];
  Odometer outer(map.outer, outer_first);
  const Odometer first_run(map.inner, inner_first / map.run_length);
  for (int64_t done = 0; done < outer_count; done += width) {
    const int count = static_cast<int>(std::min<int64_t>(width, outer_count - done));
    for (int i = 0; i < count; ++i, outer.Next()) {
      positions[i] = map.offset + outer.position();
      for (size_t w = 0; w < num_windows; ++w) {
        coordinates[w][i] = map.windows[w].low + outer.coordinate(w);
      }
    }
    Odometer run = first_run;
    int64_t skip = inner_first % map.run_length;
    for (int64_t k = 0; k < inner_count;) {
      const int64_t length = std::min(map.run_length - skip, inner_count - k);
      const int64_t shift = run.position() + skip * map.run_stride;
      if (num_windows == 0) {
        for (int i = 0; i < count; ++i) rows[i] = data + (positions[i] + shift) * size;
      } else {
        for (int i = 0; i < count; ++i) {
          int64_t position = positions[i] + shift;
          bool inside = true;
          for (size_t w = 0; w < num_windows; ++w) {
            const MapWindow& window = map.windows[w];
            int64_t coordinate = coordinates[w][i] + run.coordinate(w);
            inside &= static_cast<uint64_t>(coordinate) < static_cast<uint64_t>(window.extent);
            if (window.dilation != 1) {
              inside &= coordinate % window.dilation == 0;
              coordinate /= window.dilation;
            }
            position += coordinate * window.stride;
          }
          rows[i] = inside ? data + position * size : nullptr;
        }
      }
      pack(rows, count, width, length, map.run_stride, panels + k * width * element_bytes);
      k += length;
      skip = 0;
      run.Next();
    }
    panels += inner_count * width * element_bytes;
  }
}

}  // namespace plinth::cpu
