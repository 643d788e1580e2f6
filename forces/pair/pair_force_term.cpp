#include "forces/pair/pair_force_term.h"

#include <stdexcept>

#include "forces/pair/brute_force.h"

namespace dropmd {

void PairForceTerm::evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force,
                             Energies& energies) {
  if (!first) throw std::logic_error("pair forces overwrite: they come first");
  sums_ = pairs_->evaluate(now.position, force, want);
  if (want == Want::forces) return;
  energies.add(kVdwEnergy, sums_.vdw);
  energies.add(kCoulombEnergy, sums_.coulomb);
}

void PairForceTerm::add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                                  std::span<AtomSums> sums) const {
  const std::vector<AtomSums> exact = brute_force_atoms(cpu, model_, atoms_, now.position, sample);
  for (std::size_t k = 0; k < sample.size(); ++k) sums[k] += exact[k];
}

}  // namespace dropmd
