#include <gtest/gtest.h>

#include <cstring>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "integrators/virtual_sites/fixed_distance_sites.h"
#include "integrators/virtual_sites/linear_sites.h"
#include "integrators/virtual_sites/out_of_plane_sites.h"
#include "tests/integrators/virtual_sites/site_examples.h"

/// The forms of virtual sites on the GPU against the CPU. Compiled without fused multiply-add, as in all of dropmd,
/// they give the same bits.
namespace dropmd {
namespace {

struct Placed {
  Vec3<double> position, on_parent[4];
};

struct Unplaced {
  Vec3<double> parent[4], force;
};

template <class Form>
DROPMD_HOST_DEVICE Placed placed(const Form& form, const Unplaced& site) {
  Placed result{};
  result.position = form.place(site.parent);
  form.spread(site.parent, site.force, result.on_parent);
  return result;
}

template <class Form>
__global__ void place_kernel(Form form, const Unplaced* site, std::uint32_t n, Placed* result) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) result[i] = placed(form, site[i]);
}

/// Every tenth site has collinear parents.
std::vector<Unplaced> unplaced(std::size_t n) {
  const Vectors random = random_vectors(5 * n, 1, n);
  std::vector<Unplaced> sites(n);
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t p = 0; p < 4; ++p) sites[s].parent[p] = random[5 * s + p];
    sites[s].force = random[5 * s + 4];
    if (s % 10 == 9)
      for (int p = 2; p < 4; ++p)
        sites[s].parent[p] = sites[s].parent[0] + p * (sites[s].parent[1] - sites[s].parent[0]);
  }
  return sites;
}

template <class Form>
void expect_bits_of_the_cpu(const Stream& stream) {
  Form form{};
  for (const SiteExample& example : site_examples())
    if (example.form == Form::kForm) form = Form::make({example.form, 0, {}, example.parameter});
  for (const std::size_t size : {1U, 31U, 33U, 128U, 257U, 2000U}) {
    const std::vector<Unplaced> sites = unplaced(size);
    const auto n = static_cast<std::uint32_t>(size);
    DeviceBuffer<Unplaced> d_sites(stream);
    DeviceBuffer<Placed> d_result(stream);
    d_sites.upload(sites);
    d_result.resize(n);
    place_kernel<Form><<<(n + 63) / 64, 64, 0, stream.get()>>>(form, d_sites.data(), n, d_result.data());
    DROPMD_CUDA_LAUNCHED("placing virtual sites");
    std::vector<Placed> result(n);
    d_result.download(result);
    stream.synchronize("placing virtual sites");
    for (std::uint32_t i = 0; i < n; ++i) {
      const Placed on_cpu = placed(form, sites[i]);
      ASSERT_EQ(std::memcmp(&result[i], &on_cpu, sizeof on_cpu), 0) << i << " of " << n;
    }
  }
}

TEST(VirtualSitesCuda, FormsGiveTheBitsOfTheCpu) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  const Stream stream(0);
  expect_bits_of_the_cpu<SiteAtOne>(stream);
  expect_bits_of_the_cpu<SiteOfTwo>(stream);
  expect_bits_of_the_cpu<SiteOfTwoFixedDistance>(stream);
  expect_bits_of_the_cpu<SiteOfThree>(stream);
  expect_bits_of_the_cpu<SiteOfThreeFixedDistance>(stream);
  expect_bits_of_the_cpu<SiteOfThreeFixedAngle>(stream);
  expect_bits_of_the_cpu<SiteOutOfPlane>(stream);
  expect_bits_of_the_cpu<SiteOfFourNormal>(stream);
}

}  // namespace
}  // namespace dropmd
