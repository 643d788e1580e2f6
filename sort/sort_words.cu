#include "sort/segment_launch.cuh"

namespace dropmd {

void sort_segments(const Cuda& cuda, const Segments& segments, const WordSort& arrays, SortWorkspace& workspace) {
  sort_on_device(cuda, segments, WordElements{arrays}, workspace);
}

}  // namespace dropmd
