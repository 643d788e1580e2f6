#include "integrators/virtual_sites/virtual_site_plan.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "tests/integrators/virtual_sites/site_examples.h"

namespace dropmd {
namespace {

std::string message_of(const Topology& topology, std::size_t n_atoms, const std::vector<std::string>& names = {}) {
  try {
    plan_virtual_sites(topology, n_atoms, {}, names);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Topology with_sites(std::vector<VirtualSite> sites) {
  Topology topology;
  topology.virtual_sites = std::move(sites);
  return topology;
}

Topology with_weighted(std::vector<WeightedSite> sites) {
  Topology topology;
  topology.weighted_sites = std::move(sites);
  return topology;
}

template <class Form>
const VirtualSiteGroup<Form>& group(const VirtualSitePlan& plan) {
  return std::get<VirtualSiteGroup<Form>>(plan.groups);
}

using Starts = std::vector<std::size_t>;
using Indices = std::vector<std::uint32_t>;

TEST(VirtualSitePlan, OfNothingIsEmpty) {
  const VirtualSitePlan plan = plan_virtual_sites({}, 7);
  EXPECT_EQ(plan.n_sites(), 0U);
  EXPECT_EQ(plan.n_layers, 0U);
  EXPECT_EQ(plan_virtual_sites({}, 0).n_sites(), 0U);
}

TEST(VirtualSitePlan, FourSiteWaterHasOneLayerAndOneType) {
  Topology topology;
  for (std::uint32_t w = 0; w < 100; ++w)
    topology.virtual_sites.push_back({SiteForm::three, 4 * w + 3, {4 * w, 4 * w + 1, 4 * w + 2, 4 * w}, {0.13, 0.13}});
  const VirtualSitePlan plan = plan_virtual_sites(topology, 400);
  EXPECT_EQ(plan.n_layers, 1U);
  const auto& sites = group<SiteOfThree>(plan);
  EXPECT_EQ(sites.form, std::vector{(SiteOfThree{0.13, 0.13})});
  EXPECT_EQ(sites.layer, (Starts{0, 100}));
  for (std::uint32_t w = 0; w < 100; ++w) {
    EXPECT_EQ(sites.site[w], 4 * w + 3);
    EXPECT_EQ(sites.parent[w], (std::array{4 * w, 4 * w + 1, 4 * w + 2}));
  }
}

/// The two lone pairs of a five-site water differ in the sign of c and share all parents.
TEST(VirtualSitePlan, FiveSiteWaterHasTwoLayersAndTwoTypes) {
  Topology topology;
  for (std::uint32_t w = 0; w < 10; ++w)
    for (const std::uint32_t side : {0U, 1U})
      topology.virtual_sites.push_back({SiteForm::three_out,
                                        5 * w + 3 + side,
                                        {5 * w, 5 * w + 1, 5 * w + 2, 5 * w},
                                        {-0.34, -0.34, side == 0 ? -0.64 : 0.64}});
  const VirtualSitePlan plan = plan_virtual_sites(topology, 50);
  EXPECT_EQ(plan.n_layers, 2U);
  EXPECT_EQ(plan.n_sites(), 20U);
  const auto& sites = group<SiteOutOfPlane>(plan);
  EXPECT_EQ(sites.layer, (Starts{0, 10, 20}));
  EXPECT_EQ(sites.form.size(), 2U);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(sites.site[i], i < 10 ? 5 * i + 3 : 5 * (i - 10) + 4);
    EXPECT_EQ(sites.type[i], i < 10 ? 0U : 1U);
  }
}

TEST(VirtualSitePlan, LayersKeepApartSitesOfAllFormsThatShareParents) {
  Topology topology = with_sites({{SiteForm::two, 10, {0, 1, 0, 0}, {0.5}},
                                  {SiteForm::at_one, 11, {1, 1, 1, 1}, {}},
                                  {SiteForm::two, 12, {2, 3, 2, 2}, {0.5}},
                                  {SiteForm::two, 13, {3, 0, 3, 3}, {0.5}}});
  topology.weighted_sites = {{14, {3, 4, 5}, {0.2, 0.3, 0.5}}, {15, {6, 7}, {0.5, 0.5}}};
  const VirtualSitePlan plan = plan_virtual_sites(topology, 16);
  EXPECT_EQ(plan.n_layers, 3U);
  EXPECT_EQ(group<SiteOfTwo>(plan).site, (Indices{10, 12, 13}));
  EXPECT_EQ(group<SiteOfTwo>(plan).layer, (Starts{0, 2, 3, 3}));
  EXPECT_EQ(group<SiteAtOne>(plan).layer, (Starts{0, 0, 1, 1}));
  EXPECT_EQ(plan.weighted.site, (Indices{15, 14}));
  EXPECT_EQ(plan.weighted.layer, (Starts{0, 1, 1, 2}));
  EXPECT_EQ(plan.weighted.start, (Starts{0, 2, 5}));
  EXPECT_EQ(plan.weighted.parent, (Indices{6, 7, 3, 4, 5}));
  EXPECT_EQ(plan.weighted.weight, (std::vector{0.5, 0.5, 0.2, 0.3, 0.5}));
}

TEST(VirtualSitePlan, MoleculesThatLeftAreLeftOutAndOthersHaveTheirIndices) {
  constexpr std::uint32_t kGone = PresentAtoms::kAbsent;
  Topology topology = with_sites({{SiteForm::two, 2, {0, 1, 0, 0}, {0.5}}, {SiteForm::two, 5, {3, 4, 3, 3}, {0.5}}});
  topology.weighted_sites = {{6, {7, 8}, {0.5, 0.5}}, {9, {10}, {1.0}}};
  const Indices index{kGone, kGone, kGone, 4, 3, 0, kGone, kGone, kGone, 1, 2};
  const VirtualSitePlan plan = plan_virtual_sites(topology, 11, PresentAtoms(index));
  EXPECT_EQ(plan.n_sites(), 2U);
  EXPECT_EQ(group<SiteOfTwo>(plan).site, (Indices{0}));
  EXPECT_EQ(group<SiteOfTwo>(plan).parent[0], (std::array{4U, 3U}));
  EXPECT_EQ(plan.weighted.site, (Indices{1}));
  EXPECT_EQ(plan.weighted.parent, (Indices{2}));
  for (const std::size_t torn : {3U, 5U, 9U, 10U}) {
    Indices partly = index;
    partly[torn] = kGone;
    EXPECT_THROW(plan_virtual_sites(topology, 11, PresentAtoms(partly)), std::logic_error) << torn;
  }
}

TEST(VirtualSitePlan, MistakesOfTheProgramAreLogicErrors) {
  EXPECT_THROW(plan_virtual_sites(with_sites({{SiteForm::at_one, 3, {0, 0, 0, 0}, {}}}), 3), std::logic_error);
  EXPECT_THROW(plan_virtual_sites(with_sites({{SiteForm::at_one, 0, {3, 3, 3, 3}, {}}}), 3), std::logic_error);
  EXPECT_THROW(plan_virtual_sites(with_weighted({{0, {1, 2}, {1.0}}}), 3), std::logic_error);
}

TEST(VirtualSitePlan, RefusesWhatIsNoSite) {
  const double nan = std::nan("");
  EXPECT_EQ(
      message_of(with_sites({{SiteForm::at_one, 3, {0, 0, 0, 0}, {}}, {SiteForm::at_one, 3, {1, 1, 1, 1}, {}}}), 4),
      "atom 4 is defined as a virtual site twice (define each site once)");
  Topology both = with_sites({{SiteForm::at_one, 3, {0, 0, 0, 0}, {}}});
  both.weighted_sites = {{3, {1}, {1.0}}};
  EXPECT_EQ(message_of(both, 4), "atom 4 is defined as a virtual site twice (define each site once)");
  EXPECT_EQ(message_of(with_sites({{SiteForm::two, 3, {0, 2, 0, 0}, {0.5}}, {SiteForm::at_one, 2, {1, 1, 1, 1}, {}}}),
                       4, {"OW", "HW1", "LP", "MW"}),
            "the virtual site 4 (MW) has the parent 3 (LP), which is a virtual site (parents must be atoms with mass)");
  EXPECT_EQ(message_of(with_sites({{SiteForm::two, 3, {3, 2, 3, 3}, {0.5}}}), 4),
            "the virtual site 4 has the parent 4, which is a virtual site (parents must be atoms with mass)");
  EXPECT_EQ(message_of(with_sites({{SiteForm::three, 3, {0, 2, 0, 0}, {0.5, 0.1}}}), 4),
            "the virtual site 4 has the parent 1 twice (name different atoms)");
  EXPECT_EQ(message_of(with_sites({{SiteForm::two, 3, {0, 2, 0, 0}, {nan}}}), 4),
            "a parameter of the virtual site 4 is not finite (it must be a number)");
  EXPECT_EQ(message_of(with_weighted({{3, {}, {}}}), 4), "the virtual site 4 has no parents (name at least one)");
  EXPECT_EQ(message_of(with_weighted({{3, {0, 1, 0}, {0.2, 0.3, 0.5}}}), 4),
            "the virtual site 4 has the parent 1 twice (name different atoms)");
  EXPECT_EQ(message_of(with_weighted({{3, {0, 1}, {0.5, nan}}}), 4),
            "a parameter of the virtual site 4 is not finite (it must be a number)");
  EXPECT_EQ(message_of(with_weighted({{3, {0, 1}, {0.5, 0.4}}}), 4),
            "the weights of the virtual site 4 add up to 0.9 (the sum must be 1)");
  EXPECT_EQ(message_of(with_weighted({{3, {0, 1}, {0.3333333, 0.6666667}}}), 4), "no error");
}

}  // namespace
}  // namespace dropmd
