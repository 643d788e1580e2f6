#include "core/lanes/simd_lanes.h"  // before the transforms: they call its functions

#include "forces/mesh/cpu/padded_convolution.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "core/parallel_for.h"
#include "core/vector_bytes.h"
#include "forces/mesh/cpu/padded_lines.h"

namespace dropmd {

namespace {

using Lane = Pack<double>;
using Value = ComplexLane<Lane>;
constexpr std::size_t kLanes = Lane::size();

std::size_t blocks_of(std::size_t n) { return (n + kLanes - 1) / kLanes; }

Value load(const double* from) { return {{from, stdx::element_aligned}, {from + kLanes, stdx::element_aligned}}; }
void store(const Value& value, double* to) {
  value.re.copy_to(to, stdx::element_aligned);
  value.im.copy_to(to + kLanes, stdx::element_aligned);
}

/// Exchanges rows and columns.
template <class Pack>
void transpose(std::array<Pack, kLanes>& rows) {
#if defined(__AVX__)
  if constexpr (Pack::size() == 4) {
    const auto a = static_cast<__m256d>(rows[0]), b = static_cast<__m256d>(rows[1]), c = static_cast<__m256d>(rows[2]),
               d = static_cast<__m256d>(rows[3]);
    const __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b),
                  cd_even = _mm256_unpacklo_pd(c, d), cd_odd = _mm256_unpackhi_pd(c, d);
    rows = {Pack(_mm256_permute2f128_pd(ab_even, cd_even, 0x20)), Pack(_mm256_permute2f128_pd(ab_odd, cd_odd, 0x20)),
            Pack(_mm256_permute2f128_pd(ab_even, cd_even, 0x31)), Pack(_mm256_permute2f128_pd(ab_odd, cd_odd, 0x31))};
    return;
  }
#endif
  alignas(64) double values[kLanes][kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) rows[i].copy_to(values[i], stdx::vector_aligned);
  for (std::size_t k = 0; k < kLanes; ++k) rows[k] = Pack([&](std::size_t i) { return values[i][k]; });
}

/// Packs of as many lines as there are lanes.
struct Square {
  std::array<Lane, kLanes> re, im;

  Value operator[](std::size_t i) const { return {re[i], im[i]}; }
  void set(std::size_t i, const Value& value) { re[i] = value.re, im[i] = value.im; }
  /// Exchanges lines and lanes.
  void transpose() { dropmd::transpose(re), dropmd::transpose(im); }
};

/// A wave number along z: its place in PaddedLines::Spectrum. Those without a place fill the last pack.
struct Column {
  int odd = 0;
  std::size_t k = 0;
  bool is_wave = false;
};

/// Conjugate partners in the transform of two real lines as one complex one: wave numbers that add up to 0 or N.
std::size_t partner(int odd, std::size_t k, std::size_t half) { return odd != 0 ? half - 1 - k : (half - k) % half; }

}  // namespace

struct PaddedConvolution::Lines {
  PaddedLines<Lane> x, y, z;
  std::vector<Column> columns;  ///< the wave numbers 0 to N_z/2 − 1, and then N_z − 1 to N_z/2, each in whole packs

  Lines(const std::array<std::size_t, 3>& n, const std::array<std::size_t, 3>& length)
      : x(n[0], length[0]), y(n[1], length[1]), z(n[2], length[2]) {
    const std::size_t half = length[2] / 2, padded = blocks_of(half) * kLanes;
    columns.resize(2 * padded);
    for (std::size_t c = 0; c < half; ++c) {
      columns[c] = {static_cast<int>(c % 2), c / 2, true};
      const std::size_t wave = length[2] - 1 - c;
      columns[padded + c] = {static_cast<int>(wave % 2), wave / 2, true};
    }
  }
  /// Packs of columns.
  std::size_t blocks() const { return columns.size() / kLanes; }
  /// Returns where the influence function for a pack begins; along z it is stored for wave numbers 0 to N_z/2.
  std::size_t first_influence(std::size_t block) const {
    return block < blocks() / 2 ? block * kLanes : (block - blocks() / 2) * kLanes + 1;
  }
};

/// The memory of a thread.
struct PaddedConvolution::Workspace {
  PaddedLines<Lane>::Buffers buffers;
  std::vector<Value> line;   ///< [packs along z · lanes] along z, with lanes along y
  std::size_t rows;          ///< packs along y · lanes
  std::vector<Value> plane;  ///< [packs of columns][rows] with lanes along the wave numbers of z

