#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/run/droplet_state.h"
#include "core/run/run_settings.h"
#include "engine/droplet/molecule_table.h"

namespace dropmd {

/// Returns Particles::groups for the atoms of a table. member: [n_molecules] whether a molecule belongs to the droplet;
/// applies_to: IntegrationSettings::applies_to.
std::vector<std::uint8_t> atom_groups(const MoleculeTable& table, std::span<const char> member,
                                      std::string_view applies_to);

/// Returns for each molecule of a table whether it is among these members, [n_molecules].
std::vector<char> are_members(const MoleculeTable& table, const DropletState& of);

/// Sets the groups of a system's atoms for the first step, if the settings need them: the droplet's members are those
/// of `from` or else follow from the clusters at the present positions. Throws InputError if the bath acts on molecules
/// of a name that no molecule has.
void set_first_groups(System& system, const IntegrationSettings& settings, const std::optional<DropletState>& from);

/// Sets the groups of all atoms, if the settings need them, for the kinds of molecules to which they belong now. A
/// molecule is a member of the droplet if its first atom is.
void set_groups_again(System& system, const IntegrationSettings& settings);

/// Sets the groups of the atoms that were added to a system, from index `first` on. Each is a molecule with the name of
/// its species, and may belong to the droplet, if the run follows one, from the next labels on.
void set_groups_of_added(Particles& particles, std::size_t first, const IntegrationSettings& settings);

}  // namespace dropmd
