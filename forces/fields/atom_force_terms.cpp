#include "forces/fields/atom_force_terms.h"

#include "core/ordered_sum.h"
#include "forces/fields/atom_terms.h"

namespace dropmd {

namespace {

/// A one-body term, applied to all atoms.
template <class Term>
class AtomForceTerm final : public ForceTerm {
 public:
  AtomForceTerm(Cpu cpu, const Term& term, std::span<const double> charge) : cpu_(cpu), term_(term), charge_(charge) {}

  std::vector<std::string_view> energy_names() const override { return {Term::kEnergy}; }
  Invariance invariance() const override { return Term::kInvariance; }

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
    return term_({now.position[i], &charge_[i], now.time});
  }

  Cpu cpu_;
  Term term_;
  std::span<const double> charge_;
};

}  // namespace

std::vector<std::unique_ptr<ForceTerm>> make_atom_force_terms(Cpu cpu, const FormChoices& chosen, const Units& units,
                                                              std::span<const double> charge) {
  std::vector<std::unique_ptr<ForceTerm>> terms;
  AtomTerms(chosen, units).for_each([&]<class Term>(const Term& term, std::size_t) {
    if (term.acts()) terms.push_back(std::make_unique<AtomForceTerm<Term>>(cpu, term, charge));
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

Invariance invariance_of(const FormChoices& chosen) {
  Invariance all;
  AtomTerms().for_each([&]<class Term>(const Term&, std::size_t) {
    if (!chosen.contains(Term::kSection)) return;
    all.translation = all.translation && Term::kInvariance.translation;
    all.rotation = all.rotation && Term::kInvariance.rotation;
  });
  return all;
}

bool any_driven(const FormChoices& chosen, const Units& units) { return AtomTerms(chosen, units).driven(); }

std::vector<FormSection> atom_term_sections() { return AtomTerms::sections(); }

}  // namespace dropmd