  Workspace(const std::array<std::size_t, 3>& n, const std::array<std::size_t, 3>& length, const Lines& lines)
      : buffers(*std::max_element(length.begin(), length.end()) / 2),
        line(blocks_of(n[2]) * kLanes),
        rows(blocks_of(n[1]) * kLanes),
        plane(lines.blocks() * rows) {}
};

PaddedConvolution::PaddedConvolution(const MeshBox& box, InfluenceFunction influence)
    : row_(row(box)), influence_(std::move(influence.value)) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    points_[axis] = static_cast<std::size_t>(box.points[axis]);
    length_[axis] = static_cast<std::size_t>(influence.length[axis]);
  }
  lines_ = std::make_unique<Lines>(points_, length_);
  along_x_.resize(block_at(points_[1], 0, 0));
  // The inverse transforms are not normalised, and the transforms of two real lines are twice as large.
  const double scale =
      0.5 / (static_cast<double>(length_[0]) * static_cast<double>(length_[1]) * static_cast<double>(length_[2]));
  for (double& value : influence_) value *= scale;
  influence_.reserve(influence_.size() + kLanes);  // no more
  influence_.resize(influence_.size() + kLanes);   // the last pack of a line reads beyond it
}

PaddedConvolution::~PaddedConvolution() = default;

std::size_t PaddedConvolution::row(const MeshBox& box) {
  return (blocks_of(static_cast<std::size_t>(box.points[2])) + 1) * kLanes;
}

std::size_t PaddedConvolution::bytes() const {
  std::size_t bytes = bytes_of(influence_) + sizeof(double) * along_x_.capacity();
  for (const auto& work : work_) bytes += sizeof(Value) * (work->plane.capacity() + work->line.capacity());
  return bytes;
}

std::size_t PaddedConvolution::block_at(std::size_t y, std::size_t wave, std::size_t block) const {
  return ((y * (length_[0] / 2 + 1) + wave) * blocks_of(points_[2]) + block) * 2 * kLanes;
}

void PaddedConvolution::transform_along_x(std::size_t y, std::span<const double> values, Workspace& work) {
  const std::size_t blocks = blocks_of(points_[2]), half = length_[0] / 2;
  // Two packs of real lines are the real and the imaginary parts of one pack of complex lines.
  for (std::size_t block = 0; block < blocks; block += 2) {
    const bool two = block + 1 < blocks;
    const auto spectrum = lines_->x.forward(work.buffers, [&](std::size_t x) -> Value {
      const double* const from = &values[(x * points_[1] + y) * row_ + block * kLanes];
      return {{from, stdx::element_aligned}, two ? Lane(from + kLanes, stdx::element_aligned) : Lane(0.0)};
    });
    for (std::size_t wave = 0; wave <= half; ++wave) {
      const auto odd = static_cast<int>(wave % 2);
      const std::size_t k = wave / 2;
      const Value a = spectrum[odd][k], b = spectrum[odd][partner(odd, k, half)];
      store(Value{a.re + b.re, a.im - b.im}, &along_x_[block_at(y, wave, block)]);
      if (two) store(Value{a.im + b.im, b.re - a.re}, &along_x_[block_at(y, wave, block + 1)]);
    }
  }
}

void PaddedConvolution::return_along_x(std::size_t y, std::span<double> values, Workspace& work) const {
  const std::size_t blocks = blocks_of(points_[2]), half = length_[0] / 2;
  for (std::size_t block = 0; block < blocks; block += 2) {
    const bool two = block + 1 < blocks;
    const auto spectrum = work.buffers.spectrum();
    for (std::size_t wave = 0; wave <= half; ++wave) {
      const auto odd = static_cast<int>(wave % 2);
      const std::size_t k = wave / 2;
      const Value a = load(&along_x_[block_at(y, wave, block)]),
                  b = two ? load(&along_x_[block_at(y, wave, block + 1)]) : Value{};
      spectrum[odd][partner(odd, k, half)] = swapped(Value{a.re + b.im, b.re - a.im});
      spectrum[odd][k] = swapped(Value{a.re - b.im, a.im + b.re});
    }
    lines_->x.inverse(work.buffers, spectrum, [&](std::size_t x, const Value& value) {
      double* const to = &values[(x * points_[1] + y) * row_ + block * kLanes];
      value.re.copy_to(to, stdx::element_aligned);
      if (two) value.im.copy_to(to + kLanes, stdx::element_aligned);
    });
  }
}

