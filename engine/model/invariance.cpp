#include "engine/model/invariance.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "forces/fields/atom_force_terms.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

Invariance together(const std::vector<NamedInvariance>& terms) {
  Invariance all;
  for (const NamedInvariance& term : terms) all = all & term.invariance;
  return all;
}

/// A term of many atoms is named after its energy.
std::vector<NamedInvariance> invariances_of(const System& system) {
  std::vector<NamedInvariance> terms = invariances_of(system.fields);
  for (const auto& term : system.terms) {
    const std::vector<std::string_view> names = term->energy_names();
    terms.push_back({names.empty() ? "force term" : names.front(), term->invariance()});
  }
  return terms;
}

/// Returns the name of the first term that a motion changes; empty if there is none.
std::string_view first_against(const std::vector<NamedInvariance>& terms, bool Invariance::*motion) {
  const auto found =
      std::find_if(terms.begin(), terms.end(), [&](const NamedInvariance& term) { return !(term.invariance.*motion); });
  return found == terms.end() ? std::string_view() : found->term;
}

}  // namespace

Invariance invariance_of(const System& system) { return together(invariances_of(system)); }

Invariance invariance_of(const RunConfig& config, const MolecularModel* molecules) {
  std::vector<NamedInvariance> terms = invariances_of(config.fields);
  if (molecules != nullptr && !std::get<std::vector<PositionRestraint>>(molecules->topology.terms).empty())
    terms.push_back({PositionRestraint::kEnergy, {.translation = false, .rotation = false}});
  return together(terms);
}

std::vector<std::string> motion_warnings(const IntegrationSettings& settings, const System& system) {
  std::vector<std::string> warnings;
  if (settings.recenter_every <= 0) return warnings;
  const std::vector<NamedInvariance> terms = invariances_of(system);
  const std::string_view fixed = first_against(terms, &Invariance::translation),
                         turned = first_against(terms, &Invariance::rotation);
  const Recenter centre = recentring(settings, together(terms));
  if (!fixed.empty() && centre != Recenter::none)
    warnings.push_back(
        fmt::format("recenter = \"{}\" moves the atoms against the {}: the energy is not conserved (without 'recenter' "
                    "in [run] nothing is recentred with a {})",
                    word_of_value(kRecenterWords, centre), fixed, fixed));
  const auto add = [&](std::string_view momentum, std::string_view term) {
    if (!term.empty())
      warnings.push_back(fmt::format(
          "remove-momentum = \"{}\" removes {} momentum that the {} gives to the atoms: the energy is not conserved "
          "(without 'remove-momentum' in [run] no momentum is removed)",
          word_of_value(kRemoveMomentumWords, settings.remove_momentum), momentum, term));
  };
  if (removes_linear(settings.remove_momentum)) add("linear", fixed);
  if (removes_angular(settings.remove_momentum)) add("angular", turned);
  return warnings;
}

}  // namespace dropmd
