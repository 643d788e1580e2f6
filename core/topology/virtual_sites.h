#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace dropmd {

/// How a virtual site is constructed from its parents i, j, k, l with the parameters a, b, c. Names and formulas are
/// those of the GROMACS manual ("Virtual interaction sites"); r_ij = r_j − r_i.
enum class SiteForm : std::uint8_t {
  at_one,     ///< 1: r_i
  two,        ///< 2: (1 − a) r_i + a r_j
  two_fd,     ///< 2fd: r_i + a r_ij/|r_ij|; a: length
  three,      ///< 3: (1 − a − b) r_i + a r_j + b r_k
  three_fd,   ///< 3fd: r_i + b d/|d|, d = r_ij + a r_jk; b: length
  three_fad,  ///< 3fad: angle a (rad) to r_ij, at the distance b from i, in the plane of the parents
  three_out,  ///< 3out: r_i + a r_ij + b r_ik + c (r_ij × r_ik); c: 1/length
  four_fdn,   ///< 4fdn: r_i + c n/|n|, n = (a r_ik − r_ij) × (b r_il − r_ij); c: length
};

/// A site without mass, whose position follows from up to four parents. Parents are atoms with mass.
struct VirtualSite {
  SiteForm form = SiteForm::at_one;
  std::uint32_t site = 0;                 ///< number of the site: its id less 1
  std::array<std::uint32_t, 4> parent{};  ///< numbers of i, j, k, l; unused ones repeat the first
  std::array<double, 3> parameter{};      ///< a, b, c; unused ones are 0

  friend bool operator==(const VirtualSite&, const VirtualSite&) = default;
};

/// A site at a weighted mean of any number of atoms (centre of geometry or of mass, or given weights).
struct WeightedSite {
  std::uint32_t site = 0;             ///< number of the site: its id less 1
  std::vector<std::uint32_t> parent;  ///< numbers of the atoms
  std::vector<double> weight;         ///< of each; their sum is 1

  friend bool operator==(const WeightedSite&, const WeightedSite&) = default;
};

/// Returns the number of parents of a form.
constexpr std::size_t n_parents(SiteForm form) {
  switch (form) {
    case SiteForm::at_one:
      return 1;
    case SiteForm::two:
    case SiteForm::two_fd:
      return 2;
    case SiteForm::four_fdn:
      return 4;
    default:
      return 3;
  }
}

}  // namespace dropmd
