// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/line_fft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

namespace plinth::cpu::library {
namespace {

// exp(2 pi i k / length) as (cos, sin) to more digits than a double has, from two small tables.
class Roots {
 public:
  explicit Roots(int64_t length) : length_(length) {
    while (block_ * block_ < length) block_ *= 2;
    fine_.resize(std::min(block_, length));
    coarse_.resize(length / block_ + 1);
    for (size_t i = 0; i < fine_.size(); ++i) fine_[i] = Exact(static_cast<int64_t>(i));
    for (size_t i = 0; i < coarse_.size(); ++i) {
      coarse_[i] = Exact(static_cast<int64_t>(i) * block_);
    }
  }

  std::pair<long double, long double> operator()(int64_t k) const {
    const auto [c, s] = coarse_[static_cast<size_t>(k / block_)];
    const auto [c2, s2] = fine_[static_cast<size_t>(k % block_)];
    return {c * c2 - s * s2, c * s2 + s * c2};
  }

 private:
  using Root = std::pair<long double, long double>;

  // Reduced to an eighth of the circle, where the functions lose nothing.
  Root Exact(int64_t k) const {
    const int64_t eighths = 8 * (k % length_);
    const int octant = static_cast<int>(eighths / length_);
    int64_t rest = eighths - octant * length_;
    if (octant % 2 == 1) rest = length_ - rest;
    const long double angle = 0.78539816339744830961566L * static_cast<long double>(rest) /
                              static_cast<long double>(length_);
    long double c = std::cos(angle), s = std::sin(angle);
    if (octant == 1 || octant == 2 || octant == 5 || octant == 6) std::swap(c, s);
    if (octant >= 2 && octant <= 5) c = -c;
    if (octant >= 4) s = -s;
    return {c, s};
  }

