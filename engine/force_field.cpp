#include "engine/force_field.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/methods/catalogue.h"
#include "forces/fields/atom_force_terms.h"

namespace dropmd {

namespace {

/// Names are columns of energy.csv and fields of the JSON output.
void require_distinct(const std::vector<std::string_view>& names) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (std::count(names.begin(), names.end(), names[k]) > 1)
      throw std::invalid_argument("two energies of force terms are called '" + std::string(names[k]) +
                                  "' (each needs a name of its own)");
  if (names.size() > Energies::kMostComponents)
    throw std::invalid_argument("the force terms have " + std::to_string(names.size()) + " energies (at most " +
                                std::to_string(Energies::kMostComponents) + ')');
}

std::unique_ptr<ForceTerm> on_host(const ManyAtomTerm& term, Cpu cpu, const Particles& particles) {
  std::unique_ptr<ForceTerm> made = term.on_host(cpu, particles);
  if (!made->invariance().translation)
    throw std::invalid_argument(
        "a force term of many atoms depends on where the droplet is (make it a term of one atom, "
        "forces/fields/atom_terms.h)");
  return made;
}

}  // namespace

std::vector<std::string_view> energy_names(const System& system) {
  std::vector<std::string_view> names(kPairEnergies.begin(), kPairEnergies.end());
  for (const auto& term : system.terms)
    for (const std::string_view name : term->energy_names()) names.push_back(name);
  for (const std::string_view name : atom_energy_names(system.fields)) names.push_back(name);
  require_distinct(names);
  return names;
}

ForceField::ForceField(const System& system, const Method& method) : cpu_(method.cpu), names_(energy_names(system)) {
  const PairAtoms atoms{system.particles.charge, system.particles.pair_species};
  terms_.push_back(std::make_unique<PairForceTerm>(make_pair_forces(method, system.model, atoms), system.model, atoms));
  for (const auto& term : system.terms) terms_.push_back(on_host(*term, cpu_, system.particles));
  for (auto& term : make_atom_force_terms(cpu_, system.fields, system.units, system.particles.charge))
    terms_.push_back(std::move(term));
}

ForceField::Result ForceField::evaluate(const Moment& now, Want want, std::span<Vec3<double>> force) {
  Result result;
  result.energies = Energies(names_);
  bool first = true;
  for (const auto& term : terms_) term->evaluate(now, want, std::exchange(first, false), force, result.energies);
  result.pairs = pair_term().sums();
  return result;
}

std::vector<AtomSums> ForceField::reference(const Moment& now, std::span<const std::uint32_t> sample) const {
  std::vector<AtomSums> sums(sample.size());
  for (const auto& term : terms_) term->add_reference(cpu_, now, sample, sums);
  return sums;
}

std::uint64_t ForceField::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& term : terms_) bytes += term->bytes();
  return bytes;
}

}  // namespace dropmd
