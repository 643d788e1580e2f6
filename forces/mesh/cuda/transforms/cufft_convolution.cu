#include "forces/mesh/cuda/transforms/cufft_convolution.cuh"

#include <algorithm>
#include <vector>

#include "forces/mesh/cuda/charge_scale.h"
#include "forces/mesh/cuda/transforms/cufft_plan.cuh"

namespace dropmd {

namespace {

/// Blocks have rows of z by warps.
struct RowTuning {
  static constexpr std::uint32_t kLanes = 32, kRows = 8;
};

template <class Real>
using Complex = typename Cufft<Real>::Complex;

template <class Real>
Complex<Real>* as_complex(const DeviceBuffer<Real>& buffer) {
  return reinterpret_cast<Complex<Real>*>(buffer.data());
}

/// Multiplies row (x, y) of a spectrum, all z, by the influence function, which is even along every axis.
template <class Complex, class Real>
__device__ void multiply_row(Complex* spectrum, const Real* influence, int3 length, std::uint32_t row) {
  const int x = static_cast<int>(row) / length.y, y = static_cast<int>(row) % length.y, waves = length.z / 2 + 1;
  const int mirrored_x = min(x, length.x - x), mirrored_y = min(y, length.y - y);
  Complex* const to = spectrum + std::size_t{row} * waves;
  const Real* const factor =
      influence + (static_cast<std::size_t>(mirrored_x) * (length.y / 2 + 1) + mirrored_y) * waves;
  for (int z = static_cast<int>(threadIdx.x); z < waves; z += RowTuning::kLanes) {
    const Real by = factor[z];
    Complex value = to[z];
    value.x *= by;
    value.y *= by;
    to[z] = value;
  }
}

template <class Complex, class Real>
__global__ void multiply_kernel(Complex* spectrum, const Real* influence, int3 length) {
  const std::uint32_t row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row < static_cast<std::uint32_t>(length.x) * static_cast<std::uint32_t>(length.y))
    multiply_row(spectrum, influence, length, row);
}

/// Replaces the sums of charges at the points of a row (x, y) of the box by their values.
template <class Real>
__device__ void row_to_real(const MeshValues<Real>& values, const MeshCharges<Real>& charges, std::uint32_t row) {
  using Integer = typename MeshInteger<Real>::Type;
  static_assert(sizeof(Integer) == sizeof(Real));
  constexpr auto kMost = Integer{1} << MeshInteger<Real>::kRangeBits;
  const auto& points = values.points;
  Real* const value =
      values.value + values.index(static_cast<int>(row) / points[1], static_cast<int>(row) % points[1], 0);
  for (int z = static_cast<int>(threadIdx.x); z < points[2]; z += RowTuning::kLanes) {
    const Integer sum = reinterpret_cast<const Integer*>(value)[z];
    if (sum >= kMost || sum <= -kMost)
      charges.errors.report(static_cast<std::uint8_t>(MeshFault::too_much_charge),
                            static_cast<std::int64_t>(row) * points[2] + z);
    value[z] = static_cast<Real>(sum) * charges.unit;
  }
}

template <class Real>
__global__ void to_real_kernel(MeshValues<Real> values, MeshCharges<Real> charges) {
  const std::uint32_t row = blockIdx.x * blockDim.y + threadIdx.y;
  if (charges.wanted != nullptr && *charges.wanted == 0) return;
  if (row < static_cast<std::uint32_t>(values.points[0]) * static_cast<std::uint32_t>(values.points[1]))
    row_to_real(values, charges, row);
}

/// The numbers of values of the buffers.
struct Sizes {
  std::size_t planes, spectrum, influence;

  Sizes(const std::array<int, 3>& points, const std::array<int, 3>& length) {
    const auto wide = [](int n) { return static_cast<std::size_t>(n); };
    const std::size_t waves = wide(length[2] / 2 + 1);
    planes = wide(points[0]) * wide(length[1]) * wide(length[2]);
    spectrum = 2 * wide(length[0]) * wide(length[1]) * waves;
    influence = wide(length[0] / 2 + 1) * wide(length[1] / 2 + 1) * waves;
  }
};

}  // namespace

template <class Real>
struct CufftConvolution<Real>::Plans {
  CufftPlan planes, lines, planes_back;

  Plans(const std::array<int, 3>& points, const std::array<int, 3>& length)
      : planes(plane(length), real_planes(length), complex_planes(length), Cufft<Real>::kForward, points[0]),
        lines({length[0]}, complex_lines(length), complex_lines(length), Cufft<Real>::kComplex,
              complex_planes(length).distance),
        planes_back(plane(length), complex_planes(length), real_planes(length), Cufft<Real>::kBackward, points[0]) {}

