#include "engine/methods/catalogue.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "engine/device/device_memory.h"
#include "engine/device/device_run.h"
#include "engine/methods/method_parameters.h"
#include "engine/molecules/motion_plans.h"
#include "forces/pair/cuda/pairs_cuda.h"

namespace dropmd {

namespace {

/// With cutoffs and at least this many atoms a pair list is faster than all pairs on a GPU; on a CPU it is faster for
/// any number (measured: docs/experiments.md).
constexpr std::size_t kGpuListPaysFrom = 2113;

/// Skin of a pair list as a fraction of the cutoff (measured: docs/experiments.md).
constexpr double kSkinShare = 0.04;

/// Edges of cells that are tried, as fractions of cutoff + skin: with fewer atoms per cell more pairs are ruled out,
/// but more cells are visited. Sorted cells need at least 1, and on a GPU less than 2.
constexpr double kShares[] = {1.0, 1.0 / 2, 1.0 / 3}, kSortedShares[] = {1.0, 1.25};

/// Returns the first fraction, then the others.
template <std::size_t n>
std::vector<MethodParameters> with_others(double first, const double (&others)[n]) {
  std::vector<MethodParameters> all{{.cell_share = first}};
  for (const double share : others)
    if (share != first) all.push_back({.cell_share = share});
  return all;
}

PairSearch search_of(const Method& method) {
  return {.method = method.neighbor, .cell_share = method.cell_share, .form = method.list_form};
}

/// The parameters of a method without open ones.
std::vector<MethodParameters> none_open(const MethodUse&) { return {{}}; }

std::vector<MethodParameters> edges_on_cpu(const MethodUse& use) {
  const PairModel& model = use.system.model;
  std::vector<MethodParameters> edges = with_others(usual_cell_share(model), kShares);
  std::erase_if(edges, [longest = longest_cell_share(model)](const auto& edge) { return edge.cell_share > longest; });
  return edges;
}

template <NeighborMethod method, const auto& others>
std::vector<MethodParameters> edges_on_gpu(const MethodUse& use) {
  return with_others(cell_share_of(use.system.model, {.method = method}), others);
}

std::vector<MethodParameters> list_forms(const MethodUse& use) {
  const auto& [system, config, method] = use;
  std::vector<MethodParameters> forms{{.list_form = ListForm::clusters}};
  if (DeviceRun::may_be_persistent(system, config, method))
    forms.insert(forms.begin(), MethodParameters{.list_form = ListForm::persistent});
  if (!two_atom_clusters_suit(system.model, method.precision)) return forms;
  const bool usual =
      uses_two_atom_clusters({.method = method.neighbor}, system.model, method.precision, system.particles.size());
  forms.insert(usual ? forms.begin() : forms.end(), MethodParameters{.list_form = ListForm::two_atom});
  return forms;
}

template <const StepPrices& of_all>
StepPrices prices(const MethodUse&) {
  return of_all;
}

StepPrices prices_of_all_pairs(const MethodUse& use) {
  if (!is_persistent(use.system, use.config, use.method)) return gpu_prices::kAllPairs;
  return moves_by_clusters(use.system) ? gpu_prices::kWatersPersistent : gpu_prices::kAllPairsPersistent;
}

StepPrices prices_of_lists(const MethodUse& use) {
  switch (list_form_of(use.system, use.config, use.method)) {
    case ListForm::persistent:
      return gpu_prices::kPersistentList;
    case ListForm::two_atom:
      return gpu_prices::kTwoAtomList;
    default:
      return gpu_prices::kClusterList;
  }
}

/// A row of sorted atoms looks up the parameters of every species for its packs.
StepPrices prices_of_sorted_cells_on_cpu(const MethodUse& use) {
  StepPrices prices = cpu_prices::kSortedCells;
  prices.pair *= 1 + cpu_prices::kSortedCellsSpecies * static_cast<double>(use.system.model.n_species - 1);
  return prices;
}

StepPrices prices_of_sorted_cells_on_gpu(const MethodUse& use) {
  return use.system.topology ? gpu_prices::kSortedCellsOfMolecules : gpu_prices::kSortedCells;
}

std::uint64_t no_device_bytes(const System&, const Method&) { return 0; }

std::unique_ptr<PairForces> on_gpu(const Method& method, const PairModel& model, PairAtoms atoms) {
  return make_pairs_cuda(method.device, method.cpu, search_of(method), method.precision, model, atoms);
}

std::unique_ptr<PairForces> all_pairs_on_cpu(const Method& method, const PairModel& model, PairAtoms atoms) {
  return make_all_pairs(method.cpu, method.precision, model, atoms);
}
std::unique_ptr<PairForces> cells_on_cpu(const Method& method, const PairModel& model, PairAtoms atoms) {
  return make_cells(method.cpu, method.precision, model, atoms, method.cell_share);
}
std::unique_ptr<PairForces> sorted_cells_on_cpu(const Method& method, const PairModel& model, PairAtoms atoms) {
  return make_sorted_cells(method.cpu, method.precision, model, atoms, method.skin);
}
std::unique_ptr<PairForces> pair_list_on_cpu(const Method& method, const PairModel& model, PairAtoms atoms) {
  return make_pair_list(method.cpu, method.precision, model, atoms, method.skin);
}

constexpr MethodRecord kAllPairs{.neighbor = NeighborMethod::all_pairs,
                                 .summary = "every pair of atoms",
                                 .needs_cutoff = false,
                                 .usual_skin = kSkinShare,
                                 .cpu = {.usual_from = 0,
                                         .parameters = none_open,
                                         .prices = prices<cpu_prices::kAllPairs>,
                                         .device_bytes = no_device_bytes,
                                         .make = all_pairs_on_cpu},
                                 .cuda = {.usual_from = 0,
                                          .parameters = none_open,
                                          .prices = prices_of_all_pairs,
                                          .device_bytes = all_pairs_bytes,
                                          .make = on_gpu}};

constexpr MethodRecord kCells{.neighbor = NeighborMethod::cells,
                              .summary = "atoms of the cells within the cutoff",
                              .usual_skin = kSkinShare,
                              .cpu = {.parameters = edges_on_cpu,
                                      .prices = prices<cpu_prices::kCells>,
                                      .device_bytes = no_device_bytes,
                                      .make = cells_on_cpu},
                              .cuda = {.has_skin = true,
                                       .parameters = edges_on_gpu<NeighborMethod::cells, kShares>,
                                       .prices = prices<gpu_prices::kCells>,
                                       .device_bytes = cells_bytes,
                                       .make = on_gpu}};

/// Sorted at every evaluation unless a run tells how far its atoms move.
constexpr MethodRecord kSortedCells{.neighbor = NeighborMethod::sorted_cells,
                                    .summary = "cells whose atoms are sorted along the axes to the neighbouring cells",
                                    .usual_skin = 0,
                                    .cpu = {.has_skin = true,
                                            .parameters = none_open,
                                            .prices = prices_of_sorted_cells_on_cpu,
                                            .device_bytes = no_device_bytes,
                                            .make = sorted_cells_on_cpu},
                                    .cuda = {.has_skin = true,
                                             .parameters = edges_on_gpu<NeighborMethod::sorted_cells, kSortedShares>,
                                             .prices = prices_of_sorted_cells_on_gpu,
                                             .device_bytes = sorted_cells_bytes,
                                             .make = on_gpu}};

constexpr MethodRecord kPairList{.neighbor = NeighborMethod::pair_list,
                                 .summary = "lists of clusters of atoms, kept for several steps",
                                 .usual_skin = kSkinShare,
                                 .cpu = {.usual_from = 0,
                                         .has_skin = true,
                                         .parameters = none_open,
                                         .prices = prices<cpu_prices::kPairList>,
                                         .device_bytes = no_device_bytes,
                                         .make = pair_list_on_cpu},
                                 .cuda = {.usual_from = kGpuListPaysFrom,
                                          .has_skin = true,
                                          .parameters = list_forms,
                                          .prices = prices_of_lists,
                                          .device_bytes = pair_list_bytes,
                                          .make = on_gpu}};

constexpr std::array kCatalogue{kAllPairs, kCells, kSortedCells, kPairList};

}  // namespace

bool MethodRecord::suits(const PairModel& model) const { return !needs_cutoff || has_cutoff(model); }

std::span<const MethodRecord> method_catalogue() { return kCatalogue; }

const MethodRecord& record_of(NeighborMethod method) {
  const auto* const found = std::find_if(std::begin(kCatalogue), std::end(kCatalogue),
                                         [method](const MethodRecord& record) { return record.neighbor == method; });
  if (found == std::end(kCatalogue)) throw std::logic_error("the catalogue has no record of this neighbor method");
  return *found;
}

const MethodOnProcessor& record_of(const Method& method) { return record_of(method.neighbor).on(method.backend); }

bool has_cutoff(const PairModel& model) { return model.cutoff() > 0 && model.cutoff() < kLongestCutoff; }

bool needs_cutoff(NeighborMethod method) {
  return method != NeighborMethod::automatic && record_of(method).needs_cutoff;
}

bool has_skin(const Method& method) { return record_of(method).has_skin; }

std::unique_ptr<PairForces> make_pair_forces(const Method& method, const PairModel& model, PairAtoms atoms) {
  return record_of(method).make(method, model, atoms);
}

std::uint64_t device_bytes(const System& system, const Method& method) {
  return record_of(method).device_bytes(system, method);
}

}  // namespace dropmd
