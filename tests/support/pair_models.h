#pragma once

#include <limits>
#include <string>
#include <vector>

#include "forces/mesh/coulomb_split.h"
#include "forces/mesh/split_polynomial.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

struct NamedModel {
  std::string name;
  PairModel model;
};

inline constexpr double kLjCutoff = 2.5, kSwitchFrom = 2.0, kCoulombCutoff = 3.0;

/// Every treatment at the cutoff.
inline std::vector<FormChoice> lj_treatments(double cutoff = kLjCutoff) {
  return {{"none"},
          {"cut", {{"cutoff", cutoff}}},
          {"shift", {{"cutoff", cutoff}}},
          {"force-shift", {{"cutoff", cutoff}}},
          {"switch", {{"cutoff", cutoff}, {"switch-from", kSwitchFrom / kLjCutoff * cutoff}}}};
}

/// The pair part of a mesh whose accuracy is 1e-4. Its coefficients have no unit, so one fit serves all cutoffs.
inline FormChoice short_range_of_mesh(double cutoff) {
  static const FormChoice kUnitCutoff = short_range_choice(CoulombSplit(1, CoulombSplit::bandwidth_for(1e-4)), 7);
  FormChoice choice = kUnitCutoff;
  choice.values["cutoff"] = cutoff;
  return choice;
}

/// Every Coulomb form; the reaction field with a finite and an infinite dielectric constant.
inline std::vector<FormChoice> coulomb_choices(double cutoff = kCoulombCutoff) {
  return {{"exact"},
          {"cut", {{"cutoff", cutoff}}},
          {"shift", {{"cutoff", cutoff}}},
          {"smoothed", {{"cutoff", cutoff}}},
          {"reaction-field", {{"cutoff", cutoff}, {"dielectric", 4.0}}},
          {"reaction-field", {{"cutoff", cutoff}, {"dielectric", std::numeric_limits<double>::infinity()}}},
          {"dsf", {{"cutoff", cutoff}, {"damping", 0.4}}},
          short_range_of_mesh(cutoff)};
}

/// A table [n][n] for n ≤ 3 species of different sizes (σ 1, 0.9, 1.1; ε 1, 0.6, 1.5). It follows Lorentz-Berthelot
/// except for one explicit pair, so that a transposed or shifted table shows.
inline std::vector<LjParameters> lj_table(std::size_t n_species) {
  const LjParameters own[] = {{1.0, 1.0}, {0.6, 0.9}, {1.5, 1.1}};
  std::vector<LjParameters> table;
  for (std::size_t a = 0; a < n_species; ++a)
    for (std::size_t b = 0; b < n_species; ++b) {
      const bool explicit_pair = a + b == 1;
      table.push_back(explicit_pair ? LjParameters{0.3, 1.02}
                                    : LjParameters{std::sqrt(own[a].epsilon * own[b].epsilon),
                                                   0.5 * (own[a].sigma + own[b].sigma)});
    }
  return table;
}

/// ε = σ = k_e = 1, one species.
inline PairModel simple_model(std::optional<FormChoice> lj, std::optional<FormChoice> coulomb = std::nullopt) {
  PairModel model;
  model.lj = std::move(lj);
  model.lj_parameters = lj_table(1);
  model.coulomb = std::move(coulomb);
  return model;
}

/// ε = σ = 1, no charges.
inline PairModel lj_model(const std::string& treatment, double cutoff = kLjCutoff) {
  for (FormChoice& choice : lj_treatments(cutoff))
    if (choice.form == treatment) return simple_model(std::move(choice));
  throw std::invalid_argument(treatment);
}

/// Every treatment with every Coulomb form, and each term alone; `n_species` species.
inline std::vector<NamedModel> all_models(std::size_t n_species) {
  std::vector<std::optional<FormChoice>> lj{std::nullopt}, coulomb{std::nullopt};
  for (FormChoice& choice : lj_treatments()) lj.emplace_back(std::move(choice));
  for (FormChoice& choice : coulomb_choices()) coulomb.emplace_back(std::move(choice));
  std::vector<NamedModel> models;
  for (const auto& l : lj)
    for (const auto& c : coulomb) {
      if (!l && !c) continue;
      PairModel model = simple_model(l, c);
      model.n_species = n_species;
      model.lj_parameters = lj_table(n_species);
      models.push_back(
          {(l ? l->form : "off") + " + " + (c ? c->form : "off") + ", " + std::to_string(n_species) + " species",
           std::move(model)});
    }
  return models;
}

