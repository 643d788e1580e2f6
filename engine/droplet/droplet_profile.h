#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/run/droplet_rows.h"
#include "engine/droplet/molecule_table.h"

namespace dropmd {

/// Radial profiles about the droplet's centre, as means over samples. Molecules count where their centre of mass is,
/// charges where they are. The potential is the mean over a sphere of the untruncated Coulomb potential of all charges,
/// whatever [coulomb] is: a charge q at distance s contributes q / max(r, s) to the sphere of radius r (Newton's shell
/// theorem), so that no grid is needed.
///
/// Shells are 0.5 Å wide, or 0.1 σ in units lj, and reach to twice the droplet's radius at the first sample.
class DropletProfile {
 public:
  DropletProfile(std::vector<std::string> names, const Units& units);

  /// What a sample is taken from.
  struct Sample {
    const MoleculeTable& molecules;
    std::span<const Vec3<double>> centre;  ///< [n_molecules] centres of mass
    std::span<const double> kinetic;       ///< [n_molecules] relative to the motion of the droplet's centre, energy
    std::span<const std::uint32_t> n_dof;  ///< [n_molecules]
    const Particles& particles;
    Vec3<double> droplet_centre;
    double droplet_radius;
  };
  void add(const Sample& sample);
  /// Returns the rows of the samples since the last call, and begins anew.
  std::vector<ProfileRow> take(std::int64_t step);

  /// The whole state as numbers, from which a run can continue; empty before the first sample.
  std::vector<double> numbers() const;
  /// Continues from numbers() of a profile with the same names. Throws std::invalid_argument for others.
  void set(std::span<const double> numbers);

 private:
  std::size_t n_shells() const { return charge_.size(); }
  void clear(std::size_t n_shells);

  std::vector<std::string> names_;
  Units units_;
  double width_;  ///< of a shell, length
  double n_samples_ = 0;
  std::vector<double> molecules_;        ///< [n_names][n_shells]
  std::vector<double> kinetic_, n_dof_;  ///< [n_shells]
  std::vector<double> charge_;           ///< [n_shells]
  std::vector<double> enclosed_,
      beyond_;  ///< [n_shells + 1] Σ q and Σ q/s between the middles of shells; the last: outside
};

}  // namespace dropmd
