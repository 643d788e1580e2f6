#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/particles.h"
#include "core/run/energies.h"
#include "core/run/method_choice.h"
#include "engine/model/system.h"
#include "forces/force_term.h"
#include "forces/pair/pair_force_term.h"
#include "forces/pair/pair_forces.h"

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

/// Whether the method is for models of which every term has a cutoff.
bool needs_cutoff(NeighborMethod method);

/// Whether it keeps what it found, a skin beyond the cutoff, while atoms stay within half of it.
bool has_skin(const Method& method);

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

std::unique_ptr<PairForces> make_pair_forces(const Method& method, const PairModel& model, PairAtoms atoms);

/// The names of the energies of a system, in the order of its force terms.
std::vector<std::string_view> energy_names(const System& system);

/// All forces on the particles of a system: its force terms in one list, the pair forces first. The system outlives it;
/// only positions may change.
class ForceField {
 public:
  ForceField(const System& system, const Method& method);

  struct Result {
    Energies energies;  ///< kinetic left at 0; all zero where only forces were wanted
    PairSums pairs;
  };

  /// force: [n_atoms][3], overwritten.
  Result evaluate(const Moment& now, Want want, std::span<Vec3<double>> force);

  /// The exact forces on some atoms, by all terms, in fp64. sample: indices of atoms [n]; returns [n].
  std::vector<AtomSums> reference(const Moment& now, std::span<const std::uint32_t> sample) const;

  /// Of the pair forces: PairForces::list_positions().
  std::span<const Vec3<double>> list_positions() const { return pair_term().pairs().list_positions(); }
  void build_list(std::span<const Vec3<double>> position) { pair_term().pairs().build_list(position); }

  /// Host memory beside the atoms, of the last evaluation.
  std::uint64_t bytes() const;

  const PairForceTerm& pair_term() const { return static_cast<const PairForceTerm&>(*terms_.front()); }

 private:
  Cpu cpu_;
  std::vector<std::string_view> names_;
  std::vector<std::unique_ptr<ForceTerm>> terms_;
};

}  // namespace dropmd
