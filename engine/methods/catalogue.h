#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/run/run_settings.h"
#include "engine/methods/method.h"
#include "engine/methods/step_prices.h"
#include "engine/model/system.h"
#include "forces/pair/pair_forces.h"

/// Everything that the engine knows about the methods that find pairs: one record per method. The choice by rule, the
/// tuner, compare, info, estimate and the benchmarks read it and name no method themselves.
namespace dropmd {

/// The parameters of a method that a tuner may choose besides its skin; as in MethodChoice.
struct MethodParameters {
  double cell_share = 0;
  ListForm list_form = ListForm::automatic;
};

/// A run whose steps a method performs.
struct MethodUse {
  const System& system;
  const RunSettings& config;
  const Method& method;
};

/// A method on one processor.
struct MethodOnProcessor {
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  /// If no method is named and no cost model is used, the method is the last one of the catalogue that suits the model
  /// and whose `usual_from` is at most the number of atoms.
  std::size_t usual_from = kNever;
  /// Whether it keeps its neighbour structure, built with a skin beyond the cutoff, while atoms move by less than half
  /// the skin.
  bool has_skin = false;
  /// Returns the parameters that suit a run, whatever those of the method are; at least one set, the rule's first.
  std::vector<MethodParameters> (*parameters)(const MethodUse& use);
  /// Returns the prices for the cost model (StepCost), in mixed precision, which also represents double.
  StepPrices (*prices)(const MethodUse& use);
  /// Returns the bytes of device memory of a run, in total; on a CPU ForceField::bytes() returns what a trial used.
  std::uint64_t (*device_bytes)(const System& system, const Method& method);
  /// Constructs the pair forces. On a GPU they have no skin: every evaluation builds a new neighbour structure. The
  /// steps of a run on a GPU use make_device_pairs() or PersistentSteps instead.
  std::unique_ptr<PairForces> (*make)(const Method& method, const PairModel& model, PairAtoms atoms);
};

/// A method on all processors.
struct MethodRecord {
  NeighborMethod neighbor;  ///< not `automatic`; inputs/run_file/choice_words.h has its word
  std::string_view summary;
  bool needs_cutoff = true;  ///< of every pair term; otherwise the time of a step is that of all pairs
  double usual_skin = 0;     ///< if none is given and no cost model is used, as a fraction of the cutoff
  MethodOnProcessor cpu;
  MethodOnProcessor cuda;

  const MethodOnProcessor& on(Backend backend) const { return backend == Backend::cuda ? cuda : cpu; }
  bool suits(const PairModel& model) const;
};

/// All methods, in the order in which they are listed and tried.
std::span<const MethodRecord> method_catalogue();

/// Returns the record of a method, which must not be `automatic`.
const MethodRecord& record_of(NeighborMethod method);
const MethodOnProcessor& record_of(const Method& method);

/// The method for a single evaluation on a CPU where every term has a cutoff: it keeps nothing that would pay later.
inline constexpr NeighborMethod kCheapestOnce = NeighborMethod::cells;

/// Returns whether a model has a cutoff for every pair term; one that is longer than any droplet does not count.
bool has_cutoff(const PairModel& model);

/// Returns whether the method needs a cutoff; false for `automatic`.
bool needs_cutoff(NeighborMethod method);

/// Returns whether the method has a skin.
bool has_skin(const Method& method);

/// Constructs the pair forces of a method.
std::unique_ptr<PairForces> make_pair_forces(const Method& method, const PairModel& model, PairAtoms atoms);

/// Returns the device memory of a run in bytes; 0 on a CPU and without CUDA.
std::uint64_t device_bytes(const System& system, const Method& method);

}  // namespace dropmd
