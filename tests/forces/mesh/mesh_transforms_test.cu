#include "forces/mesh/cuda/transforms/mesh_transforms.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "device/device_info.h"
#include "device/graph.cuh"
#include "device/memory_use.h"
#include "forces/mesh/cpu/padded_convolution.h"
#include "forces/mesh/cuda/charge_scale.h"
#include "forces/mesh/mesh_box.h"

namespace dropmd {
namespace {

/// Bounds for the RMS error in units of the RMS value, and for the largest error in units of the largest value. Those
/// for single precision are 1.5 times the largest of what was measured against cuFFT in double precision, on one NVIDIA
/// H200 for cubes with N = 200 to 512: 5.4e-7 and 7.4e-7 with cuFFT, 1.09e-6 and 1.49e-6 with VkFFT, most of which
/// comes from the fast sine and cosine of the GPU. Those for double precision are 9 and 23 rounding errors.
struct ByCufftInSingle {
  using Real = float;
  static constexpr TransformLibrary kLibrary = TransformLibrary::cufft;
  static constexpr double kMostRms = 8e-7, kMost = 1.1e-6;
};
struct ByCufftInDouble {
  using Real = double;
  static constexpr TransformLibrary kLibrary = TransformLibrary::cufft;
  static constexpr double kMostRms = 2e-15, kMost = 5e-15;
};
struct ByVkfftInSingle {
  using Real = float;
  static constexpr TransformLibrary kLibrary = TransformLibrary::vkfft;
  static constexpr double kMostRms = 1.6e-6, kMost = 2.2e-6;
};

using Points = std::array<int, 3>;

/// Returns a function that is even along every axis by its layout and gives all wave vectors some weight.
InfluenceFunction influence_for(const Points& points) {
  InfluenceFunction influence;
  for (std::size_t axis = 0; axis < 3; ++axis) influence.length[axis] = fast_length(2 * points[axis] - 1);
  const auto& n = influence.length;
  const auto square = [](int k, int length) { return std::pow(static_cast<double>(k) / length, 2); };
  for (int x = 0; x <= n[0] / 2; ++x)
    for (int y = 0; y <= n[1] / 2; ++y)
      for (int z = 0; z <= n[2] / 2; ++z)
        influence.value.push_back(1 / (0.02 + square(x, n[0]) + square(y, n[1]) + 1.5 * square(z, n[2])));
  return influence;
}

std::vector<double> random_values(const Points& points) {
  std::vector<double> value(static_cast<std::size_t>(points[0]) * points[1] * points[2]);
  std::mt19937 random(5);
  std::uniform_int_distribution<int> any(-(1 << 24), 1 << 24);  // exact in both precisions
  for (double& v : value) v = 0x1p-24 * any(random);
  return value;
}

/// Replaces the values of a box, [n_x][n_y][n_z].
void convolve_on_host(const Points& points, std::vector<double>& value) {
  const MeshBox box{1, points, {}};
  const auto n_z = static_cast<std::size_t>(points[2]);
  const std::size_t row = PaddedConvolution::row(box), n_rows = value.size() / n_z;
  std::vector<double> rows(n_rows * row);
  for (std::size_t k = 0; k < n_rows; ++k) std::copy_n(&value[k * n_z], n_z, &rows[k * row]);
  PaddedConvolution(box, influence_for(points)).apply({1}, rows);
  for (std::size_t k = 0; k < n_rows; ++k) std::copy_n(&rows[k * row], n_z, &value[k * n_z]);
}

template <class Method>
class MeshTransformsTest : public testing::Test {
 protected:
  using Real = typename Method::Real;
  using Transforms = MeshTransforms<Real>;

  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    if (const std::string problem = transform_problem(Method::kLibrary); !problem.empty()) GTEST_SKIP() << problem;
  }

  static Transforms transforms(const Cuda& cuda, const Points& points) {
    return {cuda, points, influence_for(points), Method::kLibrary};
  }

