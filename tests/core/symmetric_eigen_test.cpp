#include "core/symmetric_eigen.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "tests/core/symmetric_matrices.h"

namespace dropmd {
namespace {

/// Relative to the largest eigenvalue: 15 rotations (5 sweeps), each with 6 roundings of 2⁻⁵³ in an element. Measured:
/// 2e-15.
constexpr double kRounding = 1e-14;

double largest(const double (&value)[3]) {
  return std::max({std::abs(value[0]), std::abs(value[1]), std::abs(value[2])});
}

/// The largest element of |V D Vᵀ − A|, in long double.
double reconstruction_error(const SymmetricEigen& eigen, const SymmetricMatrix& a) {
  const double wanted[3][3] = {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
  long double error = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      long double sum = 0;
      for (int k = 0; k < 3; ++k) {
        const Vec3<double>& v = eigen.axis[k];
        const long double component[3] = {v.x, v.y, v.z};
        sum += eigen.value[k] * component[i] * component[j];
      }
      error = std::max(error, std::abs(sum - wanted[i][j]));
    }
  return static_cast<double>(error);
}

TEST(SymmetricEigen, FindsKnownEigenvaluesAndReconstructsTheMatrix) {
  const std::vector<KnownMatrix> all = known_matrices();
  ASSERT_GT(all.size(), 5000U);
  for (const KnownMatrix& known : all) {
    SymmetricEigen eigen = symmetric_eigen(known.matrix);
    const double size = largest(known.value);
    SCOPED_TRACE(testing::Message() << known.value[0] << ' ' << known.value[1] << ' ' << known.value[2]);
    ASSERT_LE(reconstruction_error(eigen, known.matrix), kRounding * size);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) ASSERT_NEAR(dot(eigen.axis[i], eigen.axis[j]), i == j ? 1 : 0, kRounding);
    std::sort(eigen.value, eigen.value + 3);
    for (int k = 0; k < 3; ++k) ASSERT_NEAR(eigen.value[k], known.value[k], kRounding * size);
  }
}

TEST(SymmetricEigen, AgreesWithTridiagonalQr) {
  for (const KnownMatrix& known : known_matrices()) {
    const SymmetricMatrix& a = known.matrix;
    Eigen::Matrix3d matrix;
    matrix << a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> qr(matrix, Eigen::EigenvaluesOnly);
    SymmetricEigen eigen = symmetric_eigen(a);
    std::sort(eigen.value, eigen.value + 3);
    for (int k = 0; k < 3; ++k) ASSERT_NEAR(eigen.value[k], qr.eigenvalues()[k], kRounding * largest(known.value));
  }
}

TEST(SymmetricEigen, DiagonalMatricesStayAsTheyAre) {
  for (const double scale : {5e-324, 1e-310, 1e-200, 1.0, 1e200, 1e306})
    for (const Vec3<double> d : {Vec3<double>{0, 0, 0}, {1, 1, 1}, {3, -2, 1}, {0, 4, 0}}) {
      const SymmetricEigen eigen = symmetric_eigen({scale * d.x, 0, 0, scale * d.y, 0, scale * d.z});
      EXPECT_EQ(eigen.value[0], scale * d.x);
      EXPECT_EQ(eigen.value[1], scale * d.y);
      EXPECT_EQ(eigen.value[2], scale * d.z);
      EXPECT_EQ(eigen.axis[0], (Vec3<double>{1, 0, 0}));
      EXPECT_EQ(eigen.axis[1], (Vec3<double>{0, 1, 0}));
      EXPECT_EQ(eigen.axis[2], (Vec3<double>{0, 0, 1}));
    }
}

/// Each off-diagonal element alone: the eigenvalues are ±1 and 0, the axes are at 45°.
TEST(SymmetricEigen, TurnsEveryPlane) {
  for (const SymmetricMatrix& a : {SymmetricMatrix{0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 1, 0}}) {
    SymmetricEigen eigen = symmetric_eigen(a);
    EXPECT_LE(reconstruction_error(eigen, a), kRounding);
    std::sort(eigen.value, eigen.value + 3);
    EXPECT_NEAR(eigen.value[0], -1, kRounding);
    EXPECT_EQ(eigen.value[1], 0);
    EXPECT_NEAR(eigen.value[2], 1, kRounding);
  }
}

TEST(SymmetricEigen, EndsWithNanWhereSomethingIsNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity})
    for (double SymmetricMatrix::*element : {&SymmetricMatrix::xx, &SymmetricMatrix::xy, &SymmetricMatrix::xz,
                                             &SymmetricMatrix::yy, &SymmetricMatrix::yz, &SymmetricMatrix::zz}) {
      SymmetricMatrix a{3, 1, -1, 2, 0.5, 1};
      a.*element = bad;
      for (const double value : symmetric_eigen(a).value) EXPECT_TRUE(std::isnan(value));
    }
}

}  // namespace
}  // namespace dropmd