  static std::vector<long long> plane(const std::array<int, 3>& n) { return {n[1], n[2]}; }
  static CufftPlan::Layout real_planes(const std::array<int, 3>& n) {
    return {{n[1], n[2]}, 1, static_cast<long long>(n[1]) * n[2]};
  }
  static CufftPlan::Layout complex_planes(const std::array<int, 3>& n) {
    return {{n[1], n[2] / 2 + 1}, 1, static_cast<long long>(n[1]) * (n[2] / 2 + 1)};
  }
  static CufftPlan::Layout complex_lines(const std::array<int, 3>& n) {
    return {{n[0]}, complex_planes(n).distance, 1};
  }
};

template <class Real>
CufftConvolution<Real>::CufftConvolution(const Cuda& cuda, const std::array<int, 3>& points,
                                         const InfluenceFunction& influence)
    : points_(points),
      length_(influence.length),
      d_values_(cuda.stream),
      d_planes_(cuda.stream),
      d_spectrum_(cuda.stream),
      d_influence_(cuda.stream),
      d_workspace_(cuda.stream),
      plans_(std::make_unique<Plans>(points, influence.length)) {
  const Sizes sizes(points, influence.length);
  d_values_.fit(sizes.planes);
  d_planes_.fit(sizes.spectrum);
  d_spectrum_.fit(sizes.spectrum);
  // All plans run one after another and share the workspace.
  d_workspace_.fit(std::max({plans_->planes.workspace(), plans_->lines.workspace(), plans_->planes_back.workspace()}));
  for (const CufftPlan* const plan : {&plans_->planes, &plans_->lines, &plans_->planes_back})
    plan->set_workspace(d_workspace_.data());

  // The inverse transforms are not normalised.
  const double scale = 1 / (static_cast<double>(influence.length[0]) * influence.length[1] * influence.length[2]);
  std::vector<Real> scaled(influence.value.size());
  std::transform(influence.value.begin(), influence.value.end(), scaled.begin(),
                 [&](double value) { return static_cast<Real>(scale * value); });
  d_influence_.upload(scaled);

  // The first convolution loads the kernels, which a capture should not have to do.
  d_values_.zero();
  d_planes_.zero();
  run(cuda, {});
  cuda.stream.synchronize("preparing the transforms of a mesh");
}

template <class Real>
CufftConvolution<Real>::~CufftConvolution() = default;

template <class Real>
void CufftConvolution<Real>::run(const Cuda& cuda, const MeshCharges<Real>& charges) const {
  constexpr const char* kDoing = "transforming a mesh";
  using Names = Cufft<Real>;
  const auto& length = length_;
  const dim3 threads(RowTuning::kLanes, RowTuning::kRows);
  const auto blocks_for = [&](int along_x, int along_y) {
    return (static_cast<std::uint32_t>(along_x) * static_cast<std::uint32_t>(along_y) + threads.y - 1) / threads.y;
  };
  to_real_kernel<<<blocks_for(points_[0], points_[1]), threads, 0, cuda.get()>>>(values(), charges);
  DROPMD_CUDA_LAUNCHED("converting the charges on a mesh");
  check_cufft(Names::forward(plans_->planes.on(cuda), d_values_.data(), as_complex(d_planes_)), kDoing);
  // Out of place, so that the planes outside of the box remain zero.
  check_cufft(Names::complex(plans_->lines.on(cuda), as_complex(d_planes_), as_complex(d_spectrum_), CUFFT_FORWARD),
              kDoing);
  multiply_kernel<<<blocks_for(length[0], length[1]), threads, 0, cuda.get()>>>(
      as_complex(d_spectrum_), static_cast<const Real*>(d_influence_.data()), int3{length[0], length[1], length[2]});
  DROPMD_CUDA_LAUNCHED("multiplying by the influence function");
  check_cufft(Names::complex(plans_->lines.on(cuda), as_complex(d_spectrum_), as_complex(d_spectrum_), CUFFT_INVERSE),
              kDoing);
  check_cufft(Names::backward(plans_->planes_back.on(cuda), as_complex(d_spectrum_), d_values_.data()), kDoing);
}

template <class Real>
MeshTransformBytes CufftConvolution<Real>::bytes() const {
  MeshTransformBytes all;
  all.values = sizeof(Real) * d_values_.size();
  all.spectra = sizeof(Real) * (d_planes_.size() + d_spectrum_.size());
  all.influence = sizeof(Real) * d_influence_.size();
  all.workspace = d_workspace_.size();
  return all;
}

template <class Real>
MeshTransformBytes CufftConvolution<Real>::bytes(const std::array<int, 3>& points, const std::array<int, 3>& length) {
  const Sizes sizes(points, length);
  MeshTransformBytes all;
  all.values = sizeof(Real) * sizes.planes;
  all.spectra = 2 * sizeof(Real) * sizes.spectrum;
  all.influence = sizeof(Real) * sizes.influence;
  all.workspace = all.spectra;  // at most, as observed
  return all;
}

template class CufftConvolution<float>;
template class CufftConvolution<double>;

}  // namespace dropmd