  /// Puts the values into the box as integers and, around them, zeros or what must not matter.
  static void put(const Stream& stream, const MeshValues<Real>& to, const std::vector<double>& value) {
    using Integer = typename MeshInteger<Real>::Type;
    std::vector<Integer> all(to.size(), std::numeric_limits<Integer>::max());
    for (int x = 0; x < to.points[0]; ++x)
      for (int y = 0; y < to.rows_read; ++y) std::fill_n(&all[to.index(x, y, 0)], to.values_read, Integer(0));
    for_points(to, value.size(),
               [&](std::size_t at, std::size_t i) { all[at] = static_cast<Integer>(value[i] / charges().unit); });
    DROPMD_CUDA(
        cudaMemcpyAsync(to.value, all.data(), sizeof(Integer) * all.size(), cudaMemcpyHostToDevice, stream.get()),
        "writing values");
    stream.synchronize("writing values");
  }
  /// random_values() are multiples of this unit.
  static MeshCharges<Real> charges(const ErrorRecordView& errors = {}) { return {Real(0x1p-24), nullptr, errors}; }
  static std::vector<double> taken(const Stream& stream, const MeshValues<Real>& from) {
    std::vector<Real> all(from.size());
    DROPMD_CUDA(
        cudaMemcpyAsync(all.data(), from.value, sizeof(Real) * all.size(), cudaMemcpyDeviceToHost, stream.get()),
        "reading values");
    stream.synchronize("reading values");
    std::vector<double> value(static_cast<std::size_t>(from.points[0]) * from.points[1] * from.points[2]);
    for_points(from, value.size(), [&](std::size_t at, std::size_t i) { value[i] = all[at]; });
    return value;
  }

 private:
  template <class Visit>
  static void for_points(const MeshValues<Real>& mesh, std::size_t n, const Visit& visit) {
    const auto points_z = static_cast<std::size_t>(mesh.points[2]), points_y = static_cast<std::size_t>(mesh.points[1]);
    for (std::size_t i = 0; i < n; ++i)
      visit(mesh.index(static_cast<int>(i / points_z / points_y), static_cast<int>(i / points_z % points_y),
                       static_cast<int>(i % points_z)),
            i);
  }
};

using Methods = testing::Types<ByCufftInSingle, ByCufftInDouble, ByVkfftInSingle>;
TYPED_TEST_SUITE(MeshTransformsTest, Methods);

TYPED_TEST(MeshTransformsTest, AgreesWithTheHost) {
  const Stream stream(0);
  const Cuda cuda{stream};
  for (const Points& points : {Points{1, 1, 1},
                               {2, 1, 3},
                               {5, 5, 5},
                               {5, 4, 6},
                               {1, 60, 2},
                               {16, 16, 16},
                               {25, 25, 25},
                               {31, 32, 33},
                               {3, 60, 128},
                               {100, 30, 54},
                               {64, 63, 65},
                               {90, 81, 96},
                               {20, 125, 40},
                               {12, 9, 300},
                               {256, 8, 10}}) {
    SCOPED_TRACE(testing::Message() << points[0] << " x " << points[1] << " x " << points[2]);
    std::vector<double> expected = random_values(points);
    const auto transforms = this->transforms(cuda, points);
    this->put(stream, transforms.values(), expected);
    transforms.convolve(cuda, this->charges());
    const std::vector<double> value = this->taken(stream, transforms.values());

    convolve_on_host(points, expected);
    double error = 0, size = 0, worst = 0, largest = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double difference = value[i] - expected[i];
      ASSERT_TRUE(std::isfinite(difference)) << i;
      error += difference * difference, size += expected[i] * expected[i];
      worst = std::max(worst, std::abs(difference)), largest = std::max(largest, std::abs(expected[i]));
    }
    EXPECT_LE(std::sqrt(error / size), TypeParam::kMostRms);
    EXPECT_LE(worst / largest, TypeParam::kMost);
  }
}

