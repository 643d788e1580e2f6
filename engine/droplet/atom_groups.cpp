#include "engine/droplet/atom_groups.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "engine/droplet/clusters.h"

namespace dropmd {

namespace {

/// Molecules of this name may have left the run.
void require_name(const System& system, const std::string& name) {
  const std::vector<std::string> names = names_of_molecules(system);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw InputError(
        fmt::format("'applies-to' in [integrator] is \"{}\", and no molecule has this name (all, droplet, "
                    "vapour, {})",
                    name, fmt::join(names, ", ")));
}

}  // namespace

std::vector<std::uint8_t> atom_groups(const MoleculeTable& table, std::span<const char> member,
                                      std::string_view applies_to) {
  const bool to_all = applies_to == kAllAtoms, to_droplet = applies_to == kDropletAtoms,
             to_vapour = applies_to == kVapourAtoms;
  std::vector<std::uint8_t> of_molecule(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) {
    const bool inside = member[k] != 0;
    bool in_bath = to_all || (to_droplet && inside) || (to_vapour && !inside);
    if (!to_all && !to_droplet && !to_vapour) in_bath = table.name[k] == applies_to;
    of_molecule[k] = static_cast<std::uint8_t>((inside ? field::kInDroplet : 0) | (in_bath ? field::kInBath : 0));
  }
  std::vector<std::uint8_t> groups;
  groups.reserve(table.of_atom.size());
  for (const std::uint32_t molecule : table.of_atom) groups.push_back(of_molecule[molecule]);
  return groups;
}

std::vector<char> are_members(const MoleculeTable& table, const DropletState& of) {
  std::vector<char> member(table.size());
  auto next = of.members.begin();
  for (std::size_t k = 0; k < member.size(); ++k) {  // ids ascend in both
    while (next != of.members.end() && *next < table.id[k]) ++next;
    member[k] = next != of.members.end() && *next == table.id[k] ? 1 : 0;
  }
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
    require_name(system, settings.applies_to);
  system.particles.groups = atom_groups(table, member, settings.applies_to);
}

}  // namespace dropmd
