#include "forces/pair/pair_model.h"

#include <algorithm>

#include "core/form_list.h"
#include "forces/pair/pair_forms.h"

namespace dropmd {

FormList lennard_jones_forms() { return form_list<LjForms<double>>(); }
FormList coulomb_forms() { return form_list<CoulombForms<double>>(); }

double PairModel::cutoff() const { return std::max(cutoff_of(lj), cutoff_of(coulomb)); }

std::optional<double> PairModel::smallest_r_min() const {
  if (!lj) return std::nullopt;
  std::optional<double> smallest;
  for (const LjParameters& p : lj_parameters)
    if (p.epsilon > 0 && (!smallest || p.r_min() < *smallest)) smallest = p.r_min();
  return smallest;
}

std::vector<LjCoefficients<double>> PairModel::lj_coefficients() const {
  std::vector<LjCoefficients<double>> table(n_species * n_species);
  if (!lj) return table;
  with_form<LjForms<double>>(*lj, [&]<class Form>(std::type_identity<Form>) {
    std::transform(lj_parameters.begin(), lj_parameters.end(), table.begin(),
                   [this](const LjParameters& p) { return Form::coefficients(*lj, p); });
  });
  return table;
}

}  // namespace dropmd
