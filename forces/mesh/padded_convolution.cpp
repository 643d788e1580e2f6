#include "forces/mesh/padded_convolution.h"

#include <algorithm>
#include <cstddef>
#include <kissfft/kissfft.hh>
#include <utility>

#include "core/parallel_for.h"

namespace dropmd {

namespace {

using Complex = std::complex<double>;

/// Transforms of one length, with the buffers of a thread.
struct LineTransforms {
  explicit LineTransforms(std::size_t length)
      : forward(length, false), inverse(length, true), in(length), out(length), product(length) {}

  kissfft<double> forward, inverse;
  std::vector<Complex> in, out, product;
};

template <class Body>
void for_each_line(Cpu cpu, std::size_t n_lines, std::size_t length, const Body& body) {
  constexpr std::size_t kAtOnce = 8;
  parallel_for_with(
      cpu, n_lines, kAtOnce, [&] { return LineTransforms(length); }, body);
}

/// Transforms two real lines of n values, padded with zeros, as the real and the imaginary part of one; the spectra
/// have length/2 + 1 values each. second may be null.
void forward_pair(LineTransforms& line, const double* first, const double* second, std::size_t n, Complex* first_out,
                  Complex* second_out) {
  const std::size_t length = line.in.size();
  for (std::size_t i = 0; i < n; ++i) line.in[i] = {first[i], second != nullptr ? second[i] : 0};
  std::fill(line.in.begin() + static_cast<std::ptrdiff_t>(n), line.in.end(), Complex{});
  line.forward.transform(line.in.data(), line.out.data());
  for (std::size_t k = 0; k <= length / 2; ++k) {
    const Complex a = line.out[k], b = std::conj(line.out[k == 0 ? 0 : length - k]), odd = 0.5 * (a - b);
    first_out[k] = 0.5 * (a + b);
    if (second != nullptr) second_out[k] = {odd.imag(), -odd.real()};
  }
}

/// The inverse of forward_pair(), of which the first n values are stored.
void inverse_pair(LineTransforms& line, const Complex* first, const Complex* second, std::size_t n, double* first_out,
                  double* second_out) {
  const std::size_t length = line.in.size();
  for (std::size_t k = 0; k <= length / 2; ++k) {
    const Complex a = first[k], b = second != nullptr ? second[k] : Complex{};
    line.in[k] = {a.real() - b.imag(), a.imag() + b.real()};
    if (k > 0 && k < length - k) line.in[length - k] = {a.real() + b.imag(), b.real() - a.imag()};
  }
  line.inverse.transform(line.in.data(), line.out.data());
  for (std::size_t i = 0; i < n; ++i) {
    first_out[i] = line.out[i].real();
    if (second != nullptr) second_out[i] = line.out[i].imag();
  }
}

}  // namespace

PaddedConvolution::PaddedConvolution(const MeshBox& box, InfluenceFunction influence)
    : influence_(std::move(influence)) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    points_[axis] = static_cast<std::size_t>(box.points[axis]);
    length_[axis] = static_cast<std::size_t>(influence_.length[axis]);
  }
  const std::size_t n_waves = length_[2] / 2 + 1;
  along_z_.resize(points_[0] * points_[1] * n_waves);
  along_yz_.resize(length_[1] * n_waves * points_[0]);
  // The inverse transforms are without a factor.
  const double scale =
      1 / (static_cast<double>(length_[0]) * static_cast<double>(length_[1]) * static_cast<double>(length_[2]));
  for (double& value : influence_.value) value *= scale;
}

std::size_t PaddedConvolution::bytes() const {
  return sizeof(double) * influence_.value.size() + sizeof(Complex) * (along_z_.size() + along_yz_.size());
}

void PaddedConvolution::apply(Cpu cpu, std::span<double> values) {
  const auto [nx, ny, nz] = points_;
  const auto [length_x, length_y, length_z] = length_;
  const std::size_t n_waves = length_z / 2 + 1, n_lines = nx * ny;

  for_each_line(cpu, (n_lines + 1) / 2, length_z, [&, nz = nz](LineTransforms& line, std::size_t pair) {
    const std::size_t a = 2 * pair, b = a + 1;
    const bool two = b < n_lines;
    forward_pair(line, &values[a * nz], two ? &values[b * nz] : nullptr, nz, &along_z_[a * n_waves],
                 two ? &along_z_[b * n_waves] : nullptr);
  });
  for_each_line(cpu, nx * n_waves, length_y, [&, nx = nx, ny = ny](LineTransforms& line, std::size_t index) {
    const std::size_t x = index / n_waves, z = index % n_waves;
    std::fill(line.in.begin(), line.in.end(), Complex{});
    for (std::size_t y = 0; y < ny; ++y) line.in[y] = along_z_[(x * ny + y) * n_waves + z];
    line.forward.transform(line.in.data(), line.out.data());
    for (std::size_t y = 0; y < line.out.size(); ++y) along_yz_[(y * n_waves + z) * nx + x] = line.out[y];
  });
  for_each_line(cpu, length_y * n_waves, length_x,
                [&, nx = nx, length_x = length_x, length_y = length_y](LineTransforms& line, std::size_t index) {
                  const std::size_t y = index / n_waves, z = index % n_waves;
                  Complex* const in_memory = &along_yz_[index * nx];
                  std::copy_n(in_memory, nx, line.in.begin());
                  std::fill(line.in.begin() + static_cast<std::ptrdiff_t>(nx), line.in.end(), Complex{});
                  line.forward.transform(line.in.data(), line.out.data());
                  const std::size_t column = std::min(y, length_y - y) * n_waves + z,
                                    stride = (length_y / 2 + 1) * n_waves;
                  for (std::size_t x = 0; x < length_x; ++x)
                    line.product[x] = influence_.value[std::min(x, length_x - x) * stride + column] * line.out[x];
                  line.inverse.transform(line.product.data(), line.out.data());
                  std::copy_n(line.out.begin(), nx, in_memory);
                });
  for_each_line(cpu, nx * n_waves, length_y, [&, nx = nx, ny = ny](LineTransforms& line, std::size_t index) {
    const std::size_t x = index / n_waves, z = index % n_waves;
    for (std::size_t y = 0; y < line.in.size(); ++y) line.in[y] = along_yz_[(y * n_waves + z) * nx + x];
    line.inverse.transform(line.in.data(), line.out.data());
    for (std::size_t y = 0; y < ny; ++y) along_z_[(x * ny + y) * n_waves + z] = line.out[y];
  });
  for_each_line(cpu, (n_lines + 1) / 2, length_z, [&, nz = nz](LineTransforms& line, std::size_t pair) {
    const std::size_t a = 2 * pair, b = a + 1;
    const bool two = b < n_lines;
    inverse_pair(line, &along_z_[a * n_waves], two ? &along_z_[b * n_waves] : nullptr, nz, &values[a * nz],
                 two ? &values[b * nz] : nullptr);
  });
}

}  // namespace dropmd
