#include "engine/force_field.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/ordered_sum.h"
#include "engine/methods/catalogue.h"
#include "engine/model/pair_atoms.h"
#include "forces/fields/atom_force_terms.h"
#include "forces/many_atom_term_cuda.h"

namespace dropmd {

namespace {

/// Appends names, which are columns of energy.csv and fields of the JSON output. Only those of the pairs may be there
/// already.
void append(std::vector<std::string_view>& names, const std::vector<std::string_view>& others) {
  for (const std::string_view name : others) {
    if (std::find(kPairEnergies.begin(), kPairEnergies.end(), name) != kPairEnergies.end()) continue;
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw std::invalid_argument("two energies of force terms are called '" + std::string(name) +
                                  "' (each needs a name of its own)");
    names.push_back(name);
  }
  if (names.size() > Energies::kMostComponents)
    throw std::invalid_argument("the force terms have " + std::to_string(names.size()) + " energies (at most " +
                                std::to_string(Energies::kMostComponents) + ')');
}

/// Evaluates terms; the first one overwrites the forces.
void add(std::span<ForceTerm* const> terms, const Moment& now, Want want, std::span<Vec3<double>> force,
         Energies& energies) {
  bool first = true;
  for (ForceTerm* const term : terms) term->evaluate(now, want, std::exchange(first, false), force, energies);
}

std::unique_ptr<ForceTerm> make_term(const ManyAtomTerm& term, const System& system, const Method& method) {
  return method.backend == Backend::cuda
             ? on_gpu(term, method.device, method.precision, method.cpu, system.model, system.particles)
             : term.on_host(method.cpu, system.particles);
}

}  // namespace

std::vector<std::string_view> energy_names(const System& system) {
  std::vector<std::string_view> names(kPairEnergies.begin(), kPairEnergies.end());
  for (const auto& term : system.terms) append(names, term->energy_names());
  append(names, atom_energy_names(system.fields));
  return names;
}

ForceField::ForceField(const System& system, const Method& method)
    : system_(&system),
      excluded_(std::make_shared<const ExcludedPairs>(excluded_pairs(system))),
      method_(method),
      cpu_(method.cpu),
      names_(energy_names(system)) {
  const PairAtoms atoms = pair_atoms(system, *excluded_);
  terms_.push_back(std::make_unique<PairForceTerm>(make_pair_forces(method, system.model, atoms), system.model, atoms));
  for (const auto& term : system.terms) {
    terms_.push_back(make_term(*term, system, method));
    if (term->is_slow() && system.outer.has_inner()) slow_.push_back(terms_.back().get());
  }
  for (auto& term : make_atom_force_terms(cpu_, system.fields, system.units, system.particles))
    terms_.push_back(std::move(term));
  for (const auto& term : terms_)
    if (std::find(slow_.begin(), slow_.end(), term.get()) == slow_.end()) fast_.push_back(term.get());
  if (!slow_.empty()) slow_force_.resize(system.particles.size());
}

ForceField::Result ForceField::evaluate(const Moment& now, Want want, std::span<Vec3<double>> force) {
  Result result;
  result.energies = Energies(names_);
  add(fast_, now, want, force, result.energies);
  add(slow_, now, want, slow_force_, result.energies);
  for_each_index(cpu_, slow_force_.size(), [&](std::size_t i) { force[i] += slow_force_[i]; });
  result.pairs = pair_term().sums();
  return result;
}

void ForceField::evaluate_fast(const Moment& now, std::span<Vec3<double>> force) {
  Energies unused;
  add(fast_, now, Want::forces, force, unused);
}

std::span<const Vec3<double>> ForceField::evaluate_slow(const Moment& now) {
  Energies unused;
  add(slow_, now, Want::forces, slow_force_, unused);
  return slow_force_;
}

std::vector<AtomSums> ForceField::reference(const Moment& now, std::span<const std::uint32_t> sample) const {
  std::vector<AtomSums> sums(sample.size());
  for (const auto& term : terms_) term->add_reference(cpu_, now, sample, sums);
  return sums;
}

Energies ForceField::reference_energies(const Moment& now, const std::optional<PairSums>& pairs) const {
  Energies energies(names_);
  for (const auto& term : terms_) {
    if (pairs && term == terms_.front())
      PairForceTerm::add_energies(*pairs, energies);
    else
      term->add_reference_energies(cpu_, now, energies);
  }
  return energies;
}

void ForceField::forget() { *this = ForceField(*system_, method_); }

std::vector<std::vector<double>> ForceField::term_states() const {
  std::vector<std::vector<double>> states;
  for (const auto& term : terms_) states.push_back(term->state());
  return states;
}

bool ForceField::set_term_states(std::span<const std::vector<double>> states) {
  if (states.size() != terms_.size()) return false;
  try {
    for (std::size_t k = 0; k < states.size(); ++k)
      if (!states[k].empty()) terms_[k]->set_state(states[k]);
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

std::uint64_t ForceField::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& term : terms_) bytes += term->bytes();
  return bytes;
}

}  // namespace dropmd
