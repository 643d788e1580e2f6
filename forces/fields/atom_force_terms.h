#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/form.h"
#include "core/units.h"
#include "forces/force_term.h"

namespace dropmd {

/// The terms of one atom that a run has, for the host; charge: [n_atoms], outlives them.
std::vector<std::unique_ptr<ForceTerm>> make_atom_force_terms(Cpu cpu, const FormChoices& chosen, const Units& units,
                                                              std::span<const double> charge);

/// Names of the energies that the terms of one atom of a run have: those listed in any case, and those that act.
std::vector<std::string_view> atom_energy_names(const FormChoices& chosen);

/// What all of them together leave invariant.
Invariance invariance_of(const FormChoices& chosen);

/// Whether an energy of them depends on time itself.
bool any_driven(const FormChoices& chosen, const Units& units);

/// The sections of the run file that choose them.
std::vector<FormSection> atom_term_sections();

}  // namespace dropmd
