#include "forces/force_sums.cuh"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "device/device_info.h"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "tests/support/plain_model.h"

namespace dropmd {
namespace {

/// Adds term[t] to the atom at index t % n_atoms.
template <class Real>
__global__ void add_terms_kernel(ForceSumsView<Real> sums, const Vec3<Real>* term, int n_terms, std::uint32_t n_atoms) {
  for (int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); t < n_terms;
       t += static_cast<int>(gridDim.x * blockDim.x))
    sums.add(static_cast<std::uint32_t>(t) % n_atoms, term[t]);
}

template <class Real>
class ForceSumsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }

  struct Result {
    std::vector<Vec3<double>> force;
    std::optional<DeviceFault> fault;
    double quantum;
    int scale;
  };
  /// Sums the terms at the model's coarsest scale, or at the scale that fits.
  static Result added(const std::vector<Vec3<Real>>& term, std::uint32_t n_atoms, bool fitting = false) {
    const Stream stream(0);
    const Cuda cuda{stream};
    ForceSums<Real> sums(stream, plain_model(), std::vector<double>(n_atoms));
    DeviceBuffer<Vec3<Real>> d_term(stream);
    d_term.upload(term);
    const auto add = [&](const ForceSumsView<Real>& to) {
      add_terms_kernel<<<8, 96, 0, stream.get()>>>(to, d_term.data(), static_cast<int>(term.size()), n_atoms);
      DROPMD_CUDA_LAUNCHED("adding terms");
    };
    if (fitting)
      sums.add_in_fitting_scale(cuda, add);
    else
      add(sums.view());
    return {sums.download(cuda, n_atoms), sums.errors().read(), sums.view().quantum, sums.scale()};
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ForceSumsTest, Reals);

/// Terms of very different sizes that nearly cancel: integer sums lose nothing but the quantum of each term.
TYPED_TEST(ForceSumsTest, AddSmallAndHugeTermsToTheQuantum) {
  constexpr std::uint32_t kAtoms = 130;
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Vec3<TypeParam>> term;
  std::vector<Vec3<long double>> expected(kAtoms);
  for (int t = 0; t < 5000; ++t) {
    const double size = std::pow(10.0, 6 * uniform(random));  // some are beyond kPlain quanta
    const Vec3<TypeParam> f{static_cast<TypeParam>(size * uniform(random)),
                            static_cast<TypeParam>(size * uniform(random)),
                            static_cast<TypeParam>(size * uniform(random))};
    term.push_back(f);
    auto& sum = expected[static_cast<std::size_t>(t) % kAtoms];
    sum.x += f.x, sum.y += f.y, sum.z += f.z;
  }
  const auto result = this->added(term, kAtoms);
  EXPECT_FALSE(result.fault);
  // Half a quantum per term and 39 terms per atom, plus fp64 rounding of the result.
  const double quantum = result.quantum;
  for (std::uint32_t i = 0; i < kAtoms; ++i) {
    const auto bound = [&](long double sum) { return 39 * quantum + 4e-16 * std::abs(static_cast<double>(sum)); };
    EXPECT_NEAR(result.force[i].x, static_cast<double>(expected[i].x), bound(expected[i].x));
    EXPECT_NEAR(result.force[i].y, static_cast<double>(expected[i].y), bound(expected[i].y));
    EXPECT_NEAR(result.force[i].z, static_cast<double>(expected[i].z), bound(expected[i].z));
  }
}

/// For terms of any size down to a millionth of the contact force, the sums are as accurate relative to the terms.
TYPED_TEST(ForceSumsTest, TheScaleFollowsTheTerms) {
  constexpr std::uint32_t kAtoms = 200;
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double size : {1e-5, 1e-3, 0.1, 10.0}) {
    SCOPED_TRACE(size);
    std::vector<Vec3<TypeParam>> term;
    std::vector<Vec3<long double>> expected(kAtoms);
    for (std::uint32_t t = 0; t < 16 * kAtoms; ++t) {
      const Vec3<TypeParam> f{static_cast<TypeParam>(size * uniform(random)),
                              static_cast<TypeParam>(size * uniform(random)),
                              static_cast<TypeParam>(size * uniform(random))};
      term.push_back(f);
      auto& sum = expected[t % kAtoms];
      sum.x += f.x, sum.y += f.y, sum.z += f.z;
    }
    const auto result = this->added(term, kAtoms, /*fitting=*/true);
    // Sixteen terms of mean square `size`² add up to 4 `size`; the scale is within a factor of two of that.
    EXPECT_NEAR(result.scale, std::log2(4 * size), 1);
    for (std::uint32_t i = 0; i < kAtoms; ++i) {
      const double bound = 16 * std::ldexp(4 * size, 1 - FixedPoint<TypeParam>::kQuantumBits);
      ASSERT_NEAR(result.force[i].x, static_cast<double>(expected[i].x), bound);
      ASSERT_NEAR(result.force[i].z, static_cast<double>(expected[i].z), bound);
    }
  }
}

TYPED_TEST(ForceSumsTest, WithoutForcesTheScaleIsTheFinest) {
  const auto result = this->added(std::vector<Vec3<TypeParam>>(100), 100, /*fitting=*/true);
  EXPECT_EQ(result.scale, ForceScaleRange::of(plain_model(), std::vector<double>(100)).finest);
  EXPECT_EQ(result.force[50], Vec3<double>{});
}

TYPED_TEST(ForceSumsTest, ReportWhatTheyCannotHold) {
  const auto nan = std::numeric_limits<TypeParam>::quiet_NaN(), inf = std::numeric_limits<TypeParam>::infinity();
  const auto huge = static_cast<TypeParam>(1e30);
  for (const TypeParam wrong : {nan, inf, -inf, huge, -huge})
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<Vec3<TypeParam>> term(100, {1, 2, 3});
      (axis == 0 ? term[70].x : axis == 1 ? term[70].y : term[70].z) = wrong;
      const auto result = this->added(term, 100);
      ASSERT_TRUE(result.fault) << wrong << " along " << axis;
      EXPECT_EQ(result.fault->code, static_cast<std::uint8_t>(ForceFault::not_finite));
      EXPECT_EQ(result.fault->index, 70);
      EXPECT_NEAR(result.force[69].y, 2, 1e-9);
    }
}

}  // namespace
}  // namespace dropmd
