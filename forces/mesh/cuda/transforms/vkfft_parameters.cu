#include "forces/mesh/cuda/transforms/vkfft_parameters.h"

#include <cstring>
#include <string>

#include "core/errors.h"
#include "forces/mesh/cuda/charge_scale.h"
#include "forces/mesh/cuda/transforms/mesh_convolution.cuh"

namespace dropmd {

namespace {

/// VkFFT multiplies by an array of complex numbers of all wave vectors. The influence function is real and even along
/// every axis, so an octant of it is enough: 1/16 of the memory, and less traffic in the kernel that has the most. The
/// kernel gets this type instead of the pointer.
std::string octant(const std::array<int, 3>& length) {
  const auto text = [](int n) { return std::to_string(n) + 'u'; };
  const std::string waves = text(length[2] / 2 + 1);
  return "struct Octant {\n"
         "  const float* value;\n"
         "  __device__ float2 operator[](unsigned int id) const {\n"
         "    const unsigned int row = id / " +
         waves + ", z = id - row * " + waves +
         ";\n"
         "    unsigned int x = row / " +
         text(length[1]) + ", y = row - x * " + text(length[1]) +
         ";\n"
         "    x = min(x, " +
         text(length[0]) +
         " - x);\n"
         "    y = min(y, " +
         text(length[1]) +
         " - y);\n"
         "    return make_float2(value[(x * " +
         text(length[1] / 2 + 1) + " + y) * " + waves +
         " + z], 0.0f);\n"
         "  }\n"
         "};\n";
}

/// The charges at the points are integers, so the order of additions does not matter. The kernel that reads them gets a
/// variable of this type instead of the pointer; it reports a fault when it ends, since reads would wait otherwise.
std::string charges(const std::array<int, 3>& points, const std::array<int, 3>& length) {
  const auto text = [](long long n) { return std::to_string(n) + 'u'; };
  const std::string row = text(length[2] + 2), rows = text(length[1]),
                    bound = std::to_string(1 << MeshInteger<float>::kRangeBits);
  return "struct ChargesInMemory {\n"
         "  const int* sum;\n"
         "  float unit;\n"
         "  unsigned long long* first_fault;\n"
         "  volatile unsigned int* any_fault;\n"
         "};\n"
         "struct Charges {\n"
         "  ChargesInMemory from;\n"
         "  unsigned int first = ~0u;\n"
         "  __device__ explicit Charges(const ChargesInMemory& all) : from(all) {}\n"
         "  __device__ float operator[](unsigned int id) {\n"
         "    const int sum = from.sum[id];\n"
         "    if (sum >= " +
         bound + " || sum <= -" + bound +
         ") first = min(first, id);\n"
         "    return from.unit * (float)sum;\n"
         "  }\n"
         "  __device__ ~Charges() {\n"
         "    if (first == ~0u) return;\n"
         "    const unsigned int row = first / " +
         row + ", z = first - row * " + row + ", x = row / " + rows + ", y = row - x * " + rows +
         ";\n"
         "    const unsigned long long point = ((unsigned long long)x * " +
         text(points[1]) + " + y) * " + text(points[2]) +
         " + z;\n"
         "    atomicMin(from.first_fault, point << 8 | " +
         text(static_cast<int>(MeshFault::too_much_charge)) +
         ");\n"
         "    *from.any_fault = 1;\n"
         "  }\n"
         "};\n";
}

/// Replaces a text, which must occur exactly once.
void replace(std::string& source, const std::string& text, const std::string& by) {
  const std::size_t at = source.find(text);
  if (at == std::string::npos || source.find(text, at + 1) != std::string::npos)
    throw DeviceError("VkFFT: a kernel of a convolution has an unknown form");
  source.replace(at, text.size(), by);
}

/// Adds the last parameter to a kernel, and the first statements.
void begin(VkfftKernel& kernel, const std::string& statements) {
  const std::size_t name = kernel.source.find("VkFFT_main ("), end = kernel.source.find(") {", name);
  if (end == std::string::npos) throw DeviceError("VkFFT: a kernel has an unknown form");
  constexpr const char* kBegin = ", const unsigned int* wanted) {\nif (wanted != nullptr && *wanted == 0) return;\n";
  kernel.source.replace(end, std::strlen(") {"), kBegin + statements);
}

}  // namespace

void set_vkfft_parameters(std::vector<VkfftKernel>& kernels, const std::array<int, 3>& points,
                          const std::array<int, 3>& length) {
  VkfftKernel& first = kernels.front();
  first.reads_charges = true;
  for (VkfftKernel& kernel : kernels) begin(kernel, kernel.reads_charges ? "Charges inputs(charges);\n" : "");
  replace(first.source, "float* inputs", "const ChargesInMemory charges");
  first.source = charges(points, length) + first.source;
  replace(kernels[2].source, "float2* kernel_obj", "const Octant kernel_obj");
  kernels[2].source = octant(length) + kernels[2].source;
}

}  // namespace dropmd
