#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "device/device_info.h"
#include "engine/methods/catalogue.h"
#include "forces/pair/brute_force.h"
#include "forces/pair/pair_forces.h"
#include "forces/pair/pair_search.h"
#include "tests/support/pair_models.h"

namespace dropmd {

/// The skin of pair lists and sorted cells that are kept, in lengths of about a contact distance.
inline constexpr double kTestSkin = 0.3;

/// One traversal on one processor in one precision, as the parameter of the tests that compare all of them with one
/// answer.
struct Traversal {
  using Make = std::function<std::unique_ptr<PairForces>(Cpu, Precision, const PairModel&, PairAtoms)>;

  std::string name;
  Precision precision;
  bool needs_cutoff;
  bool needs_gpu;
  Make make;
  double exact_up_to = std::numeric_limits<double>::infinity();  ///< as in exact_distance()
  bool two_atom = false;

  std::unique_ptr<PairForces> operator()(Cpu cpu, const PairModel& model, PairAtoms atoms) const {
    return make(cpu, precision, model, atoms);
  }
  bool suits(const PairModel& model) const {
    return (!needs_cutoff || std::isfinite(model.cutoff())) && (!two_atom || two_atom_clusters_suit(model, precision));
  }
  /// A model of one species, with both terms or with the one that lists of two-atom clusters take.
  PairModel model_of(const FormChoice& lj, const FormChoice& coulomb) const {
    return simple_model(lj, two_atom ? std::nullopt : std::optional(coulomb));
  }
};

inline void PrintTo(const Traversal& traversal, std::ostream* out) { *out << traversal.name; }

/// The largest distance between positions at which atoms in contact lose no digits on a GPU. Tiles have one frame even
/// where their atoms are far apart, and two fp32 numbers hold 48 bits: an error of 2e-7 of a length at 1e8, and 2e-3 at
/// 1e12.
inline double exact_distance(NeighborMethod method, Precision precision) {
  const bool by_tiles = method == NeighborMethod::all_pairs || method == NeighborMethod::pair_list;
  return by_tiles && precision == Precision::mixed ? 1e8 : std::numeric_limits<double>::infinity();
}

inline Traversal::Make made_by(const Method& method) {
  return [method](Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms) {
    Method made = method;
    made.cpu = cpu;
    made.precision = precision;
    return make_pair_forces(made, model, atoms);
  };
}

/// Adds the method in both precisions.
inline void add_traversals(std::vector<Traversal>& all, const std::string& name, const Method& method) {
  const bool gpu = method.backend == Backend::cuda;
  for (const Precision precision : {Precision::fp64, Precision::mixed}) {
    all.push_back({name + (precision == Precision::fp64 ? "_fp64" : "_mixed"), precision, needs_cutoff(method.neighbor),
                   gpu, made_by(method)});
    if (gpu) all.back().exact_up_to = exact_distance(method.neighbor, precision);
  }
}

inline Method method_on(Backend backend, NeighborMethod neighbor) {
  Method method;
  method.backend = backend;
  method.neighbor = neighbor;
  return method;
}

/// Every method of the catalogue on every processor, with the parameters of the rule; those that can do without a skin
/// also without it. Also cells with other edges, and lists of two-atom clusters.
inline std::vector<Traversal> all_traversals() {
  std::vector<Traversal> all;
  for (const MethodRecord& record : method_catalogue()) {
    std::string name(word_of(record.neighbor));
    std::replace(name.begin(), name.end(), '-', '_');
    add_traversals(all, "cuda_" + name, method_on(Backend::cuda, record.neighbor));
    Method method = method_on(Backend::cpu, record.neighbor);
    const bool both_ways = record.cpu.has_skin && record.usual_skin == 0;
    if (both_ways) add_traversals(all, name, method);
    if (record.cpu.has_skin) method.skin = kTestSkin;
    add_traversals(all, both_ways ? "kept_" + name : name, method);
  }
  for (const auto& [name, share] : {std::pair("cells_of_a_cutoff", 1.0), std::pair("small_cells", 0.3)})
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
      Method method = method_on(backend, NeighborMethod::cells);
      method.cell_share = share;
      add_traversals(all, (backend == Backend::cuda ? "cuda_" : "") + std::string(name), method);
    }
  Method two_atom = method_on(Backend::cuda, NeighborMethod::pair_list);
  two_atom.list_form = ListForm::two_atom;
  all.push_back({"cuda_two_atom_mixed", Precision::mixed, true, true, made_by(two_atom)});
  all.back().two_atom = true;
  return all;
}

/// Why the traversal cannot run on this machine; empty if it can.
inline std::string reason_to_skip(const Traversal& traversal) {
  return traversal.needs_gpu ? query_devices().reason : std::string{};
}

}  // namespace dropmd
