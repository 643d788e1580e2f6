#pragma once

/// Choices that several rooms share; docs/file-formats.md has the words that a user writes for them.
namespace dropmd {

/// The processor that computes forces and steps.
enum class Backend { automatic, cpu, cuda };
/// Arithmetic of pair terms: mixed sums fp32 terms in fp64 or fixed point; fp64 uses fp64 throughout.
enum class Precision { mixed, fp64 };
/// How the pairs within the cutoff are found; docs/neighbor.md describes the methods.
enum class NeighborMethod { automatic, all_pairs, cells, sorted_cells, pair_list };

/// The layout of a pair list on a GPU and the kernels that use it: `clusters` has rows of atom clusters and two kernels
/// per step; `persistent` uses the same lists by blocks, in a persistent kernel; `two_atom` has clusters of two
/// neighbouring atoms and one list per lane.
enum class ListForm { automatic, clusters, persistent, two_atom };

}  // namespace dropmd
