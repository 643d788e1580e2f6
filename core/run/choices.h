#pragma once

/// Choices that several rooms share; the words a user writes for them are in docs/file-formats.md.
namespace dropmd {

enum class Backend { automatic, cpu, cuda };
enum class Precision { mixed, fp64 };
enum class NeighborMethod { automatic, all_pairs, cells, sorted_cells, pair_list };

/// What a pair list on a GPU is made of, and how the steps of a run use it: rows of clusters of atoms, by two kernels a
/// step; the same lists by blocks, in a persistent kernel; pairs of neighbouring atoms, a list a lane.
enum class ListForm { automatic, clusters, persistent, two_atom };

}  // namespace dropmd
