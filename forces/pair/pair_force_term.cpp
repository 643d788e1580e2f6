#include "forces/pair/pair_force_term.h"

#include <stdexcept>

#include "forces/pair/brute_force.h"

namespace dropmd {

void PairForceTerm::add_energies(const PairSums& sums, Energies& energies) {
  energies.add(kVdwEnergy, sums.vdw);
  energies.add(kCoulombEnergy, sums.coulomb);
}

void PairForceTerm::evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force,
                             Energies& energies) {
  if (!first) throw std::logic_error("pair forces overwrite: they come first");
  sums_ = pairs_->evaluate(now.position, force, want);
  if (want == Want::forces_and_energies) add_energies(sums_, energies);
}

void PairForceTerm::add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                                  std::span<AtomSums> sums) const {
  const std::vector<AtomSums> exact = brute_force_atoms(cpu, model_, atoms_, now.position, sample);
  for (std::size_t k = 0; k < sample.size(); ++k) sums[k] += exact[k];
}

void PairForceTerm::add_reference_energies(Cpu cpu, const Moment& now, Energies& energies) const {
  std::vector<Vec3<double>> force(now.position.size());
  const auto all_pairs = make_all_pairs(cpu, Precision::fp64, model_, atoms_);
  add_energies(all_pairs->evaluate(now.position, force, Want::forces_and_energies), energies);
}

}  // namespace dropmd
