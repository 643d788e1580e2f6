#pragma once

/// Choices that several rooms share; the words a user writes for them are in docs/file-formats.md.
namespace dropmd {

enum class Backend { automatic, cpu, cuda };
enum class Precision { mixed, fp64 };
enum class NeighborMethod { automatic, all_pairs, cells, sorted_cells, pair_list };

}  // namespace dropmd
