#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/forms/form.h"
#include "core/units.h"
#include "forces/force_term.h"

namespace dropmd {

/// Returns the one-body terms of a run, for the host. charge: [n_atoms], must outlive them.
std::vector<std::unique_ptr<ForceTerm>> make_atom_force_terms(Cpu cpu, const FormChoices& chosen, const Units& units,
                                                              std::span<const double> charge);

/// Returns the names of the energies of a run's one-body terms: those that are always listed, and those that act.
std::vector<std::string_view> atom_energy_names(const FormChoices& chosen);

/// Returns the invariance of all one-body terms together.
Invariance invariance_of(const FormChoices& chosen);

/// Returns whether the energy of one of the terms depends explicitly on time.
bool any_driven(const FormChoices& chosen, const Units& units);

/// Returns the sections of the run file that choose one-body terms.
std::vector<FormSection> atom_term_sections();

}  // namespace dropmd