  int64_t length_, block_ = 1;
  std::vector<Root> fine_, coarse_;
};

template <typename T>
std::unique_ptr<T[]> NewTable(int64_t size) {
  return std::unique_ptr<T[]>(new (std::nothrow)
                                  T[static_cast<size_t>(std::max<int64_t>(size, 1))]);
}

Status NoMemory(int64_t length) {
  return ResourceExhausted("the system gave no memory for the tables of a transform of length ",
                           length);
}

// Large radices first: the vectors of later stages are longer anyway. Two fours are better than an
// eight and a two: each stage is a pass over the data.
std::vector<int> Factors(int64_t length) {
  std::vector<int> factors;
  int64_t twos = 1;
  while (length % (2 * twos) == 0) twos *= 2;
  int fours = 0;
  if (std::countr_zero(static_cast<uint64_t>(twos)) % 3 == 1 && twos >= 16) {
    fours = 2;
    length /= 16;
  }
  for (int radix : {8, 4, 2, 3, 5, 7}) {
    for (; length % radix == 0; length /= radix) factors.push_back(radix);
    if (radix == 8) factors.insert(factors.end(), fours, 4);
  }
  for (int64_t prime = 11; prime * prime <= length; prime += 2) {
    for (; length % prime == 0; length /= prime) factors.push_back(static_cast<int>(prime));
  }
  if (length > 1) factors.push_back(static_cast<int>(length));
  return factors;
}

bool HasOnlySmallFactors(int64_t length) {
  const std::vector<int> factors = Factors(length);
  return std::all_of(factors.begin(), factors.end(), [](int f) { return f <= kMaxFftPrime; });
}

// The smallest product of 2, 3 and 5 that is no less than `least` and a multiple of 64.
int64_t ConvolutionLength(int64_t least) {
  int64_t best = 64;
  while (best < least) best *= 2;
  for (int64_t fives = 64; fives < best; fives *= 5) {
    for (int64_t threes = fives; threes < best; threes *= 3) {
      int64_t length = threes;
      while (length < least) length *= 2;
      best = std::min(best, length);
    }
  }
  return best;
}

template <typename T>
int LineLanes(int64_t length) {
  for (int lanes = FftKernelsFor<T>().lanes; lanes >= 4; lanes /= 2) {
    if (length % lanes == 0 && length >= lanes * lanes) return lanes;
  }
  return 1;
}

}  // namespace

template <typename T>
std::unique_ptr<T[]> MakeRootTable(int64_t length, int64_t count, int64_t step) {
  auto table = NewTable<T>(2 * count);
  if (table == nullptr) return table;
  const Roots roots(length);
  for (int64_t k = 0; k < count; ++k) {
    const auto [c, s] = roots(k * step % length);
    table[k] = static_cast<T>(c);
    table[count + k] = static_cast<T>(s);
  }
  return table;
}

template <typename T>
bool LineFft<T>::IsGoodLine(int64_t length) {
  return !HasOnlySmallFactors(length) || LineLanes<T>(length) > 1;
}

template <typename T>
bool LineFft<T>::FillsVectors(int64_t length) {
  return !HasOnlySmallFactors(length) || LineLanes<T>(length) == FftKernelsFor<T>().lanes;
}

template <typename T>
Expected<std::unique_ptr<LineFft<T>>> LineFft<T>::Make(int64_t length, int64_t s) {
  if (length > kMaxFftLength) {
    return ResourceExhausted("a transform of length ", length, "; at most ", kMaxFftLength,
                             " is supported");
  }
  std::unique_ptr<LineFft> made(new LineFft(length, s));
  if (!HasOnlySmallFactors(length)) {
    PLINTH_RETURN_IF_ERROR(made->MakeBluestein());
    return made;
  }
  if (s == 1) made->line_lanes_ = LineLanes<T>(length);
  const int64_t lanes = made->line_lanes_;
  PLINTH_RETURN_IF_ERROR(made->MakeStages(length / lanes));
  if (lanes > 1) {
    const int64_t m = length / lanes;
    auto table = NewTable<T>(2 * (lanes - 1) * m);
    if (table == nullptr) return NoMemory(length);
    const Roots roots(length);
    for (int64_t l = 1; l < lanes; ++l) {
      for (int64_t k = 0; k < m; ++k) {
        const auto [c, w] = roots(l * k);
        table[(l - 1) * m + k] = static_cast<T>(c);
        table[(lanes - 1 + l - 1) * m + k] = static_cast<T>(w);
      }
    }
    made->combine_ = table.get();
    made->tables_.push_back(std::move(table));
  }
  return made;
}

template <typename T>
Status LineFft<T>::MakeStages(int64_t length) {
  const Roots roots(length);
  int64_t step = 1;  // whole length / length that enters the stage
  for (int radix : Factors(length)) {
    const int64_t rest = length / step / radix;
    auto table = NewTable<T>(rest * (radix - 1) * 2);
    auto small = NewTable<T>(2 * radix);
    if (table == nullptr || small == nullptr) return NoMemory(length);
    T* out = table.get();
    for (int64_t p = 0; p < rest; ++p) {
      for (int64_t j = 1; j < radix; ++j) {
        const auto [c, w] = roots(p * j * step);
        *out++ = static_cast<T>(c);
        *out++ = static_cast<T>(w);
      }
    }
    const Roots small_roots(radix);
    for (int j = 0; j < radix; ++j) {
      const auto [c, w] = small_roots(j);
      small[2 * j] = static_cast<T>(c);
      small[2 * j + 1] = static_cast<T>(w);
    }
    stages_.push_back({radix, rest, table.get(), small.get()});
    tables_.push_back(std::move(table));
    tables_.push_back(std::move(small));
    step *= radix;
  }
  return Status();
}

template <typename T>
Status LineFft<T>::MakeBluestein() {
  work_length_ = ConvolutionLength(2 * length_ - 1);
  PLINTH_ASSIGN_OR_RETURN(convolution_, Make(work_length_, s_));
  auto chirp = NewTable<T>(2 * length_);
  auto spectrum = NewTable<T>(4 * work_length_);
  if (chirp == nullptr || spectrum == nullptr) return NoMemory(length_);
  std::unique_ptr<LineFft> single;
  const LineFft* line = convolution_.get();
  if (s_ != 1) {
    PLINTH_ASSIGN_OR_RETURN(single, Make(work_length_, 1));
    line = single.get();
  }
  // The angle of k^2 / (2 length) turns, k^2 reduced exactly.
  const Roots roots(2 * length_);
  std::fill_n(spectrum.get(), 2 * work_length_, static_cast<T>(0));
  const long double scale = 1 / static_cast<long double>(work_length_);
  int64_t square = 0;
  for (int64_t k = 0; k < length_; ++k) {
    const auto [c, w] = roots(square);
    chirp[k] = static_cast<T>(c);
    chirp[length_ + k] = static_cast<T>(-w);
    for (int64_t at : {k, (work_length_ - k) % work_length_}) {
      spectrum[at] = static_cast<T>(c * scale);
      spectrum[work_length_ + at] = static_cast<T>(w * scale);
    }
    square = (square + 2 * k + 1) % (2 * length_);
  }
  T* planes_at = spectrum.get();
  FftPlanes<T> planes{planes_at, planes_at + work_length_, planes_at + 2 * work_length_,
                      planes_at + 3 * work_length_};
  line->Run(planes);
  if (planes.re != planes_at) {
    std::memcpy(planes_at, planes.re, sizeof(T) * 2 * static_cast<size_t>(work_length_));
  }
  chirp_ = chirp.get();
  spectrum_ = spectrum.get();
  tables_.push_back(std::move(chirp));
  tables_.push_back(std::move(spectrum));
  return Status();
}

template <typename T>
void LineFft<T>::Run(FftPlanes<T>& planes, const FftRows<T>* from, const FftRows<T>* to) const {
  const FftKernels<T>& kernels = FftKernelsFor<T>();
  auto exchange = [&planes] {
    std::swap(planes.re, planes.other_re);
    std::swap(planes.im, planes.other_im);
  };
  if (convolution_ != nullptr) {
    kernels.multiply(length_, s_, chirp_, chirp_ + length_, planes.re, planes.im);
    const int64_t end = length_ * s_, size = work_length_ * s_;
    std::fill(planes.re + end, planes.re + size, static_cast<T>(0));
    std::fill(planes.im + end, planes.im + size, static_cast<T>(0));
    convolution_->Run(planes);
    kernels.multiply(work_length_, s_, spectrum_, spectrum_ + work_length_, planes.re, planes.im);
    FftPlanes<T> inverse{planes.im, planes.re, planes.other_im, planes.other_re};
    convolution_->Run(inverse);
    planes = {inverse.im, inverse.re, inverse.other_im, inverse.other_re};
    kernels.multiply(length_, s_, chirp_, chirp_ + length_, planes.re, planes.im);
    return;
  }
  int64_t s = s_ == 1 ? line_lanes_ : s_;
  for (const FftStage<T>& stage : stages_) {
    if (from != nullptr && &stage == &stages_.front()) {
      kernels.first_stage(stage, *from, planes);
    } else if (to != nullptr && &stage == &stages_.back()) {
      kernels.last_stage(stage.radix, length_, *to, planes);
    } else {
      kernels.stage(stage, s, planes);
    }
    exchange();
    s *= stage.radix;
  }
  if (line_lanes_ > 1) {
    kernels.combine(line_lanes_, length_ / line_lanes_, combine_, planes);
    exchange();
  }
}

template <typename T>
std::unique_ptr<T[]> MakeTurns(int64_t length, int64_t count, int64_t step, int64_t rows,
                               int64_t columns) {
  const int64_t size = rows * columns;
  auto table = NewTable<T>(2 * count * size);
  if (table == nullptr) return table;
  const Roots roots(length);
  T* to = table.get();
  for (int64_t i = 0; i < count; ++i, to += 2 * size) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const auto [x, y] = roots((i * step + c) * r % length);
        to[r * columns + c] = static_cast<T>(x);
        to[size + r * columns + c] = static_cast<T>(-y);
      }
    }
  }
  return table;
}

template class LineFft<float>;
template class LineFft<double>;
template std::unique_ptr<float[]> MakeRootTable<float>(int64_t, int64_t, int64_t);
template std::unique_ptr<double[]> MakeRootTable<double>(int64_t, int64_t, int64_t);
template std::unique_ptr<float[]> MakeTurns<float>(int64_t, int64_t, int64_t, int64_t, int64_t);
template std::unique_ptr<double[]> MakeTurns<double>(int64_t, int64_t, int64_t, int64_t, int64_t);

}  // namespace plinth::cpu::library
