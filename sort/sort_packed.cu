#include "sort/segment_launch.cuh"

namespace dropmd {

void sort_segments(const Cuda& cuda, const Segments& segments, const PackedSort& arrays, SortWorkspace& workspace) {
  sort_on_device(cuda, segments, PackedElements{arrays}, workspace);
}

}  // namespace dropmd
