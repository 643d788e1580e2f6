#include "engine/jobs/water/fcc_ball.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/philox.h"
#include "engine/jobs/water/random_blocks.h"

namespace dropmd {

namespace {

/// Returns the offsets from a site to its 12 nearest neighbours and the 6 second-nearest ones.
std::array<std::array<int, 3>, FccBall::kNeighbours> neighbour_offsets() {
  std::array<std::array<int, 3>, FccBall::kNeighbours> offsets{};
  std::size_t n = 0;
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j)
      for (int k = -2; k <= 2; ++k) {
        const int square = i * i + j * j + k * k;
        if ((i + j + k) % 2 == 0 && (square == 2 || square == 4)) offsets.at(n++) = {i, j, k};
      }
  return offsets;
}

}  // namespace

FccBall::FccBall(std::size_t n, std::uint64_t seed) {
  // Half of the points with whole coordinates are sites. A radius larger by two units holds n sites however the surface
  // cuts the lattice, and a margin of another two lets neighbours be looked up without checks.
  const double radius = std::cbrt(2 * static_cast<double>(n) * 3 / (4 * std::numbers::pi)) + 2;
  const int most = static_cast<int>(std::floor(radius));
  reach_ = most + 2;
  edge_ = 2 * static_cast<std::size_t>(reach_) + 1;
  struct Candidate {
    int square;
    std::uint32_t draw;
    Site site;
  };
  std::vector<Candidate> candidates;
  const RandomKey key{seed, RandomPurpose::generate};
  for (int i = -most; i <= most; ++i)
    for (int j = -most; j <= most; ++j)
      for (int k = -most; k <= most; ++k) {
        const int square = i * i + j * j + k * k;
        if ((i + j + k) % 2 == 0 && square <= radius * radius)
          candidates.push_back({square, random_words(key, cell(i, j, k), kEqualDistances)[0], {i, j, k}});
      }
  std::sort(candidates.begin(), candidates.end(), [this](const Candidate& a, const Candidate& b) {
    if (a.square != b.square) return a.square < b.square;
    if (a.draw != b.draw) return a.draw < b.draw;
    return cell(a.site.i, a.site.j, a.site.k) < cell(b.site.i, b.site.j, b.site.k);
  });
  candidates.resize(n);
  site_at_.assign(edge_ * edge_ * edge_, kNone);
  for (const Candidate& candidate : candidates) {
    const Site& site = candidate.site;
    site_at_[cell(site.i, site.j, site.k)] = static_cast<std::uint32_t>(sites_.size());
    sites_.push_back(site);
  }
}

std::size_t FccBall::cell(int i, int j, int k) const {
  return (static_cast<std::size_t>(i + reach_) * edge_ + static_cast<std::size_t>(j + reach_)) * edge_ +
         static_cast<std::size_t>(k + reach_);
}

Vec3<double> FccBall::position(std::size_t site) const {
  return {double(sites_[site].i), double(sites_[site].j), double(sites_[site].k)};
}

std::array<std::uint32_t, FccBall::kNeighbours> FccBall::neighbours(std::size_t site) const {
  static const auto offsets = neighbour_offsets();
  const auto& [i, j, k] = sites_[site];
  std::array<std::uint32_t, kNeighbours> found{};
  for (std::size_t m = 0; m < kNeighbours; ++m)
    found[m] = site_at_[cell(i + offsets[m][0], j + offsets[m][1], k + offsets[m][2])];
  return found;
}

}  // namespace dropmd
