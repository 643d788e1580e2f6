#pragma once

namespace dropmd {

/// The motions of all atoms together that leave an energy unchanged: a translation, and a rotation about the origin.
struct Invariance {
  bool translation = true;
  bool rotation = true;

  /// Returns the motions that leave both energies unchanged.
  friend constexpr Invariance operator&(const Invariance& a, const Invariance& b) {
    return {a.translation && b.translation, a.rotation && b.rotation};
  }
  friend constexpr bool operator==(const Invariance&, const Invariance&) = default;
};

}  // namespace dropmd
