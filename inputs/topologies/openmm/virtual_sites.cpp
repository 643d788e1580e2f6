#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "inputs/topologies/openmm/system_reading.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::openmm {
namespace {

using Weights = std::array<double, 3>;
using Parents = std::array<std::uint32_t, 3>;

/// Rounding of weights in files that write few digits.
constexpr double kRounding = 1e-6;

bool is_zero(double weight) { return std::abs(weight) <= kRounding; }

Weights read_weights(const XmlElement& element, const std::array<const char*, 3>& attributes) {
  Weights weights{};
  for (std::size_t k = 0; k < 3; ++k) weights[k] = element.number(attributes[k]);
  return weights;
}

void require_sum(const XmlElement& element, double sum, double wanted, std::string_view what) {
  if (!is_zero(sum - wanted)) element.fail(fmt::format("{} have the sum {} (it must be {})", what, sum, wanted));
}

VirtualSite site_of(SiteForm form, const Parents& parents, const std::array<double, 3>& parameters) {
  VirtualSite site{.form = form};
  site.parent.fill(parents[0]);
  std::copy_n(parents.begin(), std::min<std::size_t>(n_parents(form), 3), site.parent.begin());
  site.parameter = parameters;
  return site;
}

/// A site at a mean of two or three particles.
VirtualSite mean_site(const XmlElement& element, const Parents& parents, const Weights& weights) {
  require_sum(element, weights[0] + weights[1] + weights[2], 1, "the weights of a virtual site");
  return site_of(SiteForm::three, parents, {weights[1], weights[2], 0});
}

/// Exchanges a parent, with its weights, with the first one.
void move_to_front(std::size_t first, Parents& parents, Weights& x, Weights& y) {
  std::swap(parents[0], parents[first]);
  std::swap(x[0], x[first]);
  std::swap(y[0], y[first]);
}

/// A site in a frame of three particles: the origin and the directions are weighted sums of their positions. The x axis
/// is the direction `x`, the z axis is perpendicular to `x` and `y`, and the y axis to both axes. With weights x whose
/// sum is 0 and the origin at i, the x axis is along r_ij + a r_jk (3fd); if it is along r_ij, the y axis is in the
/// direction of the part of y_k r_jk that is perpendicular to it (3fad).
std::optional<VirtualSite> frame_site(const XmlElement& element, Parents parents, const Weights& origin, Weights x,
                                      Weights y, const std::array<double, 3>& local) {
  if (local[0] == 0 && local[1] == 0 && local[2] == 0) return mean_site(element, parents, origin);
  const auto first = static_cast<std::size_t>(
      std::find_if(origin.begin(), origin.end(), [](double w) { return is_zero(w - 1); }) - origin.begin());
  if (first == origin.size() || local[2] != 0) return std::nullopt;
  if (!std::all_of(origin.begin(), origin.end(), [](double w) { return is_zero(w) || is_zero(w - 1); }))
    return std::nullopt;
  move_to_front(first, parents, x, y);
  if (is_zero(x[0])) return std::nullopt;
  // Along −x if x leads to the origin.
  const double sign = x[0] < 0 ? 1 : -1;
  if (local[1] == 0) {
    const double a = x[2] / -x[0];
    if (is_zero(a)) return site_of(SiteForm::two_fd, parents, {angstrom_of(sign * local[0]), 0, 0});
    return site_of(SiteForm::three_fd, parents, {a, angstrom_of(sign * local[0]), 0});
  }
  if (is_zero(x[1])) std::swap(parents[1], parents[2]), std::swap(x[1], x[2]), std::swap(y[1], y[2]);
  if (!is_zero(x[2]) || is_zero(y[2])) return std::nullopt;
  const double along = sign * local[0], across = y[2] > 0 ? local[1] : -local[1];
  return site_of(SiteForm::three_fad, parents, {std::atan2(across, along), angstrom_of(std::hypot(along, across)), 0});
}

VirtualSite local_coordinates_site(const XmlElement& element, std::size_t n_atoms) {
  constexpr std::string_view kRemedy =
      "known: a site on an axis from one particle, or in the plane of three particles; others as OutOfPlaneSite";
  const Parents parents{element.particle("p1", n_atoms), element.particle("p2", n_atoms),
                        element.particle("p3", n_atoms)};
  const Weights origin = read_weights(element, {"wo1", "wo2", "wo3"});
  const Weights x = read_weights(element, {"wx1", "wx2", "wx3"}), y = read_weights(element, {"wy1", "wy2", "wy3"});
  const std::array<double, 3> local = read_weights(element, {"pos1", "pos2", "pos3"});
  const auto sum = [](const Weights& w) { return w[0] + w[1] + w[2]; };
  require_sum(element, sum(origin), 1, "the weights of the origin");
  require_sum(element, sum(x), 0, "the weights of the x direction");
  require_sum(element, sum(y), 0, "the weights of the y direction");
  if (element.has_attribute("wo4"))
    element.fail(fmt::format("LocalCoordinatesSite with more than three particles ({})", kRemedy));
  const std::optional<VirtualSite> site = frame_site(element, parents, origin, x, y, local);
  if (!site) element.fail(fmt::format("this LocalCoordinatesSite cannot be expressed ({})", kRemedy));
  return *site;
}

VirtualSite read_form(const XmlElement& element, std::size_t n_atoms) {
  const auto parent = [&](const char* attribute) { return element.particle(attribute, n_atoms); };
  if (element.name() == "TwoParticleAverageSite") {
    const double w1 = element.number("w1"), w2 = element.number("w2");
    require_sum(element, w1 + w2, 1, "the weights of a virtual site");
    return site_of(SiteForm::two, {parent("p1"), parent("p2"), 0}, {w2, 0, 0});
  }
  if (element.name() == "ThreeParticleAverageSite")
    return mean_site(element, {parent("p1"), parent("p2"), parent("p3")}, read_weights(element, {"w1", "w2", "w3"}));
  if (element.name() == "OutOfPlaneSite") {
    constexpr double kPerAngstrom = 0.1;  // 1/nm
    return site_of(SiteForm::three_out, {parent("p1"), parent("p2"), parent("p3")},
                   {element.number("w12"), element.number("w13"), element.number("wc") * kPerAngstrom});
  }
  if (element.name() == "LocalCoordinatesSite") return local_coordinates_site(element, n_atoms);
  element.fail(
      fmt::format("the virtual site {} cannot be read (known: TwoParticleAverageSite, "
                  "ThreeParticleAverageSite, OutOfPlaneSite, LocalCoordinatesSite)",
                  shown(element.name())));
}

}  // namespace

void read_virtual_site(const XmlElement& element, std::uint32_t number, SystemReading& reading) {
  VirtualSite site = read_form(element, reading.n_atoms);
  site.site = number;
  for (std::size_t k = 0; k < n_parents(site.form); ++k) {
    const std::uint32_t parent = site.parent[k];
    if (reading.model.mass[parent] == 0)
      element.fail(fmt::format("the virtual site {} is constructed from the virtual site {} (use atoms with mass)",
                               number, parent));
    for (std::size_t other = 0; other < k; ++other)
      if (site.parent[other] == parent)
        element.fail(fmt::format("the virtual site {} is constructed from particle {} twice", number, parent));
    reading.connections.push_back({number, parent});
  }
  reading.model.topology.virtual_sites.push_back(site);
}

}  // namespace dropmd::openmm
