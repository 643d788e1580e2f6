#pragma once

#include <array>
#include <vector>

#include "forces/mesh/cuda/transforms/vkfft_source.h"

namespace dropmd {

/// Gives the five kernels of a convolution, as VkFFT writes them, the parameters that VkfftKernel states. points: of
/// the box. length: of the transforms. Throws DeviceError if a kernel does not have the expected form.
void set_vkfft_parameters(std::vector<VkfftKernel>& kernels, const std::array<int, 3>& points,
                          const std::array<int, 3>& length);

}  // namespace dropmd
