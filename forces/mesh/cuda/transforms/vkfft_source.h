#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace dropmd {

/// Settings for VkFFT's kernels. Compared with these, convolutions with N = 64 to 512 on one NVIDIA H200 took:
/// - with all of the shared memory up to 26 % more time, with 24 KiB from 6 % less (N = 200) to 14 % more (N = 512);
/// - with 64 bytes up to 11 % more (N = 128);
/// - with 64 threads from 5 % less (N = 100) to 10 % more (N = 216), with 256 from 7 % less (N = 64) to 4 % more;
/// - with roots of unity from tables, instead of the fast sine and cosine of the GPU, 2 to 12 % more, and about a
///   quarter of the error.
struct VkfftTuning {
  static constexpr int kSharedBytes = 48 << 10;  ///< most shared memory of a block
  static constexpr int kCoalescedBytes = 32;     ///< least width of an access to a line along x or y
  static constexpr int kThreads = 128;           ///< of a block, about
};

/// The input of the first kernel: charges in integers, which have the memory of the values.
struct VkfftCharges {
  const int* sum;
  float unit;                       ///< charge per integer
  unsigned long long* first_fault;  ///< ErrorRecordView::first()
  std::uint32_t* any_fault;         ///< ErrorRecordView::any_on_host()
};

/// A kernel of VkFFT, with parameters that are not VkFFT's: CUDA C++ with the function VkFFT_main. Its parameters are
/// the values of the mesh twice (as input and as output; the first kernel has VkfftCharges as input), the influence
/// function if it multiplies, and a pointer to a 32-bit word, which may be null: if that is 0, the kernel has no
/// effect.
struct VkfftKernel {
  std::string source{};
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;
  bool reads_charges = false, multiplies = false;
};

/// Returns the rows of z, along y, that are transformed and read: in pairs, so there is an even number of them.
constexpr int vkfft_rows(int points_along_y) { return (points_along_y + 1) / 2 * 2; }

/// Returns why VkFFT cannot write kernels: that this build lacks it; empty if it can.
const std::string& vkfft_problem();

/// Returns whether vkfft_convolution() can write kernels for such lengths: whether a line needs one pass, which the
/// layout of the influence function depends on, and whether indices have 32 bits.
bool vkfft_serves(const std::array<int, 3>& length);

/// Lets VkFFT write the kernels of a convolution in single precision: transforms along z and y, then along x with the
/// product and the way back, then back along y and z. Nothing is compiled, and no GPU is needed. Throws DeviceError if
/// VkFFT cannot.
///
/// points: of the box. length: N, even, at least 2 points - 1, without prime factors above 13. The values are
/// [points_x][N_y][N_z + 2], integers as input and in fp32 as output; those beyond the box along x and z are neither
/// read nor written, those along y are read up to the next even number and must be zero. In between they are
/// [points_x][N_y][N_z/2 + 1] complex in the same memory. The influence function is [N_x/2 + 1][N_y/2 + 1][N_z/2 + 1]
/// real.
std::vector<VkfftKernel> vkfft_convolution(const std::array<int, 3>& points, const std::array<int, 3>& length);

}  // namespace dropmd
