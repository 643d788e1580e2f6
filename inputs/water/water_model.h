#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// Masses of the atoms of water as force fields round them, g/mol.
inline constexpr double kOxygenMass = 15.9994, kHydrogenMass = 1.008;

/// Joung and Cheatham's parameters for ions: one set for each of three water models.
enum class IonSet { spce, tip3p, tip4pew };

/// A rigid model of water: one Lennard-Jones site on the oxygen, charges on the hydrogens, and the opposite charge on
/// the oxygen or on a massless site M on the bisector of the angle. Units: Å, kJ/mol, e, degrees.
struct WaterModel {
  std::string_view name;  ///< the word on the command line
  std::string_view title;
  std::string_view source;
  double hydrogen_charge;
  double sigma, epsilon;   ///< of the oxygen
  double bond;             ///< O-H
  double angle;            ///< H-O-H
  double site_distance;    ///< O-M; 0: the charge is on the oxygen
  double surface_tension;  ///< N/m, at 300 K
  IonSet ions;

  bool has_site() const { return site_distance > 0; }
  /// Number of atoms of a molecule, M included.
  std::size_t size() const { return has_site() ? 4 : 3; }
  /// Distance between the hydrogens.
  double hydrogen_distance() const;
  /// Coefficients a = b of M = O + a (H1 − O) + b (H2 − O); 0 without M.
  double site_coefficient() const;
  /// Positions relative to the oxygen in the order O, H1, H2, M; the bisector is the z axis.
  std::vector<Vec3<double>> geometry() const;
  /// Charges in the same order.
  std::vector<double> charges() const;
};

/// The models of `generate water`.
std::span<const WaterModel> water_models();

}  // namespace dropmd
