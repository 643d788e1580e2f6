#include "forces/pair/pair_forces.h"

#include <algorithm>
#include <cmath>

#include "forces/pair/cpu/cluster_traversal.h"
#include "forces/pair/cpu/cpu_traversal.h"
#include "forces/pair/cpu/sorted_traversal.h"

namespace dropmd {

namespace {

/// Cells are slightly larger than their fraction of the cutoff, so that two cells of half a cutoff in between rule a
/// pair out.
constexpr double kCellMargin = 1.0002;

double longest_cell_edge(const PairModel& model) {
  return PositionGrid::for_contact_distance(model.smallest_r_min()).max_edge;
}

void require_cutoff(const PairModel& model, const std::string& method) {
  if (!(model.cutoff() > 0) || std::isinf(model.cutoff()))
    throw InputError("neighbor method '" + method +
                     "' needs a cutoff for every pair term (use all-pairs, or give cutoffs)");
}

}  // namespace

double longest_cell_share(const PairModel& model) { return longest_cell_edge(model) / (kCellMargin * model.cutoff()); }

double usual_cell_share(const PairModel& model) {
  // Smaller cells, with fewer atoms than lanes, would be too many for the little work in each: a cell of two contact
  // distances holds about nine atoms.
  constexpr double kContacts = 2, kLeast = 0.5;
  const double contacts = kContacts * model.smallest_r_min().value_or(0) / model.cutoff();
  return std::min(std::clamp(contacts, kLeast, 1.0), longest_cell_share(model));
}

std::unique_ptr<PairForces> make_all_pairs(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
  if (precision == Precision::mixed)
    return std::make_unique<CpuTraversal<float>>(cpu, model, atoms, make_all_pairs_plan<float>(model));
  return std::make_unique<CpuTraversal<double>>(cpu, model, atoms, make_all_pairs_plan<double>(model));
}

std::unique_ptr<PairForces> make_cells(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms,
                                       double cell_share) {
  require_cutoff(model, "cells");
  const double share = cell_share > 0 ? cell_share : usual_cell_share(model);
  const double edge = std::min(kCellMargin * share * model.cutoff(), longest_cell_edge(model));
  if (precision == Precision::mixed)
    return std::make_unique<CpuTraversal<float>>(cpu, model, atoms, make_cells_plan<float>(model, edge));
  return std::make_unique<CpuTraversal<double>>(cpu, model, atoms, make_cells_plan<double>(model, edge));
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
