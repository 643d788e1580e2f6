#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/topology/present_atoms.h"
#include "core/topology/topology.h"
#include "integrators/virtual_sites/fixed_distance_sites.h"
#include "integrators/virtual_sites/linear_sites.h"
#include "integrators/virtual_sites/out_of_plane_sites.h"

namespace dropmd {

/// All sites of one form. Sites are in the order of their layers: those of one layer share no parent, so that their
/// forces can be spread in parallel, one layer after another. Four-site water needs one layer, five-site water two.
template <class Form>
struct VirtualSiteGroup {
  using Parents = std::array<std::uint32_t, Form::kParents>;

  std::vector<std::uint32_t> site;  ///< [n_sites] index
  std::vector<Parents> parent;      ///< [n_sites][kParents] indices
  std::vector<std::uint32_t> type;  ///< [n_sites] index into `form`
  std::vector<Form> form;           ///< [n_types] parameters of sites that are alike
  std::vector<std::size_t> layer;   ///< [n_layers + 1] where each layer begins
};

/// Sites at weighted means, with layers as above.
struct WeightedSiteGroup {
  std::vector<std::uint32_t> site;    ///< [n_sites] index
  std::vector<std::size_t> start;     ///< [n_sites + 1] where the parents of each site begin
  std::vector<std::uint32_t> parent;  ///< indices of the parents of all sites
  std::vector<double> weight;         ///< of each parent
  std::vector<std::size_t> layer;     ///< [n_layers + 1] where each layer begins
};

/// The virtual sites of a topology by form. A kernel takes one thread per site; the threads of one group do the same
/// work.
struct VirtualSitePlan {
  std::tuple<VirtualSiteGroup<SiteAtOne>, VirtualSiteGroup<SiteOfTwo>, VirtualSiteGroup<SiteOfTwoFixedDistance>,
             VirtualSiteGroup<SiteOfThree>, VirtualSiteGroup<SiteOfThreeFixedDistance>,
             VirtualSiteGroup<SiteOfThreeFixedAngle>, VirtualSiteGroup<SiteOutOfPlane>,
             VirtualSiteGroup<SiteOfFourNormal>>
      groups;
  WeightedSiteGroup weighted;
  std::size_t n_layers = 0;

  /// Number of sites of all forms.
  std::size_t n_sites() const;
};

/// Plans the construction of a topology's virtual sites. n_atoms: number of atoms in the topology. names: [n_atoms] by
/// number, for messages; may be empty. Sites that are absent with all their parents are left out.
///
/// Throws InputError, which names the site by the id of its atom, for an atom that is a virtual site twice, parents
/// that are virtual sites or the same atom, parameters that are not finite, no parents, and weights whose sum is not 1.
VirtualSitePlan plan_virtual_sites(const Topology& topology, std::size_t n_atoms, const PresentAtoms& present = {},
                                   std::span<const std::string> names = {});

}  // namespace dropmd