/// Convolutions of several meshes in turn, by calls and in a graph, and of one that is made again.
TYPED_TEST(MeshTransformsTest, IsTheSameFromAGraphAndWhenRepeated) {
  const Points points{25, 16, 31}, other_points{12, 20, 9};
  const Stream stream(0);
  const Cuda cuda{stream};
  const std::vector<double> value = random_values(points);
  const auto transforms = this->transforms(cuda, points), again = this->transforms(cuda, points),
             other = this->transforms(cuda, other_points);
  this->put(stream, transforms.values(), value);
  transforms.convolve(cuda, this->charges());
  const std::vector<double> once = this->taken(stream, transforms.values());
  const auto expect_same = [&](const auto& from) {
    const std::vector<double> now = this->taken(stream, from.values());
    EXPECT_EQ(std::memcmp(now.data(), once.data(), sizeof(double) * once.size()), 0);
  };
  const Graph graph(cuda, [&] { transforms.convolve(cuda, this->charges()); });
  for (int repeat = 0; repeat < 3; ++repeat) {
    this->put(stream, other.values(), random_values(other_points));
    other.convolve(cuda, this->charges());
    this->put(stream, transforms.values(), value);
    transforms.convolve(cuda, this->charges());
    expect_same(transforms);
    this->put(stream, transforms.values(), value);
    graph.launch(cuda);
    expect_same(transforms);
    this->put(stream, again.values(), value);
    again.convolve(cuda, this->charges());
    expect_same(again);
  }
}

/// Charges beyond the bound are reported by the first point that has one.
TYPED_TEST(MeshTransformsTest, ReportsTooMuchCharge) {
  const Points points{25, 16, 31};
  const Stream stream(0);
  const Cuda cuda{stream};
  const auto transforms = this->transforms(cuda, points);
  const double bound = std::ldexp(1.0, MeshInteger<typename TypeParam::Real>::kRangeBits - 24);
  for (const double charge : {bound - 1, bound, 1 - bound, -bound}) {
    SCOPED_TRACE(charge);
    ErrorRecord errors(stream);
    std::vector<double> value(random_values(points));
    value[7'777] = value[12'345] = charge;
    this->put(stream, transforms.values(), value);
    transforms.convolve(cuda, this->charges(errors.view()));
    const std::optional<DeviceFault> fault = errors.read();
    ASSERT_EQ(fault.has_value(), std::abs(charge) == bound);
    EXPECT_EQ(errors.any(), fault.has_value());
    if (!fault) continue;
    EXPECT_EQ(fault->code, static_cast<std::uint8_t>(MeshFault::too_much_charge));
    EXPECT_EQ(fault->index, 7'777);
    errors.clear();
    stream.synchronize("clearing a fault");
    EXPECT_FALSE(errors.any());
  }
}

/// Steps without effect: the values are left alone. (cuFFT does the same work as ever.)
using VkfftTransformsTest = MeshTransformsTest<ByVkfftInSingle>;
TEST_F(VkfftTransformsTest, DoNothingWhereTheyAreNotWanted) {
  const Points points{25, 16, 31};
  const Stream stream(0);
  const Cuda cuda{stream};
  const auto made = transforms(cuda, points);
  DeviceBuffer<std::uint32_t> d_wanted(stream);
  MeshCharges<float> sums = charges();
  for (const std::uint32_t wanted : {1U, 0U}) {
    d_wanted.upload(std::vector<std::uint32_t>{wanted});
    sums.wanted = d_wanted.data();
    put(stream, made.values(), random_values(points));
    const std::vector<double> before = taken(stream, made.values());
    made.convolve(cuda, sums);
    const std::vector<double> after = taken(stream, made.values());
    EXPECT_EQ(std::memcmp(after.data(), before.data(), sizeof(double) * before.size()) == 0, wanted == 0);
  }
}

TYPED_TEST(MeshTransformsTest, StatesItsMemory) {
  const Points points{25, 16, 31};
  const Stream stream(0);
  const Cuda cuda{stream};
  const std::uint64_t before = device_memory_use().now();
  const auto transforms = this->transforms(cuda, points);
  EXPECT_EQ(transforms.bytes().total(), device_memory_use().now() - before);
  using Chosen = MeshTransforms<typename TypeParam::Real>;
  if (Chosen::library_for(influence_for(points).length) != TypeParam::kLibrary) return;
  MeshTransformBytes stated = Chosen::bytes(points);
  EXPECT_GE(stated.total(), transforms.bytes().total());
  stated.workspace = transforms.bytes().workspace;
  EXPECT_EQ(stated.total(), transforms.bytes().total());
}

}  // namespace
}  // namespace dropmd
