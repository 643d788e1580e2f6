#include "engine/jobs/generate_droplet.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <unordered_map>

#include "core/errors.h"
#include "core/philox.h"
#include "neighbor/cells/cell_index.h"

namespace dropmd {

namespace {

/// A site, and whether it has the first or the second charge if charges alternate.
struct Site {
  Vec3<double> x;
  bool odd = false;
};

double sphere_radius(double atoms, double density) {
  return std::cbrt(3.0 * atoms / (4.0 * std::numbers::pi * density));
}

double mean_spacing(const DropletRecipe& recipe) { return std::cbrt(1.0 / recipe.density); }

/// Returns the sites of a cubic lattice within `radius` of the origin; for fcc those whose coordinates have an even
/// sum. On both lattices alternating charges follow planes: sc x + y + z, fcc x.
std::vector<Site> lattice_sites(const DropletRecipe& recipe, double radius) {
  const bool fcc = recipe.lattice == DropletRecipe::Lattice::fcc;
  const double spacing = std::cbrt((fcc ? 0.5 : 1.0) / recipe.density);
  const int n = static_cast<int>(std::ceil(radius / spacing));
  std::vector<Site> sites;
  for (int i = -n; i <= n; ++i)
    for (int j = -n; j <= n; ++j)
      for (int k = -n; k <= n; ++k) {
        const bool even = (i + j + k) % 2 == 0;
        if (fcc && !even) continue;
        const Vec3<double> x = spacing * Vec3<double>{double(i), double(j), double(k)};
        if (dot(x, x) <= radius * radius) sites.push_back({x, fcc ? i % 2 != 0 : !even});
      }
  // Nearest first; sites at equal distances stay in lattice order.
  std::stable_sort(sites.begin(), sites.end(),
                   [](const Site& a, const Site& b) { return dot(a.x, a.x) < dot(b.x, b.x); });
  return sites;
}

std::vector<Site> ordered_sites(const DropletRecipe& recipe) {
  if (recipe.radius) return lattice_sites(recipe, *recipe.radius);
  const double radius = sphere_radius(static_cast<double>(*recipe.atoms), recipe.density) + 2 * mean_spacing(recipe);
  std::vector<Site> sites = lattice_sites(recipe, radius);
  sites.resize(*recipe.atoms);
  return sites;
}

/// Returns the smallest distance between atoms at random positions.
double nearest_of(const DropletRecipe& recipe) {
  return recipe.min_distance > 0 ? recipe.min_distance : 0.8 * mean_spacing(recipe);
}

/// Random sequential addition: draws uniform positions in a sphere and rejects those too near to an earlier one.
class RandomPlaces {
 public:
  /// block: of the random numbers.
  RandomPlaces(std::vector<Site>& sites, double nearest, RandomKey key, std::uint32_t block)
      : sites_(sites), nearest_(nearest), key_(key), block_(block) {
    for (std::size_t k = 0; k < sites.size(); ++k) cells_.emplace(cell_hash(cell_of(sites[k].x)), k);
  }

  /// Adds up to n sites between two radii; returns their number.
  std::size_t add(std::size_t n, double inner, double outer) {
    constexpr std::uint64_t kTriesPerAtom = 2000;
    std::size_t added = 0;
    for (std::uint64_t attempt = 0; added < n && attempt <= kTriesPerAtom * n; ++attempt) {
      const Vec3<double> x = outer * (2.0 * uniform_vec3(key_, attempt, block_) - Vec3<double>{1, 1, 1});
      if (dot(x, x) > outer * outer || dot(x, x) < inner * inner || !is_free(x)) continue;
      cells_.emplace(cell_hash(cell_of(x)), sites_.size());
      sites_.push_back({x, sites_.size() % 2 != 0});
      ++added;
    }
    return added;
  }

 private:
  CellIndex cell_of(const Vec3<double>& x) const { return cell_index(x, 1.0 / nearest_); }
  bool is_free(const Vec3<double>& x) const {
    const CellIndex here = cell_of(x);
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        for (int k = -1; k <= 1; ++k) {
          const auto [begin, end] = cells_.equal_range(cell_hash(here + CellIndex{i, j, k}));
          for (auto it = begin; it != end; ++it)
            if (norm(sites_[it->second].x - x) < nearest_) return false;
        }
    return true;
  }

