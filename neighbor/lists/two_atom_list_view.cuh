#pragma once

#include <cstdint>

#include "core/vec3.h"
#include "neighbor/lists/list_boxes_view.cuh"

/// The pair list of a GPU for atoms with few neighbours, in *two-atom clusters*: two atoms that follow each other in
/// the spatial order are near each other and have most neighbours in common, so a lane has two atoms and one list for
/// both, which holds each pair twice, once on either side. The tiles of a few warps form a block; the atoms that any of
/// them may reach have *slots* of the j-atom buffer in its shared memory, the block's own among them, and lists name
/// slots.
namespace dropmd {

/// Tiles of a block: a warp each.
inline constexpr int kTwoAtomWarps = 4;
inline constexpr int kTwoAtomBlockAtoms = kTwoAtomWarps * kTileAtoms;

/// Entries that a lane reads at once.
inline constexpr int kWordEntries = 4;
struct alignas(8) TwoAtomWord {
  std::uint16_t slot[kWordEntries];
};

/// How the j-atom buffer of a block holds its atoms.
enum class TwoAtomBuffer : std::uint8_t {
  local,     ///< slots in fixed point round the block's centre
  wide,      ///< too far apart for that: in double precision, where they are
  overfull,  ///< too many for slots: no lists, every atom is met
};

struct TwoAtomBlock {
  Vec3<double> centre;  ///< of the fixed-point numbers
  float quantum;        ///< their unit, a length; a power of two
  std::uint32_t n_slots;
  TwoAtomBuffer buffer;
};

/// Fixed-point coordinates of all atoms in a block's slots are less than 2 to that power, so that differences do not
/// overflow, and the one of no atom, kNoCoordinate, is farther from each than any reach, though that difference
/// overflows: it is 2^30 quanta at least.
inline constexpr int kCoordinateBits = 30;
inline constexpr std::int32_t kNoCoordinate = 0x7FFFFFFF;

/// Items of its state: slots of the block that has most; rows: words of the longest list.
struct TwoAtomListView : ListBoxesView {
  TwoAtomBlock* block;  ///< [n_blocks]
  std::uint32_t* slot;  ///< [n_blocks][max_slots] the atoms: their storage indices, and which of the block's tiles may
                        ///< reach them, a bit each
  std::uint16_t* n_words;  ///< [n_tiles] of the longest list of its clusters; the others are as long, by padding
  TwoAtomWord* word;       ///< [n_tiles][max_words][32]; a word behind the last of each list is read, though not used
  std::uint32_t max_slots, max_words;
  float coarsest;  ///< a quantum at most

  static DROPMD_HOST_DEVICE std::uint32_t blocks_of(std::uint32_t n_atoms) {
    return (n_atoms + kTwoAtomBlockAtoms - 1) / kTwoAtomBlockAtoms;
  }
  static DROPMD_HOST_DEVICE std::uint32_t packed(std::uint32_t index, std::uint32_t tiles) {
    return index << kTwoAtomWarps | tiles;
  }
  static DROPMD_HOST_DEVICE std::uint32_t storage_index_of(std::uint32_t slot) { return slot >> kTwoAtomWarps; }

  /// Of a tile.
  DROPMD_HOST_DEVICE TwoAtomWord* words(std::uint32_t tile) const { return word + std::size_t{tile} * max_words * 32; }
};

}  // namespace dropmd
