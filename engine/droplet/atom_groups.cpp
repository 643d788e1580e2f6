#include "engine/droplet/atom_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "engine/droplet/clusters.h"
#include "inputs/nearest_word.h"

namespace dropmd {

namespace {

/// Throws InputError if no molecule has the name that the bath acts on; all that have it may have left the run.
void require_name(const System& system, const IntegrationSettings& settings) {
  const std::vector<std::string> names = names_of_molecules(system);
  if (std::find(names.begin(), names.end(), settings.applies_to) != names.end()) return;
  std::vector<std::string_view> words{kAllAtoms, kDropletAtoms, kVapourAtoms};
  words.insert(words.end(), names.begin(), names.end());
  throw InputError(settings.applies_to_place,
                   fmt::format("'applies-to' in [integrator] is \"{}\", which is neither a phase nor the "
                               "name of a molecule {}",
                               settings.applies_to, known_words_hint(settings.applies_to, words)));
}

/// Returns the groups of a molecule with this name. inside: whether it belongs to the droplet.
std::uint8_t group_of(std::string_view name, bool inside, std::string_view applies_to) {
  const bool in_bath = applies_to == kAllAtoms       ? true
                       : applies_to == kDropletAtoms ? inside
                       : applies_to == kVapourAtoms  ? !inside
                                                     : name == applies_to;
  return static_cast<std::uint8_t>((inside ? field::kInDroplet : 0) | (in_bath ? field::kInBath : 0));
}

}  // namespace

std::vector<std::uint8_t> atom_groups(const MoleculeTable& table, std::span<const char> member,
                                      std::string_view applies_to) {
  std::vector<std::uint8_t> of_molecule(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) of_molecule[k] = group_of(table.name[k], member[k] != 0, applies_to);
  std::vector<std::uint8_t> groups;
  groups.reserve(table.of_atom.size());
  for (const std::uint32_t molecule : table.of_atom) groups.push_back(of_molecule[molecule]);
  return groups;
}

std::vector<char> are_members(const MoleculeTable& table, const DropletState& of) {
  std::vector<char> member(table.size());
  for (std::size_t k = 0; k < member.size(); ++k)
    member[k] = std::binary_search(of.members.begin(), of.members.end(), table.id[k]) ? 1 : 0;
  return member;
}

void set_first_groups(System& system, const IntegrationSettings& settings, const std::optional<DropletState>& from) {
  if (!settings.bath_acts_on_part() && !settings.follows_droplet()) return;
  const MoleculeTable table = molecules_of(system);
  std::vector<char> member(table.size(), 1);
  if (settings.follows_droplet() && from) {
    member = are_members(table, *from);
  } else if (settings.follows_droplet() && settings.droplet) {
    const Clusters clusters =
        find_clusters(table, system.particles.position, link_distance(*settings.droplet, system.units.system));
    for (std::size_t k = 0; k < member.size(); ++k) member[k] = clusters.in_droplet(k) ? 1 : 0;
  }
  if (settings.bath_acts_on_part() && settings.applies_to != kDropletAtoms && settings.applies_to != kVapourAtoms)
    require_name(system, settings);
  system.particles.groups = atom_groups(table, member, settings.applies_to);
}

void set_groups_again(System& system, const IntegrationSettings& settings) {
  if (!settings.bath_acts_on_part() && !settings.follows_droplet()) return;
  const MoleculeTable table = molecules_of(system);
  std::vector<char> member(table.size());
  for (std::size_t k = 0; k < member.size(); ++k)
    if (!settings.follows_droplet() || system.particles.is_in(table.first_atom[k], field::kInDroplet)) member[k] = 1;
  system.particles.groups = atom_groups(table, member, settings.applies_to);
}

void set_groups_of_added(Particles& particles, std::size_t first, const IntegrationSettings& settings) {
  for (std::size_t i = first; i < particles.groups.size(); ++i)
    particles.groups[i] =
        group_of(particles.species_names[particles.species[i]], !settings.follows_droplet(), settings.applies_to);
}

}  // namespace dropmd