/// Every treatment of a Born-Mayer term.
inline std::vector<FormChoice> born_mayer_treatments(double cutoff = kLjCutoff) {
  return {
      {"none"}, {"cut", {{"cutoff", cutoff}}}, {"shift", {{"cutoff", cutoff}}}, {"force-shift", {{"cutoff", cutoff}}}};
}

/// Born-Mayer pairs of about the same sizes as in lj_table, [n][n] for n ≤ 3 species; barriers near 0.3.
inline PairModel born_mayer_model(FormChoice treatment, std::optional<FormChoice> coulomb, std::size_t n_species) {
  const BornMayerParameters own[] = {{.a = 4, .rho = 0.09, .sigma = 1, .c = 1.5, .d = 0.5},
                                     {.a = 3, .rho = 0.1, .sigma = 0.95, .c = 0.7, .d = 0},
                                     {.a = 500, .rho = 0.2, .sigma = 0, .c = 0, .d = 0.3}};
  PairModel model;
  model.n_species = n_species;
  model.born_mayer = std::move(treatment);
  model.coulomb = std::move(coulomb);
  for (std::size_t a = 0; a < n_species; ++a)
    for (std::size_t b = 0; b < n_species; ++b) {
      BornMayerParameters pair = own[a == b ? a : (a + b) % 3];
      if (a != b) pair.a *= 1.25;
      find_barrier(pair, model.coulomb ? -1.0 : 0.0);
      model.born_mayer_parameters.push_back(pair);
    }
  return model;
}

/// Every treatment with every Coulomb form and with none; `n_species` species.
inline std::vector<NamedModel> all_born_mayer_models(std::size_t n_species) {
  std::vector<std::optional<FormChoice>> coulomb{std::nullopt};
  for (FormChoice& choice : coulomb_choices()) coulomb.emplace_back(std::move(choice));
  std::vector<NamedModel> models;
  for (const FormChoice& treatment : born_mayer_treatments())
    for (const auto& c : coulomb)
      models.push_back({"Born-Mayer " + treatment.form + " + " + (c ? c->form : "off") + ", " +
                            std::to_string(n_species) + " species",
                        born_mayer_model(treatment, c, n_species)});
  return models;
}

/// A few models that cover the branches of a traversal: without cutoff, with one cutoff, with two in either order, with
/// one term only, and with 1 to 3 species.
inline std::vector<NamedModel> representative_models() {
  const auto lj = [](std::size_t k, double cutoff = kLjCutoff) { return lj_treatments(cutoff)[k]; };
  const auto coulomb = [](std::size_t k, double cutoff = kCoulombCutoff) { return coulomb_choices(cutoff)[k]; };
  const auto with_species = [](PairModel model, std::size_t n) {
    model.n_species = n;
    model.lj_parameters = lj_table(n);
    return model;
  };
  return {{"no cutoff, 2 species", with_species(simple_model(lj(0), coulomb(0)), 2)},
          {"exact Coulomb, cut LJ", simple_model(lj(1), coulomb(0))},
          {"LJ alone, force-shift", simple_model(lj(3))},
          {"Coulomb alone, smoothed", simple_model(std::nullopt, coulomb(3))},
          {"LJ cutoff larger, 3 species", with_species(simple_model(lj(2, 4.0), coulomb(2, 2.2)), 3)},
          {"Coulomb cutoff larger, 1 species", simple_model(lj(4, 2.2), coulomb(4, 4.0))},
          {"Born-Mayer without cutoff, 1 species", born_mayer_model({"none"}, coulomb(0), 1)},
          {"Born-Mayer cutoff larger, 3 species", born_mayer_model(born_mayer_treatments(4.0)[3], coulomb(6, 2.2), 3)}};
}

}  // namespace dropmd
