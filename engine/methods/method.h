#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/execution.h"
#include "core/run/method_choice.h"
#include "forces/pair/pair_model.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Where and how forces are computed, `automatic` resolved.
struct Method {
  Backend backend = Backend::cpu;
  NeighborMethod neighbor = NeighborMethod::all_pairs;
  Precision precision = Precision::mixed;
  int device = 0;
  Cpu cpu{};
  std::string device_name;  ///< of the GPU or the CPU
  std::string note;         ///< that no GPU was used although one could have been, for the user; else empty
  double skin = 0;          ///< of what is kept, in the run's length unit
  double cell_share = 0;    ///< edge of cells, as a share of cutoff and skin; 0: by rule
  ListForm list_form = ListForm::automatic;  ///< of a GPU's pair list; automatic: by rule
};

/// The method as a choice says, and the choice that it is, from a step on.
Method with_choice(Method method, const MethodChoice& choice);
MethodChoice choice_of(const Method& method, std::int64_t step);

/// Resolves `automatic`: the GPU if one is usable, and the method that suits the number of atoms and the cutoffs.
/// Throws DeviceError for an explicit `cuda` without GPU, InputError for a method or a precision that the model does
/// not allow.
Method choose_method(const RunConfig& config, const PairModel& model, std::size_t n_atoms);

/// Its processor alone: backend, device, precision and all threads that may be used, for work that is not a run's.
Method choose_processor(const RunConfig& config);

/// All pairs in double precision on the host.
Method exact_method(Cpu cpu);

/// Every method of this build that the model, the machine and the configuration's backend and neighbor words allow,
/// double precision before mixed, or only one of them, which is an InputError where the model does not allow it. Throws
/// DeviceError for an explicit `cuda` without GPU.
std::vector<Method> available_methods(const RunConfig& config, const PairModel& model, std::size_t n_atoms,
                                      std::optional<Precision> only = std::nullopt);

/// The words of interface and logs.
std::string_view word_of(Backend backend);
std::string_view word_of(Precision precision);
std::string_view word_of(NeighborMethod method);
std::string_view word_of(ListForm form);

}  // namespace dropmd
