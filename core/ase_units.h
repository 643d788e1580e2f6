#pragma once

namespace dropmd {

/// The unit of time of ASE, Å sqrt(u/eV), in fs: 1/ase.units.fs of ASE 3.22 to 3.29, which use the CODATA 2014
/// constants. ASE measures velocities in Å per this unit and momenta in u Å per this unit.
inline constexpr double kAseTime = 10.180505671156725;

}  // namespace dropmd
