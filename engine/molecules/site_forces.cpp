#include "engine/molecules/site_forces.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "engine/molecules/motion_plans.h"
#include "integrators/virtual_sites/cpu_virtual_sites.h"

namespace dropmd {

namespace {

/// Returns the atoms whose forces the sample's depend on: first the sample, then the virtual sites with a parent in it.
std::vector<std::uint32_t> with_sites(const VirtualSitePlan& plan, std::size_t n_atoms,
                                      std::span<const std::uint32_t> sample) {
  std::vector<std::uint32_t> atoms(sample.begin(), sample.end());
  std::vector<bool> is_in(n_atoms);
  for (const std::uint32_t i : sample) is_in[i] = true;
  const auto add = [&](std::uint32_t site, const auto& parents) {
    if (!is_in[site] && std::any_of(std::begin(parents), std::end(parents), [&](std::uint32_t p) { return is_in[p]; }))
      atoms.push_back(site);
  };
  const auto add_group = [&](const auto& group) {
    for (std::size_t k = 0; k < group.site.size(); ++k) add(group.site[k], group.parent[k]);
  };
  std::apply([&](const auto&... group) { (add_group(group), ...); }, plan.groups);
  const WeightedSiteGroup& weighted = plan.weighted;
  for (std::size_t k = 0; k < weighted.site.size(); ++k)
    add(weighted.site[k],
        std::span(weighted.parent).subspan(weighted.start[k], weighted.start[k + 1] - weighted.start[k]));
  return atoms;
}

}  // namespace

void spread_site_forces(const System& system, std::span<Vec3<double>> force) {
  const CpuVirtualSites sites(virtual_sites_of(system));
  if (sites.plan().n_sites() > 0) sites.spread(Cpu{}, system.particles.position, force);
}

std::vector<AtomSums> spread_reference(const ForceField& terms, const System& system, const Moment& now,
                                       std::span<const std::uint32_t> sample) {
  if (!system.topology || !system.topology->has_sites()) return terms.reference(now, sample);
  const CpuVirtualSites sites(virtual_sites_of(system));
  const std::vector<std::uint32_t> atoms = with_sites(sites.plan(), now.position.size(), sample);
  std::vector<AtomSums> sums = terms.reference(now, atoms);
  std::vector<Vec3<double>> force(now.position.size());
  for (std::size_t k = 0; k < atoms.size(); ++k) force[atoms[k]] = sums[k].force;
  sites.spread(Cpu{}, now.position, force);
  sums.resize(sample.size());
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k].force = force[sample[k]];
  return sums;
}

}  // namespace dropmd
