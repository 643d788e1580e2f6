#include "forces/pair/pair_model.h"

#include <algorithm>

#include "core/forms/form_list.h"
#include "forces/pair/pair_forms.h"

namespace dropmd {

FormList lennard_jones_forms() { return form_list<LjForms<double>>(); }
FormList born_mayer_forms() { return BornMayer<double>::forms(); }
FormList coulomb_forms() { return form_list<CoulombForms<double>>(); }

double PairModel::cutoff() const { return std::max(cutoff_of(vdw()), cutoff_of(coulomb)); }

namespace {

template <class Use>
void for_each_contact(const PairModel& model, const Use& use) {
  if (model.lj)
    for (const LjParameters& p : model.lj_parameters)
      if (p.epsilon > 0) use(Contact{p.r_min(), p.epsilon});
  if (model.born_mayer)
    for (const BornMayerParameters& p : model.born_mayer_parameters)
      if (p.contact) use(Contact{*p.contact, p.repulsion(*p.contact)});
}

}  // namespace

std::vector<Contact> PairModel::contacts() const {
  std::vector<Contact> contacts;
  for_each_contact(*this, [&](const Contact& contact) { contacts.push_back(contact); });
  return contacts;
}

std::optional<double> PairModel::smallest_r_min() const {
  std::optional<double> smallest;
  for_each_contact(*this, [&](const Contact& contact) {
    if (!smallest || contact.distance < *smallest) smallest = contact.distance;
  });
  return smallest;
}

double PairModel::largest_barrier() const {
  double largest = 0;
  if (born_mayer)
    for (const BornMayerParameters& p : born_mayer_parameters) largest = std::max(largest, p.barrier);
  return largest;
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

std::vector<BornMayerCoefficients<double>> PairModel::born_mayer_coefficients() const {
  std::vector<BornMayerCoefficients<double>> table(n_species * n_species);
  if (!born_mayer) return table;
  std::transform(born_mayer_parameters.begin(), born_mayer_parameters.end(), table.begin(),
                 [this](const BornMayerParameters& p) { return BornMayer<double>::coefficients(*born_mayer, p); });
  return table;
}

}  // namespace dropmd
