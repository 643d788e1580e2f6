#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "device/device_info.h"
#include "forces/pair/brute_force.h"
#include "forces/pair/cuda/pairs_cuda.h"
#include "forces/pair/pair_forces.h"
#include "tests/support/pair_models.h"

namespace dropmd {

/// Of a pair list and of sorted cells that are kept, in lengths of about a contact distance.
inline constexpr double kTestSkin = 0.3;

/// One traversal on one processor in one precision: the parameter of the tests that hold all of them to one answer.
struct Traversal {
  std::string name;
  Precision precision;
  bool needs_cutoff;
  bool needs_gpu;
  std::unique_ptr<PairForces> (*make)(Cpu, Precision, const PairModel&, PairAtoms);
  double exact_up_to = std::numeric_limits<double>::infinity();  ///< as exact_distance()
  bool by_twins = false;

  std::unique_ptr<PairForces> operator()(Cpu cpu, const PairModel& model, PairAtoms atoms) const {
    return make(cpu, precision, model, atoms);
  }
  bool suits(const PairModel& model) const {
    return (!needs_cutoff || std::isfinite(model.cutoff())) && (!by_twins || twins_suit(model, precision));
  }
  /// A model of one species, of both terms or of the one that lists of twins take.
  PairModel model_of(const FormChoice& lj, const FormChoice& coulomb) const {
    return simple_model(lj, by_twins ? std::nullopt : std::optional(coulomb));
  }
};

inline void PrintTo(const Traversal& traversal, std::ostream* out) { *out << traversal.name; }

/// How far apart places may be without atoms in contact there losing digits, on a GPU. Tiles have one frame even where
/// their atoms are of several places, and two fp32 hold 48 bits: 2e-7 of a length are lost at 1e8, 2e-3 at 1e12.
inline double exact_distance(NeighborMethod method, Precision precision) {
  const bool by_tiles = method == NeighborMethod::all_pairs || method == NeighborMethod::pair_list;
  return by_tiles && precision == Precision::mixed ? 1e8 : std::numeric_limits<double>::infinity();
}

/// Cells of a CPU, in both precisions. edge: in per cent of the cutoff; 0: as is best.
template <int edge = 0>
void add_cells(std::vector<Traversal>& all, const std::string& name) {
  const auto make = [](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
    return make_cells(cpu, precision, model, atoms, edge / 100.0);
  };
  for (const Precision precision : {Precision::fp64, Precision::mixed})
    all.push_back({name + (precision == Precision::fp64 ? "_fp64" : "_mixed"), precision, true, false, make});
}

/// Of a GPU, in both precisions. edge: of cells, in per cent of the cutoff; 0: as is best.
template <NeighborMethod method, int edge = 0>
void add_cuda(std::vector<Traversal>& all, const std::string& name) {
  const auto make = [](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
    return make_pairs_cuda(0, cpu, {.method = method, .cell_share = edge / 100.0}, precision, model, atoms);
  };
  constexpr bool kNeedsCutoff = method != NeighborMethod::all_pairs;
  for (const Precision precision : {Precision::fp64, Precision::mixed})
    all.push_back({name + (precision == Precision::fp64 ? "_fp64" : "_mixed"), precision, kNeedsCutoff, true, make,
                   exact_distance(method, precision)});
}

inline std::vector<Traversal> all_traversals() {
  const auto pair_list = [](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
    return make_pair_list(cpu, precision, model, atoms, kTestSkin);
  };
  const auto sorted_cells = [](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
    return make_sorted_cells(cpu, precision, model, atoms, 0);
  };
  const auto kept_sorted_cells = [](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
    return make_sorted_cells(cpu, precision, model, atoms, kTestSkin);
  };
  std::vector<Traversal> all{{"all_pairs_fp64", Precision::fp64, false, false, make_all_pairs},
                             {"all_pairs_mixed", Precision::mixed, false, false, make_all_pairs},
                             {"sorted_cells_fp64", Precision::fp64, true, false, sorted_cells},
                             {"sorted_cells_mixed", Precision::mixed, true, false, sorted_cells},
                             {"kept_sorted_cells_fp64", Precision::fp64, true, false, kept_sorted_cells},
                             {"kept_sorted_cells_mixed", Precision::mixed, true, false, kept_sorted_cells},
                             {"pair_list_fp64", Precision::fp64, true, false, pair_list},
                             {"pair_list_mixed", Precision::mixed, true, false, pair_list}};
  add_cells(all, "cells");
  add_cells<100>(all, "cells_of_a_cutoff");
  add_cells<30>(all, "small_cells");
  add_cuda<NeighborMethod::all_pairs>(all, "cuda_all_pairs");
  add_cuda<NeighborMethod::pair_list>(all, "cuda_pair_list");
  all.push_back({"cuda_twins_mixed", Precision::mixed, true, true,
                 [](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
                   constexpr PairSearch kTwins{.method = NeighborMethod::pair_list, .form = ListForm::twins};
                   return make_pairs_cuda(0, cpu, kTwins, precision, model, atoms);
                 }});
  all.back().by_twins = true;
  add_cuda<NeighborMethod::sorted_cells>(all, "cuda_sorted_cells");
  add_cuda<NeighborMethod::cells>(all, "cuda_cells");
  add_cuda<NeighborMethod::cells, 100>(all, "cuda_cells_of_a_cutoff");
  add_cuda<NeighborMethod::cells, 30>(all, "cuda_small_cells");
  return all;
}

/// Why the traversal cannot run on this machine; empty if it can.
inline std::string reason_to_skip(const Traversal& traversal) {
  return traversal.needs_gpu ? query_devices().reason : std::string{};
}

}  // namespace dropmd
