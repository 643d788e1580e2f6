#include "forces/mesh/cuda/transforms/transform_libraries.h"

namespace dropmd {

std::string transform_problem(TransformLibrary) { return "this dropmd was built without CUDA"; }

}  // namespace dropmd
