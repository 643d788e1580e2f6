#include "integrators/virtual_sites/cpu_virtual_sites.h"

#include "core/ordered_sum.h"
#include "integrators/virtual_sites/weighted_site.h"

namespace dropmd {
namespace {

/// A site of a form with the positions of its parents.
template <class Form>
struct OneSite {
  OneSite(const VirtualSiteGroup<Form>& group, std::size_t i, std::span<const Vec3<double>> position)
      : form(group.form[group.type[i]]), atoms(group.parent[i]) {
    for (std::size_t p = 0; p < atoms.size(); ++p) parent[p] = position[atoms[p]];
  }

  const Form& form;
  const typename VirtualSiteGroup<Form>::Parents& atoms;
  Vec3<double> parent[Form::kParents];
};

WeightedParents parents_of(const WeightedSiteGroup& group, std::size_t i) {
  const std::size_t first = group.start[i];
  return {group.parent.data() + first, group.weight.data() + first, group.start[i + 1] - first};
}

}  // namespace

void CpuVirtualSites::place(Cpu cpu, std::span<Vec3<double>> position) const {
  const auto place_all = [&]<class Form>(const VirtualSiteGroup<Form>& group) {
    for_each_index(cpu, group.site.size(), [&](std::size_t i) {
      const OneSite<Form> site(group, i, position);
      position[group.site[i]] = site.form.place(site.parent);
    });
  };
  std::apply([&](const auto&... group) { (place_all(group), ...); }, plan_.groups);
  const WeightedSiteGroup& weighted = plan_.weighted;
  for_each_index(cpu, weighted.site.size(),
                 [&](std::size_t i) { position[weighted.site[i]] = parents_of(weighted, i).mean(position.data()); });
}

void CpuVirtualSites::spread(Cpu cpu, std::span<const Vec3<double>> position, std::span<Vec3<double>> force) const {
  const auto spread_layer = [&]<class Form>(const VirtualSiteGroup<Form>& group, std::size_t layer) {
    const std::size_t first = group.layer[layer];
    for_each_index(cpu, group.layer[layer + 1] - first, [&](std::size_t k) {
      const std::size_t i = first + k;
      const OneSite<Form> site(group, i, position);
      Vec3<double> on_parent[Form::kParents];
      site.form.spread(site.parent, force[group.site[i]], on_parent);
      for (std::size_t p = 0; p < site.atoms.size(); ++p) force[site.atoms[p]] += on_parent[p];
      force[group.site[i]] = {};
    });
  };
  const WeightedSiteGroup& weighted = plan_.weighted;
  for (std::size_t layer = 0; layer < plan_.n_layers; ++layer) {
    std::apply([&](const auto&... group) { (spread_layer(group, layer), ...); }, plan_.groups);
    const std::size_t first = weighted.layer[layer];
    for_each_index(cpu, weighted.layer[layer + 1] - first, [&](std::size_t k) {
      const std::size_t i = first + k;
      parents_of(weighted, i).spread(force[weighted.site[i]], force.data());
      force[weighted.site[i]] = {};
    });
  }
}

}  // namespace dropmd
