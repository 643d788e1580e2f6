#pragma once

#include "core/counted_noun.h"
#include "core/macros.h"

/// Which atoms of a cluster the constraints join, at compile time: constraint c joins atoms first(c) and second(c).
namespace dropmd {

/// An atom, number 0, with constraints to n others.
template <int n>
struct StarShape {
  static constexpr int kAtoms = n + 1, kConstraints = n;
  static constexpr CountedNoun kName = n == 1   ? CountedNoun{"single bond", "single bonds"}
                                       : n == 2 ? CountedNoun{"star of two bonds", "stars of two bonds"}
                                       : n == 3 ? CountedNoun{"star of three bonds", "stars of three bonds"}
                                                : CountedNoun{"star of four bonds", "stars of four bonds"};
  static DROPMD_HOST_DEVICE constexpr int first(int) { return 0; }
  static DROPMD_HOST_DEVICE constexpr int second(int c) { return c + 1; }
};

/// Three atoms with all distances fixed.
struct TriangleShape {
  static constexpr int kAtoms = 3, kConstraints = 3;
  static constexpr CountedNoun kName{"triangle", "triangles"};
  static DROPMD_HOST_DEVICE constexpr int first(int c) { return c < 2 ? 0 : 1; }
  static DROPMD_HOST_DEVICE constexpr int second(int c) { return c < 2 ? c + 1 : 2; }
};

/// Four atoms with up to six constraints, in the order 01, 02, 03, 12, 13, 23.
struct FourAtomShape {
  static constexpr int kAtoms = 4, kConstraints = 6;
  static constexpr CountedNoun kName{"other cluster of four atoms", "other clusters of four atoms"};
  static DROPMD_HOST_DEVICE constexpr int first(int c) { return c < 3 ? 0 : c < 5 ? 1 : 2; }
  static DROPMD_HOST_DEVICE constexpr int second(int c) { return c < 3 ? c + 1 : c == 3 ? 2 : 3; }
};

/// Four atoms with all distances fixed, such as H3O+.
struct TetrahedronShape : FourAtomShape {
  static constexpr CountedNoun kName{"rigid body of four atoms", "rigid bodies of four atoms"};
};

}  // namespace dropmd
