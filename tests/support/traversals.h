#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "device/device_info.h"
#include "forces/brute_force.h"
#include "forces/pair_forces.h"
#include "forces/pairs_cuda.h"

namespace dropmd {

/// Of a pair list, in lengths of about a contact distance.
inline constexpr double kTestSkin = 0.3;

/// One traversal on one processor in one precision: the parameter of the tests that hold all of them to one answer.
struct Traversal {
  std::string name;
  Precision precision;
  bool needs_cutoff;
  bool needs_gpu;
  std::unique_ptr<PairForces> (*make)(Cpu, Precision, const PairModel&, PairAtoms);

  std::unique_ptr<PairForces> operator()(Cpu cpu, const PairModel& model, PairAtoms atoms) const {
    return make(cpu, precision, model, atoms);
  }
  bool suits(const PairModel& model) const { return !needs_cutoff || std::isfinite(model.cutoff()); }
};

inline void PrintTo(const Traversal& traversal, std::ostream* out) { *out << traversal.name; }

inline std::vector<Traversal> all_traversals() {
  const auto cuda = [](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
    return make_all_pairs_cuda(0, cpu, precision, model, atoms);
  };
  const auto pair_list = [](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
    return make_pair_list(cpu, precision, model, atoms, kTestSkin);
  };
  const auto cuda_list = [](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
    return make_pair_list_cuda(0, cpu, precision, model, atoms);
  };
  return {{"all_pairs_fp64", Precision::fp64, false, false, make_all_pairs},
          {"all_pairs_mixed", Precision::mixed, false, false, make_all_pairs},
          {"cells_fp64", Precision::fp64, true, false, make_cells},
          {"cells_mixed", Precision::mixed, true, false, make_cells},
          {"pair_list_fp64", Precision::fp64, true, false, pair_list},
          {"pair_list_mixed", Precision::mixed, true, false, pair_list},
          {"cuda_all_pairs_fp64", Precision::fp64, false, true, cuda},
          {"cuda_all_pairs_mixed", Precision::mixed, false, true, cuda},
          {"cuda_pair_list_fp64", Precision::fp64, true, true, cuda_list},
          {"cuda_pair_list_mixed", Precision::mixed, true, true, cuda_list}};
}

/// Why the traversal cannot run on this machine; empty if it can.
inline std::string reason_to_skip(const Traversal& traversal) {
  return traversal.needs_gpu ? query_devices().reason : std::string{};
}

}  // namespace dropmd
