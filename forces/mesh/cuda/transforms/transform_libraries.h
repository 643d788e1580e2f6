#pragma once

#include <string>

namespace dropmd {

/// The libraries for the transforms of a mesh on a GPU. VkFFT is the faster one, and serves single precision.
enum class TransformLibrary { cufft, vkfft };

/// Returns why a library cannot be used on this machine, with the remedy; empty if it can.
std::string transform_problem(TransformLibrary library);

}  // namespace dropmd
