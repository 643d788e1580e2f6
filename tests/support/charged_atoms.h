#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/vec3.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// The atoms of a test: the input of a PairForces, [n_atoms] each.
struct ChargedAtoms {
  std::vector<Vec3<double>> position;
  std::vector<double> charge;
  std::vector<std::uint32_t> species;
  const ExcludedPairs* excluded = nullptr;  ///< must outlive the view

  std::size_t size() const { return position.size(); }
  PairAtoms view() const { return {charge, species, excluded}; }
  void add(const Vec3<double>& x, double q = 0, std::uint32_t s = 0) {
    position.push_back(x);
    charge.push_back(q);
    species.push_back(s);
  }
};

}  // namespace dropmd
