#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "device/device_info.h"
#include "device/graph.cuh"
#include "device/timer.cuh"
#include "forces/mesh/cuda/cufft_convolution.cuh"
#include "forces/mesh/cuda/vkfft_convolution.cuh"
#include "forces/mesh/mesh_box.h"

namespace dropmd {
namespace {

InfluenceFunction influence_for(int n) {
  InfluenceFunction influence{{2 * n, 2 * n, 2 * n}, {}};
  for (int x = 0; x <= n; ++x)
    for (int y = 0; y <= n; ++y)
      for (int z = 0; z <= n; ++z)
        influence.value.push_back(1 / (0.02 + (x * x + y * y + 1.5 * z * z) / (4.0 * n * n)));
  return influence;
}

double wall() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Real>
std::vector<double> convolved(const Cuda& cuda, const MeshConvolution<Real>& convolution,
                              const std::vector<float>& in) {
  const MeshValues<Real> mesh = convolution.values();
  std::vector<Real> all(mesh.size(), 0);
  std::size_t i = 0;
  for (int x = 0; x < mesh.points[0]; ++x)
    for (int y = 0; y < mesh.points[1]; ++y)
      for (int z = 0; z < mesh.points[2]; ++z) all[mesh.index(x, y, z)] = in[i++];
  cudaMemcpy(mesh.value, all.data(), sizeof(Real) * all.size(), cudaMemcpyHostToDevice);
  convolution.run(cuda);
  cuda.stream.synchronize("racing");
  cudaMemcpy(all.data(), mesh.value, sizeof(Real) * all.size(), cudaMemcpyDeviceToHost);
  std::vector<double> out;
  for (int x = 0; x < mesh.points[0]; ++x)
    for (int y = 0; y < mesh.points[1]; ++y)
      for (int z = 0; z < mesh.points[2]; ++z) out.push_back(all[mesh.index(x, y, z)]);
  return out;
}

/// Median of graphs of 10 convolutions, microseconds each.
template <class Real>
double microseconds(const Cuda& cuda, const MeshConvolution<Real>& convolution) {
  const MeshValues<Real> mesh = convolution.values();
  cudaMemset(mesh.value, 0, sizeof(Real) * mesh.size());
  const Graph graph(cuda, [&] {
    for (int k = 0; k < 10; ++k) convolution.run(cuda);
  });
  std::vector<double> times;
  for (int k = 0; k < 23; ++k) {
    Timer timer;
    timer.start(cuda.stream);
    graph.launch(cuda);
    timer.stop(cuda.stream);
    cuda.stream.synchronize("racing");
    if (k >= 3) times.push_back(1e5 * timer.seconds());
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

template <class Real>
void row(const Cuda& cuda, const char* name, const MeshConvolution<Real>& convolution, double made,
         const std::vector<float>& in, const std::vector<double>& exact) {
  const std::vector<double> out = convolved(cuda, convolution, in);
  double worst = 0, largest = 0, error = 0, size = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    worst = std::max(worst, std::abs(out[i] - exact[i])), largest = std::max(largest, std::abs(exact[i]));
    error += std::pow(out[i] - exact[i], 2), size += exact[i] * exact[i];
    if (!std::isfinite(out[i])) worst = out[i];
  }
  std::printf("  %-34s %9.1f us  worst %.2e rms %.2e  made in %.3f s  %.1f MB\n", name, microseconds(cuda, convolution),
              worst / largest, std::sqrt(error / size), made, static_cast<double>(convolution.bytes().total()) * 1e-6);
  std::fflush(stdout);
}

TEST(TransformRace, DISABLED_Times) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  const Stream stream(0);
  const Cuda cuda{stream};
  std::printf("%s; VkFFT: %s\n", query_devices().devices[0].name.c_str(), VkfftConvolution::problem().c_str());
  struct Entry {
    const char* name;
    VkfftTuning tuning;
  };
  constexpr int kAll = 227 << 10;
  const Entry entries[] = {
      {"VkFFT 227K complex (prototype)", {kAll, 32, 128, false, false}},
      {"VkFFT 227K octant", {kAll, 32, 128, false, true}},
      {"VkFFT 48K octant", {48 << 10, 32, 128, false, true}},
      {"VkFFT 48K octant, table", {48 << 10, 32, 128, true, true}},
      {"VkFFT 48K octant, 64 bytes", {48 << 10, 64, 128, false, true}},
      {"VkFFT 48K octant, 256 threads", {48 << 10, 32, 256, false, true}},
      {"VkFFT 48K octant, 64 threads", {48 << 10, 32, 64, false, true}},
      {"VkFFT 24K octant", {24 << 10, 32, 128, false, true}},
      {"VkFFT 16K octant", {16 << 10, 32, 128, false, true}},
      {"VkFFT 24K octant, table", {24 << 10, 32, 128, true, true}},
  };
  for (const int length : {64, 100, 128, 200, 216, 256, 320, 384, 512}) {
    const int n = length / 2;
    const std::array<int, 3> points{n, n, n};
    const InfluenceFunction influence = influence_for(n);
    std::mt19937 random(5);
    std::uniform_real_distribution<float> any(-1, 1);
    std::vector<float> in(static_cast<std::size_t>(n) * n * n);
    for (float& v : in) v = any(random);
    std::printf("N = %d\n", length);
    std::vector<double> exact;
    {
      const double before = wall();
      const CufftConvolution<double> in_double(cuda, points, influence);
      const double made = wall() - before;
      exact = convolved(cuda, in_double, in);
      row(cuda, "cuFFT in double", in_double, made, in, exact);
    }
    {
      const double before = wall();
      const CufftConvolution<float> cufft(cuda, points, influence);
      row(cuda, "cuFFT", cufft, wall() - before, in, exact);
    }
    for (const Entry& entry : entries) {
      if (!vkfft_serves(influence.length, entry.tuning)) {
        std::printf("  %-34s does not serve this length\n", entry.name);
        continue;
      }
      try {
        const double before = wall();
        const VkfftConvolution vkfft(cuda, points, influence, entry.tuning);
        row(cuda, entry.name, vkfft, wall() - before, in, exact);
      } catch (const std::exception& error) {
        std::printf("  %-34s %.300s\n", entry.name, error.what());
        ADD_FAILURE() << entry.name;
      }
    }
  }
}

}  // namespace
}  // namespace dropmd
