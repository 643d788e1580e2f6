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

/// All that the engine knows of the methods that find pairs: one record a method. Choice by rule, tuner, compare, info,
/// estimate and benchmarks read it and name no method.
namespace dropmd {

/// What a tuner may choose of a method besides its skin; as in MethodChoice.
struct MethodParameters {
  double cell_share = 0;
  ListForm list_form = ListForm::automatic;
};

/// A run whose steps a method is to make.
struct MethodUse {
  const System& system;
  const RunSettings& config;
  const Method& method;
};

/// A method on one processor.
struct MethodOnProcessor {
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  /// Where no method is named and no cost model is asked, the last one of the catalogue that suits the model and so
  /// many atoms is used.
  std::size_t usual_from = kNever;
  /// Whether it keeps what it found, a skin beyond the cutoff, while atoms stay within half of it.
  bool has_skin = false;
  /// Those that suit a run, whatever the method has itself; at least one, that of the rule first.
  std::vector<MethodParameters> (*parameters)(const MethodUse& use);
  /// For the cost model (StepCost). In mixed precision, which stands for double, too.
  const StepPrices& (*prices)(const MethodUse& use);
  /// Bytes of device memory that a run needs, all else included; on a CPU ForceField::bytes() says what a trial took.
  std::uint64_t (*device_bytes)(const System& system, const Method& method);
  /// On a GPU they have no skin: every evaluation searches again. What makes the steps of a run there is made by
  /// make_device_pairs() or PersistentSteps.
  std::unique_ptr<PairForces> (*make)(const Method& method, const PairModel& model, PairAtoms atoms);
};

struct MethodRecord {
  NeighborMethod neighbor;  ///< not `automatic`; its word is in inputs/run_file/choice_words.h
  std::string_view summary;
  bool needs_cutoff = true;  ///< of every pair term; without it a step costs time for all pairs
  double usual_skin = 0;     ///< where none is given and no cost model is asked, as a share of the cutoff
  MethodOnProcessor cpu;
  MethodOnProcessor cuda;

  const MethodOnProcessor& on(Backend backend) const { return backend == Backend::cuda ? cuda : cpu; }
  bool suits(const PairModel& model) const;
};

/// In the order in which methods are listed and tried.
std::span<const MethodRecord> method_catalogue();

const MethodRecord& record_of(NeighborMethod method);
const MethodOnProcessor& record_of(const Method& method);

/// Whether a model has a cutoff for every pair term; one that is longer than any droplet is none.
bool has_cutoff(const PairModel& model);

/// False of `automatic`.
bool needs_cutoff(NeighborMethod method);

bool has_skin(const Method& method);

std::unique_ptr<PairForces> make_pair_forces(const Method& method, const PairModel& model, PairAtoms atoms);

/// Device memory that a run needs; 0 on a CPU and without CUDA.
std::uint64_t device_bytes(const System& system, const Method& method);

}  // namespace dropmd
