#pragma once

#include <cstdint>

namespace dropmd {

/// Energies of one moment, in the run's energy unit; each pair counted once.
struct Energies {
  double vdw = 0;
  double coulomb = 0;
  double wall = 0;
  double kinetic = 0;

  double potential() const { return vdw + coulomb + wall; }
  double total() const { return potential() + kinetic; }
};

/// What energy.csv says of one step.
struct EnergyRow {
  std::int64_t step = 0;
  double time = 0;
  Energies energies;
  double temperature = 0;
};

}  // namespace dropmd
