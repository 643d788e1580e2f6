#pragma once

#include <array>
#include <string>
#include <vector>

namespace dropmd {

/// What may be chosen of the kernels.
struct VkfftTuning {
  int shared_bytes = 48 << 10;  ///< most shared memory of a block
  int coalesced_bytes = 32;     ///< least width of an access to a line along x or y
  int threads = 128;            ///< of a block, about
  bool table = false;           ///< roots of unity from a table instead of the fast sine and cosine
  bool octant = true;           ///< the influence function is read from its octant; else from a complex array of all
};

/// A kernel as VkFFT writes it: CUDA C++ with the function VkFFT_main. Its parameters are the values of the mesh twice
/// (as input and as output), the influence function if it multiplies, and its table if it has one.
struct VkfftKernel {
  std::string source{};
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;
  bool multiplies = false;
  std::vector<unsigned char> table{};
};

/// Returns why VkFFT cannot write kernels: that this build is without it; empty if it can.
const std::string& vkfft_problem();

/// Returns whether vkfft_convolution() can write kernels for such lengths: whether a line needs one pass, which the
/// layout of the influence function depends on, and whether indices have 32 bits.
bool vkfft_serves(const std::array<int, 3>& length, const VkfftTuning& tuning);

/// Lets VkFFT write the kernels of a convolution in single precision: transforms along z and y, then along x with the
/// product and the way back, then back along y and z. Nothing is compiled, and no GPU is needed. Throws DeviceError if
/// VkFFT cannot.
///
/// points: of the box. length: N, even, at least 2 points - 1, without prime factors above 13. The values are
/// [points_x][N_y][N_z + 2] as input and as output; those beyond the box along x and z are neither read nor written,
/// those along y are read up to the next even number and must be zero. In between they are [points_x][N_y][N_z/2 + 1]
/// complex in the same memory.
/// The influence function is [N_x/2 + 1][N_y/2 + 1][N_z/2 + 1] real (octant) or [N_x][N_y][N_z/2 + 1] complex.
std::vector<VkfftKernel> vkfft_convolution(const std::array<int, 3>& points, const std::array<int, 3>& length,
                                           const VkfftTuning& tuning);

}  // namespace dropmd
