#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/execution.h"
#include "core/run/choices.h"
#include "core/run/method_choice.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

struct RunConfig;
class RunRanks;

/// Where and how forces are computed, with `automatic` resolved.
struct Method {
  Backend backend = Backend::cpu;
  NeighborMethod neighbor = NeighborMethod::all_pairs;
  Precision precision = Precision::mixed;
  int device = 0;
  std::vector<int> devices{};  ///< GPUs of a run on several, the first of which is `device`; else empty
  RunRanks* ranks = nullptr;  ///< processes that perform the run together, each with its `device`; null: this one alone
  Cpu cpu{};
  std::string device_name;                   ///< name of the GPU or the CPU
  std::string note;                          ///< for the user: why no GPU is used although there is one; else empty
  double skin = 0;                           ///< of the kept neighbour structure, in the run's length unit
  double cell_share = 0;                     ///< edge of cells as a fraction of cutoff + skin; 0: by rule
  ListForm list_form = ListForm::automatic;  ///< of a GPU's pair list; automatic: by rule
  int multiprocessors = 0;                   ///< the run's share of the GPU; 0: all of it
  bool persistent = true;                    ///< whether a persistent kernel performs the steps of a run that it suits
  std::optional<bool> divides_mesh{};        ///< whether several GPUs divide a mesh; nullopt: by rule

  /// Whether several GPUs perform the run.
  bool has_peers() const { return devices.size() > 1 || ranks != nullptr; }
  /// Returns all GPUs of this process, of a run on GPUs.
  std::vector<int> gpus() const { return devices.empty() ? std::vector<int>{device} : devices; }
};

/// Returns the number of multiprocessors that a run has on its GPU. Throws DeviceError if it cannot be used.
int multiprocessors_of(const Method& method);

/// Returns the method with the values of a choice.
Method with_choice(Method method, const MethodChoice& choice);
/// Returns the choice that the method represents, from a step on.
MethodChoice choice_of(const Method& method, std::int64_t step);

/// Resolves `automatic`: a GPU if one is usable, and the method that suits the number of atoms and the cutoffs. Throws
/// DeviceError for an explicit `cuda` without a GPU, and InputError for a method or a precision that the model does not
/// allow.
Method choose_method(const RunConfig& config, const PairModel& model, std::size_t n_atoms);

/// Returns only the processor: backend, device, precision and all threads that may be used, for work outside a run.
Method choose_processor(const RunConfig& config);

/// Returns all pairs in double precision on the host.
Method exact_method(Cpu cpu);

/// Returns every method of this build that the model, the machine and the configuration's backend and neighbor words
/// allow, double precision before mixed. only: one precision; it is an InputError if the model does not allow it.
/// Throws DeviceError for an explicit `cuda` without a GPU.
std::vector<Method> available_methods(const RunConfig& config, const PairModel& model, std::size_t n_atoms,
                                      std::optional<Precision> only = std::nullopt);

/// Return the words of the interface and of logs.
std::string_view word_of(Backend backend);
std::string_view word_of(Precision precision);
std::string_view word_of(NeighborMethod method);
std::string_view word_of(ListForm form);

}  // namespace dropmd
