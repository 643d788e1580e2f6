#pragma once

namespace dropmd {

/// ASE's unit of time, Å sqrt(u/eV), in fs: 1/ase.units.fs of ASE 3.22 to 3.29, which take CODATA 2014. ASE's unit of
/// velocity is Å over it, that of momentum u Å over it.
inline constexpr double kAseTime = 10.180505671156725;

}  // namespace dropmd
