#include "forces/fields/atom_force_terms.h"

#include "core/ordered_sum.h"
#include "forces/fields/atom_terms.h"

namespace dropmd {

namespace {

/// A one-body term, applied to all atoms.
template <class Term>
class AtomForceTerm final : public ForceTerm {
 public:
  AtomForceTerm(Cpu cpu, const Term& term, const Particles& particles)
      : cpu_(cpu), term_(term), particles_(particles) {}

  std::vector<std::string_view> energy_names() const override { return {Term::kEnergy}; }

  void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) override {
    const double energy = ordered_sum<double>(cpu_, now.position.size(), [&](std::size_t i) {
      const AtomTermValue value = value_at(now, i);
      force[i] = first ? value.force : force[i] + value.force;
      return value.energy;
    });
    if (want == Want::forces_and_energies) energies.add(Term::kEnergy, energy);
  }

  void add_reference(Cpu, const Moment& now, std::span<const std::uint32_t> sample,
                     std::span<AtomSums> sums) const override {
    for (std::size_t k = 0; k < sample.size(); ++k) sums[k].force += value_at(now, sample[k]).force;
  }
  void add_reference_energies(Cpu cpu, const Moment& now, Energies& energies) const override {
    energies.add(Term::kEnergy,
                 ordered_sum<double>(cpu, now.position.size(), [&](std::size_t i) { return value_at(now, i).energy; }));
  }

 private:
  AtomTermValue value_at(const Moment& now, std::size_t i) const {
    return term_(atom_point(particles_, i, now.position[i], now.time));
  }

  Cpu cpu_;
  Term term_;
  const Particles& particles_;
};

}  // namespace

std::vector<std::unique_ptr<ForceTerm>> make_atom_force_terms(Cpu cpu, const FormChoices& chosen, const Units& units,
                                                              const Particles& particles) {
  std::vector<std::unique_ptr<ForceTerm>> terms;
  AtomTerms(chosen, units).for_each([&]<class Term>(const Term& term, std::size_t) {
    if (term.acts()) terms.push_back(std::make_unique<AtomForceTerm<Term>>(cpu, term, particles));
  });
  return terms;
}

std::vector<std::string_view> atom_energy_names(const FormChoices& chosen) {
  std::vector<std::string_view> names;
  AtomTerms().for_each([&]<class Term>(const Term&, std::size_t) {
    if (Term::kAlwaysListed || chosen.contains(Term::kSection)) names.push_back(Term::kEnergy);
  });
  return names;
}

std::vector<NamedInvariance> invariances_of(const FormChoices& chosen) {
  std::vector<NamedInvariance> invariances;
  AtomTerms().for_each([&]<class Term>(const Term&, std::size_t) {
    if (chosen.contains(Term::kSection)) invariances.push_back({Term::kSection, Term::kInvariance});
  });
  return invariances;
}

bool any_driven(const FormChoices& chosen, const Units& units) { return AtomTerms(chosen, units).driven(); }

std::vector<FormSection> atom_term_sections() { return AtomTerms::sections(); }

}  // namespace dropmd
