#include "forces/pair_forces.h"

#include <algorithm>
#include <cmath>

#include "forces/cluster_traversal.h"
#include "forces/cpu_traversal.h"
#include "forces/sorted_traversal.h"

namespace dropmd {

double default_cell_edge(const PairModel& model) {
  const double largest = PositionGrid::for_contact_distance(model.smallest_r_min()).max_edge;
  constexpr double kHalf = 0.5001;  // a little more than half: two cells between others then rule a pair out
  return std::min(kHalf * model.cutoff(), largest);
}

std::unique_ptr<PairForces> make_all_pairs(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
  if (precision == Precision::mixed)
    return std::make_unique<CpuTraversal<float>>(cpu, model, atoms, make_all_pairs_plan<float>(model));
  return std::make_unique<CpuTraversal<double>>(cpu, model, atoms, make_all_pairs_plan<double>(model));
}

namespace {

void require_cutoff(const PairModel& model, const std::string& method) {
  if (!(model.cutoff() > 0) || std::isinf(model.cutoff()))
    throw InputError("neighbor method '" + method +
                     "' needs a cutoff for every pair term (use all-pairs, or give cutoffs)");
}

}  // namespace

std::unique_ptr<PairForces> make_cells(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
  require_cutoff(model, "cells");
  if (precision == Precision::mixed)
    return std::make_unique<CpuTraversal<float>>(cpu, model, atoms, make_cells_plan<float>(model));
  return std::make_unique<CpuTraversal<double>>(cpu, model, atoms, make_cells_plan<double>(model));
}

std::unique_ptr<PairForces> make_pair_list(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms,
                                           double skin) {
  require_cutoff(model, "pair-list");
  if (precision == Precision::mixed) return std::make_unique<ClusterTraversal<float>>(cpu, model, atoms, skin);
  return std::make_unique<ClusterTraversal<double>>(cpu, model, atoms, skin);
}

std::unique_ptr<PairForces> make_sorted_cells(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms,
                                              double skin) {
  require_cutoff(model, "sorted-cells");
  if (precision == Precision::mixed) return std::make_unique<SortedTraversal<float>>(cpu, model, atoms, skin);
  return std::make_unique<SortedTraversal<double>>(cpu, model, atoms, skin);
}

}  // namespace dropmd