  std::vector<Site>& sites_;
  double nearest_;
  RandomKey key_;
  std::uint32_t block_;
  // Keys are hashes of cells: a false neighbour only costs the computation of a distance.
  std::unordered_multimap<std::uint32_t, std::size_t> cells_;
};

std::vector<Site> random_sites(const DropletRecipe& recipe) {
  const double nearest = nearest_of(recipe);
  const std::size_t n =
      recipe.atoms ? *recipe.atoms
                   : static_cast<std::size_t>(
                         std::llround(4.0 / 3.0 * std::numbers::pi * std::pow(*recipe.radius, 3) * recipe.density));
  const double radius = recipe.radius ? *recipe.radius : sphere_radius(static_cast<double>(n), recipe.density);
  std::vector<Site> sites;
  const std::size_t fit = RandomPlaces(sites, nearest, {recipe.seed, RandomPurpose::generate}, 0).add(n, 0, radius);
  if (fit < n)
    throw InputError(
        fmt::format("only {} of {} atoms fit at random with a minimum distance of {} (use a smaller "
                    "--min-distance or --density, or --lattice sc)",
                    fit, n, nearest));
  return sites;
}

/// Returns the recipe for the atoms that have not evaporated.
DropletRecipe liquid_of(DropletRecipe recipe) {
  if (recipe.vapour == 0) return recipe;
  const double n = static_cast<double>(*recipe.atoms);
  recipe.atoms = *recipe.atoms - static_cast<std::size_t>(std::llround(recipe.vapour * n));
  return recipe;
}

/// Adds the missing atoms around the droplet of radius `inner`.
void add_vapour(const DropletRecipe& recipe, double inner, std::vector<Site>& sites) {
  const double nearest = nearest_of(recipe);
  const std::size_t n = *recipe.atoms - sites.size();
  const std::size_t fit = RandomPlaces(sites, nearest, {recipe.seed, RandomPurpose::generate}, 3)
                              .add(n, inner + nearest, recipe.vapour_radius);
  if (fit < n)
    throw InputError(fmt::format(
        "only {} of {} atoms of the vapour fit around a droplet of radius {:.6g} (use a larger --vapour-radius)", fit,
        n, inner));
}

/// Returns +q and −q for equal numbers of atoms (one more +q if n is odd), shuffled.
std::vector<double> shuffled_charges(const DropletRecipe& recipe, std::size_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  const RandomKey key{recipe.seed, RandomPurpose::generate};
  std::vector<double> draw(n);
  for (std::size_t i = 0; i < n; ++i) draw[i] = uniform_vec3(key, i, 2).x;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return draw[a] < draw[b]; });
  std::vector<double> charge(n);
  for (std::size_t k = 0; k < n; ++k) charge[order[k]] = k % 2 == 0 ? recipe.charge : -recipe.charge;
  return charge;
}

}  // namespace

Droplet generate_droplet(const DropletRecipe& recipe) {
  const bool random = recipe.lattice == DropletRecipe::Lattice::random;
  const DropletRecipe liquid = liquid_of(recipe);
  std::vector<Site> sites = random ? random_sites(liquid) : ordered_sites(liquid);
  if (sites.empty()) throw InputError("no atom fits into the droplet (use a larger --radius or --density)");
  double radius = recipe.radius.value_or(sphere_radius(static_cast<double>(sites.size()), recipe.density));
  if (recipe.vapour > 0) {
    add_vapour(recipe, radius, sites);
    radius = recipe.vapour_radius;
  }

  Droplet droplet;
  Particles& p = droplet.particles;
  const std::size_t n = sites.size();
  const bool charged = recipe.charges != DropletRecipe::Charges::none;
  p.species.assign(n, 0);
  p.species_names = {"X"};
  const RandomKey key{recipe.seed, RandomPurpose::generate};
  double outermost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3<double> shake = recipe.disorder * (2.0 * uniform_vec3(key, i, 1) - Vec3<double>{1, 1, 1});
    p.position.push_back(sites[i].x + shake);
    outermost = std::max(outermost, norm(p.position.back()));
    if (charged) p.charge.push_back(sites[i].odd ? -recipe.charge : recipe.charge);
  }
  if (recipe.charges == DropletRecipe::Charges::random) p.charge = shuffled_charges(recipe, n);
  droplet.radius = std::max(radius, outermost);
  if (!(droplet.radius > 0)) droplet.radius = mean_spacing(recipe);
  return droplet;
}

}  // namespace dropmd
