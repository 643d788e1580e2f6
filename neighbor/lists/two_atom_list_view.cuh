#pragma once

#include <cstdint>

#include "core/vec3.h"
#include "neighbor/lists/list_boxes_view.cuh"

/// The pair list of a GPU for atoms with few neighbours, in *two-atom clusters*: two consecutive atoms of the spatial
/// order are close to each other and share most neighbours, so a lane has two atoms and one list for both. The list is
/// a full list: it contains each pair twice, once from either side. The tiles of a few warps form a block; the atoms
/// within the list cutoff of any of them, including the block's own, have *slots* in the j-atom buffer in its shared
/// memory, and entries of lists name slots.
namespace dropmd {

/// Tiles of a block, one per warp.
inline constexpr int kTwoAtomWarps = 4;
inline constexpr int kTwoAtomBlockAtoms = kTwoAtomWarps * kTileAtoms;

/// Entries that a lane reads at once. An entry is a slot and, in the two highest bits, which of the lane's two atoms
/// are excluded with the slot's atom; without exclusions it is the slot alone.
inline constexpr int kWordEntries = 4;
inline constexpr int kTwoAtomSlotBits = 14;
inline constexpr std::uint32_t kMostTwoAtomSlots = (1U << kTwoAtomSlotBits) - 1;  ///< besides one for no atom
struct alignas(8) TwoAtomWord {
  std::uint16_t entry[kWordEntries];
};

/// The format of the j-atom buffer of a block.
enum class TwoAtomBuffer : std::uint8_t {
  local,     ///< slots in fixed point relative to the block's centre
  wide,      ///< too far apart for that: positions are read in double precision from global memory
  overfull,  ///< too many atoms for slots: no lists, every atom interacts with every atom
};

/// The j-atom buffer of a block.
struct TwoAtomBlock {
  Vec3<double> centre;  ///< origin of the fixed-point numbers
  float quantum;        ///< their unit, a length; a power of two
  std::uint32_t n_slots;
  TwoAtomBuffer buffer;
};

/// Fixed-point coordinates of all atoms in a block's slots are below 2 to this power, so that differences do not
/// overflow. The coordinate of an absent atom, kNoCoordinate, is farther from all of them than the list cutoff: the
/// difference may overflow, but it is at least 2^30 quanta.
inline constexpr int kCoordinateBits = 30;
inline constexpr std::int32_t kNoCoordinate = 0x7FFFFFFF;

/// The list in device memory. n_items of its state is the number of slots of the largest block, n_rows the number of
/// words of the longest list.
struct TwoAtomListView : ListBoxesView {
  TwoAtomBlock* block;  ///< [n_blocks]
  /// [n_blocks][max_slots] the atoms: their storage indices, with one bit for each of the block's tiles within the list
  /// cutoff.
  std::uint32_t* slot;
  /// [n_tiles] words of the longest list of the tile's clusters; the others are padded to its length.
  std::uint16_t* n_words;
  /// [n_tiles][max_words][32]; one word after the last of each list is read, though not used.
  TwoAtomWord* word;
  std::uint32_t max_slots, max_words;
  float coarsest;  ///< largest quantum

  static DROPMD_HOST_DEVICE std::uint32_t blocks_of(std::uint32_t n_atoms) {
    return (n_atoms + kTwoAtomBlockAtoms - 1) / kTwoAtomBlockAtoms;
  }
  /// Whether this GPU has the lists of a block.
  DROPMD_HOST_DEVICE bool has_block(std::uint32_t b) const { return share.has(b, blocks_of(n_atoms)); }
  static DROPMD_HOST_DEVICE std::uint32_t packed(std::uint32_t index, std::uint32_t tiles) {
    return index << kTwoAtomWarps | tiles;
  }
  static DROPMD_HOST_DEVICE std::uint32_t storage_index_of(std::uint32_t slot) { return slot >> kTwoAtomWarps; }

  /// The words of a tile.
  DROPMD_HOST_DEVICE TwoAtomWord* words(std::uint32_t tile) const { return word + std::size_t{tile} * max_words * 32; }
};

}  // namespace dropmd
