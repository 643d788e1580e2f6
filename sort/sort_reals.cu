#include "sort/segment_launch.cuh"

namespace dropmd {

void sort_segments(const Cuda& cuda, const Segments& segments, const RealSort& arrays, SortWorkspace& workspace) {
  sort_on_device(cuda, segments, RealElements{arrays}, workspace);
}

}  // namespace dropmd