void PaddedConvolution::transform_along_z(std::size_t first_y, std::size_t wave, Workspace& work) const {
  Square square;
  for (std::size_t block = 0; block < blocks_of(points_[2]); ++block) {
    for (std::size_t i = 0; i < kLanes; ++i)
      square.set(i, first_y + i < points_[1] ? load(&along_x_[block_at(first_y + i, wave, block)]) : Value{});
    square.transpose();
    for (std::size_t i = 0; i < kLanes; ++i) work.line[block * kLanes + i] = square[i];
  }
  const auto spectrum = lines_->z.forward(work.buffers, [&](std::size_t z) -> const Value& { return work.line[z]; });
  for (std::size_t block = 0; block < lines_->blocks(); ++block) {
    const Column* const columns = &lines_->columns[block * kLanes];
    for (std::size_t i = 0; i < kLanes; ++i)
      square.set(i, columns[i].is_wave ? spectrum[columns[i].odd][columns[i].k] : Value{});
    square.transpose();
    for (std::size_t i = 0; i < kLanes; ++i) work.plane[block * work.rows + first_y + i] = square[i];
  }
}

void PaddedConvolution::return_along_z(std::size_t first_y, std::size_t wave, Workspace& work) {
  Square square;
  const auto spectrum = work.buffers.spectrum();
  for (std::size_t block = 0; block < lines_->blocks(); ++block) {
    const Column* const columns = &lines_->columns[block * kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) square.set(i, work.plane[block * work.rows + first_y + i]);
    square.transpose();
    for (std::size_t i = 0; i < kLanes; ++i)
      if (columns[i].is_wave) spectrum[columns[i].odd][columns[i].k] = swapped(square[i]);
  }
  lines_->z.inverse(work.buffers, spectrum, [&](std::size_t z, const Value& value) { work.line[z] = value; });
  for (std::size_t block = 0; block < blocks_of(points_[2]); ++block) {
    for (std::size_t i = 0; i < kLanes; ++i) square.set(i, work.line[block * kLanes + i]);
    square.transpose();
    for (std::size_t i = 0; i < kLanes && first_y + i < points_[1]; ++i)
      store(square[i], &along_x_[block_at(first_y + i, wave, block)]);
  }
}

void PaddedConvolution::convolve_along_y(std::size_t block, std::size_t wave, Workspace& work) const {
  const std::size_t half = length_[1] / 2, waves_z = length_[2] / 2 + 1;
  Value* const line = &work.plane[block * work.rows];
  const auto spectrum = lines_->y.forward(work.buffers, [&](std::size_t y) -> const Value& { return line[y]; });
  const double* const influence = &influence_[wave * (half + 1) * waves_z + lines_->first_influence(block)];
  for (int odd = 0; odd < 2; ++odd)
    for (std::size_t k = 0; k < half; ++k) {
      const std::size_t number = 2 * k + static_cast<std::size_t>(odd);
      const Lane factor(influence + std::min(number, length_[1] - number) * waves_z, stdx::element_aligned);
      Value& value = spectrum[odd][k];
      value = swapped(Value{factor * value.re, factor * value.im});
    }
  lines_->y.inverse(work.buffers, spectrum, [&](std::size_t y, const Value& value) { line[y] = value; });
}

void PaddedConvolution::convolve_plane(std::size_t wave, Workspace& work) {
  for (std::size_t y = 0; y < work.rows; y += kLanes) transform_along_z(y, wave, work);
  for (std::size_t block = 0; block < lines_->blocks(); ++block) convolve_along_y(block, wave, work);
  for (std::size_t y = 0; y < work.rows; y += kLanes) return_along_z(y, wave, work);
}

void PaddedConvolution::apply(Cpu cpu, std::span<double> values) {
  while (work_.size() < static_cast<std::size_t>(std::max(1, cpu.threads)))
    work_.push_back(std::make_unique<Workspace>(points_, length_, *lines_));
  const auto for_all = [&](std::size_t n, const auto& body) {
    std::atomic<std::size_t> users{0};
    parallel_for_with(
        cpu, n, 1, [&] { return work_[users.fetch_add(1, std::memory_order_relaxed)].get(); },
        [&](Workspace* work, std::size_t i) { body(i, *work); });
  };
  for_all(points_[1], [&](std::size_t y, Workspace& work) { transform_along_x(y, values, work); });
  for_all(length_[0] / 2 + 1, [&](std::size_t wave, Workspace& work) { convolve_plane(wave, work); });
  for_all(points_[1], [&](std::size_t y, Workspace& work) { return_along_x(y, values, work); });
}

}  // namespace dropmd
